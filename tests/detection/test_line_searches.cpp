// Line searches: rounds that work on the pairs of the first one give the same answers as searches
// of their own, and an earliest time takes less than all impacts.
#include <gtest/gtest.h>

#include "parallel/memory.h"
#include "tests/detection/deforming_cases.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

std::vector<Impact> listed(std::span<const Impact> impacts) {
    return {impacts.begin(), impacts.end()};
}

// Where everything is after a share of the step.
template <class T>
std::vector<Vec3T<T>> positions_at(const DeformingCase<T>& c, double share) {
    std::vector<Vec3T<T>> result;
    result.reserve(c.t0.size());
    for (std::size_t i = 0; i < c.t0.size(); ++i)
        result.push_back(c.t0[i] + (c.t1[i] - c.t0[i]) * static_cast<T>(share));
    return result;
}

DeformingOptions options_of(PairSearch search, double min_separation, bool keeps_pairs) {
    DeformingOptions options;
    options.pair_search = search;
    options.min_separation = min_separation;
    options.keeps_pairs = keeps_pairs;
    return options;
}

template <class T>
void expect_rounds_as_fresh(const DeformingCase<T>& c, double min_separation) {
    for (const PairSearch search :
         {PairSearch::tree, PairSearch::one_level_grid, PairSearch::two_level_grid}) {
        for (const int threads : {1, 0}) {
            DeformingDetector rounds(c.topology, Device::cpu(threads),
                                     options_of(search, min_separation, true));
            for (const double share : {1.0, 0.5, 0.9999999, 0.3, 1 / 3.0, 1e-9, 0.0}) {
                const std::vector<Vec3T<T>> t1 = positions_at(c, share);
                DeformingDetector fresh(c.topology, Device::cpu(1),
                                        options_of(search, min_separation, false));
                EXPECT_EQ(listed(rounds.find_impacts(c.t0, t1)),
                          listed(fresh.find_impacts(c.t0, t1)))
                    << c.name << " at " << share;
                EXPECT_EQ(rounds.find_earliest_time(c.t0, t1), fresh.find_earliest_time(c.t0, t1))
                    << c.name << " at " << share;
                EXPECT_EQ(rounds.report().search_count, 1) << c.name << " at " << share;
                EXPECT_EQ(fresh.report().search_count, 2);
            }
        }
    }
}

TEST(LineSearches, RoundsAreAsFreshSearches) {
    for (unsigned seed = 0; seed < static_cast<unsigned>(oracle::case_count(10)); ++seed) {
        for (const int kind : {0, 1}) {
            expect_rounds_as_fresh(random_deforming<float>(seed, 90, kind), seed % 2 * 0.1);
            auto c = random_deforming<double>(seed, 90, kind);
            c.topology.static_parts = {1};
            for (std::size_t i = 0; i < c.t0.size(); ++i)
                if (c.topology.parts[i] == 1) c.t1[i] = c.t0[i];
            expect_rounds_as_fresh(c, seed % 2 * 0.1);
        }
    }
}

// What leaves the boxes that were searched is searched for anew, by one vertex as well, and so are
// questions that look further.
TEST(LineSearches, WhatLeavesTheBoxesIsSearchedForAnew) {
    const auto c = random_deforming<float>(3, 300, 0);
    DeformingDetector rounds(c.topology, Device::cpu(), options_of(PairSearch::tree, 0, true));
    DeformingDetector fresh(c.topology, Device::cpu());
    const auto expect_same = [&](const std::vector<Vec3>& t1, std::int64_t search_count) {
        EXPECT_EQ(listed(rounds.find_impacts(c.t0, t1)), listed(fresh.find_impacts(c.t0, t1)));
        EXPECT_EQ(rounds.report().search_count, search_count);
    };
    expect_same(positions_at(c, 0.5), 1);
    expect_same(positions_at(c, 0.25), 1);
    expect_same(positions_at(c, 1), 2);
    std::vector<Vec3> astray = positions_at(c, 0.5);
    astray[7] = c.t1[7] + (c.t1[7] - c.t0[7]) * 2.0f;
    expect_same(astray, 3);
    expect_same(positions_at(c, 0.5), 3);
    expect_same(positions_at(c, 1), 4);  // only vertex 7 went so far in the third
    const std::span<const Proximity> near = rounds.find_proximities(c.t0, 0.5);
    EXPECT_EQ(rounds.report().search_count, 5);
    const std::span<const Proximity> expected = fresh.find_proximities(c.t0, 0.5);
    EXPECT_TRUE(std::equal(near.begin(), near.end(), expected.begin(), expected.end()));
}

