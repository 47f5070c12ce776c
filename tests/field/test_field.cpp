#include "graze/field.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "field/field_program.h"
#include "field/field_upload.h"
#include "graze/error.h"
#include "parallel/cpu_executor.h"
#include "tests/field/field_cases.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/field_oracle.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

using oracle::case_count;
using oracle::Cloud;
using oracle::RandomPoints;
using testing::HasSubstr;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Transformd widened(const Transform& t) {
    const Quat& q = t.rotation;
    return {static_cast<Vec3d>(t.translation), {q.w, q.x, q.y, q.z}, t.scale};
}

// A field, and the same solid by its definition.
struct Pair {
    Field field;
    Cloud cloud;
};

Pair random_leaf(RandomPoints<float>& random) {
    const auto [field, solid] = [&]() -> std::pair<Field, oracle::Solid> {
        const float a = random.uniform(0.3f, 1), b = random.uniform(0.3f, 1);
        switch (random.integer(0, 6)) {
            case 0:
                return {Field::sphere({0, 0, 0}, a), oracle::ball(a)};
            case 1:
                return {Field::box({a, b, a}), oracle::box({a, b, a})};
            case 2:
                return {Field::rounded_box({a, a, b}, 0.25f), oracle::rounded_box({a, a, b}, 0.25)};
            case 3:
                return {Field::capsule({0, 0, 0}, {0, 0, a}, b / 2),
                        oracle::upright_capsule(a, b / 2)};
            case 4:
                return {Field::cylinder(a, b), oracle::cylinder(a, b)};
            case 5:
                return {Field::cone(a, b), oracle::cone(a, b)};
            default:
                return {Field::torus(a, b / 2), oracle::torus(a, b / 2)};
        }
    }();
    // Leaves are close together, so that they have much in common.
    Transform t = random_transform(random);
    t.translation *= 0.25f;
    t.scale = std::sqrt(t.scale);
    return {field.transformed(t), cloud_of(moved(solid, widened(t)), 30)};
}

Pair random_tree(RandomPoints<float>& random, int leaf_count) {
    if (leaf_count == 1) return random_leaf(random);
    const int left = random.integer(1, leaf_count - 1);
    const Pair a = random_tree(random, left), b = random_tree(random, leaf_count - left);
    switch (random.integer(0, 2)) {
        case 0:
            return {unite(a.field, b.field),
                    combine(a.cloud, b.cloud, [](bool x, bool y) { return x || y; })};
        case 1:
            return {intersect(a.field, b.field),
                    combine(a.cloud, b.cloud, [](bool x, bool y) { return x && y; })};
        default:
            return {subtract(a.field, b.field),
                    combine(a.cloud, b.cloud, [](bool x, bool y) { return x && !y; })};
    }
}

// A combination has the right sign, and is never farther from zero than any point of the surface is
// away.
TEST(Field, CombinationsAreLowerBounds) {
    RandomPoints<float> random(1);
    int inside_count = 0;
    for (int round = 0; round < case_count(60); ++round) {
        SCOPED_TRACE(round);
        const Pair pair = random_tree(random, 1 + round % 9);
        for (int i = 0; i < 100; ++i) {
            const Vec3 point = random.in_box(i % 2 == 0 ? 1.0f : 3.0f);
            const auto wide = static_cast<Vec3d>(point);
            const float d = pair.field.distance(point);
            if (std::fabs(d) > 1e-5f) {
                ASSERT_EQ(d < 0, pair.cloud.contains(wide));
            }
            ASSERT_LE(std::fabs(d), pair.cloud.distance_to_surface(wide) + 1e-5);
            inside_count += d < 0 ? 1 : 0;
        }
    }
    EXPECT_GT(inside_count, case_count(300));
}

