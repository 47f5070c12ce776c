// Tests of every analytic shape against its definition, with sizes that are ordinary, degenerate,
// tiny and huge, at points that are random, on planes and axes of symmetry, and close to the
// surface.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "graze/field.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/field_oracle.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

using oracle::case_count;
using oracle::RandomPoints;
using oracle::Solid;

struct Shape {
    std::string name;
    Field field;
    Solid solid;
    double size;  // [m] half of its extent, roughly
};

Quatd quat_from_z_to(const Vec3d& direction) {
    const Vec3d unit = normalized(direction);
    const Vec3d axis = cross(Vec3d{0, 0, 1}, unit);
    if (length(axis) == 0) {
        return unit.z < 0 ? Quatd::from_axis_angle({1, 0, 0}, std::numbers::pi) : Quatd::identity();
    }
    return Quatd::from_axis_angle(axis, std::atan2(length(axis), unit.z));
}

Shape make_sphere(const Vec3& centre, float radius) {
    return {"sphere", Field::sphere(centre, radius),
            moved(oracle::ball(radius), {static_cast<Vec3d>(centre), Quatd::identity(), 1}),
            length(centre) + radius};
}
Shape make_box(const Vec3& half) {
    return {"box", Field::box(half), oracle::box(static_cast<Vec3d>(half)), length(half)};
}
Shape make_rounded_box(const Vec3& half, float radius) {
    return {"rounded box", Field::rounded_box(half, radius),
            oracle::rounded_box(static_cast<Vec3d>(half), radius), length(half)};
}
Shape make_capsule(const Vec3& a, const Vec3& b, float radius) {
    const Vec3d edge = static_cast<Vec3d>(b) - static_cast<Vec3d>(a);
    return {"capsule", Field::capsule(a, b, radius),
            moved(oracle::upright_capsule(length(edge), radius),
                  {static_cast<Vec3d>(a), quat_from_z_to(edge), 1}),
            length(edge) + radius + length(a)};
}
Shape make_cylinder(float radius, float half_height) {
    return {"cylinder", Field::cylinder(radius, half_height), oracle::cylinder(radius, half_height),
            radius + half_height};
}
Shape make_cone(float radius, float height) {
    return {"cone", Field::cone(radius, height), oracle::cone(radius, height), radius + height};
}
Shape make_torus(float ring, float tube) {
    return {"torus", Field::torus(ring, tube), oracle::torus(ring, tube), ring + tube};
}

std::vector<Shape> shapes() {
    std::vector<Shape> all;
    for (const float s : {1.0f, 1e-3f, 700.0f}) {
        all.push_back(make_sphere({s, -2 * s, 0.5f * s}, 1.5f * s));
        all.push_back(make_box({s, 2 * s, 0.75f * s}));
        all.push_back(make_rounded_box({s, 2 * s, 0.75f * s}, 0.25f * s));
        all.push_back(make_capsule({s, -s, 0.5f * s}, {-s, 0.5f * s, 2 * s}, 0.5f * s));
        all.push_back(make_cylinder(s, 1.5f * s));
        all.push_back(make_cone(s, 2 * s));
        all.push_back(make_torus(2 * s, 0.5f * s));
        all.push_back(make_torus(0.75f * s, s));  // it crosses its axis
    }
    // These are flat, thin, and without extent.
    all.push_back(make_sphere({0, 0, 0}, 0));
    all.push_back(make_box({1, 1, 1}));
    all.push_back(make_box({1, 2, 0}));
    all.push_back(make_box({1, 0, 0}));
    all.push_back(make_box({0, 0, 0}));
    all.push_back(make_rounded_box({1, 1, 1}, 1));
    all.push_back(make_rounded_box({2, 1, 1.5f}, 1));
    all.push_back(make_rounded_box({1, 2, 3}, 0));
    all.push_back(make_capsule({0, 0, 0}, {0, 0, 1}, 0.5f));
    all.push_back(make_capsule({0, 0, 0}, {0, -2, 0}, 0));
    all.push_back(make_capsule({1, 1, 1}, {1, 1, 1}, 0.5f));
    all.push_back(make_cylinder(1, 0));
    all.push_back(make_cylinder(0, 1));
    all.push_back(make_cylinder(2, 0.25f));
    all.push_back(make_cone(1, 0));
    all.push_back(make_cone(0, 1));
    all.push_back(make_cone(0, 0));
    all.push_back(make_cone(0.125f, 3));
    all.push_back(make_cone(3, 0.125f));
    all.push_back(make_torus(1, 0));
    all.push_back(make_torus(0, 1));
    all.push_back(make_torus(1, 1));
    all.push_back(make_torus(0.125f, 1));
    return all;
}

