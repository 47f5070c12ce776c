// The oracle of intersections gives the right answer where it is known.
#include "tests/oracle/intersection_oracle.h"

#include <gtest/gtest.h>

#include <numbers>

namespace graze::oracle {
namespace {

Transform moved(float x, float y, float z, float scale = 1) {
    return {{x, y, z}, Quat::from_axis_angle({1, 2, 3}, 0.7f), scale};
}

Contact contact_at(const Vec3d& point) {
    return {0, 1, kNoFeature, kNoFeature, static_cast<Vec3>(point), 0, {0, 0, 1}, 0};
}

TEST(IntersectionOracle, MeasuresTheLensOfTwoBalls) {
    // A ball of radius 1 and one of radius 2 * 0.5 have their centres 1.5 apart.
    const PosedField a{Field::sphere({0, 0, 0}, 1), moved(0, 0, 0)};
    const PosedField b{Field::sphere({0, 0, 0}, 0.5f), moved(1.5f, 0, 0, 2)};
    const Intersection found = find_intersection(a, b, 0.015);
    ASSERT_EQ(found.parts.size(), 1u);
    const IntersectionPart& lens = found.parts[0];
    const double volume = std::numbers::pi * (4 + 1.5) * 0.5 * 0.5 / 12;
    EXPECT_NEAR(lens.volume, volume, 0.02 * volume);
    EXPECT_NEAR(lens.deepest, -0.5, 0.02);
    EXPECT_NEAR(lens.inner_radius, 0.25, 0.01);
    EXPECT_NEAR(lens.inner_point.x, 0.75, 0.02);
    EXPECT_NEAR(lens.box.min.x, 0.5, 0.016);
    EXPECT_NEAR(lens.box.max.x, 1, 0.016);
}

TEST(IntersectionOracle, TellsPartsApart) {
    // A bar goes through both sides of a ring.
    const PosedField ring{Field::torus(1, 0.25f), moved(0, 0, 0)};
    const PosedField bar{Field::box({1.5f, 0.1f, 0.1f}), moved(0, 0, 0)};
    const Intersection found = find_intersection(ring, bar, 0.02);
    ASSERT_EQ(found.parts.size(), 2u);
    EXPECT_NEAR(found.parts[0].volume, found.parts[1].volume, 1e-3);
    EXPECT_NEAR(found.parts[0].volume, 0.2 * 0.2 * 0.5, 2e-3);
}

TEST(IntersectionOracle, LeavesOutOnlyWhatIsOutside) {
    const PosedField a{Field::torus(1, 0.25f), moved(0, 0, 0)};
    const Vec3 position = transform_point(a.world_from_body, Vec3{1, 0, -0.5f});
    const PosedField b{Field::cone(0.5f, 1), moved(position.x, position.y, position.z, 1.5f)};
    const Intersection all = find_intersection(a, b, 0.02);
    const Intersection fast = find_intersection(a, b, 0.02, 1e-5);
    ASSERT_EQ(all.parts.size(), fast.parts.size());
    ASSERT_FALSE(all.parts.empty());
    for (std::size_t p = 0; p < all.parts.size(); ++p)
        EXPECT_EQ(all.parts[p].points, fast.parts[p].points);
}

TEST(IntersectionOracle, FindsNothingBetweenBodiesApart) {
    const PosedField a{Field::sphere({0, 0, 0}, 1), moved(0, 0, 0)};
    const PosedField b{Field::sphere({0, 0, 0}, 1), moved(1.5f, 1.5f, 0)};
    EXPECT_TRUE(find_intersection(a, b, 0.02).parts.empty());
    const PosedField far{Field::sphere({0, 0, 0}, 1), moved(5, 0, 0)};
    EXPECT_TRUE(find_intersection(a, far, 0.02).parts.empty());
}

TEST(IntersectionOracle, ScoresWhatContactsFound) {
    const PosedField ring{Field::torus(1, 0.25f), Transform::identity()};
    const PosedField bar{Field::box({1.5f, 0.1f, 0.1f}), Transform::identity()};
    const Intersection truth = find_intersection(ring, bar, 0.02);
    const RecallRule rule{.part_reach = 0.04, .coverage_reach = 0.1, .least_volume = 0.01};
    const Contact one[] = {contact_at({1, 0, 0})};
    const RecallScore half = score_recall(truth, one, rule);
    EXPECT_EQ(half.found_pair_count, 1);
    EXPECT_EQ(half.part_count, 2);
    EXPECT_EQ(half.found_part_count, 1);
    EXPECT_GT(half.coverage(), 0.08);
    EXPECT_LT(half.coverage(), 0.2);
    std::vector<Contact> all;
    for (const IntersectionPart& part : truth.parts)
        for (const Vec3d& point : part.points)
            all.push_back(contact_at(point));
    EXPECT_EQ(score_recall(truth, all, rule).coverage(), 1);
    EXPECT_EQ(score_recall(truth, {}, rule).pair_recall(), 0);
    EXPECT_EQ(score_recall({}, one, rule).extra_pair_count, 1);
    const Contact two[] = {contact_at({1, 0, 0}), contact_at({0, 1, 0})};
    const RecallScore judged = score_truth(ring, bar, two, 0.01);
    EXPECT_EQ(judged.judged_count, 2);
    EXPECT_EQ(judged.false_count, 1);
}

TEST(IntersectionOracle, CountsParticlesAsAlgorithm1) {
    EXPECT_EQ(particle_counts({1, 1, 1}, 10), (std::array<int, 3>{10, 10, 10}));
    EXPECT_EQ(particle_counts({1, 4, 2}, 10), (std::array<int, 3>{5, 20, 10}));
    // A flat region has one layer, with all of the cube's particles in it.
    EXPECT_EQ(particle_counts({1, 0, 1}, 4), (std::array<int, 3>{8, 1, 8}));
    EXPECT_EQ(particle_counts({0, 0, 0}, 4), (std::array<int, 3>{1, 1, 1}));
    EXPECT_DOUBLE_EQ(particle_reach({{0, 0, 0}, {1, 1, 1}}, 10), std::sqrt(0.03) / 2);
}

}  // namespace
}  // namespace graze::oracle
