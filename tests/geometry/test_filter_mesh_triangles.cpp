// The quick verdict against the exact answer: where it is sure it is right, and it is rarely
// unsure.
#include "geometry/filter_mesh_triangles.h"

#include <gtest/gtest.h>

#include "parallel/cpu_executor.h"
#include "tests/narrow_phase/features/intersection_cases.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

using oracle::case_count;

template <class T>
MeetVerdict verdict_on(const MeshT<T>& mesh, const IndexPair& pair) {
    return filter_mesh_triangles(mesh.positions.data(), mesh.triangles[pair.a],
                                 mesh.triangles[pair.b]);
}

template <class T>
bool meet(const MeshT<T>& mesh, const IndexPair& pair) {
    return intersect_mesh_triangles(mesh.positions.data(), mesh.triangles[pair.a],
                                    mesh.triangles[pair.b]);
}

template <class T>
class FilterMeshTriangles : public testing::Test {};
using Coordinates = testing::Types<float, double>;
TYPED_TEST_SUITE(FilterMeshTriangles, Coordinates);

TYPED_TEST(FilterMeshTriangles, NeverContradictsTheExactAnswer) {
    oracle::RandomPoints<TypeParam> random(31);
    int sure_apart = 0, sure_meeting = 0, doubtful = 0;
    for (int i = 0; i < case_count(20000); ++i) {
        MeshT<TypeParam> mesh = random_tangle(random, i);
        if (i % 7 == 0) mesh.triangles[0].v[1] = mesh.triangles[0].v[0];
        for (std::uint32_t b = 1; b < mesh.triangles.size(); ++b) {
            for (std::uint32_t a = 0; a < b; ++a) {
                const MeetVerdict verdict = verdict_on(mesh, {a, b});
                sure_apart += verdict == MeetVerdict::apart ? 1 : 0;
                sure_meeting += verdict == MeetVerdict::meeting ? 1 : 0;
                doubtful += verdict == MeetVerdict::doubtful ? 1 : 0;
                if (verdict == MeetVerdict::doubtful) continue;
                ASSERT_EQ(verdict == MeetVerdict::meeting, meet(mesh, {a, b}))
                    << "mesh " << i << ", triangles " << a << " and " << b;
            }
        }
    }
    EXPECT_GT(sure_apart, case_count(20000));
    EXPECT_GT(sure_meeting, case_count(20000));
    EXPECT_GT(doubtful, case_count(20000));
}

// Coordinates of every magnitude that the predicates are exact for.
TYPED_TEST(FilterMeshTriangles, NeverContradictsAtExtremeMagnitudes) {
    constexpr bool kIsFloat = sizeof(TypeParam) == 4;
    oracle::RandomPoints<TypeParam> random(32);
    for (int i = 0; i < case_count(5000); ++i) {
        MeshT<TypeParam> mesh = random_tangle(random, i);
        for (auto& p : mesh.positions)
            p = kIsFloat ? random.over_exponents(-149, 127) : random.over_exponents(-305, 338);
        for (std::uint32_t b = 1; b < mesh.triangles.size(); ++b) {
            const IndexPair pair{b - 1, b};
            const MeetVerdict verdict = verdict_on(mesh, pair);
            if (verdict != MeetVerdict::doubtful) {
                ASSERT_EQ(verdict == MeetVerdict::meeting, meet(mesh, pair)) << "mesh " << i;
            }
            ASSERT_EQ(meet_mesh_triangles(mesh.positions.data(), mesh.triangles[pair.a],
                                          mesh.triangles[pair.b]),
                      meet(mesh, pair));
        }
    }
}

// Of the pairs that a search of boxes finds, nearly none is left in doubt; in a plane the exact
// signs are all zero, and still few are.
TYPED_TEST(FilterMeshTriangles, IsRarelyUnsure) {
    CpuExecutor executor(1);
    for (const double amount : {0.0, 1e-9, 0.1, 0.5, 3.0}) {
        const auto mesh = crumpled_sheet<TypeParam>(40, TypeParam(amount), 5);
        const std::vector<IndexPair> candidates = find_candidates(executor, mesh);
        std::size_t doubtful = 0;
        for (const IndexPair& pair : candidates)
            doubtful += verdict_on(mesh, pair) == MeetVerdict::doubtful ? 1 : 0;
        EXPECT_LE(doubtful, candidates.size() / 50) << amount;
        EXPECT_GT(candidates.size(), 15000u) << amount;
    }
}

}  // namespace
}  // namespace graze
