// Exact triangle and segment intersections against polygon clipping in rational arithmetic.
#include "geometry/intersect_triangle_triangle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "tests/oracle/case_count.h"
#include "tests/oracle/exact_intersect.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

using oracle::case_count;
using oracle::ConvexPolygon;
using oracle::RandomPoints;
using oracle::RationalVec3;
using oracle::to_rational;

template <class T>
using Corners = std::array<Vec3T<T>, 3>;

template <class T>
std::array<RationalVec3, 3> to_rational3(const Corners<T>& t) {
    return {to_rational(t[0]), to_rational(t[1]), to_rational(t[2])};
}
template <class T>
bool meet(const Corners<T>& a, const Corners<T>& b) {
    return intersect_triangle_triangle(a[0], a[1], a[2], b[0], b[1], b[2]);
}
// How many pairs fell into each class, so that a test can tell that it has tested something.
struct Tally {
    int meeting = 0, apart = 0, single_point = 0;
};

template <class T>
void expect_exact(RandomPoints<T>& random, Corners<T> a, Corners<T> b, Tally& tally) {
    const ConvexPolygon common = common_points(to_rational3(a), to_rational3(b));
    const bool expected = !common.empty();
    ++(expected ? tally.meeting : tally.apart);
    tally.single_point += expected && std::all_of(common.begin(), common.end(), [&](const auto& p) {
                              return p == common.front();
                          });
    ASSERT_EQ(meet(a, b), expected);
    ASSERT_EQ(meet(b, a), expected);
    for (int i = 0; i < 3; ++i) {
        std::next_permutation(a.begin(), a.end(), is_before<T>);
        std::rotate(b.begin(), b.begin() + random.integer(0, 2), b.end());
        ASSERT_EQ(meet(a, b), expected);
    }
}

// The edge a0 a1 against triangle b and against its edge b0 b1.
template <class T>
void expect_exact_segments(const Corners<T>& a, const Corners<T>& b) {
    const Corners<T> segment{a[0], a[1], a[1]}, other{b[0], b[1], b[1]};
    ASSERT_EQ(intersect_segment_triangle(a[0], a[1], b[0], b[1], b[2]),
              !common_points(to_rational3(segment), to_rational3(b)).empty());
    ASSERT_EQ(intersect_segment_segment(a[0], a[1], b[0], b[1]),
              !common_points(to_rational3(segment), to_rational3(other)).empty());
}

template <class T>
class IntersectTriangleTriangle : public testing::Test {};
using Coordinates = testing::Types<float, double>;
TYPED_TEST_SUITE(IntersectTriangleTriangle, Coordinates);

// Coordinates in {-2..2}: coplanar, touching and collapsed triangles by the thousands.
TYPED_TEST(IntersectTriangleTriangle, ExactOnSmallGrids) {
    RandomPoints<TypeParam> random(11);
    Tally tally;
    const int pair_count = case_count(sizeof(TypeParam) == 4 ? 50000 : 20000);
    for (int i = 0; i < pair_count; ++i) {
        const int reach = random.integer(1, 2);
        const auto grid = [&] {
            auto p = random.on_grid(reach);
            if (i % 3 == 0) p.z = 0;  // all in one plane
            if (i % 3 == 1) p.z = p.x + p.y;
            if (i % 7 == 0) p.y = p.x;
            return p;
        };
        const Corners<TypeParam> a{grid(), grid(), grid()}, b{grid(), grid(), grid()};
        expect_exact(random, a, b, tally);
        if (i % 4 < 2) expect_exact_segments(a, b);
        if (this->HasFatalFailure()) FAIL() << "pair " << i;
    }
    EXPECT_GT(tally.meeting, pair_count / 5);
    EXPECT_GT(tally.apart, pair_count / 5);
    EXPECT_GT(tally.single_point, pair_count / 20);
}

TYPED_TEST(IntersectTriangleTriangle, ExactUlpsBesideTheGrid) {
    RandomPoints<TypeParam> random(12);
    Tally tally;
    for (int i = 0; i < case_count(10000); ++i) {
        const auto near = [&] { return random.nudged(random.on_grid(2), 1); };
        const Corners<TypeParam> a{near(), near(), near()}, b{near(), near(), near()};
        expect_exact(random, a, b, tally);
        if (i % 4 < 2) expect_exact_segments(a, b);
        if (this->HasFatalFailure()) FAIL() << "pair " << i;
    }
    EXPECT_GT(tally.meeting, case_count(1500));
    EXPECT_GT(tally.apart, case_count(1500));
}

