// What moving bounds say to be apart is apart by exact arithmetic: near the origin and far from it,
// for floats and doubles, with and without a minimum separation, one pair at a time and in lanes.
#include "narrow_phase/features/moving_bounds.h"

#include <gtest/gtest.h>

#include <limits>

#include "narrow_phase/features/deforming_view.h"
#include "narrow_phase/features/moving_bounds_lanes.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/exact_separation.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

using oracle::case_count;
using oracle::RandomPoints;
using oracle::Rational;

template <class T>
struct MovingPair {
    Vec3T<T> p0[4], p1[4];
    bool is_vertex_face;
};

template <class T, class MakePoint>
MovingPair<T> random_pair(bool is_vertex_face, MakePoint make_point) {
    MovingPair<T> pair{{}, {}, is_vertex_face};
    for (int i = 0; i < 4; ++i) {
        pair.p0[i] = make_point();
        pair.p1[i] = make_point();
    }
    return pair;
}

template <class T>
double largest_of(const MovingPair<T>& pair) {
    MotionSize size;
    for (int i = 0; i < 4; ++i)
        size = LargerSize{}(size, SizeOfVertex<T>{pair.p0, pair.p1}(i));
    return std::max(size.largest_t0, size.largest_t1);
}

// By the bounds of the features, which must be the same in lanes.
template <class T>
bool are_apart_by_bounds(const MovingPair<T>& pair, double min_separation) {
    PointProjections points[4];
    for (int i = 0; i < 4; ++i)
        ProjectVertex<T>{pair.p0, pair.p1, points}(i);
    const DirectionSlacks slacks = make_slacks(min_separation, largest_of(pair));
    const auto compare = [&](const auto& a, const auto& b) {
        const bool result = are_apart(a, b, slacks);
        EXPECT_EQ(lanes::are_apart(a, b, slacks), result);
        return result;
    };
    if (pair.is_vertex_face) {
        const PointProjections* const vertex[1] = {points};
        const PointProjections* const face[3] = {points + 1, points + 2, points + 3};
        return compare(vertex, face);
    }
    const PointProjections* const first[2] = {points, points + 1};
    const PointProjections* const second[2] = {points + 2, points + 3};
    return compare(first, second);
}

// By the bounds and by the boxes of two elements, a loose vertex or edge and a face or edge.
template <class T>
bool do_boxes_touch(const MovingPair<T>& pair, double min_separation) {
    PointProjections points[4];
    for (int i = 0; i < 4; ++i)
        ProjectVertex<T>{pair.p0, pair.p1, points}(i);
    const DirectionSlacks slacks = make_slacks(min_separation, largest_of(pair));
    Element elements[2] = {};
    const std::uint32_t corners[2][2][3] = {{{0, 1, 1}, {2, 3, 3}}, {{0, 0, 0}, {1, 2, 3}}};
    for (int side = 0; side < 2; ++side)
        std::copy_n(corners[pair.is_vertex_face ? 1 : 0][side], 3, elements[side].vertices);
    ElementBounds bounds[2];
    Aabb boxes[2];
    for (int side = 0; side < 2; ++side)
        BoundElement{elements, points, slacks.of[0][0] / 2, bounds, boxes}(side);
    for (int axis = 0; axis < 3; ++axis)
        if (boxes[0].max[axis] < boxes[1].min[axis] || boxes[1].max[axis] < boxes[0].min[axis])
            return false;
    return !are_apart(bounds[0], bounds[1], slacks);
}

template <class T>
bool come_within_exactly(const MovingPair<T>& pair, double min_separation) {
    oracle::RationalPoints at_t0, at_t1;
    for (std::size_t i = 0; i < 4; ++i) {
        at_t0[i] = oracle::to_rational(pair.p0[i]);
        at_t1[i] = oracle::to_rational(pair.p1[i]);
    }
    const oracle::MovingPoints points = oracle::moving_points(at_t0, at_t1);
    if (min_separation == 0) {
        const oracle::ContactFormula formula = pair.is_vertex_face
                                                   ? oracle::contact_vertex_face(points)
                                                   : oracle::contact_edge_edge(points);
        return oracle::first_contact(formula, Rational(1)).has_value();
    }
    const oracle::ClosestWays ways = pair.is_vertex_face ? oracle::closest_ways_vertex_face(points)
                                                         : oracle::closest_ways_edge_edge(points);
    const Rational separation(min_separation);
    return oracle::first_within(ways, Rational(separation * separation), Rational(1)).has_value();
}

struct Counts {
    int pair_count = 0, apart_count = 0, contact_count = 0;
};

template <class T>
void expect_certain(const MovingPair<T>& pair, double min_separation, Counts& counts) {
    const bool is_apart = are_apart_by_bounds(pair, min_separation);
    const bool touches = do_boxes_touch(pair, min_separation);
    ++counts.pair_count;
    counts.apart_count += is_apart;
    const bool meets = come_within_exactly(pair, min_separation);
    counts.contact_count += meets;
    if (meets) {
        ASSERT_FALSE(is_apart);
        ASSERT_TRUE(touches);
    }
}

