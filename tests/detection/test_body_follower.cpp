#include "detection/body_follower.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <utility>

#include "geometry/topology.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

using List = std::vector<std::uint32_t>;

const int kShapes[3] = {};
const void* const kBall = &kShapes[0];
const void* const kRing = &kShapes[1];

FollowedBody ball(float x, float reach = 0.1f) {
    return {kBall, {x, 0, 0}, reach};
}
FollowedBody ring(float x, float reach = 0.1f) {
    return {kRing, {x, 0, 0}, reach};
}

List follow(const std::vector<FollowedBody>& last, const std::vector<FollowedBody>& now) {
    BodyFollower follower;
    return follower.follow(last, now);
}

TEST(BodyFollower, SaysNothingWhereIndicesStay) {
    EXPECT_EQ(follow({}, {}), List{});
    EXPECT_EQ(follow({}, {ball(0)}), List{});
    const std::vector<FollowedBody> bodies{ball(0), ring(0), ball(1), ball(2)};
    EXPECT_EQ(follow(bodies, bodies), List{});
    EXPECT_EQ(follow(bodies, {ball(0.05f), ring(0.1f), ball(0.95f)}), List{}) << "the last is gone";
    EXPECT_EQ(follow(bodies, {ball(0), ring(0), ball(1), ball(2), ring(9)}), List{});
    EXPECT_EQ(follow(bodies, {ball(0), ring(5), ball(1), ball(2)}), List{}) << "one went far";
}

TEST(BodyFollower, FindsBodiesOfOtherIndices) {
    const std::vector<FollowedBody> bodies{ball(0), ring(0), ball(1), ball(2)};
    EXPECT_EQ(follow(bodies, {ball(1.02f), ring(0), ball(0.01f), ball(2)}), (List{2, 1, 0, 3}));
    EXPECT_EQ(follow(bodies, {ring(0), ball(1), ball(2)}), (List{1, 2, 3}));
    EXPECT_EQ(follow(bodies, {ball(0), ball(7), ring(0), ball(1), ball(2)}),
              (List{0, kNoIndex, 1, 2, 3}));
    EXPECT_EQ(follow(bodies, {ball(0), ball(0), ball(1), ball(2)}), (List{0, kNoIndex, 2, 3}))
        << "each is one body only";
    EXPECT_EQ(follow(bodies, {ball(2), ring(0), ball(5), ball(0)}), (List{3, 1, 2, 0}))
        << "the third went far";
}

TEST(BodyFollower, TakesTheNearest) {
    const std::vector<FollowedBody> bodies{ball(9), ball(0.00f), ball(0.04f), ball(0.08f)};
    EXPECT_EQ(follow(bodies, {ball(0.05f), ball(5), ball(6), ball(7)}), (List{2, 1, kNoIndex, 3}));
    const float infinity = std::numeric_limits<float>::infinity();
    EXPECT_EQ(follow({ring(4), ball(0), ring(3)}, {ball(8), ring(2, infinity), ring(3)}),
              (List{kNoIndex, 0, 2}));
}

TEST(BodyFollower, KnowsNothingOfBodiesWithoutShape) {
    const FollowedBody none{nullptr, {0, 0, 0}, 1};
    EXPECT_EQ(follow({none, ball(0)}, {ball(0), none}), (List{1, kNoIndex}));
}

TEST(BodyFollower, FindsAllThatMovedLittle) {
    oracle::RandomPoints<float> random(3);
    for (int round = 0; round < 200; ++round) {
        // On a grid of unit cells, so that none is mistaken.
        std::vector<FollowedBody> last;
        const int count = random.integer(1, 40);
        for (int i = 0; i < count; ++i) {
            const int column = i % 4, row = i / 4;
            const Vec3 cell{static_cast<float>(column), static_cast<float>(row), 0};
            last.push_back({kShapes + random.integer(0, 2), cell, 0.3f});
        }
        List order(last.size());
        std::iota(order.begin(), order.end(), 0u);
        for (int i = random.integer(0, 5); i > 0; --i)
            std::swap(order[static_cast<std::size_t>(random.integer(0, count - 1))],
                      order[static_cast<std::size_t>(random.integer(0, count - 1))]);
        for (int i = random.integer(0, count / 4); i > 0; --i)
            order.erase(order.begin() + random.integer(0, static_cast<int>(order.size()) - 1));
        std::vector<FollowedBody> now;
        for (const std::uint32_t body : order) {
            now.push_back(last[body]);
            now.back().position += random.in_box(0.1f);
        }
        List found = follow(last, now);
        if (found.empty()) {
            found.resize(now.size());
            std::iota(found.begin(), found.end(), 0u);
        }
        EXPECT_EQ(found, order) << "round " << round;
    }
}

}  // namespace
}  // namespace graze
