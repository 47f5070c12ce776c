// Static parts: the same answers as without them, less what static things do among themselves; what
// moves although it is static is noticed.
#include "detection/static_parts.h"

#include <gtest/gtest.h>

#include <limits>

#include "parallel/memory.h"
#include "tests/detection/deforming_cases.h"

namespace graze {
namespace {

constexpr double kThickness = 0.2;

// Of a random case, parts 1 and 2 (or only 1) stay where they are at t0.
template <class T>
DeformingCase<T> with_static_parts(unsigned seed, int vertex_count, int kind,
                                   std::vector<std::uint32_t> parts) {
    auto c = random_deforming<T>(seed, vertex_count, kind);
    c.topology.static_parts = std::move(parts);
    for (std::size_t i = 0; i < c.t0.size(); ++i) {
        const auto& list = c.topology.static_parts;
        if (std::find(list.begin(), list.end(), c.topology.parts[i]) != list.end())
            c.t1[i] = c.t0[i];
    }
    return c;
}

// The same with parts that pass through each other and themselves in place of static ones.
DeformingTopology without_static(const DeformingTopology& topology) {
    DeformingTopology result = topology;
    for (const std::uint32_t a : topology.static_parts)
        for (const std::uint32_t b : topology.static_parts)
            result.ignored_parts.push_back({a, b});
    result.static_parts.clear();
    return result;
}

template <class Hit>
std::vector<Hit> listed_hits(std::span<const Hit> hits) {
    return {hits.begin(), hits.end()};
}
std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_of(
    std::span<const TriangleIntersection> list) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const TriangleIntersection& pair : list)
        pairs.emplace_back(pair.a, pair.b);
    return pairs;
}

struct Answers {
    std::vector<Impact> impacts;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> crossed, intersections;
    std::vector<Proximity> proximities;
    std::optional<double> earliest;
    std::vector<double> times;

    bool operator==(const Answers&) const = default;
};

// In this order, so that instants and steps take turns.
template <class T>
Answers answers_of(DeformingDetector& detector, const DeformingCase<T>& c) {
    Answers answers;
    answers.impacts = listed_hits(detector.find_impacts(c.t0, c.t1));
    answers.crossed = pairs_of(detector.crossed());
    answers.proximities = listed_hits(detector.find_proximities(c.t0, kThickness));
    answers.earliest = detector.find_earliest_time(c.t0, c.t1);
    answers.intersections = pairs_of(detector.find_intersections(c.t1));
    const std::span<const double> times = detector.find_vertex_times(c.t0, c.t1);
    answers.times.assign(times.begin(), times.end());
    return answers;
}

template <class T>
void expect_same_as_without(const DeformingCase<T>& c, DeformingOptions options,
                            std::size_t& found) {
    DeformingDetector reference(without_static(c.topology), Device::cpu(1), options);
    const Answers expected = answers_of(reference, c);
    found += expected.impacts.size() + expected.proximities.size() + expected.intersections.size();
    for (const PairSearch search :
         {PairSearch::tree, PairSearch::one_level_grid, PairSearch::two_level_grid}) {
        options.pair_search = search;
        for (const int threads : {1, 2, 0}) {
            DeformingDetector detector(c.topology, Device::cpu(threads), options);
            EXPECT_EQ(answers_of(detector, c), expected) << c.name;
            // Later steps work on what is kept.
            auto next = c;
            std::swap(next.t0, next.t1);
            EXPECT_EQ(answers_of(detector, next), answers_of(reference, next)) << c.name;
            EXPECT_EQ(answers_of(detector, c), expected) << c.name;
        }
    }
}

TEST(StaticParts, GiveTheSameAnswers) {
    std::size_t found = 0;
    for (int seed = 0; seed < 3; ++seed) {
        for (const int kind : {0, 1, 2}) {
            for (const double min_separation : {0.0, 0.05}) {
                DeformingOptions options;
                options.min_separation = min_separation;
                options.finds_crossed = true;
                const auto number = static_cast<unsigned>(seed);
                expect_same_as_without(with_static_parts<float>(number, 60, kind, {1, 2}), options,
                                       found);
                expect_same_as_without(with_static_parts<double>(number, 60, kind, {0}), options,
                                       found);
            }
        }
    }
    EXPECT_GT(found, 2000u);
}

TEST(StaticParts, MayBeAllOrNothing) {
    const auto all = with_static_parts<float>(1, 90, 1, {0, 1, 2});
    DeformingDetector detector(all.topology, Device::cpu());
    EXPECT_TRUE(detector.find_impacts(all.t0, all.t1).empty());
    EXPECT_TRUE(detector.find_proximities(all.t0, kThickness).empty());
    EXPECT_TRUE(detector.find_intersections(all.t0).empty());
    const auto none = with_static_parts<float>(1, 90, 1, {7});  // no vertex has it
    DeformingDetector moving(none.topology, Device::cpu());
    EXPECT_GT(moving.find_impacts(none.t0, none.t1).size(), 20u);
}

