// Compares sides that are found apart, or to share only a corner, with exact segments in the plane
// of sight at many times, on small grids, where heights in the plane are integers.
#include "narrow_phase/features/patch_contours.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "narrow_phase/features/patch_contours_lanes.h"
#include "tests/narrow_phase/features/patch_directions.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

constexpr int kSteps = 16;  // of time; positions then are multiples of 1 / kSteps

struct Point {
    double x, y;
};
struct Corner {
    Vec3d q[2];  // at t0 and t1
    ContourBounds bounds;
    Point seen(const SightPlane& plane, int step) const {
        const Vec3d p = q[0] * double(kSteps - step) + q[1] * double(step);
        return {dot(plane.u, p), dot(plane.v, p)};
    }
};
Corner random_corner(oracle::RandomPoints<double>& random, const SightPlane& plane, int motion) {
    Corner corner{};
    corner.q[0] = random.on_grid(4);
    corner.q[1] = corner.q[0] + random.on_grid(motion);
    EXPECT_TRUE(bound_corner(plane, corner.q, corner.bounds));
    return corner;
}

double area(const Point& a, const Point& b, const Point& c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}
int sign(double value) {
    return (value > 0) - (value < 0);
}
bool is_on(const Point& a, const Point& b, const Point& p) {
    return area(a, b, p) == 0 && (p.x - a.x) * (p.x - b.x) + (p.y - a.y) * (p.y - b.y) <= 0;
}
bool do_meet(const Point& a, const Point& b, const Point& c, const Point& d) {
    if (is_on(a, b, c) || is_on(a, b, d) || is_on(c, d, a) || is_on(c, d, b)) return true;
    return sign(area(a, b, c)) * sign(area(a, b, d)) < 0 &&
           sign(area(c, d, a)) * sign(area(c, d, b)) < 0;
}
bool do_fold(const Point& a, const Point& b, const Point& c) {
    return area(a, b, c) == 0 && (b.x - a.x) * (c.x - b.x) + (b.y - a.y) * (c.y - b.y) <= 0;
}

TEST(PatchContours, AreSeenInPlanesOrthogonalToTheirDirections) {
    for (int axis = 0; axis < kPatchDirections; ++axis) {
        const SightPlane plane = sight_plane(axis);
        EXPECT_EQ(dot(plane.u, kPatchDirectionVectors[axis]), 0) << axis;
        EXPECT_EQ(dot(plane.v, kPatchDirectionVectors[axis]), 0) << axis;
        EXPECT_EQ(dot(plane.u, plane.v), 0) << axis;
        EXPECT_NEAR(plane.inverse_u * length(plane.u), 1, 1e-15) << axis;
        EXPECT_NEAR(plane.inverse_v * length(plane.v), 1, 1e-15) << axis;
    }
}

TEST(PatchContours, AreApartWhereSidesAreSaidToBe) {
    oracle::RandomPoints<double> random(3);
    int apart = 0, meet = 0, lost = 0;
    for (int i = 0; i < oracle::case_count(60000); ++i) {
        const SightPlane plane = sight_plane(i % kPatchDirections);
        std::array<Corner, 4> c;
        for (Corner& corner : c)
            corner = random_corner(random, plane, i % 3);
        bool is_apart = true;
        for (int step = 0; step <= kSteps; ++step) {
            is_apart = is_apart && !do_meet(c[0].seen(plane, step), c[1].seen(plane, step),
                                            c[2].seen(plane, step), c[3].seen(plane, step));
        }
        const ContourBounds a = join(c[0].bounds, c[1].bounds), b = join(c[2].bounds, c[3].bounds);
        EXPECT_EQ(Sight::are_apart(a, b), Sight::are_apart(b, a));
        EXPECT_EQ(Sight::are_apart(a, b), SightInLanes::are_apart(a, b));
        if (Sight::are_apart(a, b)) {
            EXPECT_TRUE(is_apart) << i;
            ++apart;
        } else {
            ++(is_apart ? lost : meet);
        }
    }
    EXPECT_GT(apart, oracle::case_count(10000));
    EXPECT_GT(meet, oracle::case_count(5000));
    EXPECT_LT(lost, apart / 2);  // eight lines do not separate all
}

TEST(PatchContours, ShareOnlyACornerWhereSidesAreSaidTo) {
    oracle::RandomPoints<double> random(4);
    int simple = 0, fold = 0;
    for (int i = 0; i < oracle::case_count(60000); ++i) {
        const SightPlane plane = sight_plane(i % kPatchDirections);
        std::array<Corner, 3> c;
        for (Corner& corner : c)
            corner = random_corner(random, plane, i % 3);
        bool does_fold = false;
        for (int step = 0; step <= kSteps; ++step) {
            does_fold = does_fold || do_fold(c[0].seen(plane, step), c[1].seen(plane, step),
                                             c[2].seen(plane, step));
        }
        const bool is_simple = Sight::share_only_corner(c[0].bounds, c[1].bounds, c[2].bounds);
        EXPECT_EQ(SightInLanes::share_only_corner(c[0].bounds, c[1].bounds, c[2].bounds),
                  is_simple);
        if (is_simple) {
            EXPECT_FALSE(does_fold) << i;
            ++simple;
        } else {
            fold += does_fold ? 1 : 0;
        }
    }
    EXPECT_GT(simple, oracle::case_count(10000));
    EXPECT_GT(fold, oracle::case_count(1000));
}

// Bounds contain the heights in long double and are not much wider than floats make necessary.
TEST(PatchContours, HaveHeightsWithinTheirBounds) {
    oracle::RandomPoints<double> random(5);
    for (int i = 0; i < oracle::case_count(20000); ++i) {
        const SightPlane plane = sight_plane(i % kPatchDirections);
        const Vec3d q[2] = {random.over_exponents(-30, 30), random.over_exponents(-30, 30)};
        ContourBounds bounds;
        ASSERT_TRUE(bound_corner(plane, q, bounds));
        const double reach = detail::largest_component(q[0], q[1]);
        for (int time = 0; time < 2; ++time) {
            const auto along = [&](const Vec3d& u, double inverse) {
                using Wide = long double;
                return (Wide(u.x) * Wide(q[time].x) + Wide(u.y) * Wide(q[time].y) +
                        Wide(u.z) * Wide(q[time].z)) *
                       Wide(inverse);
            };
            const long double x = along(plane.u, plane.inverse_u),
                              y = along(plane.v, plane.inverse_v);
            const long double heights[3] = {x, y, (x + y) * 0.70710678118654757L};
            const int lines[3] = {0, 4, 2};
            for (int k = 0; k < 3; ++k) {
                EXPECT_LE(bounds.min[time][lines[k]], heights[k]);
                EXPECT_GE(bounds.max[time][lines[k]], heights[k]);
                EXPECT_LE(bounds.max[time][lines[k]] - bounds.min[time][lines[k]], reach * 1e-6);
            }
        }
    }
    const Vec3d large[2] = {{0x1p101, 0, 0}, {0, 0, 0}};
    ContourBounds bounds;
    EXPECT_FALSE(bound_corner(sight_plane(2), large, bounds));
}

}  // namespace
}  // namespace graze
