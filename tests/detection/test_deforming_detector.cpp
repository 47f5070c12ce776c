// Compares the detector of deforming things with a test of every pair of features, one by one, and
// checks that threads, search, precision and order do not change its answer.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "geometry/closest_points_segment_segment.h"
#include "graze/error.h"
#include "parallel/memory.h"
#include "tests/detection/deforming_cases.h"
#include "tests/narrow_phase/features/impact_queries.h"
#include "tests/needs_data.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {
namespace {

DeformingDetector make_detector(const DeformingTopology& topology,
                                const DeformingOptions& options = {},
                                const Device& device = Device::cpu()) {
    return DeformingDetector(topology, device, options);
}

template <class T>
std::vector<Impact> impacts_of(const DeformingCase<T>& c, const DeformingOptions& options = {},
                               const Device& device = Device::cpu()) {
    DeformingDetector detector = make_detector(c.topology, options, device);
    const std::span<const Impact> impacts = detector.find_impacts(c.t0, c.t1);
    return {impacts.begin(), impacts.end()};
}

// True where the features meet, by exact arithmetic with rational numbers.
template <class T>
bool truly_collides(const DeformingCase<T>& c, const FeatureNames& names) {
    return collides_exactly(query_of(c.t0, c.t1, names, names[4] != Impact::kNoFace));
}

// The detector's bounds may rule out a pair that the solver alone takes for a contact by rounding.
template <class T>
void expect_same_as_one_by_one(const DeformingCase<T>& c, double min_separation) {
    DeformingOptions options;
    options.min_separation = min_separation;
    std::map<FeatureNames, ImpactTime> expected = impacts_one_by_one(c, min_separation);
    for (const Impact& impact : impacts_of(c, options)) {
        const auto found = expected.find(names_of(impact.vertices, impact.face));
        ASSERT_NE(found, expected.end()) << c.name;
        EXPECT_EQ(impact.time, found->second.time) << c.name;
        for (int i = 0; i < 4; ++i)
            EXPECT_EQ(impact.weights[i], static_cast<float>(found->second.weights[i])) << c.name;
        EXPECT_EQ(impact.normal, static_cast<Vec3>(found->second.normal)) << c.name;
        expected.erase(found);
    }
    for (const auto& [names, impact] : expected) {
        if (min_separation == 0)
            EXPECT_FALSE(truly_collides(c, names)) << c.name << ": missed " << names[0];
        else
            ADD_FAILURE() << c.name << ": missed one that comes near";
    }
}

TEST(DeformingDetector, FindsWhatEveryPairOneByOneHas) {
    std::size_t found = 0;
    for (int seed = 0; seed < oracle::case_count(30); ++seed) {
        for (const int kind : {0, 1, 2}) {
            const auto c = random_deforming<float>(static_cast<unsigned>(seed), 36, kind);
            expect_same_as_one_by_one(c, 0);
            expect_same_as_one_by_one(
                random_deforming<double>(static_cast<unsigned>(seed), 36, kind), 0);
            found += impacts_of(c).size();
        }
        expect_same_as_one_by_one(random_deforming<float>(static_cast<unsigned>(seed), 30, 0), 0.1);
    }
    EXPECT_GT(found, static_cast<std::size_t>(oracle::case_count(3000)));
}

TEST(DeformingDetector, SortsVerticesAndFacesThenEdges) {
    const std::vector<Impact> impacts = impacts_of(random_deforming<float>(4, 90, 0));
    ASSERT_GT(impacts.size(), 20u);
    const auto key = [](const Impact& impact) {
        return impact.is_vertex_face() ? FeatureNames{0, impact.vertices[0], impact.face, 0, 0}
                                       : FeatureNames{1, impact.vertices[0], impact.vertices[1],
                                                      impact.vertices[2], impact.vertices[3]};
    };
    for (std::size_t i = 1; i < impacts.size(); ++i)
        EXPECT_LT(key(impacts[i - 1]), key(impacts[i]));
}

TEST(DeformingDetector, HasOneAnswerForAllThreadsSearchesAndPrecisions) {
    for (const int kind : {0, 1, 2}) {
        const auto c = random_deforming<float>(11, 300, kind);
        const std::vector<Impact> expected = impacts_of(c);
        ASSERT_GT(expected.size(), 100u);
        for (const PairSearch search :
             {PairSearch::tree, PairSearch::one_level_grid, PairSearch::two_level_grid}) {
            for (const int threads : {1, 2, 0}) {
                DeformingOptions options;
                options.pair_search = search;
                EXPECT_EQ(impacts_of(c, options, Device::cpu(threads)), expected);
            }
        }
        EXPECT_EQ(impacts_of(widened(c)), expected);
    }
}

TEST(DeformingDetector, TellsEarliestAndVertexTimes) {
    const auto c = random_deforming<float>(2, 120, 0);
    const std::vector<Impact> impacts = impacts_of(c);
    DeformingDetector detector = make_detector(c.topology);
    std::vector<double> expected(c.t0.size(), 1.0);
    for (const Impact& impact : impacts)
        for (const std::uint32_t vertex : impact.vertices)
            expected[vertex] = std::min(expected[vertex], impact.time);
    const std::span<const double> times = detector.find_vertex_times(c.t0, c.t1);
    EXPECT_EQ(std::vector<double>(times.begin(), times.end()), expected);
    EXPECT_EQ(detector.find_earliest_time(c.t0, c.t1),
              *std::min_element(expected.begin(), expected.end()));
    const auto still = random_deforming<float>(2, 6, 0);
    EXPECT_EQ(make_detector(still.topology).find_earliest_time(still.t0, still.t0), std::nullopt);
}

// The earliest time is found without the impacts that come later, in any order of the pairs.
TEST(DeformingDetector, EarliestTimeIsThatOfAllImpacts) {
    for (const int kind : {0, 1, 2}) {
        for (unsigned seed = 40; seed < 46; ++seed) {
            const auto c = random_deforming<float>(seed, 120, kind);
            for (const double min_separation : {0.0, 0.05}) {
                DeformingOptions options;
                options.min_separation = min_separation;
                double expected = 2;
                for (const Impact& impact : impacts_of(c, options))
                    expected = std::min(expected, impact.time);
                for (const PairSearch search : {PairSearch::tree, PairSearch::two_level_grid}) {
                    options.pair_search = search;
                    for (const int threads : {1, 0}) {
                        DeformingDetector detector =
                            make_detector(c.topology, options, Device::cpu(threads));
                        EXPECT_EQ(detector.find_earliest_time(c.t0, c.t1).value_or(2), expected);
                    }
                }
            }
        }
    }
}

// Triangles that cross at t0 and stay have no impact; the detector names them where it is asked to.
TEST(DeformingDetector, FindsWhatStartsCrossed) {
    const std::vector<Vec3> still = {{-2, -1, 0},    {2, -1, 0},    {0, 2, 0},
                                     {0, -0.5f, -1}, {0, -0.5f, 1}, {0, 1, 0.25f},
                                     {10, 0, 0},     {11, 0, 0},    {10, 1, 0}};
    const auto c = moving_mesh("crossed", still, still, {{{0, 1, 2}}, {{3, 4, 5}}, {{6, 7, 8}}});
    DeformingOptions options;
    EXPECT_EQ(make_detector(c.topology).find_earliest_time(c.t0, c.t1), std::nullopt);
    options.finds_crossed = true;
    DeformingDetector detector = make_detector(c.topology, options);
    EXPECT_EQ(detector.find_earliest_time(c.t0, c.t1), 0.0);
    ASSERT_EQ(detector.crossed().size(), 1u);
    EXPECT_EQ(detector.crossed()[0].a, 0u);
    EXPECT_EQ(detector.crossed()[0].b, 1u);
    EXPECT_EQ(detector.report().crossed_count, 1);
    const std::span<const double> times = detector.find_vertex_times(c.t0, c.t1);
    EXPECT_EQ(std::vector<double>(times.begin(), times.end()),
              (std::vector<double>{0, 0, 0, 0, 0, 0, 1, 1, 1}));
    EXPECT_TRUE(detector.find_impacts(c.t0, c.t1).empty());
    EXPECT_EQ(detector.crossed().size(), 1u);
    detector.find_proximities(c.t0, 0.1f);
    EXPECT_TRUE(detector.crossed().empty());
}

// What is said to start crossed is what intersects at t0, and impacts are the same with and
// without.
TEST(DeformingDetector, CrossedIsWhatIntersectsAtTheStart) {
    for (const int kind : {0, 1, 2}) {
        const auto c = random_deforming<float>(13, 120, kind);
        DeformingOptions options;
        options.finds_crossed = true;
        DeformingDetector detector = make_detector(c.topology, options);
        const auto pairs_of = [](std::span<const TriangleIntersection> list) {
            std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
            for (const TriangleIntersection& pair : list)
                pairs.emplace_back(pair.a, pair.b);
            return pairs;
        };
        const auto expected = pairs_of(detector.find_intersections(c.t0));
        ASSERT_GT(expected.size(), 5u);
        const std::span<const Impact> impacts = detector.find_impacts(c.t0, c.t1);
        EXPECT_EQ(std::vector<Impact>(impacts.begin(), impacts.end()), impacts_of(c));
        EXPECT_EQ(pairs_of(detector.crossed()), expected);
        EXPECT_EQ(detector.find_earliest_time(c.t0, c.t1), 0.0);
    }
}

TEST(DeformingDetector, MirrorsWithItsInput) {
    auto c = random_deforming<float>(8, 120, 0);
    const std::vector<Impact> expected = impacts_of(c);
    for (auto* positions : {&c.t0, &c.t1})
        for (Vec3& p : *positions)
            p = {-4 * p.y, 4 * p.z, 4 * p.x};  // a mirror, a turn and a scale, all of them exact
    const std::vector<Impact> mirrored = impacts_of(c);
    ASSERT_EQ(mirrored.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(names_of(mirrored[i].vertices, mirrored[i].face),
                  names_of(expected[i].vertices, expected[i].face));
        EXPECT_NEAR(mirrored[i].time, expected[i].time, 1e-8);
    }
}

TEST(DeformingDetector, FindsProximities) {
    for (const int kind : {0, 2}) {
        const auto c = random_deforming<float>(21, 60, kind);
        constexpr float kThickness = 0.25f;
        std::map<FeatureNames, float> expected;
        for_each_feature_pair(c.topology, [&](bool is_vertex_face,
                                              const std::array<std::uint32_t, 4>& v,
                                              std::uint32_t face) {
            Vec3d p[4];
            for (std::size_t i = 0; i < 4; ++i)
                p[i] = static_cast<Vec3d>(c.t0[v[i]]);
            const double distance =
                is_vertex_face
                    ? std::sqrt(closest_point_triangle(p[0], p[1], p[2], p[3]).distance_sq)
                    : std::sqrt(closest_points_segment_segment(p[0], p[1], p[2], p[3]).distance_sq);
            if (distance <= kThickness)
                expected[{v[0], v[1], v[2], v[3], face}] = static_cast<float>(distance);
        });
        ASSERT_GT(expected.size(), 20u);
        DeformingDetector detector = make_detector(c.topology);
        std::size_t found = 0;
        for (const Proximity& near : detector.find_proximities(c.t0, kThickness)) {
            const auto match = expected.find(names_of(near.vertices, near.face));
            ASSERT_NE(match, expected.end());
            EXPECT_NEAR(near.distance, match->second, 1e-6f);
            // The weights lead to points that are as far apart, along the normal.
            const int split = near.is_vertex_face() ? 1 : 2;
            Vec3 gap{0, 0, 0};
            for (int i = 0; i < 4; ++i)
                gap += c.t0[near.vertices[i]] * (i < split ? near.weights[i] : -near.weights[i]);
            EXPECT_NEAR(length(gap - near.normal * static_cast<float>(near.distance)), 0, 1e-5f);
            ++found;
        }
        EXPECT_EQ(found, expected.size());
    }
}

// A flat sheet of squares in the unit square, cut into triangles, or folded over its middle line so
// that its halves are this far apart.
DeformingCase<double> sheet_of(int side, double fold_gap) {
    DeformingCase<double> c;
    const auto at = [&](int x, int y) { return static_cast<std::uint32_t>(y * (side + 1) + x); };
    for (int y = 0; y <= side; ++y)
        for (int x = 0; x <= side; ++x) {
            const Vec3d p{double(x) / side, double(y) / side, 0};
            c.topology.rest_positions.push_back(p);
            const bool is_over = fold_gap > 0 && 2 * x > side;
            c.t0.push_back(is_over ? Vec3d{1 - p.x, p.y, fold_gap} : p);
        }
    for (int y = 0; y < side; ++y)
        for (int x = 0; x < side; ++x) {
            c.topology.triangles.push_back({{at(x, y), at(x + 1, y), at(x + 1, y + 1)}});
            c.topology.triangles.push_back({{at(x, y), at(x + 1, y + 1), at(x, y + 1)}});
        }
    c.topology.vertex_count = static_cast<std::int64_t>(c.t0.size());
    return c;
}

TEST(DeformingDetector, KeepsTheProximitiesThatAreWanted) {
    const auto is_wanted = [](const Proximity& near) {
        return (near.vertices[0] + near.vertices[3]) % 3 == 0;
    };
    for (const int threads : {1, 3}) {
        const auto c = random_deforming<double>(21, 60, 0);
        DeformingDetector detector = make_detector(c.topology, {}, Device::cpu(threads));
        const std::span<const Proximity> all = detector.find_proximities(c.t0, 0.25);
        std::vector<Proximity> expected(all.begin(), all.end());
        std::erase_if(expected, [&](const Proximity& near) { return !is_wanted(near); });
        const auto count = static_cast<std::int64_t>(all.size());
        ASSERT_GT(expected.size(), 5u);
        ASSERT_LT(expected.size(), all.size());
        const std::span<const Proximity> wanted = detector.find_proximities(c.t0, 0.25, is_wanted);
        EXPECT_EQ(std::vector<Proximity>(wanted.begin(), wanted.end()), expected);
        EXPECT_EQ(detector.report().hit_count, count);
    }
}

TEST(DeformingDetector, ShapeAtRestLeavesOutNeighboursAlongTheSurface) {
    constexpr int kSide = 20;
    constexpr double kThickness = 3.0 / kSide;
    DeformingCase<double> flat = sheet_of(kSide, 0), folded = sheet_of(kSide, 0.1 / kSide);
    EXPECT_TRUE(make_detector(flat.topology).find_proximities(flat.t0, kThickness).empty());
    // Of the fold every vertex of one half is near a face of the other.
    std::set<std::uint32_t> near_vertices;
    DeformingDetector detector = make_detector(folded.topology);
    for (const Proximity& near : detector.find_proximities(folded.t0, kThickness)) {
        EXPECT_LE(near.distance, kThickness);
        if (near.is_vertex_face()) near_vertices.insert(near.vertices[0]);
    }
    for (std::uint32_t v = 0; v < folded.t0.size(); ++v) {
        const double from_fold = std::abs(folded.topology.rest_positions[v].x - 0.5);
        if (from_fold > 1.5 / kSide) {
            EXPECT_EQ(near_vertices.count(v), 1u) << v;
        }
    }
    flat.topology.rest_positions.clear();
    EXPECT_GT(make_detector(flat.topology).find_proximities(flat.t0, kThickness).size(), 10000u);
    flat.topology.rest_positions.resize(3);
    EXPECT_THROW(make_detector(flat.topology), Error);
}

// A distance and a thickness that differ in digits that floats do not have.
TEST(DeformingDetector, DistancesOfDoublesAreDoubles) {
    DeformingTopology topology;
    topology.vertex_count = 4;
    topology.triangles = {{{0, 1, 2}}};
    topology.loose_vertices = {3};
    const double height = 0.1 + 1e-12;
    const std::vector<Vec3d> positions = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, height}};
    DeformingDetector detector = make_detector(topology);
    EXPECT_TRUE(detector.find_proximities(positions, 0.1 + 1e-13).empty());
    const std::span<const Proximity> near = detector.find_proximities(positions, 0.1 + 2e-12);
    ASSERT_EQ(near.size(), 1u);
    EXPECT_NEAR(near[0].distance, height, 1e-15);
}