// A point near or far, often with coordinates that are equal, zero, or those of faces and axes.
Vec3 random_point(RandomPoints<float>& random, const Shape& shape) {
    const auto size = static_cast<float>(shape.size);
    switch (random.integer(0, 4)) {
        case 0:
            return random.on_grid(4) * (size / 4);
        case 1:
            return random.on_grid(8) * 0.25f;
        case 2:
            return random.in_box(8 * size);
        case 3: {  // onto the surface, then a little off it
            const Vec3 p = random.in_box(1.5f * size);
            const FieldValue value = shape.field.evaluate(p);
            return p - value.gradient * value.distance + random.in_box(1e-4f * size);
        }
        default:
            return random.in_box(1.5f * size);
    }
}

template <class Check>
void for_each_point(int count, const Check& check) {
    unsigned seed = 1;
    for (const Shape& shape : shapes()) {
        SCOPED_TRACE(shape.name + " of size " + std::to_string(shape.size));
        RandomPoints<float> random(seed++);
        for (int i = 0; i < count; ++i) {
            const Vec3 point = random_point(random, shape);
            SCOPED_TRACE("at " + std::to_string(point.x) + " " + std::to_string(point.y) + " " +
                         std::to_string(point.z));
            check(shape, point);
            if (testing::Test::HasFailure()) return;
        }
    }
}

// The rounding of a few float operations on numbers of this size, and what the oracle's search
// leaves.
double tolerance(const Shape& shape, const Vec3& point) {
    return 2e-6 * (shape.size + length(static_cast<Vec3d>(point)));
}

TEST(FieldShapes, DistanceIsTheDefinitions) {
    for_each_point(case_count(200), [](const Shape& shape, const Vec3& point) {
        const double d = shape.field.distance(point);
        const double truth = distance_to_surface(shape.solid, static_cast<Vec3d>(point));
        const double slack = tolerance(shape, point);
        ASSERT_NEAR(std::fabs(d), truth, slack);
        if (truth > slack) {
            ASSERT_EQ(d < 0, contains(shape.solid, static_cast<Vec3d>(point)));
        }
    });
}

// The oracle relies on symmetry; on the whole surface, too, nothing is closer.
TEST(FieldShapes, NoPointOfTheSurfaceIsCloser) {
    unsigned seed = 200;
    for (const Shape& shape : shapes()) {
        SCOPED_TRACE(shape.name + " of size " + std::to_string(shape.size));
        const oracle::Cloud cloud = cloud_of(shape.solid, 50);
        RandomPoints<float> random(seed++);
        for (int i = 0; i < case_count(50); ++i) {
            const Vec3 point = random_point(random, shape);
            ASSERT_LE(
                std::fabs(shape.field.distance(point)),
                cloud.distance_to_surface(static_cast<Vec3d>(point)) + tolerance(shape, point));
        }
    }
}

// Going back by the distance along the gradient leads to a closest point, whichever was chosen
// where there are several.
TEST(FieldShapes, GradientPointsFromAClosestPoint) {
    for_each_point(case_count(100), [](const Shape& shape, const Vec3& point) {
        const FieldValue value = shape.field.evaluate(point);
        ASSERT_NEAR(length(static_cast<Vec3d>(value.gradient)), 1, 1e-6);
        const Vec3d foot =
            static_cast<Vec3d>(point) - static_cast<Vec3d>(value.gradient) * double{value.distance};
        ASSERT_LE(distance_to_surface(shape.solid, foot), 2 * tolerance(shape, point));
    });
}

TEST(FieldShapes, GradientIsTheDerivative) {
    int compared = 0, seen = 0;
    for_each_point(case_count(2000), [&](const Shape& shape, const Vec3& point) {
        const auto h = static_cast<float>(shape.size * 0x1p-8);
        if (h == 0 || length(point) > 16 * shape.size) return;
        const FieldValue value = shape.field.evaluate(point);
        ++seen;
        for (int axis = 0; axis < 3; ++axis) {
            Vec3 before = point, after = point;
            before[axis] -= h;
            after[axis] += h;
            const float low = shape.field.distance(before), high = shape.field.distance(after);
            // Across an edge or close to a centre there is no derivative, or it changes fast.
            if (std::fabs(high - 2 * value.distance + low) > 0.01f * h) return;
            ASSERT_NEAR((high - low) / (after[axis] - before[axis]), value.gradient[axis], 0.02f);
        }
        ++compared;
    });
    EXPECT_GT(compared, seen / 2);
}

