// Triangles of one mesh: do they meet beyond what they share? Against the exact point sets.
#include "geometry/intersect_mesh_triangles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "tests/oracle/case_count.h"
#include "tests/oracle/meet_beyond_shared.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

using oracle::case_count;
using oracle::RandomPoints;

template <class T>
class IntersectMeshTriangles : public testing::Test {};
using Coordinates = testing::Types<float, double>;
TYPED_TEST_SUITE(IntersectMeshTriangles, Coordinates);

TYPED_TEST(IntersectMeshTriangles, FollowsTheRuleForEverySharing) {
    RandomPoints<TypeParam> random(21);
    int meeting[4] = {}, apart[4] = {};
    for (int i = 0; i < case_count(60000); ++i) {
        const int reach = 1 + i % 2, shared_count = i % 4;
        std::vector<Vec3T<TypeParam>> positions(6);
        for (auto& p : positions) {
            p = random.on_grid(reach);
            if (i % 3 == 0) p.z = p.x - p.y;
            if (i % 11 == 0) p.y = 2 * p.x;
            if (i % 5 == 0) p = random.nudged(p, 1);
        }
        std::array<std::uint32_t, 3> a{0, 1, 2}, b{3, 4, 5};
        for (int k = 0; k < shared_count; ++k)
            b[k] = a[k];
        for (int k = random.integer(0, 5); k > 0; --k) {
            std::next_permutation(a.begin(), a.end());
            std::rotate(b.begin(), b.begin() + 1, b.end());
        }
        const Triangle ta{{a[0], a[1], a[2]}}, tb{{b[0], b[1], b[2]}};
        const bool expected = oracle::meet_beyond_shared(positions, ta, tb);
        ASSERT_EQ(intersect_mesh_triangles(positions.data(), ta, tb), expected) << "pair " << i;
        ASSERT_EQ(intersect_mesh_triangles(positions.data(), tb, ta), expected) << "pair " << i;
        ++(expected ? meeting : apart)[shared_count];
    }
    for (int k = 0; k < 3; ++k) {
        EXPECT_GT(meeting[k], case_count(1000)) << k;
        EXPECT_GT(apart[k], case_count(1000)) << k;
    }
    EXPECT_EQ(apart[3], 0);
}

TYPED_TEST(IntersectMeshTriangles, NamedCases) {
    using V = Vec3T<TypeParam>;
    const std::vector<V> p{{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {0, -2, 0}, {1, 1, 0},
                           {0, 0, 1}, {2, 2, 1}, {1, 0, 0}, {4, 0, 0}};
    const auto meet = [&](Triangle a, Triangle b) {
        return intersect_mesh_triangles(p.data(), a, b);
    };
    EXPECT_FALSE(meet({{0, 1, 2}}, {{1, 0, 3}}));  // flat neighbours
    EXPECT_TRUE(meet({{0, 1, 2}}, {{1, 0, 4}}));   // folded over
    EXPECT_FALSE(meet({{0, 1, 2}}, {{1, 0, 5}}));  // an ordinary edge
    EXPECT_TRUE(meet({{0, 1, 2}}, {{2, 1, 0}}));   // doubled, turned over
    EXPECT_FALSE(meet({{0, 1, 2}}, {{0, 3, 5}}));  // only a vertex
    EXPECT_TRUE(meet({{0, 1, 2}}, {{0, 4, 5}}));   // from the vertex along the face
    EXPECT_FALSE(meet({{0, 1, 2}}, {{0, 7, 1}}));  // collapsed onto the shared edge
    EXPECT_FALSE(meet({{0, 1, 2}}, {{0, 1, 8}}));  // collapsed, reaching on beyond the edge
    EXPECT_TRUE(meet({{0, 7, 8}}, {{0, 1, 2}}));   // collapsed along an edge it does not name
}

}  // namespace
}  // namespace graze
