#include <gtest/gtest.h>

#include <cmath>

#include "broad_phase/body_boxes.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr Aabb kEverything{{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};

using Random = oracle::RandomPoints<float>;

Quat random_rotation(Random& random) {
    if (random.integer(0, 4) == 0) return Quat::identity();
    return normalized(Quat{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1),
                           random.uniform(-1, 1)});
}
Transform random_pose(Random& random) {
    const int magnitude = random.integer(-10, 20);
    return {
        random.over_exponents(magnitude - 3, magnitude), random_rotation(random),
        random.integer(0, 1) == 0 ? 1.0f : std::ldexp(random.uniform(1, 2), random.integer(-5, 5))};
}
Aabb random_bounds(Random& random) {
    const int magnitude = random.integer(-10, 10);
    const Vec3 a = random.over_exponents(magnitude - 3, magnitude);
    const Vec3 b = random.over_exponents(magnitude - 3, magnitude);
    return {min_of(a, b), max_of(a, b)};
}
// A corner, or a point within.
Vec3 random_point(Random& random, const Aabb& box) {
    Vec3 p;
    for (int axis = 0; axis < 3; ++axis) {
        const int kind = random.integer(0, 2);
        p[axis] = kind == 0   ? box.min[axis]
                  : kind == 1 ? box.max[axis]
                              : clamp(random.uniform(box.min[axis], box.max[axis]), box.min[axis],
                                      box.max[axis]);
    }
    return p;
}

Quatd to_double(const Quat& q) {
    return {q.w, q.x, q.y, q.z};
}
Transformd to_double(const Transform& t) {
    return {static_cast<Vec3d>(t.translation), to_double(t.rotation), t.scale};
}
bool contains_exactly(const Aabb& box, const Vec3d& p) {
    return contains(Aabbd{static_cast<Vec3d>(box.min), static_cast<Vec3d>(box.max)}, p);
}

// The pose at a time in the step, by its definition.
Transformd pose_at(const Transform& t0, const Transform& t1, double t) {
    const Vec3d a = static_cast<Vec3d>(t0.translation), b = static_cast<Vec3d>(t1.translation);
    const Quatd p = normalized(to_double(t0.rotation));
    Quatd q = normalized(to_double(t1.rotation));
    if (p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z < 0) q = {-q.w, -q.x, -q.y, -q.z};
    const Quatd turn = q * conjugate(p);
    const double sine = std::sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z);
    const double angle = 2 * std::atan2(sine, turn.w);
    const Quatd turned_by_t =
        sine > 0 ? Quatd::from_axis_angle({turn.x, turn.y, turn.z}, angle * t) : Quatd::identity();
    return {a * (1 - t) + b * t, turned_by_t * p, t0.scale};
}

TEST(BodyBoxes, HoldEveryPointOfTheBody) {
    Random random(1);
    for (int i = 0; i < oracle::case_count(20000); ++i) {
        const Transform pose = random_pose(random);
        const Aabb bounds = random_bounds(random);
        const float margin = random.integer(0, 1) == 0 ? 0.0f : random.uniform(0, 1);
        const Aabb box = pose_box(pose, bounds, margin);
        for (int k = 0; k < 20; ++k) {
            const Vec3 p = random_point(random, bounds);
            const Vec3d exact = transform_point(to_double(pose), static_cast<Vec3d>(p));
            const Vec3d rounded = static_cast<Vec3d>(transform_point(pose, p));
            for (const Vec3d& at : {exact, rounded}) {
                ASSERT_TRUE(contains_exactly(box, at));
                for (int axis = 0; axis < 3; ++axis) {
                    ASSERT_LE(box.min[axis], at[axis] - margin);
                    ASSERT_GE(box.max[axis], at[axis] + margin);
                }
            }
        }
    }
}

TEST(BodyBoxes, AreTight) {
    Random random(2);
    for (int i = 0; i < oracle::case_count(20000); ++i) {
        const Transform pose = random_pose(random);
        const Aabb bounds = random_bounds(random);
        const Aabb box = pose_box(pose, bounds, 0);
        const Aabbd exact = transform_box(
            to_double(pose), {static_cast<Vec3d>(bounds.min), static_cast<Vec3d>(bounds.max)});
        const double size = pose.scale * double(length(max_of(-bounds.min, bounds.max)));
        for (int axis = 0; axis < 3; ++axis) {
            const double allowed =
                2e-5 * size + 1e-6 * std::fabs(double(pose.translation[axis])) + 1e-37;
            ASSERT_NEAR(box.min[axis], exact.min[axis], allowed);
            ASSERT_NEAR(box.max[axis], exact.max[axis], allowed);
        }
    }
}