// Static parts that are placed anew make kept pairs worthless.
TEST(LineSearches, StaticPartsThatArePlacedAnewAreSearchedFor) {
    auto c = random_deforming<float>(4, 90, 0);
    c.topology.static_parts = {1};
    for (std::size_t i = 0; i < c.t0.size(); ++i)
        if (c.topology.parts[i] == 1) c.t1[i] = c.t0[i] = c.t0[i] + Vec3{100, 0, 0};
    DeformingDetector rounds(c.topology, Device::cpu(), options_of(PairSearch::tree, 0, true));
    const std::size_t count = rounds.find_impacts(c.t0, c.t1).size();
    for (std::size_t i = 0; i < c.t0.size(); ++i)
        if (c.topology.parts[i] == 1) c.t1[i] = c.t0[i] = c.t0[i] - Vec3{100, 0, 0};
    rounds.place_static_parts();
    const std::vector<Impact> found = listed(rounds.find_impacts(c.t0, c.t1));
    DeformingDetector fresh(c.topology, Device::cpu());
    EXPECT_EQ(found, listed(fresh.find_impacts(c.t0, c.t1)));
    EXPECT_GT(found.size(), count);
    EXPECT_EQ(rounds.report().search_count, 2);
}

TEST(LineSearches, AllocateNothingInASteadyRound) {
    const auto c = random_deforming<float>(5, 600, 0);
    DeformingDetector rounds(c.topology, Device::cpu(1), options_of(PairSearch::tree, 0, true));
    const std::vector<Vec3> half = positions_at(c, 0.5);
    rounds.find_impacts(c.t0, c.t1);
    rounds.find_impacts(c.t0, half);
    const std::int64_t before = host_memory().allocation_count();
    rounds.find_impacts(c.t0, half);
    EXPECT_EQ(host_memory().allocation_count(), before);
}

TEST(LineSearches, EarliestTimeDecidesFewerPairs) {
    for (const double min_separation : {0.0, 0.05}) {
        for (unsigned seed = 50; seed < 56; ++seed) {
            const auto c = random_deforming<float>(seed, 300, 0);
            DeformingDetector detector(c.topology, Device::cpu(1),
                                       options_of(PairSearch::tree, min_separation, false));
            ASSERT_GT(detector.find_impacts(c.t0, c.t1).size(), 100u);
            const DeformingReport all = detector.report();
            detector.find_earliest_time(c.t0, c.t1);
            const DeformingReport earliest = detector.report();
            EXPECT_EQ(earliest.vertex_face_count, all.vertex_face_count);
            EXPECT_EQ(earliest.edge_edge_count, all.edge_edge_count);
            EXPECT_GT(all.decided_count, 1000);
            EXPECT_GT(earliest.decided_count, 0);
            EXPECT_LT(2 * earliest.decided_count, all.decided_count);
        }
    }
}

// Among what begins within the separation and moves away to come back later, too: pairs above each
// other, of which the first one that is looked at comes back the earliest.
TEST(LineSearches, EarliestTimeLeavesWhatComesBackLater) {
    DeformingCase<double> c;
    for (std::uint32_t pair = 0; pair < 40; ++pair) {
        const double x = 10.0 * pair, turn = 3 - 0.02 * pair;
        const std::uint32_t first = 4 * pair;
        const Vec3d t0[4] = {{x, -1, 0}, {x + 1, -1, 0}, {x + 0.5, 1, 0}, {x + 0.5, 0, 0.25}};
        const Vec3d t1[4] = {{x, -1, 0}, {x + 1, -1, 0}, {x + 0.5, 1, turn}, {x + 0.5, 0, 1.8}};
        c.t0.insert(c.t0.end(), t0, t0 + 4);
        c.t1.insert(c.t1.end(), t1, t1 + 4);
        c.topology.triangles.push_back({{first, first + 1, first + 2}});
        c.topology.loose_vertices.push_back(first + 3);
    }
    c.topology.vertex_count = static_cast<std::int64_t>(c.t0.size());
    DeformingDetector detector(c.topology, Device::cpu(1),
                               options_of(PairSearch::tree, 0.5, false));
    double expected = 2;
    for (const Impact& impact : detector.find_impacts(c.t0, c.t1))
        expected = std::min(expected, impact.time);
    EXPECT_GT(expected, 0.01);
    EXPECT_LT(expected, 0.5);
    const std::int64_t all = detector.report().decided_count;
    EXPECT_GE(all, 40);
    EXPECT_EQ(detector.find_earliest_time(c.t0, c.t1), expected);
    EXPECT_LT(detector.report().decided_count, all);
}

}  // namespace
}  // namespace graze
