// The GPU finds the host's intersections, bit by bit.
#include "parallel/cpu_executor.h"
#include "tests/cuda_test.h"
#include "tests/narrow_phase/features/intersection_cases.h"

namespace graze {
namespace {

class TriangleIntersectionsCuda : public CudaTest {};

template <class T>
void expect_hosts_bits(CudaExecutor& executor, const MeshT<T>& mesh, const char* name) {
    CpuExecutor host(1);
    const auto expected = find_intersections(host, mesh);
    EXPECT_TRUE(are_same(find_intersections(executor, mesh), expected)) << name;
    TriangleIntersectionSearch search(executor.memory());
    const auto sliced =
        find_intersections(executor, mesh, find_candidates(executor, mesh), search, 5);
    EXPECT_TRUE(are_same(sliced, expected)) << name;
}

TEST_F(TriangleIntersectionsCuda, HaveTheHostsBits) {
    for (const sample::NamedMesh& sample : sample::all_meshes()) {
        if (!is_quick(sample)) continue;
        expect_hosts_bits(executor(), sample.mesh, sample.name.c_str());
    }
    for (const float amount : {0.0f, 1e-6f, 0.5f, 3.0f}) {
        expect_hosts_bits(executor(), crumpled_sheet<float>(60, amount, 7), "sheet");
        expect_hosts_bits(executor(), crumpled_sheet<double>(60, static_cast<double>(amount), 7),
                          "sheet of doubles");
    }
}

TEST_F(TriangleIntersectionsCuda, DegeneratePairsHaveTheHostsBits) {
    oracle::RandomPoints<float> floats(51);
    oracle::RandomPoints<double> doubles(52);
    for (int i = 0; i < 200; ++i) {
        expect_hosts_bits(executor(), random_tangle(floats, i), "tangle");
        expect_hosts_bits(executor(), random_tangle(doubles, i), "tangle of doubles");
    }
}

TEST_F(TriangleIntersectionsCuda, AllocateNothingInASteadyStep) {
    const auto mesh = crumpled_sheet<float>(100, 2.0f, 1);
    const auto positions = upload(executor(), mesh.positions);
    const auto triangles = upload(executor(), mesh.triangles);
    const auto pairs = upload(executor(), find_candidates(executor(), mesh));
    TriangleIntersectionSearch search(executor().memory());
    const auto step = [&] {
        search.begin(triangles.size());
        add_triangle_candidates(executor(), positions.data(), triangles.data(), pairs.data(),
                                pairs.size(), search);
        finish_triangle_intersections(executor(), positions.data(), triangles.data(), search);
    };
    step();
    step();
    const std::int64_t before = executor().memory().allocation_count();
    step();
    EXPECT_EQ(executor().memory().allocation_count(), before);
}

}  // namespace
}  // namespace graze
