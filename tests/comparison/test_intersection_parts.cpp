// Parts of intersections: how many there are where that is known, and as many as a fine grid of
// points finds.
#include <gtest/gtest.h>

#include <random>

#include "core/random_unit.h"
#include "tests/comparison/compared_meshes.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/intersection_oracle.h"

namespace graze {
namespace {

TEST(IntersectionParts, SpheresHaveOneOrNone) {
    JudgedPair spheres(make_sphere(1, 3), make_sphere(0.5f, 3));
    EXPECT_EQ(spheres(at({1.2f, 0.1f, 0})).truth.part_count, 1);
    EXPECT_FALSE(spheres(at({1.2f, 0.1f, 0})).truth.has_contained);
    EXPECT_EQ(spheres(at({1.6f, 0, 0})).truth.part_count, 0);
    EXPECT_FALSE(spheres(at({1.6f, 0, 0})).truth.touches);
}

TEST(IntersectionParts, WhatLiesInsideIsAPartWithoutACurve) {
    JudgedPair pair(make_sphere(1, 3), make_sphere(0.3f, 2));
    const PairJudge::Verdict inside = pair(at({0.2f, 0, 0.1f}));
    EXPECT_EQ(inside.truth.part_count, 1);
    EXPECT_TRUE(inside.truth.has_contained);
    EXPECT_TRUE(inside.truth.touches);
    // The other way around, too; and one inside beside one that crosses.
    JudgedPair turned(make_sphere(0.3f, 2), make_sphere(1, 3));
    EXPECT_TRUE(turned(at({0.2f, 0, 0.1f})).truth.has_contained);
    JudgedPair two(make_sphere(1, 3),
                   with(make_sphere(0.2f, 2), moved(make_sphere(0.2f, 2), {1.0f, 0.02f, 0})));
    const PairJudge::Verdict both = two(Transform::identity());
    EXPECT_EQ(both.truth.part_count, 2);
    EXPECT_TRUE(both.truth.has_contained);
}

// A rod enters a plate in one curve and leaves it in another, and no vertex of either is in the
// other: large triangles join the curves.
TEST(IntersectionParts, TwoCurvesOfARodThroughAPlateAreOnePart) {
    const Mesh plate = box_mesh({-1, -1, -0.05f}, {1, 1, 0.05f});
    const Mesh rod = box_mesh({-0.1f, -0.1f, -1}, {0.1f, 0.1f, 1});
    JudgedPair one(plate, rod);
    const Transform tilted{{0.013f, 0.021f, 0.03f}, Quat::from_axis_angle({1, 2, 0}, 0.3f), 1};
    EXPECT_EQ(one(tilted).truth.part_count, 1);
    JudgedPair two(plate, with(rod, moved(rod, {0.5f, 0.1f, 0})));
    EXPECT_EQ(two(tilted).truth.part_count, 2);
    JudgedPair swapped(with(rod, moved(rod, {0.5f, 0.1f, 0})), plate);
    EXPECT_EQ(swapped(inverse(tilted)).truth.part_count, 2);
}

TEST(IntersectionParts, ARingMeetsAThinWallInTwoPlacesAndTheGroundInOne) {
    const Mesh ring = make_torus({.radius = 0.5f, .tube_radius = 0.1f});
    JudgedPair wall(ring, box_mesh({-0.01f, -2, -2}, {0.013f, 2, 2}));
    EXPECT_EQ(wall(at({0.05f, 0, 0})).truth.part_count, 2);
    JudgedPair ground(ring, box_mesh({-2, -2, -1}, {0.0123f, 2, 1}));
    EXPECT_EQ(ground(at({0.05f, 0, 0})).truth.part_count, 1);
}

// A sheet has no inside, but pieces of it lie in the ring: two discs, or an annulus between two
// curves. Where neither has an inside, each curve is a part.
TEST(IntersectionParts, OfASheetAreThePiecesInsideTheOther) {
    const Mesh ring = make_torus({.radius = 0.5f, .tube_radius = 0.1f});
    JudgedPair pair(ring, make_sheet({.width = 3, .depth = 3}));
    EXPECT_FALSE(pair.b_.has_inside());
    const Transform upright{{0.03f, 0.01f, 0}, Quat::from_axis_angle({1, 0, 0}, 1.5f), 1};
    EXPECT_EQ(pair(upright).truth.part_count, 2);
    EXPECT_FALSE(pair(upright).truth.has_contained);
    EXPECT_EQ(pair(at({0, 0, 0.02f})).truth.part_count, 1);
    const Mesh two =
        with(make_sheet({.width = 0.3f}), moved(make_sheet({.width = 0.3f}), {1, 0, 0}));
    JudgedPair sheets(make_sheet({.width = 3, .depth = 3}), two);
    const Transform across{{0.01f, 0.02f, 0.03f}, Quat::from_axis_angle({1, 0, 0}, 1.2f), 1};
    EXPECT_EQ(sheets(across).truth.part_count, 2);
}

TEST(IntersectionParts, TheSameMeshInTheSamePlaceIsOnePart) {
    const Mesh ring = make_torus({.segments = 16, .sides = 8});
    JudgedPair pair(ring, ring);
    EXPECT_EQ(pair(Transform::identity()).truth.part_count, 1);
}

// A fine grid finds the same parts, up to those smaller than its spacing and to necks as thin.
TEST(IntersectionParts, AreThoseThatAFineGridFinds) {
    const Mesh knot = make_knot({.segments = 128, .sides = 12});
    const Mesh ring = make_torus({.radius = 0.45f, .tube_radius = 0.12f});
    JudgedPair pair(knot, ring, 0.03);
    std::mt19937 random(5);
    const auto unit = [&] { return static_cast<float>(random_unit(random)); };
    constexpr int kPoses = GRAZE_SANITIZED != 0 ? 2 : 6;
    int compared_count = 0, several_count = 0;
    for (int i = 0; i < kPoses; ++i) {
        const Vec3 axis{unit() - 0.5f, unit() - 0.5f, unit() - 0.5f};
        const Vec3 place{unit() - 0.5f, unit() - 0.5f, 0.5f * unit() - 0.25f};
        const Transform pose{place, Quat::from_axis_angle(axis, 6 * unit()), 1};
        const PairJudge::Verdict found = pair(pose);
        const Transform back = inverse(pose);
        const auto distance_to = [](const JudgedBody& body, const Vec3& point) {
            const double distance = body.nearest(point).distance;
            return body.is_inside(point) ? -distance : distance;
        };
        const auto a = [&](const Vec3d& p) { return distance_to(pair.a_, static_cast<Vec3>(p)); };
        const auto b = [&](const Vec3d& p) {
            return distance_to(pair.b_, transform_point(back, static_cast<Vec3>(p)));
        };
        const Aabb box = intersect(pair.a_.box(), transform_box(pose, pair.b_.box()));
        constexpr double kSpacing = 0.02;
        const oracle::Intersection truth =
            oracle::find_intersection(a, b, oracle::widened(box), kSpacing, 1e-5);
        // Each large part of the grid is near points of one of ours, and no two near the same.
        std::vector<int> taken(found.parts.size(), 0);
        for (const oracle::IntersectionPart& part : truth.parts) {
            if (part.inner_radius < 2 * kSpacing) continue;
            std::size_t nearest = found.parts.size();
            double least = HUGE_VAL;
            for (std::size_t k = 0; k < found.parts.size(); ++k) {
                for (const Vec3d& point : found.parts[k].points) {
                    for (std::size_t n = 0; n < part.points.size(); n += 7) {
                        const double distance = length(part.points[n] - point);
                        if (distance < least) least = distance, nearest = k;
                    }
                }
            }
            ASSERT_LT(nearest, found.parts.size()) << "pose " << i;
            EXPECT_LT(least, 3 * kSpacing) << "pose " << i;
            EXPECT_EQ(taken[nearest]++, 0) << "pose " << i << ": two parts were taken for one";
            ++compared_count;
        }
        several_count += found.parts.size() > 1;
    }
    EXPECT_GE(compared_count, kPoses);
    EXPECT_GE(several_count, kPoses / 3);
}

}  // namespace
}  // namespace graze