// Where a side claims to be exact, the surface is where distance and gradient say; the test above
// shows that none is closer.
TEST(Field, ExactSidesAreExact) {
    RandomPoints<float> random(2);
    int seen[2][2] = {};  // by operation and side
    for (int round = 0; round < case_count(200); ++round) {
        const Pair a = random_leaf(random), b = random_leaf(random);
        const bool is_union = round % 2 == 0;
        const Field field = is_union ? unite(a.field, b.field) : intersect(a.field, b.field);
        for (int i = 0; i < 50; ++i) {
            const Vec3 point = random.in_box(i % 2 == 0 ? 1.0f : 3.0f);
            const FieldValue value = field.evaluate(point);
            const Exactness side =
                value.distance < 0 ? field.exactness_inside() : field.exactness_outside();
            if (side != Exactness::exact) continue;
            ++seen[is_union][value.distance < 0];
            const Vec3 foot = point - value.gradient * value.distance;
            ASSERT_LE(std::fabs(field.distance(foot)), 1e-5f);
        }
    }
    EXPECT_GT(seen[1][0], case_count(1000));  // outside unions
    EXPECT_GT(seen[0][1], case_count(100));   // inside intersections
    EXPECT_EQ(seen[0][0], 0);
}

TEST(Field, ExactnessFollowsTheOperands) {
    const Field ball = Field::sphere({0, 0, 0}, 1), box = Field::box({1, 1, 1});
    const Field ground = Field::height_map(sample_height_map());
    const Field samples = sample_ball(FieldOrder::one, false);
    const auto sides = [](const Field& field) {
        return std::pair(field.exactness_outside(), field.exactness_inside());
    };
    constexpr auto exact = Exactness::exact, bound = Exactness::lower_bound,
                   sampled = Exactness::sampled;
    EXPECT_EQ(sides(ball), std::pair(exact, exact));
    EXPECT_EQ(sides(ground), std::pair(bound, bound));
    EXPECT_EQ(sides(samples), std::pair(sampled, sampled));
    EXPECT_EQ(sides(unite(ball, box)), std::pair(exact, bound));
    EXPECT_EQ(sides(intersect(ball, box)), std::pair(bound, exact));
    EXPECT_EQ(sides(subtract(ball, box)), std::pair(bound, exact));
    EXPECT_EQ(sides(unite(ball, ground)), std::pair(bound, bound));
    EXPECT_EQ(sides(unite(ball, samples)), std::pair(sampled, sampled));
    EXPECT_EQ(sides(intersect(box, samples)), std::pair(sampled, sampled));
    // The inside of a - (b | c) is where b | c is outside, which is exact; of a - (b & c) not.
    EXPECT_EQ(sides(subtract(ball, unite(box, ball))), std::pair(bound, exact));
    EXPECT_EQ(sides(subtract(ball, intersect(box, ball))), std::pair(bound, bound));
    // Where two are apart, the way out of one is the way out of both.
    const Field far = ball.transformed({{5, 0, 0}, Quat::identity(), 1});
    EXPECT_EQ(sides(unite(ball, far)), std::pair(exact, exact));
}

TEST(Field, ErrorIsTheLargestOfTheSamples) {
    const Field samples = sample_ball(FieldOrder::one, false);
    EXPECT_GT(samples.error(), 0);
    EXPECT_EQ(Field::box({1, 1, 1}).error(), 0);
    const Field larger = samples.transformed({{0, 0, 0}, Quat::identity(), 3});
    EXPECT_EQ(larger.error(), 3 * samples.error());
    EXPECT_EQ(subtract(Field::box({1, 1, 1}), larger).error(), larger.error());
    EXPECT_EQ(unite(larger, samples).error(), larger.error());
}

// For every kind and combination f'(T x) = scale f(x), with the gradient turned.
TEST(Field, MotionAndScaleCarryTheFieldAlong) {
    RandomPoints<float> random(3);
    for (const FieldCase& c : field_cases()) {
        SCOPED_TRACE(c.name);
        for (int round = 0; round < 3; ++round) {
            const Transform t = random_transform(random), u = random_transform(random);
            const Field once = c.field.transformed(t), twice = once.transformed(u);
            int turned_count = 0;
            for (int i = 0; i < case_count(100); ++i) {
                const Vec3 point = random.in_box(2);
                const FieldValue before = c.field.evaluate(point);
                const FieldValue after = once.evaluate(transform_point(t, point));
                EXPECT_NEAR(after.distance, before.distance * t.scale, 2e-5f * t.scale + 2e-6f);
                // The gradient jumps at edges and where cells of samples meet.
                const Vec3 turned = rotate(t.rotation, before.gradient);
                turned_count += distance(after.gradient, turned) < 1e-3f ? 0 : 1;
                const float scale = t.scale * u.scale;
                EXPECT_NEAR(twice.distance(transform_point(u * t, point)), before.distance * scale,
                            4e-5f * scale + 4e-6f);
            }
            EXPECT_LE(turned_count, case_count(100) / 20);
        }
    }
}

