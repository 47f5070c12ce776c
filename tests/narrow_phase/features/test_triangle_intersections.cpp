// Compares the triangles that intersect, and their segments, with exact point sets, for every pair.
#include "narrow_phase/features/triangle_intersections.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "geometry/filter_mesh_triangles.h"
#include "geometry/self_intersections.h"
#include "parallel/cpu_executor.h"
#include "tests/narrow_phase/features/intersection_cases.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/meet_beyond_shared.h"

namespace graze {
namespace {

using oracle::case_count;
using oracle::ConvexPolygon;
using oracle::Rational;
using oracle::RationalVec3;
using oracle::to_rational;

template <class T>
RationalVec3 normal_of(const MeshT<T>& mesh, const Triangle& t) {
    const RationalVec3 origin = to_rational(mesh.positions[t[0]]);
    return cross(to_rational(mesh.positions[t[1]]) - origin,
                 to_rational(mesh.positions[t[2]]) - origin);
}

// True where both triangles lie in one plane, or one has no plane.
template <class T>
bool are_flat(const MeshT<T>& mesh, const Triangle& a, const Triangle& b) {
    const RationalVec3 normal = normal_of(mesh, a);
    if (is_zero(normal) || is_zero(normal_of(mesh, b))) return true;
    const RationalVec3 origin = to_rational(mesh.positions[a[0]]);
    return std::all_of(b.v, b.v + 3, [&](std::uint32_t vertex) {
        return dot(normal, to_rational(mesh.positions[vertex]) - origin) == 0;
    });
}

// Returns the largest difference of a coordinate.
double difference(const Vec3d& p, const RationalVec3& q) {
    const RationalVec3 d = to_rational(p) - q;
    return std::max({std::fabs(d.x.get_d()), std::fabs(d.y.get_d()), std::fabs(d.z.get_d())});
}

template <class T>
void expect_segment(const MeshT<T>& mesh, const TriangleIntersection& found) {
    const Triangle &a = mesh.triangles[found.a], &b = mesh.triangles[found.b];
    ASSERT_EQ(found.is_flat, are_flat(mesh, a, b));
    if (found.is_flat) {
        ASSERT_TRUE(found.start == Vec3d({0, 0, 0}) && found.end == Vec3d({0, 0, 0}));
        return;
    }
    const ConvexPolygon common = oracle::common_points(mesh.positions, a, b);
    double largest = 0;
    for (const auto& p : mesh.positions)
        largest = std::max(
            {largest, std::fabs(double(p.x)), std::fabs(double(p.y)), std::fabs(double(p.z))});
    const double slack = 16 * 0x1p-53 * largest;
    // Both ends are common points, and every common point lies between them.
    for (const Vec3d& end : {found.start, found.end}) {
        double least = largest;
        for (const RationalVec3& p : common)
            least = std::min(least, difference(end, p));
        ASSERT_LE(least, slack);
    }
    for (const RationalVec3& p : common) {
        const bool is_start = difference(found.start, p) <= slack;
        const bool is_end = difference(found.end, p) <= slack;
        ASSERT_TRUE(is_start || is_end);
    }
}

template <class T>
class TriangleIntersections : public testing::Test {};
using Coordinates = testing::Types<float, double>;
TYPED_TEST_SUITE(TriangleIntersections, Coordinates);

TYPED_TEST(TriangleIntersections, AreThoseOfTheExactPointSets) {
    CpuExecutor executor(1);
    oracle::RandomPoints<TypeParam> random(41);
    TriangleIntersectionSearch search(executor.memory());
    int flat = 0, crossing = 0;
    for (int i = 0; i < case_count(600); ++i) {
        const MeshT<TypeParam> mesh = random_tangle(random, i);
        const std::vector<IndexPair> candidates = all_pairs(mesh);
        const auto found = find_intersections(executor, mesh, candidates, search);
        std::size_t next = 0;
        // all_pairs() is ordered by b, the answer by a.
        for (std::uint32_t a = 0; a < mesh.triangles.size(); ++a) {
            for (std::uint32_t b = a + 1; b < mesh.triangles.size(); ++b) {
                const bool is_listed =
                    next < found.size() && found[next].a == a && found[next].b == b;
                ASSERT_EQ(is_listed, oracle::meet_beyond_shared(mesh.positions, mesh.triangles[a],
                                                                mesh.triangles[b]))
                    << "mesh " << i << ", triangles " << a << " and " << b;
                if (!is_listed) continue;
                expect_segment(mesh, found[next]);
                if (this->HasFatalFailure()) FAIL() << "mesh " << i << ": " << a << ", " << b;
                ++(found[next++].is_flat ? flat : crossing);
            }
        }
        ASSERT_EQ(next, found.size());
    }
    EXPECT_GT(flat, case_count(500));
    EXPECT_GT(crossing, case_count(500));
}

// All lists of candidates that have every pair that meets give the same answer, in any order and in
// any count of slices.
TYPED_TEST(TriangleIntersections, DoNotDependOnTheCandidates) {
    CpuExecutor one(1), all;
    std::mt19937 engine(3);
    for (const double amount : {0.2, 0.8, 4.0}) {
        const int size = GRAZE_SANITIZED != 0 ? 12 : 24;
        const auto mesh = crumpled_sheet<TypeParam>(size, TypeParam(amount), 9);
        TriangleIntersectionSearch search(one.memory());
        std::vector<IndexPair> candidates = all_pairs(mesh);
        const auto expected = find_intersections(one, mesh, candidates, search);
        std::size_t count = 0;
        for (const IndexPair& pair : candidates)
            count += intersect_mesh_triangles(mesh.positions.data(), mesh.triangles[pair.a],
                                              mesh.triangles[pair.b])
                         ? 1
                         : 0;
        EXPECT_EQ(expected.size(), count);
        EXPECT_EQ(amount > 0.5, count > 0) << amount;
        EXPECT_TRUE(are_same(find_intersections(one, mesh), expected));
        EXPECT_TRUE(are_same(find_intersections(all, mesh), expected));
        std::shuffle(candidates.begin(), candidates.end(), engine);
        for (const std::int64_t slices : {1, 2, 7, 1000})
            EXPECT_TRUE(
                are_same(find_intersections(all, mesh, candidates, search, slices), expected))
                << slices;
    }
}

TYPED_TEST(TriangleIntersections, NamedCases) {
    CpuExecutor executor(1);
    using V = Vec3T<TypeParam>;
    const auto found = [&](std::vector<V> positions, std::vector<Triangle> triangles) {
        return find_intersections(executor, MeshT<TypeParam>{positions, triangles});
    };
    EXPECT_TRUE(found({}, {}).empty());
    EXPECT_TRUE(found({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{{0, 1, 2}}}).empty());
    // A triangle passes through another.
    const auto through = found({{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, -1}, {1, 1, 1}, {9, 1, 0}},
                               {{{0, 1, 2}}, {{3, 4, 5}}});
    ASSERT_EQ(through.size(), 1u);
    EXPECT_FALSE(through[0].is_flat);
    EXPECT_EQ(std::min(through[0].start.x, through[0].end.x), 1);
    EXPECT_EQ(std::max(through[0].start.x, through[0].end.x), 3);
    // The segment goes from the vertex that they share to where one of them ends.
    const auto fan =
        found({{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, -1}, {1, 1, 1}}, {{{0, 1, 2}}, {{3, 4, 0}}});
    ASSERT_EQ(fan.size(), 1u);
    EXPECT_FALSE(fan[0].is_flat);
    EXPECT_EQ(std::min(fan[0].start.x, fan[0].end.x), 0);
    EXPECT_EQ(std::max(fan[0].start.x, fan[0].end.x), 1);
    // One pair is folded along an edge, one is the same triangle twice.
    const auto folded = found({{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, 0}},
                              {{{0, 1, 2}}, {{1, 0, 3}}, {{2, 1, 0}}});
    ASSERT_EQ(folded.size(), 3u);
    for (const TriangleIntersection& pair : folded)
        EXPECT_TRUE(pair.is_flat);
}

TEST(TriangleIntersectionSearch, AllocatesNothingInASteadyStep) {
    CpuExecutor executor(2);
    const auto mesh = crumpled_sheet<float>(30, 2.0f, 1);
    const std::vector<IndexPair> candidates = find_candidates(executor, mesh);
    TriangleIntersectionSearch search(executor.memory());
    const auto step = [&] {
        const auto count = static_cast<std::int64_t>(candidates.size());
        search.begin(static_cast<std::int64_t>(mesh.triangles.size()));
        for (const std::int64_t first : {std::int64_t{0}, count / 3})
            add_triangle_candidates(executor, mesh.positions.data(), mesh.triangles.data(),
                                    candidates.data() + first,
                                    first == 0 ? count / 3 : count - first, search);
        finish_triangle_intersections(executor, mesh.positions.data(), mesh.triangles.data(),
                                      search);
    };
    step();
    const std::int64_t found = search.found.size();
    EXPECT_GT(found, 100);
    step();
    const std::int64_t before = executor.memory().allocation_count();
    step();
    EXPECT_EQ(executor.memory().allocation_count(), before);
    EXPECT_EQ(search.found.size(), found);
}

// The search of mesh reports decides on candidates where it finds them.
TEST(SelfIntersections, AreTheSamePairs) {
    CpuExecutor executor(2);
    for (const sample::NamedMesh& sample : sample::all_meshes()) {
        if (!is_quick(sample)) continue;
        const auto expected = find_intersections(executor, sample.mesh);
        const std::vector<IndexPair> pairs = find_self_intersections(executor, sample.mesh);
        ASSERT_EQ(pairs.size(), expected.size()) << sample.name;
        for (std::size_t i = 0; i < pairs.size(); ++i)
            ASSERT_TRUE(pairs[i].a == expected[i].a && pairs[i].b == expected[i].b) << sample.name;
        EXPECT_EQ(count_self_intersections(executor, sample.mesh),
                  static_cast<std::int64_t>(pairs.size()))
            << sample.name;
    }
}

}  // namespace
}  // namespace graze
