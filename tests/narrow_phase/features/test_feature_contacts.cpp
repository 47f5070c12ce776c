// Contacts from single hits: the shortest shift that separates two triangles, where flat ones
// overlap, and which body comes first.
#include "narrow_phase/features/feature_contacts.h"

#include <gtest/gtest.h>

#include "geometry/intersect_triangle_triangle.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

using Corners = Vec3d[3];

bool do_meet(const Corners& a, const Vec3d& shift, const Corners& b) {
    return intersect_triangle_triangle(a[0] + shift, a[1] + shift, a[2] + shift, b[0], b[1], b[2]);
}

// A shift along the direction separates just beyond its length, and no shorter one separates.
TEST(LeastShift, IsTheShortestThatSeparates) {
    oracle::RandomPoints<double> random(1);
    int crossing = 0;
    for (int i = 0; i < oracle::case_count(4000); ++i) {
        Corners a, b;
        for (int k = 0; k < 3; ++k) {
            a[k] = i % 2 == 0 ? random.in_box(1) : random.on_grid(2);
            b[k] = i % 2 == 0 ? random.in_box(1) : random.on_grid(2);
        }
        if (!do_meet(a, {0, 0, 0}, b)) continue;
        ++crossing;
        const LeastShift least = least_shift(a, b);
        if (length_sq(cross(a[1] - a[0], a[2] - a[0])) == 0 &&
            length_sq(cross(b[1] - b[0], b[2] - b[0])) == 0 && least.length == 0)
            continue;  // two segments or points
        ASSERT_NEAR(length(least.direction), 1, 1e-12);
        EXPECT_FALSE(do_meet(a, least.direction * (least.length + 1e-9), b)) << "case " << i;
        for (int k = 0; k < 50; ++k) {
            const Vec3d direction = normalized(random.in_box(1));
            EXPECT_TRUE(do_meet(a, direction * (0.999 * least.length - 1e-9), b) ||
                        least.length < 1e-6)
                << "case " << i;
        }
    }
    EXPECT_GT(crossing, oracle::case_count(4000) / 20);
}

TEST(LeastShift, GoesOutOfTheFaceThatACornerPierces) {
    const Corners b = {{-2, -2, 0}, {2, -2, 0}, {0, 3, 0}};  // seen from above: outside
    const Corners a = {{0, 0, -0.1}, {0.5, 0.2, 1}, {-0.5, 0.1, 1}};
    const LeastShift shift = least_shift(a, b);
    EXPECT_LT(distance(shift.direction, Vec3d{0, 0, 1}), 1e-12);
    EXPECT_NEAR(shift.length, 0.1, 1e-12);
    // From below, out of it again.
    const Corners below = {{0, 0, 0.1}, {0.5, 0.2, -1}, {-0.5, 0.1, -1}};
    EXPECT_LT(distance(least_shift(below, b).direction, Vec3d{0, 0, -1}), 1e-12);
}

TEST(LeastShift, LeavesAFaceInItsPlaneOnItsOutside) {
    const Corners up = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const Corners down = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}};
    const Corners segment = {{0, 0, 0}, {1, 1, 0}, {2, 2, 0}};
    EXPECT_EQ(least_shift(down, up).direction, (Vec3d{0, 0, 1}));
    EXPECT_EQ(least_shift(up, up).direction, (Vec3d{0, 0, 1}));
    EXPECT_EQ(least_shift(up, down).direction, (Vec3d{0, 0, -1}));
    EXPECT_EQ(least_shift(segment, up).direction, (Vec3d{0, 0, 1}));
    EXPECT_EQ(least_shift(up, segment).direction, (Vec3d{0, 0, -1})) << "a's own outside";
    EXPECT_EQ(least_shift(up, down).length, 0);
    EXPECT_EQ(least_shift(segment, segment).direction, (Vec3d{0, 0, 0})) << "no plane at all";
}

TEST(FlatOverlap, IsTheMiddleOfWhatBothHave) {
    const auto middle = [](const Corners& a, const Corners& b) {
        const Vec3d one = middle_of_flat_overlap(a, b), other = middle_of_flat_overlap(b, a);
        EXPECT_LT(distance(one, other), 1e-12);
        return one;
    };
    const auto expect_at = [](const Vec3d& found, const Vec3d& expected) {
        EXPECT_LT(distance(found, expected), 1e-12) << found.x << " " << found.y << " " << found.z;
    };
    // The overlap is the triangle (0.5, 0, 7), (2, 0, 7), (0.5, 1.5, 7).
    const Corners a = {{0, 0, 7}, {2, 0, 7}, {0, 2, 7}};
    const Corners b = {{0.5, 4, 7}, {0.5, -1, 7}, {5, -1, 7}};
    expect_at(middle(a, b), {1.25, 0.75, 7});
    // One within the other: its longest edge.
    const Corners inner = {{0.25, 0.25, 7}, {0.75, 0.25, 7}, {0.25, 0.5, 7}};
    expect_at(middle(a, inner), {0.5, 0.375, 7});
    expect_at(middle(a, a), {1, 1, 7});
    // A segment that goes through, one that lies within, one that touches, and a point.
    const Corners needle = {{0.5, 0.5, 6}, {0.5, 0.5, 8}, {0.5, 0.5, 9}};
    expect_at(middle(a, needle), {0.5, 0.5, 7});
    const Corners within = {{0.25, 0.25, 7}, {0.25, 0.75, 7}, {0.25, 3, 7}};
    expect_at(middle(a, within), {0.25, 1, 7});
    const Corners touching = {{2, 0, 7}, {3, 0, 8}, {4, 0, 9}};
    expect_at(middle(a, touching), {2, 0, 7});
    const Corners point = {{0.5, 0.25, 7}, {0.5, 0.25, 7}, {0.5, 0.25, 7}};
    expect_at(middle(a, point), {0.5, 0.25, 7});
    const Corners line = {{-1, 1, 7}, {0.5, 1, 7}, {1, 1, 7}};
    const Corners crossing = {{0.5, 0, 7}, {0.5, 2, 7}, {0.5, 1.5, 7}};
    expect_at(middle(line, crossing), {0.5, 1, 7});
}