TEST(FieldShapes, NoSteeperThanOne) {
    unsigned seed = 100;
    for (const Shape& shape : shapes()) {
        SCOPED_TRACE(shape.name);
        RandomPoints<float> random(seed++);
        for (int i = 0; i < case_count(3000); ++i) {
            const Vec3 a = random_point(random, shape);
            const Vec3 b = i % 2 == 0 ? random_point(random, shape)
                                      : a + random.in_box(std::ldexp(1.0f, random.integer(-10, 0)) *
                                                          static_cast<float>(shape.size));
            const double change =
                std::fabs(double{shape.field.distance(a)} - double{shape.field.distance(b)});
            const double apart = distance(static_cast<Vec3d>(a), static_cast<Vec3d>(b));
            ASSERT_LE(change, apart + tolerance(shape, a) + tolerance(shape, b));
        }
    }
}

// Distances are right where squares would overflow or vanish.
TEST(FieldShapes, ExtremeCoordinates) {
    for (const Field& field :
         {Field::sphere({0, 0, 0}, 1), Field::box({1, 1, 1}), Field::rounded_box({1, 1, 1}, 0.5f),
          Field::capsule({0, 0, -1}, {0, 0, 1}, 0.25f), Field::cylinder(1, 1), Field::cone(1, 1),
          Field::torus(1, 0.5f)}) {
        for (const Vec3& far : {Vec3{1e30f, 0, 0}, Vec3{0, -1e30f, 0}, Vec3{0, 0, 1e30f}}) {
            const FieldValue value = field.evaluate(far);
            EXPECT_NEAR(value.distance / 1e30f, 1, 1e-6f);
            EXPECT_LT(distance(value.gradient, far / 1e30f), 1e-6f);
        }
        for (const Vec3& near : {Vec3{1e-30f, 2e-30f, -1e-30f}, Vec3{0, 0, 1e-42f}}) {
            const FieldValue value = field.evaluate(near);
            EXPECT_NEAR(value.distance, field.distance({0, 0, 0}), 1e-6f);
            EXPECT_NEAR(length(value.gradient), 1, 1e-6f);
        }
    }
    // Just outside a corner, squares are denormal or zero.
    for (const float unit : {1e-22f, 1e-30f}) {
        const FieldValue corner = Field::box({0, 0, 0}).evaluate(Vec3{3, 4, 0} * unit);
        EXPECT_NEAR(corner.distance / (5 * unit), 1, 1e-6f);
        EXPECT_LT(distance(corner.gradient, Vec3{0.6f, 0.8f, 0}), 1e-6f);
    }
}

// Rounding puts points of a slanted axis beside it by next to nothing; their gradients still lead
// straight to the wall, but for the few where nothing but rounding is left.
TEST(FieldShapes, AxisOfACapsule) {
    RandomPoints<float> random(8);
    int slanted_count = 0;
    for (int i = 0; i < case_count(2000); ++i) {
        const Vec3 a = random.in_box(1), b = random.in_box(1);
        const Field capsule = Field::capsule(a, b, 0.25f);
        const FieldValue value = capsule.evaluate(a + (b - a) * random.uniform(0.1f, 0.9f));
        EXPECT_NEAR(value.distance, -0.25f, 1e-6f);
        EXPECT_NEAR(length(value.gradient), 1, 1e-6f);
        slanted_count += std::fabs(dot(value.gradient, normalized(b - a))) > 1e-3f ? 1 : 0;
    }
    EXPECT_LT(slanted_count, case_count(2000) / 20);
}

TEST(FieldShapes, Plane) {
    RandomPoints<float> random(7);
    for (int i = 0; i < case_count(2000); ++i) {
        const Vec3 normal = random.in_box(3);
        const float offset = random.uniform(-5, 5);
        const Field field = Field::plane(normal, offset);
        const Vec3 point = random.in_box(10);
        const FieldValue value = field.evaluate(point);
        const auto n = static_cast<Vec3d>(normal), p = static_cast<Vec3d>(point);
        const double scale = 1 / length(n);
        EXPECT_NEAR(value.distance, (dot(n, p) - offset) * scale, 4e-6 + 1e-6 * scale);
        EXPECT_LT(distance(static_cast<Vec3d>(value.gradient), n * scale), 1e-6);
    }
}

}  // namespace
}  // namespace graze