// A corner of b is rounded from a point of a: on its face, edge or corner up to the last bit.
TYPED_TEST(IntersectTriangleTriangle, ExactWhereACornerTouches) {
    RandomPoints<TypeParam> random(13);
    Tally tally;
    for (int i = 0; i < case_count(10000); ++i) {
        const Corners<TypeParam> a{random.in_box(1), random.in_box(1), random.in_box(1)};
        const TypeParam u = i % 2 == 0 ? 0 : random.uniform(0, TypeParam(0.5));
        const TypeParam v = i % 3 == 0 ? 0 : random.uniform(0, TypeParam(0.5));
        const auto touch = a[0] + (a[1] - a[0]) * u + (a[2] - a[0]) * v;
        const Corners<TypeParam> b{touch, random.in_box(1), random.in_box(1)};
        expect_exact(random, a, b, tally);
        if (i % 4 < 2) expect_exact_segments(a, b);
        if (this->HasFatalFailure()) FAIL() << "pair " << i;
    }
    EXPECT_GT(tally.meeting, case_count(500));
    EXPECT_GT(tally.apart, case_count(500));
}

TYPED_TEST(IntersectTriangleTriangle, ExactForHugeAndTiny) {
    RandomPoints<TypeParam> random(14);
    const bool is_float = sizeof(TypeParam) == 4;
    Tally tally;
    for (int i = 0; i < case_count(10000); ++i) {
        const int exponent = is_float ? random.integer(-149, 126) : random.integer(-305, 330);
        const auto scaled = [&] {
            auto p = random.on_grid(3);
            if (i % 2 == 0 && exponent > -100) p = random.nudged(p, 1);
            return Vec3T<TypeParam>{std::ldexp(p.x, exponent), std::ldexp(p.y, exponent),
                                    std::ldexp(p.z, exponent)};
        };
        Corners<TypeParam> a{scaled(), scaled(), scaled()}, b{scaled(), scaled(), scaled()};
        if (i % 5 == 0) a[1] = random.over_exponents(is_float ? -140 : -300, is_float ? 127 : 330);
        if (!is_finite(a[0]) || !is_finite(a[1]) || !is_finite(a[2]) || !is_finite(b[0]) ||
            !is_finite(b[1]) || !is_finite(b[2]))
            continue;
        expect_exact(random, a, b, tally);
        if (i % 4 < 2) expect_exact_segments(a, b);
        if (this->HasFatalFailure()) FAIL() << "pair " << i;
    }
    EXPECT_GT(tally.meeting, case_count(1500));
}

// ---- the segment in which two triangles meet ----

// Largest distance, per coordinate, from a point to the nearer of the exact segment's extremes.
oracle::Rational offset_to(const ConvexPolygon& common, const Vec3d& point) {
    oracle::Rational best = -1;
    for (const RationalVec3& corner : common) {
        const RationalVec3 d = to_rational(point) - corner;
        const oracle::Rational offset = std::max({abs(d.x), abs(d.y), abs(d.z)});
        if (best < 0 || offset < best) best = offset;
    }
    return best;
}

template <class T>
void expect_segment(const Corners<T>& a, const Corners<T>& b, int& segment_count) {
    using Kind = TriangleTriangleSegment::Kind;
    const auto found = intersection_segment(a[0], a[1], a[2], b[0], b[1], b[2]);
    const ConvexPolygon common = common_points(to_rational3(a), to_rational3(b));
    if (found.kind == Kind::coplanar) {
        const bool coplanar = orient3d(a[0], a[1], a[2], b[0]) == 0 &&
                              orient3d(a[0], a[1], a[2], b[1]) == 0 &&
                              orient3d(a[0], a[1], a[2], b[2]) == 0;
        ASSERT_TRUE(coplanar || are_collinear(b[0], b[1], b[2]));
        return;
    }
    ASSERT_EQ(found.kind == Kind::segment, !common.empty());
    if (common.empty()) return;
    ++segment_count;
    T largest = 0;
    for (int i = 0; i < 3; ++i)
        for (int axis = 0; axis < 3; ++axis)
            largest = std::max({largest, std::fabs(a[i][axis]), std::fabs(b[i][axis])});
    const oracle::Rational bound = 16 * 0x1p-53 * double(largest);
    // Each computed end is an end of the exact segment, and each of those is found.
    ASSERT_LE(offset_to(common, found.start), bound);
    ASSERT_LE(offset_to(common, found.end), bound);
    for (const RationalVec3& corner : common) {
        const oracle::Rational offset =
            std::min(offset_to({corner}, found.start), offset_to({corner}, found.end));
        ASSERT_LE(offset, bound);
    }
}

TYPED_TEST(IntersectTriangleTriangle, SegmentWithinItsBound) {
    RandomPoints<TypeParam> random(15);
    int segment_count = 0;
    for (int i = 0; i < case_count(15000); ++i) {
        const auto next = [&] {
            if (i % 3 == 0) return random.on_grid(2);
            if (i % 3 == 1) return random.nudged(random.on_grid(2), 2);
            return random.in_box(1);
        };
        const Corners<TypeParam> a{next(), next(), next()}, b{next(), next(), next()};
        expect_segment(a, b, segment_count);
        if (this->HasFatalFailure()) FAIL() << "pair " << i;
    }
    EXPECT_GT(segment_count, case_count(2500));
}

}  // namespace
}  // namespace graze
