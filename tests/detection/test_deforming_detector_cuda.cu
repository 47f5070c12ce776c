// The deforming detector on a GPU gives the host's bits, whatever the search, the slices and the
// memory of the positions are.
#include "graze/mesh_io.h"
#include "tests/cuda_test.h"
#include "tests/detection/deforming_cases.h"
#include "tests/needs_data.h"

namespace graze {
namespace {

class DeformingDetectorCuda : public CudaTest {};

template <class T>
std::vector<Impact> impacts_on(const Device& device, const DeformingCase<T>& c,
                               const DeformingOptions& options = {}) {
    DeformingDetector detector(c.topology, device, options);
    const std::span<const Impact> impacts = detector.find_impacts(c.t0, c.t1);
    return {impacts.begin(), impacts.end()};
}

TEST_F(DeformingDetectorCuda, HasTheHostsImpacts) {
    for (const int kind : {0, 1, 2}) {
        for (const unsigned seed : {1u, 2u, 3u}) {
            const auto c = random_deforming<float>(seed, 240, kind);
            const std::vector<Impact> expected = impacts_on(Device::cpu(), c);
            ASSERT_GT(expected.size(), 50u);
            for (const PairSearch search :
                 {PairSearch::tree, PairSearch::one_level_grid, PairSearch::two_level_grid}) {
                DeformingOptions options;
                options.pair_search = search;
                EXPECT_EQ(impacts_on(Device::cuda(), c, options), expected);
            }
            EXPECT_EQ(impacts_on(Device::cuda(), widened(c)), expected);
        }
    }
}

TEST_F(DeformingDetectorCuda, HasTheSameAnswerInSlices) {
    const auto c = random_deforming<float>(7, 900, 0);
    DeformingDetector whole(c.topology, Device::cuda());
    const std::span<const Impact> impacts = whole.find_impacts(c.t0, c.t1);
    const std::vector<Impact> expected(impacts.begin(), impacts.end());
    const std::span<const TriangleIntersection> pairs = whole.find_intersections(c.t0);
    EXPECT_EQ(whole.report().slice_count, 1);
    DeformingOptions options;
    options.pair_memory = 1 << 18;
    DeformingDetector sliced(c.topology, Device::cuda(), options);
    const std::span<const Impact> in_slices = sliced.find_impacts(c.t0, c.t1);
    EXPECT_GT(sliced.report().slice_count, 3);
    EXPECT_EQ(std::vector<Impact>(in_slices.begin(), in_slices.end()), expected);
    EXPECT_EQ(sliced.find_intersections(c.t0).size(), pairs.size());
}

TEST_F(DeformingDetectorCuda, TakesPositionsFromTheDevice) {
    const auto c = random_deforming<float>(9, 300, 0);
    const std::vector<Impact> expected = impacts_on(Device::cpu(), c);
    const auto count = static_cast<std::int64_t>(c.t0.size());
    Buffer<Vec3> t0(executor().memory(), count), t1(executor().memory(), count);
    executor().copy_from_host("t0", c.t0.data(), t0.data(), count);
    executor().copy_from_host("t1", c.t1.data(), t1.data(), count);
    executor().wait();
    DeformingDetector detector(c.topology, Device::cuda());
    const std::span<const Impact> impacts =
        detector.find_impacts(std::span<const Vec3>(t0.data(), c.t0.size()),
                              std::span<const Vec3>(t1.data(), c.t1.size()), Residence::device);
    EXPECT_EQ(std::vector<Impact>(impacts.begin(), impacts.end()), expected);
    const std::int64_t before = executor().memory().allocation_count();
    detector.find_impacts(std::span<const Vec3>(t0.data(), c.t0.size()),
                          std::span<const Vec3>(t1.data(), c.t1.size()), Residence::device);
    EXPECT_EQ(executor().memory().allocation_count(), before) << "a steady step allocates";
}

TEST_F(DeformingDetectorCuda, HasTheHostsTimesAndProximities) {
    const auto c = random_deforming<float>(10, 300, 0);
    DeformingDetector host(c.topology, Device::cpu()), device(c.topology, Device::cuda());
    const std::span<const double> host_times = host.find_vertex_times(c.t0, c.t1);
    const std::span<const double> device_times = device.find_vertex_times(c.t0, c.t1);
    EXPECT_TRUE(
        std::equal(host_times.begin(), host_times.end(), device_times.begin(), device_times.end()));
    EXPECT_EQ(host.find_earliest_time(c.t0, c.t1), device.find_earliest_time(c.t0, c.t1));
    const std::span<const Proximity> host_near = host.find_proximities(c.t0, 0.2f);
    const std::span<const Proximity> device_near = device.find_proximities(c.t0, 0.2f);
    EXPECT_GT(host_near.size(), 100u);
    EXPECT_TRUE(
        std::equal(host_near.begin(), host_near.end(), device_near.begin(), device_near.end()));
}

TEST_F(DeformingDetectorCuda, HasTheHostsAnswersOnRealFrames) {
    GRAZE_NEEDS_DATA("sequences");
    const std::filesystem::path folder = data_folder() / "sequences";
    for (const auto& [first, second] : kRealFrames) {
        const Mesh t0 = load_mesh(folder / first), t1 = load_mesh(folder / second);
        const auto c = moving_mesh(first, t0.positions, t1.positions, t0.triangles);
        const std::vector<Impact> expected = impacts_on(Device::cpu(), c);
        EXPECT_EQ(impacts_on(Device::cuda(), c), expected) << first;
        DeformingDetector host(c.topology, Device::cpu()), device(c.topology, Device::cuda());
        const std::span<const TriangleIntersection> on_host = host.find_intersections(c.t0);
        const std::span<const TriangleIntersection> on_device = device.find_intersections(c.t0);
        ASSERT_EQ(on_device.size(), on_host.size()) << first;
        for (std::size_t i = 0; i < on_host.size(); ++i) {
            ASSERT_EQ(on_device[i].a, on_host[i].a) << first;
            ASSERT_EQ(on_device[i].b, on_host[i].b) << first;
        }
    }
}

}  // namespace
}  // namespace graze
