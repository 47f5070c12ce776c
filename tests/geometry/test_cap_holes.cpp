// Tests of cap_holes(): a mesh with its caps has no open edge, whatever the mesh is.
#include "geometry/cap_holes.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "tests/oracle/case_count.h"

namespace graze {
namespace {

std::map<std::pair<std::uint32_t, std::uint32_t>, int> sums_of(
    const std::vector<Triangle>& triangles) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> sums;
    for (const Triangle& t : triangles) {
        for (int i = 0; i < 3; ++i) {
            const std::uint32_t from = t[i], to = t[(i + 1) % 3];
            if (from != to) sums[std::minmax(from, to)] += from < to ? 1 : -1;
        }
    }
    std::erase_if(sums, [](const auto& entry) { return entry.second == 0; });
    return sums;
}

TEST(CapHoles, LeaveNoEdgeOpen) {
    std::mt19937 random(5);
    CpuExecutor executor(2);
    for (int n = 0; n < oracle::case_count(3000); ++n) {
        const unsigned vertex_count = 3 + random() % 30, triangle_count = 1 + random() % 40;
        std::vector<Triangle> triangles;
        const auto vertex = [&] { return static_cast<std::uint32_t>(random() % vertex_count); };
        for (unsigned i = 0; i < triangle_count; ++i) {
            const std::uint32_t a = vertex(), b = vertex();
            triangles.push_back({{a, b, vertex()}});
        }
        const std::vector<OpenEdge> open = find_open_edges(executor, triangles);
        const auto expected = sums_of(triangles);
        ASSERT_EQ(open.size(), expected.size());
        for (const OpenEdge& edge : open) {
            const int sum = expected.at(std::minmax(edge.from, edge.to));
            ASSERT_EQ(sum, edge.from < edge.to ? static_cast<int>(edge.excess)
                                               : -static_cast<int>(edge.excess));
        }
        const std::vector<Triangle> caps = cap_holes(open);
        triangles.insert(triangles.end(), caps.begin(), caps.end());
        ASSERT_TRUE(sums_of(triangles).empty());
        for (const Triangle& t : caps)
            ASSERT_TRUE(t[0] != t[1] && t[1] != t[2] && t[2] != t[0]);
    }
}

// A border of n edges takes n - 2 caps.
TEST(CapHoles, BordersAreCutIntoHalves) {
    CpuExecutor executor(1);
    constexpr std::uint32_t kCorners = 1000;
    std::vector<Triangle> fan;
    fan.reserve(kCorners);
    for (std::uint32_t i = 0; i < kCorners; ++i)
        fan.push_back({{kCorners, i, (i + 1) % kCorners}});
    const std::vector<Triangle> caps = cap_holes(find_open_edges(executor, fan));
    EXPECT_EQ(caps.size(), kCorners - 2);
}

}  // namespace
}  // namespace graze