TEST(DeformingDetector, TakesWhatIsDegenerate) {
    EXPECT_TRUE(impacts_of(DeformingCase<float>{}).empty());
    const Mesh one = sample::single_triangle();
    EXPECT_TRUE(
        impacts_of(moving_mesh("one", one.positions, one.positions, one.triangles)).empty());
    // A vertex is on a face at t0 and stays there.
    const auto touching = moving_mesh(
        "touching", {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.25f, 0.25f, 0}, {1, 1, 1}, {0, 1, 1}},
        {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.25f, 0.25f, 0}, {1, 1, 1}, {0, 1, 1}},
        {{{0, 1, 2}}, {{3, 4, 5}}});
    const std::vector<Impact> impacts = impacts_of(touching);
    ASSERT_EQ(impacts.size(), 1u);
    EXPECT_EQ(impacts[0].time, 0);
    EXPECT_EQ(impacts[0].vertices[0], 3u);
    // Huge and tiny sizes have the same impacts.
    for (const float scale : {0x1p100f, 0x1p-100f}) {
        auto c = random_deforming<float>(3, 60, 0);
        const std::size_t expected = impacts_of(c).size();
        for (auto* positions : {&c.t0, &c.t1})
            for (Vec3& p : *positions)
                p = p * scale;
        EXPECT_EQ(impacts_of(c).size(), expected);
    }
}

