// The smooth patches of a GPU are the host's, bit by bit.
#include "graze/mesh_io.h"
#include "narrow_phase/features/certify_patches.h"
#include "parallel/cpu_executor.h"
#include "tests/cuda_test.h"
#include "tests/narrow_phase/features/smooth_patch_cases.h"
#include "tests/needs_data.h"

namespace graze {
namespace {

class SmoothPatchesCuda : public CudaTest {};

template <class T, class Executor>
std::vector<std::uint32_t> names_by(Executor& executor, const DeformingCase<T>& c) {
    const std::vector<Triangle>& triangles = c.topology.triangles;
    const auto count = static_cast<std::int64_t>(triangles.size());
    const auto vertex_count = static_cast<std::int64_t>(c.t0.size());
    Buffer<Vec3T<T>> t0(executor.memory(), vertex_count), t1(executor.memory(), vertex_count);
    Buffer<Triangle> device_triangles(executor.memory(), count);
    executor.copy_from_host("t0", c.t0.data(), t0.data(), vertex_count);
    executor.copy_from_host("t1", c.t1.data(), t1.data(), vertex_count);
    executor.copy_from_host("triangles", triangles.data(), device_triangles.data(), count);
    PatchCertifier<Executor> certifier(executor);
    certifier.set_forest(make_patches(vertex_count, triangles));
    const std::uint32_t* names =
        certifier.name_elements(t0.data(), t1.data(), device_triangles.data(), count);
    std::vector<std::uint32_t> result(triangles.size());
    executor.copy_to_host("names", names, result.data(), count);
    executor.wait();
    EXPECT_EQ(certifier.count_smooth(), std::count_if(result.begin(), result.end(),
                                                      [](auto name) { return name >> 31 == 0; }));
    return result;
}

TEST_F(SmoothPatchesCuda, AreTheHosts) {
    CpuExecutor host;
    for (const DeformingCase<double>& c : patch_cases(60))
        EXPECT_EQ(names_by(executor(), c), names_by(host, c)) << c.name;
}

TEST_F(SmoothPatchesCuda, LeaveOutTheHostsPairs) {
    DeformingOptions options;
    options.culls_smooth_patches = true;
    std::size_t found = 0;
    for (const DeformingCase<double>& c : patch_cases(20)) {
        DeformingDetector host(c.topology, Device::cpu(), options);
        DeformingDetector device(c.topology, Device::cuda(), options);
        const std::span<const Impact> expected = host.find_impacts(c.t0, c.t1);
        const std::span<const Impact> impacts = device.find_impacts(c.t0, c.t1);
        EXPECT_TRUE(std::equal(impacts.begin(), impacts.end(), expected.begin(), expected.end()))
            << c.name;
        EXPECT_EQ(device.report().smooth_triangle_count, host.report().smooth_triangle_count);
        EXPECT_EQ(device.find_intersections(c.t0).size(), host.find_intersections(c.t0).size());
        found += expected.size();
    }
    EXPECT_GT(found, 100u);
}

TEST_F(SmoothPatchesCuda, AreTheHostsOnRealFrames) {
    GRAZE_NEEDS_DATA("sequences");
    CpuExecutor host;
    const std::filesystem::path folder = data_folder() / "sequences";
    for (const auto& [first, second] : kRealFrames) {
        const Mesh t0 = load_mesh(folder / first), t1 = load_mesh(folder / second);
        const auto c = moving_mesh(first, t0.positions, t1.positions, t0.triangles);
        EXPECT_EQ(names_by(executor(), c), names_by(host, c)) << first;
    }
}

}  // namespace
}  // namespace graze