// A topology without parts is one part, and that may be static.
TEST(StaticParts, MayBeNeededWithoutParts) {
    auto c = with_static_parts<float>(1, 90, 1, {0, 1, 2});
    c.topology.parts.clear();
    c.topology.ignored_parts.clear();
    c.topology.static_parts = {0};
    DeformingDetector detector(c.topology, Device::cpu());
    EXPECT_TRUE(detector.find_impacts(c.t0, c.t1).empty());
}

TEST(StaticParts, WhatMovesIsNoticed) {
    const auto c = with_static_parts<double>(3, 90, 0, {1});
    const auto last = static_cast<std::size_t>(
        std::find(c.topology.parts.rbegin(), c.topology.parts.rend(), 1u).base() -
        c.topology.parts.begin() - 1);
    auto moved = c;
    moved.t1[last].y += 1e-12;
    DeformingDetector detector(c.topology, Device::cpu());
    EXPECT_THROW(detector.find_impacts(moved.t0, moved.t1), Error) << "in the first step";
    const std::vector<Impact> expected = listed_hits(detector.find_impacts(c.t0, c.t1));
    ASSERT_GT(expected.size(), 20u);
    EXPECT_THROW(detector.find_impacts(moved.t0, moved.t1), Error);
    EXPECT_THROW(detector.find_earliest_time(moved.t1, moved.t1), Error);
    EXPECT_THROW(detector.find_proximities(moved.t1, kThickness), Error);
    EXPECT_THROW(detector.find_intersections(moved.t1), Error);
    try {
        detector.find_impacts(moved.t0, moved.t1);
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("vertex " + std::to_string(last)),
                  std::string::npos)
            << error.what();
    }
    EXPECT_EQ(listed_hits(detector.find_impacts(c.t0, c.t1)), expected) << "after an error";
    moved.t1[last].y = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(detector.find_impacts(c.t0, moved.t1), Error);
}

TEST(StaticParts, MayBePlacedAnew) {
    auto c = with_static_parts<float>(4, 90, 0, {1});
    DeformingOptions options;
    options.finds_crossed = true;
    DeformingDetector detector(c.topology, Device::cpu(), options);
    DeformingDetector reference(without_static(c.topology), Device::cpu(), options);
    EXPECT_EQ(answers_of(detector, c), answers_of(reference, c));
    for (std::size_t i = 0; i < c.t0.size(); ++i)
        if (c.topology.parts[i] == 1) c.t1[i] = c.t0[i] = c.t0[i] * 0.5f + Vec3{0.25f, 0, -0.5f};
    EXPECT_THROW(answers_of(detector, c), Error);
    detector.place_static_parts();
    EXPECT_EQ(answers_of(detector, c), answers_of(reference, c));
    // A placement that is refused is none.
    auto wrong = c;
    const auto first = static_cast<std::size_t>(
        std::find(c.topology.parts.begin(), c.topology.parts.end(), 1u) - c.topology.parts.begin());
    wrong.t0[first].x = wrong.t1[first].x = std::numeric_limits<float>::infinity();
    detector.place_static_parts();
    EXPECT_THROW(answers_of(detector, wrong), Error);
    EXPECT_EQ(answers_of(detector, c), answers_of(reference, c));
}

// What a call is given that is wrong in the way that a number stands for.
template <class T>
DeformingCase<T> spoilt(const DeformingCase<T>& c, int way) {
    auto wrong = c;
    const auto still = static_cast<std::size_t>(
        std::find(c.topology.parts.begin(), c.topology.parts.end(), 1u) - c.topology.parts.begin());
    constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
    if (way == 0) wrong.t0[0].x = kNan;
    if (way == 1) wrong.t1[0].y = kNan;
    if (way == 2) wrong.t1.pop_back();
    if (way == 3) wrong.t1[still].z += 1;
    if (way == 4) wrong.t0[still].z = wrong.t1[still].z = kNan;
    if (way == 5) wrong.t0[0].x = static_cast<T>(sizeof(T) > sizeof(float) ? 1e-100 : HUGE_VAL);
    return wrong;
}
constexpr int kSpoiltWays = 6;

// By every way of asking.
template <class T>
void expect_refused(DeformingDetector& detector, const DeformingCase<T>& wrong, int way) {
    EXPECT_THROW(detector.find_impacts(wrong.t0, wrong.t1), Error) << way;
    EXPECT_THROW(detector.find_earliest_time(wrong.t0, wrong.t1), Error) << way;
    EXPECT_THROW(detector.find_vertex_times(wrong.t0, wrong.t1), Error) << way;
    if (way == 0 || way == 4 || way == 5) {
        EXPECT_THROW(detector.find_intersections(wrong.t0), Error) << way;
    }
    if (way == 0 || way == 4) {
        EXPECT_THROW(detector.find_proximities(wrong.t0, kThickness), Error) << way;
    }
    EXPECT_THROW(detector.find_proximities(wrong.t0, -1), Error);
}