// Doubles beyond the range of floats have boxes as well.
TEST(DeformingDetector, TakesDoublesBeyondFloats) {
    for (const double sign : {1.0, -1.0}) {
        DeformingCase<double> c;
        c.topology.vertex_count = 6;
        c.topology.triangles = {{{0, 1, 2}}, {{3, 4, 5}}};
        const double u = sign * 1e39;
        c.t0 = {{u, u, 2 * u},         {3 * u, u, 2 * u},         {u, 3 * u, 2 * u},
                {1.5 * u, 1.5 * u, u}, {1.6 * u, 1.5 * u, 3 * u}, {1.5 * u, 1.6 * u, 3 * u}};
        c.t1 = c.t0;
        DeformingDetector detector = make_detector(c.topology);
        EXPECT_EQ(detector.find_intersections(c.t0).size(), 1u);
        c.t1[3].z = c.t0[3].z + 2 * u;  // moves up and out of the face
        c.t1[4] = c.t0[4] + Vec3d{0, 0, 2 * u};
        c.t1[5] = c.t0[5] + Vec3d{0, 0, 2 * u};
        EXPECT_FALSE(impacts_of(c).empty());
    }
}

TEST(DeformingDetector, SaysWhatIsWrong) {
    DeformingTopology topology;
    topology.vertex_count = 3;
    topology.triangles = {{{0, 1, 3}}};
    EXPECT_THROW(make_detector(topology), Error);
    topology.triangles = {{{0, 1, 2}}};
    topology.parts = {0, 0};
    EXPECT_THROW(make_detector(topology), Error);
    topology.parts = {0, 0, 1};
    EXPECT_THROW(make_detector(topology), Error);
    topology.parts = {};
    DeformingOptions negative;
    negative.min_separation = -1;
    EXPECT_THROW(make_detector(topology, negative), Error);
    DeformingDetector detector = make_detector(topology);
    std::vector<Vec3> positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    EXPECT_THROW(detector.find_impacts(positions, std::vector<Vec3>(2)), Error);
    std::vector<Vec3> wrong = positions;
    wrong[1].y = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THROW(detector.find_impacts(positions, wrong), Error);
    wrong[1].y = std::numeric_limits<float>::infinity();
    EXPECT_THROW(detector.find_intersections(wrong), Error);
    EXPECT_THROW(detector.find_proximities(positions, -1), Error);
    // These values are beyond the range in which arithmetic is exact.
    EXPECT_THROW(
        detector.find_intersections(std::vector<Vec3d>{{0, 0, 0}, {1e103, 0, 0}, {0, 1, 0}}),
        Error);
    EXPECT_THROW(
        detector.find_intersections(std::vector<Vec3d>{{0, 0, 0}, {1, 1e-93, 0}, {0, 1, 0}}),
        Error);
    EXPECT_TRUE(detector.find_impacts(positions, positions).empty());
}