TEST(Field, IdentityChangesNothing) {
    for (const FieldCase& c : field_leaves()) {
        const Field same = c.field.transformed(Transform::identity());
        for (const Vec3& point : field_points(200)) {
            const FieldValue a = c.field.evaluate(point), b = same.evaluate(point);
            EXPECT_EQ(a.distance, b.distance);
            EXPECT_EQ(a.gradient, b.gradient);
        }
    }
}

TEST(Field, GradientsHaveUnitLength) {
    for (const FieldCase& c : field_cases()) {
        SCOPED_TRACE(c.name);
        for (const Vec3& point : field_points(case_count(2000))) {
            const float norm = length(c.field.evaluate(point).gradient);
            if (c.field.error() > 0 && norm == 0) continue;  // samples may have no direction
            ASSERT_NEAR(norm, 1, 2e-6f);
        }
    }
}

TEST(Field, BoundsHoldTheSolidAndTouchIt) {
    RandomPoints<float> random(4);
    for (int round = 0; round < case_count(300); ++round) {
        const Pair leaf = random_leaf(random);
        Aabbd box = Aabbd::empty();
        for (const Vec3d& p : leaf.cloud.surface)
            box = merge(box, p);
        const Aabb& bounds = leaf.field.bounds();
        for (int axis = 0; axis < 3; ++axis) {
            // 30 x 30 points leave little space between the outermost of them and the end.
            const double slack = 0.02 * (box.max[axis] - box.min[axis]);
            EXPECT_LE(bounds.min[axis], box.min[axis]);
            EXPECT_GE(bounds.max[axis], box.max[axis]);
            EXPECT_GE(bounds.min[axis], box.min[axis] - slack);
            EXPECT_LE(bounds.max[axis], box.max[axis] + slack);
        }
    }
    for (const FieldCase& c : field_cases()) {
        SCOPED_TRACE(c.name);
        for (const Vec3& point : field_points(case_count(3000))) {
            if (c.field.distance(point) <= -c.field.error()) {
                ASSERT_TRUE(contains(c.field.bounds(), point));
            }
        }
    }
}

TEST(Field, BoundsOfUnmovedShapesAreExact) {
    const auto expect = [](const Field& field, const Vec3& min, const Vec3& max) {
        EXPECT_EQ(field.bounds().min, min);
        EXPECT_EQ(field.bounds().max, max);
    };
    const float inf = kInfinity;
    expect(Field::sphere({1, 2, 3}, 1), {0, 1, 2}, {2, 3, 4});
    expect(Field::box({1, 2, 3}), {-1, -2, -3}, {1, 2, 3});
    expect(Field::rounded_box({1, 2, 3}, 0.5f), {-1, -2, -3}, {1, 2, 3});
    expect(Field::capsule({0, 0, 0}, {0, 0, 2}, 1), {-1, -1, -1}, {1, 1, 3});
    expect(Field::cylinder(1, 2), {-1, -1, -2}, {1, 1, 2});
    expect(Field::cone(1, 2), {-1, -1, 0}, {1, 1, 2});
    expect(Field::torus(2, 1), {-3, -3, -1}, {3, 3, 1});
    expect(Field::plane({0, 0, 2}, 4), {-inf, -inf, -inf}, {inf, inf, 2});
    expect(Field::plane({1, 1, 0}, 4), {-inf, -inf, -inf}, {inf, inf, inf});
    expect(sample_ball(FieldOrder::zero, true), {-1, -1, -1}, {1, 1, 1});

    const Field box = Field::box({1, 1, 1}), plane = Field::plane({1, 0, 0}, 0.25f);
    expect(intersect(box, plane), {-1, -1, -1}, {0.25f, 1, 1});
    expect(subtract(box, plane), {0.25f, -1, -1}, {1, 1, 1});
    expect(subtract(box, Field::sphere({1, 1, 1}, 1)), {-1, -1, -1}, {1, 1, 1});
    expect(unite(box, Field::sphere({1, 1, 1}, 1)), {-1, -1, -1}, {2, 2, 2});
    EXPECT_TRUE(intersect(box, Field::sphere({9, 0, 0}, 1)).bounds().is_empty());
}

