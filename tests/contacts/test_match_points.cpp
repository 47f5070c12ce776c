#include "contacts/match_points.h"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "geometry/topology.h"

namespace graze {
namespace {

using List = std::vector<std::uint32_t>;

List match(const std::vector<MatchPoint>& last, const std::vector<MatchPoint>& now, float reach) {
    PointMatcher matcher;
    List last_of(now.size());
    matcher.match(last, now, reach, last_of.data());
    return last_of;
}

// The same, slow and obvious: the closest two are one, then the closest two of the others.
List match_closest_first(const std::vector<MatchPoint>& last, const std::vector<MatchPoint>& now,
                         float reach) {
    std::vector<std::tuple<float, std::uint32_t, std::uint32_t>> distances;
    for (std::uint32_t i = 0; i < now.size(); ++i) {
        for (std::uint32_t j = 0; j < last.size(); ++j) {
            const float distance_sq = match_distance_sq(last[j], now[i]);
            if (distance_sq <= reach * reach) distances.emplace_back(distance_sq, i, j);
        }
    }
    std::sort(distances.begin(), distances.end());
    List last_of(now.size(), kNoIndex);
    std::vector<bool> is_taken(last.size());
    for (const auto& [distance_sq, i, j] : distances) {
        if (last_of[i] != kNoIndex || is_taken[j]) continue;
        last_of[i] = j;
        is_taken[j] = true;
    }
    return last_of;
}

MatchPoint at(float x, std::uint64_t features = 0) {
    return {features, {x, 0, 0}, {x, 0, 0}};
}

TEST(MatchPoints, OnesWithTheSameFeaturesAreTheSameHoweverFar) {
    EXPECT_EQ(match({at(0, 7), at(1, 8)}, {at(5, 8), at(0, 9), at(9, 7)}, 0),
              (List{1, kNoIndex, 0}));
    EXPECT_EQ(match({at(0, 7), at(0, 7)}, {at(0, 7), at(0, 7), at(0, 7)}, 0),
              (List{0, 1, kNoIndex}));
}

TEST(MatchPoints, OthersTakeTheNearestThatIsLeft) {
    EXPECT_EQ(match({at(0), at(1)}, {at(0.1f), at(0.9f)}, 0.2f), (List{0, 1}));
    EXPECT_EQ(match({at(0)}, {at(0.1f), at(-0.05f)}, 0.2f), (List{kNoIndex, 0}));
    // The first would take 0 and is dropped for the second; it takes 1 then.
    EXPECT_EQ(match({at(0), at(0.3f)}, {at(0.1f), at(0.05f)}, 0.5f), (List{1, 0}));
    // A vertex that slides from one face to the next.
    EXPECT_EQ(match({at(0, 7)}, {at(0.1f, 8)}, 0.2f), (List{0}));
    EXPECT_EQ(match({at(0, 7), at(0.1f, 8)}, {at(0.1f, 7)}, 0.2f), (List{0}));
}

TEST(MatchPoints, NoneIsFartherThanTheReach) {
    EXPECT_EQ(match({at(0)}, {at(0.3f)}, 0.25f), (List{kNoIndex}));
    EXPECT_EQ(match({at(0)}, {at(0)}, 0), (List{kNoIndex})) << "features alone";
    EXPECT_EQ(match({}, {at(0)}, 1), (List{kNoIndex}));
    EXPECT_EQ(match({at(0)}, {}, 1), List{});
}

TEST(MatchPoints, WhatStaysOnOneBodyIsTheSameThoughItSlidesOverTheOther) {
    const MatchPoint last{0, {0, 0, 0}, {1, 0, 0}}, now{0, {0, 0, 0}, {5, 0, 0}};
    EXPECT_EQ(match({last}, {now}, 0.1f), List{0});
}

TEST(MatchPoints, EquallyNearOnesAreToldApartByTheirOrder) {
    EXPECT_EQ(match({at(-1), at(1)}, {at(0)}, 2), List{0});
    EXPECT_EQ(match({at(0)}, {at(-1), at(1)}, 2), (List{0, kNoIndex}));
    const std::vector<MatchPoint> same(40, at(3));
    const List last_of = match(same, same, 1);
    for (std::uint32_t i = 0; i < same.size(); ++i)
        EXPECT_EQ(last_of[i], i);
}

// As many as are looked at one by one, and as many as are sorted.
TEST(MatchPoints, AgreeWithTakingTheClosestTwoFirst) {
    std::mt19937 random(5);
    std::uniform_real_distribution<float> unit(-1, 1);
    const auto point = [&](int flat_axis) {
        Vec3 on_a{unit(random), unit(random), unit(random)};
        on_a[flat_axis] = 0.25f;
        return MatchPoint{0, on_a, {unit(random), unit(random), unit(random)}};
    };
    int same_count = 0, different_count = 0;
    for (int round = 0; round < 150; ++round) {
        const int last_count = static_cast<int>(random() % (round % 3 == 0 ? 8 : 200));
        std::vector<MatchPoint> last, now;
        for (int i = 0; i < last_count; ++i)
            last.push_back(point(round % 3));
        for (const MatchPoint& p : last) {
            if (random() % 8 == 0) continue;
            const float step = 0.1f;
            now.push_back({0,
                           p.on_a + Vec3{unit(random), unit(random), unit(random)} * step,
                           {unit(random), unit(random), unit(random)}});
        }
        for (int i = 0; i < 5; ++i)
            now.push_back(point(round % 3));
        std::shuffle(now.begin(), now.end(), random);
        const float reach = 0.02f + 0.3f * static_cast<float>(round % 5) / 4;
        const List expected = match_closest_first(last, now, reach);
        EXPECT_EQ(match(last, now, reach), expected) << "round " << round;
        for (const std::uint32_t j : expected)
            (j == kNoIndex ? different_count : same_count) += 1;
    }
    EXPECT_GT(same_count, 1000);
    EXPECT_GT(different_count, 500);
}

}  // namespace
}  // namespace graze
