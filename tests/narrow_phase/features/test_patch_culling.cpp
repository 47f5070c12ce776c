// The deforming detector loses no true contact where it leaves out the pairs of smooth patches.
#include <gtest/gtest.h>

#include <filesystem>

#include "parallel/memory.h"
#include "tests/narrow_phase/features/impact_queries.h"
#include "tests/narrow_phase/features/smooth_patch_cases.h"
#include "tests/needs_data.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

DeformingOptions culling() {
    DeformingOptions options;
    options.culls_smooth_patches = true;
    return options;
}

template <class T>
std::vector<Impact> impacts_of(const DeformingCase<T>& c, const DeformingOptions& options,
                               DeformingReport* report = nullptr,
                               const Device& device = Device::cpu()) {
    DeformingDetector detector(c.topology, device, options);
    const std::span<const Impact> impacts = detector.find_impacts(c.t0, c.t1);
    if (report != nullptr) *report = detector.report();
    return {impacts.begin(), impacts.end()};
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> intersections_of(
    const DeformingCase<double>& c, const DeformingOptions& options) {
    DeformingDetector detector(c.topology, Device::cpu(), options);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> result;
    for (const TriangleIntersection& found : detector.find_intersections(c.t0))
        result.emplace_back(found.a, found.b);
    return result;
}

// Without the option there may be impacts of features that only come near. Nothing else may be
// missing with it, and the impacts that are there are the same.
template <class T>
std::size_t expect_same_contacts(const DeformingCase<T>& c, const std::vector<Impact>& all,
                                 const std::vector<Impact>& culled) {
    auto next = culled.begin();
    for (const Impact& impact : all) {
        if (next != culled.end() && impact == *next)
            ++next;
        else
            EXPECT_FALSE(
                collides_exactly(query_of(c.t0, c.t1, impact.vertices, impact.is_vertex_face())))
                << c.name << ", vertex " << impact.vertices[0];
    }
    EXPECT_EQ(next, culled.end()) << c.name;
    return culled.size();
}

TEST(PatchCulling, LosesNoContact) {
    std::size_t found = 0;
    for (const DeformingCase<double>& c : patch_cases(oracle::case_count(60))) {
        found += expect_same_contacts(c, impacts_of(c, {}), impacts_of(c, culling()));
        EXPECT_EQ(intersections_of(c, {}), intersections_of(c, culling())) << c.name;
    }
    // These cases have ropes, particles and parts beside triangles.
    for (unsigned seed = 0; seed < 20; ++seed) {
        const auto c = random_deforming<float>(seed, 90, static_cast<int>(seed % 3));
        found += expect_same_contacts(c, impacts_of(c, {}), impacts_of(c, culling()));
    }
    EXPECT_GT(found, static_cast<std::size_t>(oracle::case_count(2000)));
}

TEST(PatchCulling, IsTheSameForAllThreadsAndSearches) {
    for (const unsigned seed : {3u, 4u}) {
        const DeformingCase<double> c = wavy_sheet(seed, 30);
        DeformingReport report;
        const std::vector<Impact> expected = impacts_of(c, culling(), &report);
        for (const PairSearch search :
             {PairSearch::tree, PairSearch::one_level_grid, PairSearch::two_level_grid}) {
            for (const int threads : {1, 2}) {
                DeformingOptions options = culling();
                options.pair_search = search;
                DeformingReport other;
                EXPECT_EQ(impacts_of(c, options, &other, Device::cpu(threads)), expected);
                EXPECT_EQ(other.smooth_triangle_count, report.smooth_triangle_count);
            }
        }
    }
}

TEST(PatchCulling, LeavesOutAllPairsOfASmoothSheet) {
    const auto sheet = moving_sheet("sheet", 20, [](int i, int j, int end) {
        return Vec3d{double(i), double(j), std::sin(0.1 * i + 0.3 * end)};
    });
    DeformingDetector detector(sheet.topology, Device::cpu(1), culling());
    EXPECT_TRUE(detector.find_impacts(sheet.t0, sheet.t1).empty());
    EXPECT_EQ(detector.report().smooth_triangle_count, 800);
    EXPECT_EQ(detector.report().element_pair_count, 0);
    const std::int64_t before = host_memory().allocation_count();
    detector.find_impacts(sheet.t0, sheet.t1);
    EXPECT_EQ(host_memory().allocation_count(), before) << "a steady step allocates";

    // Where near features count, nothing is left out.
    const std::size_t near = detector.find_proximities(sheet.t0, 1.5f).size();
    EXPECT_EQ(detector.report().smooth_triangle_count, 0);
    DeformingDetector plain(sheet.topology, Device::cpu());
    EXPECT_EQ(near, plain.find_proximities(sheet.t0, 1.5f).size());
    EXPECT_GT(near, 1000u);
    DeformingOptions options = culling();
    options.min_separation = 0.8;
    DeformingReport report;
    const std::vector<Impact> separated = impacts_of(sheet, options, &report);
    EXPECT_EQ(report.smooth_triangle_count, 0);
    options.culls_smooth_patches = false;
    EXPECT_EQ(separated, impacts_of(sheet, options));
    EXPECT_GT(separated.size(), 1000u);
}

// Without the option nothing is missed on these frames, by test_deforming_detector.
TEST(PatchCulling, LosesNoContactOfRealFrames) {
    GRAZE_NEEDS_DATA("sequences");
    const std::filesystem::path folder = data_folder() / "sequences";
    for (const auto& [first, second] : kRealFrames) {
        const MeshD t0 = load_mesh_double(folder / first), t1 = load_mesh_double(folder / second);
        if (GRAZE_SANITIZED != 0 && t0.triangles.size() > 20000) continue;  // they take minutes
        DeformingCase<double> c{first, {}, t0.positions, t1.positions};
        c.topology.vertex_count = static_cast<std::int64_t>(t0.positions.size());
        c.topology.triangles = t0.triangles;
        DeformingReport all, culled;
        const std::size_t found =
            expect_same_contacts(c, impacts_of(c, {}, &all), impacts_of(c, culling(), &culled));
        EXPECT_GT(found, 100u) << first;
        EXPECT_LT(culled.element_pair_count, all.element_pair_count) << first;
        EXPECT_GT(culled.smooth_triangle_count, static_cast<std::int64_t>(t0.triangles.size()) / 2);
        EXPECT_EQ(intersections_of(c, {}), intersections_of(c, culling())) << first;
    }
}

}  // namespace
}  // namespace graze
