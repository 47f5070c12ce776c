// Ropes that pass through faces when a step begins: exactly those that rational arithmetic says,
// with every search and number of threads, and the earliest time is 0.
#include <gtest/gtest.h>

#include "parallel/memory.h"
#include "tests/detection/deforming_cases.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/meet_beyond_shared.h"

namespace graze {
namespace {

DeformingOptions crossed_options(PairSearch search = PairSearch::automatic) {
    DeformingOptions options;
    options.finds_crossed = true;
    options.pair_search = search;
    return options;
}

std::vector<EdgeCrossing> listed(std::span<const EdgeCrossing> crossings) {
    return {crossings.begin(), crossings.end()};
}

bool are_ignored(const DeformingTopology& topology, std::uint32_t v, std::uint32_t w) {
    if (topology.parts.empty()) return false;
    const std::uint32_t a = topology.parts[v], b = topology.parts[w];
    return std::any_of(topology.ignored_parts.begin(), topology.ignored_parts.end(),
                       [&](const DeformingTopology::PartPair& pair) {
                           return (pair.a == a && pair.b == b) || (pair.a == b && pair.b == a);
                       });
}

// The indices of the loose edges that are no triangle's, each once.
std::vector<std::uint32_t> ropes_of(const DeformingTopology& topology) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> known;
    for (const Triangle& t : topology.triangles)
        for (int k = 0; k < 3; ++k)
            known.insert(std::minmax(t[k], t[(k + 1) % 3]));
    std::vector<std::uint32_t> ropes;
    for (std::uint32_t i = 0; i < topology.loose_edges.size(); ++i) {
        const Edge& e = topology.loose_edges[i];
        if (e[0] != e[1] && known.insert(std::minmax(e[0], e[1])).second) ropes.push_back(i);
    }
    return ropes;
}

// Every loose edge against every triangle, with rational numbers.
template <class T>
std::vector<EdgeCrossing> crossed_one_by_one(const DeformingCase<T>& c) {
    std::vector<EdgeCrossing> crossings;
    const std::vector<std::uint32_t> ropes = ropes_of(c.topology);
    for (std::uint32_t f = 0; f < c.topology.triangles.size(); ++f) {
        for (const std::uint32_t i : ropes) {
            const Edge& e = c.topology.loose_edges[i];
            const Triangle& face = c.topology.triangles[f];
            if (are_ignored(c.topology, face[0], e[0])) continue;
            if (oracle::meet_beyond_shared(c.t0, face, {{e[0], e[1], e[1]}}))
                crossings.push_back({f, i});
        }
    }
    return crossings;
}

// A random case of one part, in which ropes also begin and end at vertices of triangles.
template <class T>
DeformingCase<T> tied_ropes(unsigned seed, int vertex_count, int kind) {
    auto c = random_deforming<T>(seed, vertex_count, kind);
    c.topology.parts.clear();
    c.topology.ignored_parts.clear();
    const auto count = static_cast<std::uint32_t>(vertex_count);
    for (std::uint32_t v = 0; v < count; ++v)
        c.topology.loose_edges.push_back({{v, (v * 7 + seed) % count}});
    return c;
}

template <class T>
void expect_as_one_by_one(const DeformingCase<T>& c, std::size_t& found) {
    const std::vector<EdgeCrossing> expected = crossed_one_by_one(c);
    found += expected.size();
    DeformingDetector plain(c.topology, Device::cpu());
    const std::span<const Impact> impacts = plain.find_impacts(c.t0, c.t1);
    for (const PairSearch search : {PairSearch::tree, PairSearch::two_level_grid}) {
        for (const int threads : {1, 0}) {
            DeformingDetector detector(c.topology, Device::cpu(threads), crossed_options(search));
            EXPECT_EQ(detector.find_earliest_time(c.t0, c.t1).has_value(),
                      !expected.empty() || !impacts.empty() || !detector.crossed().empty());
            EXPECT_EQ(listed(detector.crossed_edges()), expected) << c.name;
            const std::span<const Impact> with = detector.find_impacts(c.t0, c.t1);
            EXPECT_TRUE(std::equal(with.begin(), with.end(), impacts.begin(), impacts.end()));
            EXPECT_EQ(listed(detector.crossed_edges()), expected) << c.name;
            const std::span<const double> times = detector.find_vertex_times(c.t0, c.t1);
            for (const EdgeCrossing& crossing : expected) {
                for (const std::uint32_t v : c.topology.triangles[crossing.face].v) {
                    EXPECT_EQ(times[v], 0);
                }
                for (const std::uint32_t v : c.topology.loose_edges[crossing.edge].v) {
                    EXPECT_EQ(times[v], 0);
                }
            }
        }
    }
}

// A rope that nothing moves, through a face and beside it.
TEST(StartsCrossed, ARopeThroughAFaceThatStays) {
    DeformingCase<float> c;
    c.t0 = {{-2, -1, 0}, {2, -1, 0}, {0, 2, 0}, {0, 0, -1}, {0, 0, 1}, {5, 0, 1}, {5, 0, -1}};
    c.t1 = c.t0;
    c.topology.vertex_count = 7;
    c.topology.triangles = {{{0, 1, 2}}};
    c.topology.loose_edges = {{{5, 6}}, {{4, 5}}, {{4, 3}}};
    DeformingDetector plain(c.topology, Device::cpu());
    EXPECT_EQ(plain.find_earliest_time(c.t0, c.t1), std::nullopt);
    EXPECT_TRUE(plain.crossed_edges().empty());
    DeformingDetector detector(c.topology, Device::cpu(), crossed_options());
    EXPECT_EQ(detector.find_earliest_time(c.t0, c.t1), 0.0);
    EXPECT_EQ(listed(detector.crossed_edges()), (std::vector<EdgeCrossing>{{0, 2}}));
    EXPECT_TRUE(detector.crossed().empty());
    EXPECT_EQ(detector.report().crossed_count, 0);
    const std::span<const double> times = detector.find_vertex_times(c.t0, c.t1);
    EXPECT_EQ(std::vector<double>(times.begin(), times.end()),
              (std::vector<double>{0, 0, 0, 0, 0, 1, 1}));
    EXPECT_TRUE(detector.find_impacts(c.t0, c.t1).empty());
    EXPECT_EQ(detector.crossed_edges().size(), 1u);
    EXPECT_TRUE(detector.find_intersections(c.t0).empty()) << "of triangles alone";
    EXPECT_TRUE(detector.crossed_edges().empty());
}

TEST(StartsCrossed, IsWhatRationalArithmeticSays) {
    std::size_t in_floats = 0, in_doubles = 0, tied = 0;
    for (unsigned seed = 0; seed < static_cast<unsigned>(oracle::case_count(10)); ++seed) {
        for (const int kind : {0, 1, 2}) {
            expect_as_one_by_one(random_deforming<float>(seed, 48, kind), in_floats);
            expect_as_one_by_one(random_deforming<double>(seed, 48, kind), in_doubles);
            expect_as_one_by_one(tied_ropes<double>(seed, 30, kind), tied);
        }
    }
    EXPECT_GT(in_floats, static_cast<std::size_t>(oracle::case_count(200)));
    EXPECT_GT(in_doubles, static_cast<std::size_t>(oracle::case_count(200)));
    EXPECT_GT(tied, static_cast<std::size_t>(oracle::case_count(500)));
}

// Beside a corner and an edge of the face, by a rounding error on either side.
TEST(StartsCrossed, ToTheLastBit) {
    DeformingCase<double> c;
    c.topology.vertex_count = 5;
    c.topology.triangles = {{{0, 1, 2}}};
    c.topology.loose_edges = {{{3, 4}}};
    std::size_t found = 0, all = 0;
    for (const double x : {0.1, 0.3, 1 / 3.0, 0.7}) {
        for (const double shift : {-0x1p-53, 0.0, 0x1p-54, 0x1p-53}) {
            c.t0 = {{0, 0, 0}, {1, 0.1, 0}, {0, 1, 0.3}, {x, 0.1 * x + shift, -1}, {0, 0, 0}};
            c.t0[4] = c.t0[3] + Vec3d{0, 0, 2};
            c.t1 = c.t0;
            ++all;
            expect_as_one_by_one(c, found);
        }
    }
    EXPECT_GT(found, 0u);
    EXPECT_LT(found, all);
}

// Ropes that are static pass through what is static unseen, and are seen by what moves.
TEST(StartsCrossed, StaticPartsAreAsOthersToWhatMoves) {
    DeformingCase<float> c;
    c.t0 = {{-2, -1, 0}, {2, -1, 0}, {0, 2, 0}, {0, 0, -1}, {0, 0, 1}};
    c.t1 = c.t0;
    c.topology.vertex_count = 5;
    c.topology.triangles = {{{0, 1, 2}}};
    c.topology.loose_edges = {{{3, 4}}};
    c.topology.parts = {0, 0, 0, 1, 1};
    for (const std::uint32_t part : {0u, 1u}) {
        c.topology.static_parts = {part};
        DeformingDetector detector(c.topology, Device::cpu(), crossed_options());
        EXPECT_EQ(detector.find_earliest_time(c.t0, c.t1), 0.0);
        EXPECT_EQ(detector.crossed_edges().size(), 1u);
    }
    c.topology.static_parts = {0, 1};
    DeformingDetector still(c.topology, Device::cpu(), crossed_options());
    EXPECT_EQ(still.find_earliest_time(c.t0, c.t1), std::nullopt);
}

TEST(StartsCrossed, AllocatesNothingInASteadyStep) {
    const auto c = random_deforming<float>(4, 300, 0);
    DeformingDetector detector(c.topology, Device::cpu(1), crossed_options());
    detector.find_impacts(c.t0, c.t1);
    ASSERT_GT(detector.crossed_edges().size(), 10u);
    const std::int64_t before = host_memory().allocation_count();
    detector.find_impacts(c.t0, c.t1);
    EXPECT_EQ(host_memory().allocation_count(), before);
}

}  // namespace
}  // namespace graze