TEST(BodyBoxes, UnboundedShapesStayUnboundedWhereTheyMust) {
    const Aabb below{{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, 0}};
    const auto expect_box = [](const Aabb& found, const Aabb& expected) {
        for (int axis = 0; axis < 3; ++axis) {
            for (const auto& [x, y] : {std::pair(found.min[axis], expected.min[axis]),
                                       std::pair(found.max[axis], expected.max[axis])}) {
                if (std::isinf(y)) {
                    EXPECT_EQ(x, y);
                } else {
                    EXPECT_NEAR(x, y, 1e-5);
                }
            }
        }
    };
    const Vec3 at{1, 2, 3};
    expect_box(pose_box({at, Quat::identity(), 2}, below, 0.5f),
               {below.min, {kInfinity, kInfinity, 3.5f}});
    // Turning around its normal leaves a floor what it is.
    const Quat yaw = Quat::from_axis_angle({0, 0, 1}, 0.7f);
    expect_box(pose_box({at, yaw, 1}, below, 0), {below.min, {kInfinity, kInfinity, 3}});
    expect_box(sweep_box({at, yaw, 1}, {{4, 5, 6}, yaw, 1}, below, 0),
               {below.min, {kInfinity, kInfinity, 6}});
    // Upside down around x: the floor is a ceiling, and the zero in the quaternion says so exactly.
    expect_box(pose_box({at, {0, 1, 0, 0}, 1}, below, 0),
               {{-kInfinity, -kInfinity, 3}, {kInfinity, kInfinity, kInfinity}});
    // Tilted, however little, it reaches everywhere.
    for (const float angle : {1e-30f, 1e-3f, 1.5707964f})
        expect_box(pose_box({at, Quat::from_axis_angle({1, 0, 0}, angle), 1}, below, 0),
                   kEverything);
    expect_box(sweep_box({at, Quat::identity(), 1}, {at, Quat::from_axis_angle({1, 0, 0}, 0.1f), 1},
                         below, 0),
               kEverything);
    expect_box(pose_box({at, yaw, 1}, kEverything, 0), kEverything);
    // A column along z.
    const Aabb column{{-1, -1, -kInfinity}, {1, 1, kInfinity}};
    expect_box(pose_box({at, {0, 0, 0, 1}, 1}, column, 0), {{0, 1, -kInfinity}, {2, 3, kInfinity}});
}

TEST(BodyBoxes, AreNumbersWhateverTheInput) {
    Random random(3);
    for (int i = 0; i < oracle::case_count(50000); ++i) {
        Transform t0 = random_pose(random), t1 = random_pose(random);
        t0.translation = random.over_exponents(-148, 128);
        t1.translation = random.over_exponents(-148, 128);
        t0.scale = t1.scale = std::ldexp(1.0f, random.integer(-100, 100));
        const Vec3 a = random.over_exponents(-148, 128), b = random.over_exponents(-148, 128);
        Aabb bounds{min_of(a, b), max_of(a, b)};
        for (int axis = 0; axis < 3; ++axis) {
            if (random.integer(0, 3) == 0) bounds.min[axis] = -kInfinity;
            if (random.integer(0, 3) == 0) bounds.max[axis] = kInfinity;
        }
        for (const Aabb& box : {pose_box(t0, bounds, 0.1f), sweep_box(t0, t1, bounds, 0.1f)}) {
            for (int axis = 0; axis < 3; ++axis) {
                ASSERT_LE(box.min[axis], box.max[axis]);
                ASSERT_LT(box.min[axis], kInfinity);
                ASSERT_GT(box.max[axis], -kInfinity);
            }
        }
    }
}