TEST(Field, AroundSamplesOfAHoleItIsSolid) {
    const FieldGrid grid{{-1, -1, -1}, 0.25f, {8, 8, 8}};
    const Field hole =
        make_sampled_field(oracle::fill_dense(grid, FieldOrder::zero, true, [](const Vec3d& p) {
            return oracle::Truth{0.5 - length(p), {0, 0, 1}};
        }));
    EXPECT_EQ(hole.bounds().max.x, kInfinity);
    EXPECT_LT(hole.distance({10, 0, 0}), -9);
}

TEST(Field, SamplesAreThoseOfAPlainSampledField) {
    const Field plain = sample_ball(FieldOrder::one, false);
    ASSERT_TRUE(plain.is_sampled());
    EXPECT_EQ(samples_of(make_sampled_field(samples_of(plain))), samples_of(plain));
    EXPECT_EQ(samples_of(plain.transformed(Transform::identity())), samples_of(plain));
    EXPECT_FALSE(plain.transformed({{1, 0, 0}, Quat::identity(), 1}).is_sampled());
    EXPECT_FALSE(unite(plain, plain).is_sampled());
    EXPECT_FALSE(Field::box({1, 1, 1}).is_sampled());
    EXPECT_FALSE(subtract(Field::box({1, 1, 1}), plain).is_sampled());
}

TEST(Field, SharesWhatItsPartsShare) {
    const Field plain = sample_ball(FieldOrder::one, false);
    const Field ground = Field::height_map(sample_height_map());
    const Transform aside{{1, 0, 0}, Quat::identity(), 1};
    const Field both = unite(unite(plain, ground), unite(plain, ground).transformed(aside));
    EXPECT_EQ(program_of(both).nodes.size(), 7u);
    EXPECT_EQ(program_of(both).sampled.size(), 1u);
    EXPECT_EQ(program_of(both).height_maps.size(), 1u);
}

// A view lives as long as the field, whatever becomes of what it was made from.
TEST(Field, KeepsItsPartsAlive) {
    Field field = Field::box({1, 1, 1});
    {
        const Field plain = sample_ball(FieldOrder::zero, true);
        field = subtract(field, unite(plain, Field::height_map(sample_height_map())));
    }
    EXPECT_GT(evaluate(view_of(field), {0, 0, 0}).distance, 0);
}

TEST(Field, NestingNeedsLittleDepth) {
    const Field leaf = Field::sphere({0, 0, 0}, 1);
    Field left = leaf, right = leaf;
    for (int i = 0; i < 300; ++i) {
        left = unite(left, leaf);
        right = subtract(leaf, right);
    }
    EXPECT_EQ(program_of(left).depth, 2);
    EXPECT_EQ(program_of(right).depth, 2);
    EXPECT_EQ(left.distance({3, 0, 0}), 2);

    Field even = leaf;
    for (int depth = 1; depth < kFieldMaxDepth; ++depth) {
        EXPECT_EQ(program_of(even).depth, depth);
        even = unite(even, even);
    }
    EXPECT_EQ(even.distance({3, 0, 0}), 2);
    try {
        unite(even, even);
        FAIL() << "no error";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("nested too evenly"));
    }
}

// The copy for an executor gives the same bits.
TEST(Field, UploadedFieldIsTheSame) {
    CpuExecutor executor;
    for (const FieldCase& c : field_cases()) {
        const DeviceField copy(executor, c.field);
        for (const Vec3& point : field_points(300)) {
            const FieldValue a = c.field.evaluate(point), b = evaluate(copy.view(), point);
            ASSERT_EQ(a.distance, b.distance) << c.name;
            ASSERT_EQ(a.gradient, b.gradient) << c.name;
        }
    }
}

