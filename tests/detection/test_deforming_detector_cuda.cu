// The deforming detector on a GPU gives the host's bits, whatever the search, the slices and the
// memory of the positions are.
#include "graze/error.h"
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

template <class Hit>
void expect_equal(std::span<const Hit> found, std::span<const Hit> expected) {
    EXPECT_EQ(found.size(), expected.size());
    EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), expected.end()));
}
void expect_same_pairs(std::span<const TriangleIntersection> found,
                       std::span<const TriangleIntersection> expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].a, expected[i].a);
        EXPECT_EQ(found[i].b, expected[i].b);
    }
}

TEST_F(DeformingDetectorCuda, HasWhatStartsCrossed) {
    for (const int kind : {0, 1, 2}) {
        const auto c = random_deforming<float>(13, 240, kind);
        DeformingOptions options;
        options.finds_crossed = true;
        DeformingDetector host(c.topology, Device::cpu(), options);
        DeformingDetector device(c.topology, Device::cuda(), options);
        expect_equal(device.find_impacts(c.t0, c.t1), host.find_impacts(c.t0, c.t1));
        EXPECT_GT(host.crossed().size(), 5u);
        expect_same_pairs(device.crossed(), host.crossed());
        EXPECT_GT(host.crossed_edges().size(), 2u);
        EXPECT_TRUE(std::equal(device.crossed_edges().begin(), device.crossed_edges().end(),
                               host.crossed_edges().begin(), host.crossed_edges().end()));
        EXPECT_EQ(device.find_earliest_time(c.t0, c.t1), 0.0);
        expect_equal(device.find_vertex_times(c.t0, c.t1), host.find_vertex_times(c.t0, c.t1));
    }
}

// In floats and in doubles, of vertices and faces and of edges and edges; and with a shape at rest,
// which leaves some of them out.
TEST_F(DeformingDetectorCuda, HasTheHostsProximitiesOfDoublesAndRestShapes) {
    constexpr double kThickness = 0.3;
    auto c = widened(random_deforming<float>(14, 240, 0));
    oracle::RandomPoints<double> random(14);
    for (Vec3d& p : c.t0)
        p += random.in_box(1e-9);  // digits that floats do not have
    std::size_t without_rest = 0;
    for (const bool has_rest : {false, true}) {
        if (has_rest) c.topology.rest_positions = c.t1;
        DeformingDetector host(c.topology, Device::cpu()), device(c.topology, Device::cuda());
        const std::span<const Proximity> expected = host.find_proximities(c.t0, kThickness);
        expect_equal(device.find_proximities(c.t0, kThickness), expected);
        std::size_t vertex_face_count = 0;
        for (const Proximity& near : expected)
            vertex_face_count += near.is_vertex_face() ? 1 : 0;
        EXPECT_GT(vertex_face_count, 10u);
        EXPECT_GT(expected.size() - vertex_face_count, 10u);
        if (has_rest) {
            EXPECT_LT(expected.size(), without_rest);
        } else {
            without_rest = expected.size();
        }
    }
}

TEST_F(DeformingDetectorCuda, HasTheHostsEarliestTimeWithSeparation) {
    for (const unsigned seed : {15u, 16u, 17u}) {
        const auto c = random_deforming<float>(seed, 240, 0);
        for (const double min_separation : {0.01, 0.1, 0.5}) {
            DeformingOptions options;
            options.min_separation = min_separation;
            DeformingDetector host(c.topology, Device::cpu(), options);
            DeformingDetector device(c.topology, Device::cuda(), options);
            EXPECT_EQ(device.find_earliest_time(c.t0, c.t1), host.find_earliest_time(c.t0, c.t1));
            expect_equal(device.find_impacts(c.t0, c.t1), host.find_impacts(c.t0, c.t1));
        }
    }
}

TEST_F(DeformingDetectorCuda, HasTheHostsAnswersWithStaticPartsAndKeptPairs) {
    for (const bool keeps_pairs : {false, true}) {
        for (const PairSearch search :
             {PairSearch::tree, PairSearch::one_level_grid, PairSearch::two_level_grid}) {
            auto c = random_deforming<float>(18, 240, 0);
            c.topology.static_parts = {1, 2};
            for (std::size_t i = 0; i < c.t0.size(); ++i)
                if (c.topology.parts[i] != 0) c.t1[i] = c.t0[i];
            DeformingOptions options;
            options.pair_search = search;
            DeformingDetector host(c.topology, Device::cpu(), options);
            options.keeps_pairs = keeps_pairs;
            DeformingDetector device(c.topology, Device::cuda(), options);
            for (int round = 0; round < 4; ++round) {
                const std::span<const Impact> expected = host.find_impacts(c.t0, c.t1);
                EXPECT_GT(expected.size(), 5u);
                expect_equal(device.find_impacts(c.t0, c.t1), expected);
                EXPECT_EQ(device.find_earliest_time(c.t0, c.t1),
                          host.find_earliest_time(c.t0, c.t1));
                EXPECT_EQ(device.report().search_count, keeps_pairs ? 1 : 2 * (round + 1));
                for (std::size_t i = 0; i < c.t0.size(); ++i)
                    c.t1[i] = c.t0[i] + (c.t1[i] - c.t0[i]) * 0.75f;
            }
            expect_equal(device.find_proximities(c.t0, 0.2), host.find_proximities(c.t0, 0.2));
            expect_same_pairs(device.find_intersections(c.t0), host.find_intersections(c.t0));
            auto moved = c;
            const auto first = static_cast<std::size_t>(
                std::find(c.topology.parts.begin(), c.topology.parts.end(), 1u) -
                c.topology.parts.begin());
            moved.t1[first].x += 0.5f;
            EXPECT_THROW(device.find_impacts(moved.t0, moved.t1), Error);
            moved.t0[first] = moved.t1[first];
            device.place_static_parts();
            host.place_static_parts();
            expect_equal(device.find_impacts(moved.t0, moved.t1),
                         host.find_impacts(moved.t0, moved.t1));
        }
    }
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