// That a test has met enough of what it is about; a sanitizer's few pairs tell nothing of it.
void expect_more(int count, int least) {
    if (GRAZE_SANITIZED != 0) return;
    EXPECT_GT(count, least);
}

// Pairs of a size of 1 at a distance from the origin, of which some are close to contact.
template <class T>
Counts look_at_pairs(unsigned seed, double distance, double min_separation, int count) {
    RandomPoints<T> random(seed);
    Counts counts;
    for (int i = 0; i < count; ++i) {
        const Vec3T<T> far{T(distance), T(-distance), T(distance)};
        MovingPair<T> pair = random_pair<T>(i % 2 == 0, [&] {
            return (i % 4 < 2 ? random.in_box(T(1)) : random.on_grid(1)) + far;
        });
        // Motions of little more than the whole, so that directions separate many pairs.
        const Vec3T<T> whole = random.in_box(T(3));
        for (int k = 0; k < 4; ++k)
            pair.p1[k] = pair.p0[k] + whole + random.in_box(T(0.25));
        expect_certain(pair, min_separation, counts);
    }
    return counts;
}

TEST(MovingBounds, CertainNearTheOrigin) {
    for (const double min_separation : {0.0, 0.01, 0.3}) {
        const Counts floats = look_at_pairs<float>(1, 0, min_separation, case_count(200));
        const Counts doubles = look_at_pairs<double>(2, 0, min_separation, case_count(200));
        for (const Counts& counts : {floats, doubles}) {
            expect_more(counts.contact_count, counts.pair_count / 20);
            expect_more(counts.apart_count, counts.pair_count / 4);
        }
    }
}

// A thousand kilometres away floats are 6 cm apart, and so are projections of doubles.
TEST(MovingBounds, CertainFarFromTheOrigin) {
    for (const double min_separation : {0.0, 0.01, 0.3}) {
        const Counts floats = look_at_pairs<float>(3, 1e6, min_separation, case_count(200));
        const Counts doubles = look_at_pairs<double>(4, 1e6, min_separation, case_count(200));
        // With a separation the slack is about as large as the features.
        for (const Counts& counts : {floats, doubles}) {
            expect_more(counts.contact_count, counts.pair_count / 20);
            expect_more(counts.apart_count, counts.pair_count / (min_separation > 0 ? 4 : 2));
        }
    }
}

// Gaps and separations of a few units in the last place, far from the origin.
TEST(MovingBounds, CertainForUlps) {
    RandomPoints<double> random(5);
    for (const double distance : {0.0, 1e6}) {
        Counts counts;
        for (int i = 0; i < case_count(200); ++i) {
            const Vec3d far{distance, -distance, distance};
            const MovingPair<double> pair = random_pair<double>(
                i % 2 == 0, [&] { return random.nudged(random.on_grid(1) + far, 2); });
            expect_certain(pair, i % 3 == 0 ? 0 : 1e-10, counts);
        }
        expect_more(counts.contact_count, counts.pair_count / 20);
        expect_more(counts.apart_count, counts.pair_count / 5);
    }
}

// A projection that is larger than any float must not make a gap of infinite size.
TEST(MovingBounds, CertainBeyondFloats) {
    constexpr double kLargest = std::numeric_limits<float>::max();
    const auto pair_at = [](double x) {
        MovingPair<double> pair{{}, {}, true};
        const double size = 1e30;
        const Vec3d corners[4] = {{x, 0, 0},
                                  {kLargest * (1 - 0x1p-20), -size, -size},
                                  {kLargest * (1 - 0x1p-20), size, -size},
                                  {kLargest * (1 - 0x1p-20), 0, size}};
        for (int i = 0; i < 4; ++i)
            pair.p0[i] = pair.p1[i] = corners[i];
        return pair;
    };
    Counts counts;
    for (const double x : {kLargest, kLargest * (1 + 0x1p-20), kLargest * 2, 1e300}) {
        expect_certain(pair_at(x), 0, counts);
        expect_certain(pair_at(x), kLargest * 0x1p-10, counts);
        expect_certain(pair_at(x), kLargest * 4, counts);
    }
    EXPECT_GT(counts.contact_count, 4);
}

// Rounding keeps the order of projections onto directions of two terms, so that the smallest gap
// counts where there is no separation.
TEST(MovingBounds, OneUnitInTheLastPlaceIsAGap) {
    for (const float distance : {1.0f, 1e6f}) {
        MovingPair<float> pair{{}, {}, true};
        const float above = std::nextafter(distance, 2 * distance);
        const Vec3 corners[4] = {
            {0, 0, above}, {-1, -1, distance}, {1, -1, distance}, {0, 1, distance}};
        for (int i = 0; i < 4; ++i)
            pair.p0[i] = pair.p1[i] = corners[i];
        EXPECT_TRUE(are_apart_by_bounds(pair, 0));
        EXPECT_FALSE(are_apart_by_bounds(pair, 0.01));
        pair.p1[0].z = distance;
        EXPECT_FALSE(are_apart_by_bounds(pair, 0));
    }
}

}  // namespace
}  // namespace graze