template <class Make>
std::string message_of(const Make& make) {
    try {
        make();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

TEST(Field, SaysWhatToChange) {
    const auto expect = [](const auto& make, const char* part) {
        EXPECT_THAT(message_of(make), HasSubstr(part));
    };
    expect([] { Field::plane({0, 0, 0}, 1); }, "plane: the normal is zero; give it a direction");
    expect([] { Field::plane({0, kNan, 0}, 1); }, "plane: the normal");
    expect([] { Field::plane({0, 0, 1}, kInfinity); }, "plane: the offset is inf");
    expect([] { Field::sphere({kNan, 0, 0}, 1); }, "sphere: the centre");
    expect([] { Field::sphere({0, 0, 0}, -1); }, "sphere: the radius is -1");
    expect([] { Field::sphere({0, 0, 0}, kNan); }, "make it a number of 0 or more");
    expect([] { Field::box({1, -1, 1}); }, "box: the half extent");
    expect([] { Field::box({1, kInfinity, 1}); }, "box: the half extent");
    expect([] { Field::rounded_box({1, 2, 3}, 1.5f); }, "make it 1.000000 or less");
    expect([] { Field::rounded_box({1, 2, 3}, -1); }, "rounded box: the radius");
    expect([] { Field::capsule({0, 0, 0}, {0, 0, kNan}, 1); }, "capsule: b");
    expect([] { Field::cylinder(1, -2); }, "cylinder: the half height");
    expect([] { Field::cone(-1, 2); }, "cone: the radius");
    expect([] { Field::torus(1, kNan); }, "torus: the tube radius");
    expect([] { make_sampled_field(nullptr); }, "there are no samples");

    const Field ball = Field::sphere({0, 0, 0}, 1);
    expect([&] { ball.transformed({{0, 0, 0}, Quat::identity(), 0}); }, "make it positive");
    expect([&] { ball.transformed({{0, 0, 0}, {2, 0, 0, 0}, 1}); }, "unit quaternion");
    expect([&] { ball.transformed({{kNan, 0, 0}, Quat::identity(), 1}); }, "translation");
    const Field tiny = ball.transformed({{0, 0, 0}, Quat::identity(), 1e-30f});
    expect([&] { tiny.transformed({{0, 0, 0}, Quat::identity(), 1e-30f}); }, "near 1");
}

TEST(Field, SaysWhatIsWrongWithAHeightMap) {
    const auto expect = [](const auto& change, const char* part) {
        HeightMap map = sample_height_map();
        change(map);
        EXPECT_THAT(message_of([&] { Field::height_map(map); }), HasSubstr(part));
    };
    expect([](HeightMap& map) { map.size[0] = 1; }, "at least 2 heights");
    expect([](HeightMap& map) { map.size[1] += 1; }, "9 x 14 needs 126 heights, there are 117");
    expect([](HeightMap& map) { map.spacing = 0; }, "the spacing is 0");
    expect([](HeightMap& map) { map.heights[5] = kNan; }, "heights[5] is nan");
    expect([](HeightMap& map) { map.origin.y = kInfinity; }, "the origin");
}

TEST(Field, SaysWhatIsWrongWithSamples) {
    const auto expect = [](const auto& change, const char* part) {
        const FieldGrid grid{{0, 0, 0}, 1, {8, 8, 8}};
        auto samples = oracle::fill_sparse(grid, FieldOrder::one, true, 1, [](const Vec3d& p) {
            return oracle::Truth{p.x - 4, {1, 0, 0}};
        });
        change(*samples);
        EXPECT_THAT(message_of([&] { make_sampled_field(samples); }), HasSubstr(part));
    };
    expect([](SampledField& s) { s.samples.resize(5); }, "there are 5 samples, but 729");
    expect([](SampledField& s) { s.errors.resize(0); }, "there are 0 errors");
    expect([](SampledField& s) { s.coarse.resize(1); }, "coarse values");
    expect([](SampledField& s) { s.brick_of_block.resize(0); }, "brick indices of blocks");
    expect([](SampledField& s) { s.grid.spacing = -1; }, "positive spacing");
}

}  // namespace
}  // namespace graze
