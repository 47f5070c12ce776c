#include "io/meshes/vertex_welder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <tuple>

#include "tests/oracle/case_count.h"

namespace graze {
namespace {

TEST(VertexWelder, JoinsEqualPositionsInTheOrderOfTheirAppearance) {
    std::mt19937 random(1);
    io::VertexWelder<float> welder;
    std::map<std::tuple<float, float, float>, std::uint32_t> expected;
    for (int i = 0; i < 20000; ++i) {
        const auto number = [&] {
            return static_cast<float>(static_cast<int>(random() % 21) - 10);
        };
        const Vec3 p{number(), number(), number() * -0.0f};
        const auto next = static_cast<std::uint32_t>(expected.size());
        const auto found = expected.try_emplace({p.x, p.y, std::fabs(p.z)}, next).first;
        ASSERT_EQ(welder.add(p), found->second);
    }
    EXPECT_EQ(welder.vertex_count(), expected.size());
}

// Positions that a hash by known multipliers takes for one: a table of them would be a list, whose
// every entry is compared with all.
TEST(VertexWelder, CraftedPositionsCostLittle) {
    std::mt19937_64 random(2);
    io::VertexWelder<double> welder;
    const int count = oracle::case_count(1000000);
    for (int i = 0; i < count;) {
        std::uint64_t x = random(), y = random();
        std::uint64_t h = x * 0x9E3779B97F4A7C15u;
        h = (std::rotl(h, 29) ^ y) * 0xBF58476D1CE4E5B9u;
        const Vec3d p{std::bit_cast<double>(x), std::bit_cast<double>(y),
                      std::bit_cast<double>(std::rotl(h, 31) ^ 0x123456789abcdefu)};
        if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z)) continue;
        ASSERT_EQ(welder.add(p), static_cast<std::uint32_t>(i));
        ++i;
    }
}

}  // namespace
}  // namespace graze