// The same with the static part elsewhere.
template <class T>
DeformingCase<T> elsewhere(DeformingCase<T> c) {
    for (std::size_t i = 0; i < c.t0.size(); ++i)
        if (c.topology.parts[i] == 1)
            c.t1[i] = c.t0[i] = c.t0[i] * T(0.5) + Vec3T<T>{0.25f, 0, -0.5f};
    return c;
}

// Calls that are refused are as if they had not been: before parts are placed, after that, and when
// they are to be placed anew.
template <class T>
void expect_nothing_left(const DeformingOptions& options) {
    const auto c = with_static_parts<T>(4, 60, 0, {1}), other = elsewhere(c);
    DeformingDetector reference(without_static(c.topology), Device::cpu(), options);
    const Answers expected = answers_of(reference, c),
                  expected_other = answers_of(reference, other);
    for (int way = 0; way < kSpoiltWays; ++way) {
        DeformingDetector detector(c.topology, Device::cpu(), options);
        expect_refused(detector, spoilt(other, way), way);
        EXPECT_EQ(answers_of(detector, c), expected) << "first, " << way;
        const std::int64_t searches = detector.report().search_count;
        expect_refused(detector, spoilt(c, way), way);
        EXPECT_EQ(detector.report().search_count, searches);
        EXPECT_EQ(answers_of(detector, c), expected) << "placed, " << way;
        EXPECT_THROW(answers_of(detector, other), Error) << "placed, " << way;
        detector.place_static_parts();
        expect_refused(detector, spoilt(c, way), way);
        EXPECT_EQ(answers_of(detector, other), expected_other) << "placed anew, " << way;
        EXPECT_EQ(answers_of(detector, other), expected_other) << "placed anew, " << way;
    }
}

TEST(StaticParts, ARefusedCallLeavesNothingBehind) {
    for (const bool keeps_pairs : {false, true}) {
        DeformingOptions options;
        options.finds_crossed = true;  // so that doubles may be too small
        options.keeps_pairs = keeps_pairs;
        expect_nothing_left<float>(options);
        expect_nothing_left<double>(options);
    }
}

TEST(StaticParts, ARefusedCallLeavesWhatStartsCrossed) {
    const auto c = with_static_parts<double>(4, 60, 1, {1});
    DeformingOptions options;
    options.finds_crossed = true;
    DeformingDetector detector(c.topology, Device::cpu(), options);
    detector.find_earliest_time(c.t0, c.t1);
    const auto crossed = pairs_of(detector.crossed());
    const std::size_t edge_count = detector.crossed_edges().size();
    ASSERT_GT(crossed.size(), 3u);
    for (int way = 0; way < kSpoiltWays; ++way) {
        expect_refused(detector, spoilt(c, way), way);
        EXPECT_EQ(pairs_of(detector.crossed()), crossed) << way;
        EXPECT_EQ(detector.crossed_edges().size(), edge_count) << way;
        EXPECT_EQ(detector.report().crossed_count, static_cast<std::int64_t>(crossed.size()));
    }
}

TEST(StaticParts, AllocateNothingInASteadyStep) {
    const auto c = with_static_parts<float>(5, 600, 0, {1, 2});
    DeformingDetector detector(c.topology, Device::cpu(1));
    detector.find_impacts(c.t0, c.t1);
    const std::int64_t before = host_memory().allocation_count();
    detector.find_impacts(c.t0, c.t1);
    EXPECT_EQ(host_memory().allocation_count(), before);
}

// A step with a static part looks at no pair of it: nothing that it holds is paired, sorted or
// bounded again, so that as many pairs of elements are left as moving ones have.
TEST(StaticParts, AreNotSearchedAmongThemselves) {
    const auto c = with_static_parts<float>(6, 300, 0, {1, 2});
    DeformingTopology all = c.topology;
    all.static_parts.clear();
    DeformingDetector moving(all, Device::cpu(1)), detector(c.topology, Device::cpu(1));
    moving.find_impacts(c.t0, c.t1);
    detector.find_impacts(c.t0, c.t1);
    EXPECT_LT(detector.report().element_pair_count, moving.report().element_pair_count);
    DeformingDetector reference(without_static(c.topology), Device::cpu(1));
    reference.find_impacts(c.t0, c.t1);
    EXPECT_EQ(detector.report().element_pair_count, reference.report().element_pair_count);
    EXPECT_EQ(detector.report().vertex_face_count, reference.report().vertex_face_count);
    EXPECT_EQ(detector.report().edge_edge_count, reference.report().edge_edge_count);
}

}  // namespace
}  // namespace graze