TEST(BodyBoxes, SweptBoxesHoldTheBodyAtEveryInstant) {
    Random random(4);
    for (int i = 0; i < oracle::case_count(3000); ++i) {
        Transform t0 = random_pose(random);
        Transform t1 = t0;
        t1.translation =
            t0.translation + random.in_box(1) * std::ldexp(1.0f, random.integer(-10, 5));
        const int kind = random.integer(0, 3);
        const float angle = kind == 0   ? 0.0f
                            : kind == 1 ? random.uniform(0, 0.05f)
                            : kind == 2 ? random.uniform(0, 3.1415927f)
                                        : 3.1415927f;
        t1.rotation = normalized(
            Quat::from_axis_angle(random.in_box(1) + Vec3{0, 0, 1.01f}, angle) * t0.rotation);
        if (random.integer(0, 1) == 0) {
            t1.rotation = {-t1.rotation.w, -t1.rotation.x, -t1.rotation.y, -t1.rotation.z};
        }
        const Aabb bounds = random_bounds(random);
        const Aabb box = sweep_box(t0, t1, bounds, 0);
        for (int k = 0; k < 30; ++k) {
            const Vec3d p = static_cast<Vec3d>(random_point(random, bounds));
            for (int step = 0; step <= 32; ++step)
                ASSERT_TRUE(
                    contains_exactly(box, transform_point(pose_at(t0, t1, step / 32.0), p)));
        }
    }
}

// Samples of what the body really reaches are inside of its box.
TEST(BodyBoxes, SweptBoxesAreTightForSmallRotations) {
    const Aabb bounds{{-1, -0.5f, -0.2f}, {1, 0.5f, 0.2f}};
    for (const float angle : {0.0f, 0.01f, 0.1f, 0.5f, 3.0f}) {
        const Transform t0{{5, 6, 7}, Quat::from_axis_angle({1, 2, 3}, 0.4f), 2};
        const Transform t1{{5.5f, 6, 7}, Quat::from_axis_angle({3, -1, 1}, angle) * t0.rotation, 2};
        const Aabb box = sweep_box(t0, t1, bounds, 0);
        Aabbd reached = Aabbd::empty();
        for (int step = 0; step <= 100; ++step) {
            reached = merge(reached, transform_box(pose_at(t0, t1, step / 100.0),
                                                   {static_cast<Vec3d>(bounds.min),
                                                    static_cast<Vec3d>(bounds.max)}));
        }
        const double radius = 2 * length(Vec3d{1, 0.5, 0.2});
        const double allowed = std::min(radius * (0.13 * angle * angle + 1e-4), 2 * radius);
        for (int axis = 0; axis < 3; ++axis) {
            EXPECT_LE(double(box.min[axis]), reached.min[axis]);
            EXPECT_GE(double(box.min[axis]), reached.min[axis] - allowed) << angle;
            EXPECT_GE(double(box.max[axis]), reached.max[axis]);
            EXPECT_LE(double(box.max[axis]), reached.max[axis] + allowed) << angle;
        }
    }
}

TEST(BodyBoxes, FollowShapesAndPosesByBody) {
    const std::vector<Aabb> bounds{
        {{-1, -1, -1}, {1, 1, 1}}, Aabb::empty(), {{0, 0, 0}, {2, 0, 0}}};
    const std::vector<std::uint32_t> shapes{2, 0, 1, 0};
    std::vector<Transform> t0(4, Transform::identity()), t1(4, Transform::identity());
    t0[1].translation = {10, 0, 0};
    t1[1].translation = {20, 0, 0};
    for (const bool is_swept : {false, true}) {
        std::vector<Aabb> boxes(4);
        const BodyBoxes compute{bounds.data(), shapes.data(),
                                t0.data(),     is_swept ? t1.data() : nullptr,
                                0.25f,         boxes.data()};
        for (int body = 0; body < 4; ++body)
            compute(body);
        EXPECT_NEAR(boxes[0].max.x, 2.25, 1e-4);
        EXPECT_NEAR(boxes[1].min.x, 8.75, 1e-4);
        EXPECT_NEAR(boxes[1].max.x, is_swept ? 21.25 : 11.25, 1e-4);
        EXPECT_TRUE(boxes[2].is_empty());
        EXPECT_NEAR(boxes[3].min.z, -1.25, 1e-4);
    }
}

}  // namespace
}  // namespace graze
