// Checks that impacts piece by piece are those that find_impacts gives at once, in the same order,
// however little memory there is for them.
#include <gtest/gtest.h>

#include "graze/deforming.h"
#include "graze/generate_mesh.h"
#include "tests/detection/deforming_cases.h"

namespace graze {
namespace {

// All pieces, one after the other, which are what was counted.
template <class T>
std::vector<Impact> pieces_of(const DeformingCase<T>& c, DeformingDetector& detector) {
    const ImpactTotals totals = detector.begin_impacts(c.t0, c.t1);
    std::vector<Impact> all;
    for (auto piece = detector.next_impacts(); !piece.empty(); piece = detector.next_impacts())
        all.insert(all.end(), piece.begin(), piece.end());
    EXPECT_TRUE(detector.next_impacts().empty());
    const auto faces = std::count_if(all.begin(), all.end(),
                                     [](const Impact& impact) { return impact.is_vertex_face(); });
    EXPECT_EQ(totals.vertex_face_count, faces) << c.name;
    EXPECT_EQ(totals.edge_edge_count, static_cast<std::int64_t>(all.size()) - faces) << c.name;
    EXPECT_EQ(totals.earliest.has_value(), !all.empty()) << c.name;
    for (const Impact& impact : all)
        EXPECT_LE(totals.earliest.value_or(2), impact.time) << c.name;
    EXPECT_EQ(detector.report().hit_count, static_cast<std::int64_t>(all.size()));
    return all;
}

template <class T>
void expect_same_as_at_once(const DeformingCase<T>& c, const DeformingOptions& base = {},
                            const std::vector<std::int64_t>& memories = {0, 1, 1000}) {
    DeformingDetector whole(c.topology, Device::cpu(), base);
    const std::span<const Impact> impacts = whole.find_impacts(c.t0, c.t1);
    const std::vector<Impact> expected(impacts.begin(), impacts.end());
    for (const std::int64_t memory : memories) {
        for (const int threads : {1, 3}) {
            DeformingOptions options = base;
            options.pair_memory = memory;
            DeformingDetector detector(c.topology, Device::cpu(threads), options);
            EXPECT_EQ(pieces_of(c, detector), expected) << c.name << ", " << memory;
            EXPECT_EQ(detector.report().exhausted_count, whole.report().exhausted_count);
            // A second time, and after all at once.
            detector.find_impacts(c.t0, c.t1);
            EXPECT_TRUE(detector.next_impacts().empty());
            EXPECT_EQ(pieces_of(c, detector), expected) << c.name << ", " << memory;
            if (memory > 0 && !expected.empty()) {
                EXPECT_GT(detector.report().slice_count, 1);
            }
        }
    }
}

// So many spheres in nearly the same place, which move apart.
DeformingCase<double> spheres(int count) {
    const Mesh sphere = make_sphere(1, 2);
    DeformingCase<double> c;
    c.name = "spheres";
    oracle::RandomPoints<double> random(3);
    for (int i = 0; i < count; ++i) {
        const auto base = static_cast<std::uint32_t>(c.t0.size());
        const Vec3d offset = random.in_box(0.02), motion = random.in_box(0.02);
        for (const Vec3& p : sphere.positions) {
            c.t0.push_back(static_cast<Vec3d>(p) + offset);
            c.t1.push_back(static_cast<Vec3d>(p) + offset + motion);
        }
        for (const Triangle& t : sphere.triangles)
            c.topology.triangles.push_back({{t[0] + base, t[1] + base, t[2] + base}});
    }
    c.topology.vertex_count = static_cast<std::int64_t>(c.t0.size());
    return c;
}

TEST(ImpactPieces, AreTheWholeAnswer) {
    for (const unsigned seed : {1u, 2u, 3u}) {
        for (const int kind : {0, 1, 2}) {
            expect_same_as_at_once(random_deforming<float>(seed, 90, kind));
            expect_same_as_at_once(random_deforming<double>(seed, 90, kind));
        }
    }
    DeformingOptions options;
    options.min_separation = 0.05;
    options.finds_crossed = true;
    expect_same_as_at_once(random_deforming<double>(4, 90, 0), options);
    options.solver = TimeSolver::cubic;
    options.pair_search = PairSearch::two_level_grid;
    expect_same_as_at_once(random_deforming<double>(4, 90, 0), options);
}

TEST(ImpactPieces, OfManyCopies) {
    const DeformingCase<double> c = spheres(24);
    DeformingDetector detector(c.topology, Device::cpu());
    detector.begin_impacts(c.t0, c.t1);
    const std::size_t first = detector.next_impacts().size();
    EXPECT_FALSE(detector.next_impacts().empty()) << first << " in one piece";
    expect_same_as_at_once(c, {}, {0, 500'000});
}

TEST(ImpactPieces, AreGoneWhereSomethingElseIsAsked) {
    const auto c = random_deforming<float>(1, 90, 0);
    DeformingDetector detector(c.topology, Device::cpu());
    EXPECT_TRUE(detector.next_impacts().empty());
    ASSERT_GT(detector.begin_impacts(c.t0, c.t1).edge_edge_count, 0);
    detector.find_earliest_time(c.t0, c.t1);
    EXPECT_TRUE(detector.next_impacts().empty());
}

}  // namespace
}  // namespace graze