TEST(FeatureContacts, TheLowerBodyComesFirst) {
    Proximity proximity{{0, 1, 2, 3}, 5, {1, 0.5f, 0.25f, 0.25f}, {0, 0, 1}, 0.5f};
    const Vec3 points[4] = {{0.25f, 0.25f, 0.5f}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const BodyFeature vertex{7, make_feature(FeatureKind::vertex, 3)};
    const BodyFeature face{2, make_feature(FeatureKind::face, 4)};
    const Contact swapped = proximity_contact(proximity, points, vertex, face);
    EXPECT_EQ(
        swapped,
        (Contact{2, 7, face.feature, vertex.feature, {0.25f, 0.25f, 0.25f}, 0.5f, {0, 0, -1}, 0}));
    const Contact same = proximity_contact(proximity, points, vertex, {7, face.feature});
    EXPECT_EQ(
        same,
        (Contact{7, 7, vertex.feature, face.feature, {0.25f, 0.25f, 0.25f}, 0.5f, {0, 0, 1}, 0}));
}

// An impact's time is a bound, which a float keeps by being no later.
TEST(FeatureContacts, TimesAreRoundedDown) {
    const Vec3d t0[4] = {{0, 0, 1}, {-1, -1, 0}, {2, -1, 0}, {-1, 2, 0}};
    const Vec3d t1[4] = {{0, 0, -1}, {-1, -1, 0}, {2, -1, 0}, {-1, 2, 0}};
    const BodyFeature vertex{0, make_feature(FeatureKind::vertex, 0)};
    const BodyFeature face{1, make_feature(FeatureKind::face, 0)};
    const double third = 1.0 / 3, two_thirds = 2.0 / 3;
    for (const double time : {0.0, third, 0.5, two_thirds, 1 - 1e-12, 1.0}) {
        const Impact impact{{0, 1, 2, 3}, 0, {1, 0, 0, 1}, {0, 0, 1}, time};
        const Contact contact = impact_contact(impact, t0, t1, vertex, face, 0.25);
        EXPECT_LE(double{contact.time}, time);
        EXPECT_NEAR(contact.time, time, 1e-7);
        EXPECT_NEAR(contact.position.z, 1 - 2 * time, 1e-6);
        EXPECT_EQ(contact.distance, 0.25f);
    }
}

// Distances are rounded down likewise: what is near is no farther, and what overlaps is no less
// deep.
TEST(FeatureContacts, DistancesAreRoundedDown) {
    const BodyFeature vertex{0, make_feature(FeatureKind::vertex, 0)};
    const BodyFeature face{1, make_feature(FeatureKind::face, 0)};
    const Vec3d points[4] = {{0, 0, 1}, {-1, -1, 0}, {2, -1, 0}, {-1, 2, 0}};
    const Vec3d above[3] = {{-2, -2, 0}, {2, -2, 0}, {0, 3, 0}};
    oracle::RandomPoints<double> random(7);
    int inexact = 0;
    for (int i = 0; i < 200; ++i) {
        const double distance = i == 0 ? 0.0 : std::fabs(random.in_box(1).x);
        const Proximity proximity{{0, 1, 2, 3}, 0, {1, 0, 0, 1}, {0, 0, 1}, distance};
        const Contact near = proximity_contact(proximity, points, vertex, face);
        EXPECT_LE(double{near.distance}, distance);
        EXPECT_GE(double{near.distance}, distance * (1 - 0x1p-23));
        const Impact impact{{0, 1, 2, 3}, 0, {1, 0, 0, 1}, {0, 0, 1}, 0.5};
        const Contact met = impact_contact(impact, points, points, vertex, face, distance);
        EXPECT_EQ(met.distance, near.distance);
        const Vec3d pierced[3] = {{0, 0, -distance}, {0.5, 0.2, 2}, {-0.5, 0.1, 2}};
        const TriangleIntersection pair{0, 1, false, {0, 0, 0}, {0, 0, 0}};
        const double depth = least_shift(pierced, above).length;
        const Contact crossing = intersection_contact(pair, pierced, above, vertex, face);
        EXPECT_LE(double{crossing.distance}, -depth);
        EXPECT_GE(double{crossing.distance}, -depth * (1 + 0x1p-23));
        inexact += double{near.distance} < distance ? 1 : 0;
    }
    EXPECT_GT(inexact, 100);
}

}  // namespace
}  // namespace graze