TEST(DeformingDetector, AllocatesNothingInASteadyStep) {
    const auto c = random_deforming<float>(5, 600, 0);
    DeformingDetector detector = make_detector(c.topology, {}, Device::cpu(1));
    detector.find_impacts(c.t0, c.t1);
    const std::int64_t before = host_memory().allocation_count();
    detector.find_impacts(c.t0, c.t1);
    EXPECT_EQ(host_memory().allocation_count(), before);
}

// The whole detector misses none of the collisions of real frames, for which others have computed
// exact answers.
TEST(DeformingDetector, MissesNothingOnRealFrames) {
    GRAZE_NEEDS_DATA("sequences");
    const std::filesystem::path folder = data_folder() / "sequences";
    struct Sequence {
        const char *name, *t0, *t1, *number;
    };
    for (const Sequence& s : {Sequence{"cloth-ball", "cloth_ball92.ply", "cloth_ball93.ply", "92"},
                              Sequence{"n-body", "balls16_18.ply", "balls16_19.ply", "18"},
                              Sequence{"cloth-funnel", "227.ply", "228.ply", "227"}}) {
        const std::filesystem::path frames = folder / s.name / "frames";
        const SequenceQueries queries(frames / s.t0, frames / s.t1);
        // Large ones take minutes under a sanitizer.
        if (GRAZE_SANITIZED != 0 && queries.mesh_t0().triangles.size() > 20000) continue;
        DeformingCase<double> c;
        c.t0 = queries.mesh_t0().positions;
        c.t1 = queries.mesh_t1().positions;
        c.topology.vertex_count = static_cast<std::int64_t>(c.t0.size());
        c.topology.triangles = queries.mesh_t0().triangles;
        std::set<FeatureNames> found;
        for (const Impact& impact : impacts_of(c))
            found.insert(names_of(impact.vertices, impact.face));
        std::size_t asked = 0, missed = 0;
        for (const char* kind : {"vf", "ee"}) {
            const std::string number = std::string(s.number) + kind;
            for (const SequenceQueries::Names& names :
                 queries.colliding(folder / s.name / "boxes" / (number + ".json"),
                                   folder / s.name / "mma_bool" / (number + "_mma_bool.json"))) {
                ++asked;
                missed += found.count(names) == 0 ? 1 : 0;
            }
        }
        EXPECT_GT(asked, 100u) << s.name;
        EXPECT_EQ(missed, 0u) << s.name << " of " << asked;
    }
}

}  // namespace
}  // namespace graze
