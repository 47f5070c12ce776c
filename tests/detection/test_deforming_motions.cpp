// Impacts do not change with the numbering of vertices or the motion of the whole; and a million
// triangles are searched.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/detection/deforming_cases.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

template <class T>
std::vector<Impact> impacts_of(const DeformingCase<T>& c, const DeformingOptions& options = {},
                               const Device& device = Device::cpu()) {
    DeformingDetector detector(c.topology, device, options);
    const std::span<const Impact> impacts = detector.find_impacts(c.t0, c.t1);
    return {impacts.begin(), impacts.end()};
}

// Times by the features that meet, whatever the order of corners and of edges.
using Meetings = std::map<std::array<std::uint32_t, 5>, double>;
Meetings meetings_of(const std::vector<Impact>& impacts) {
    Meetings result;
    for (const Impact& impact : impacts) {
        std::array<std::uint32_t, 5> names = names_of(impact.vertices, impact.face);
        names[4] = impact.is_vertex_face() ? 1 : 0;
        if (impact.is_vertex_face()) {
            std::sort(names.begin() + 1, names.begin() + 4);
        } else {
            std::sort(names.begin(), names.begin() + 2);
            std::sort(names.begin() + 2, names.begin() + 4);
            if (names[2] < names[0]) {
                std::swap(names[0], names[2]);
                std::swap(names[1], names[3]);
            }
        }
        result[names] = impact.time;
    }
    return result;
}

void expect_same(const Meetings& found, const Meetings& expected, double tolerance) {
    ASSERT_EQ(found.size(), expected.size());
    auto other = expected.begin();
    for (const auto& [names, time] : found) {
        EXPECT_EQ(names, other->first);
        EXPECT_NEAR(time, other->second, tolerance);
        ++other;
    }
}

TEST(DeformingMotions, NumbersOfVerticesDoNotMatter) {
    for (const int kind : {0, 1}) {
        const auto c = random_deforming<float>(22, 150, kind);
        const auto last = static_cast<std::uint32_t>(c.t0.size()) - 1;
        DeformingCase<float> swapped = c;
        const auto renumber = [&](std::uint32_t& vertex) { vertex = last - vertex; };
        for (Triangle& t : swapped.topology.triangles) {
            for (std::uint32_t& vertex : t.v)
                renumber(vertex);
            std::swap(t.v[0], t.v[2]);  // seen from the other side
        }
        for (Edge& edge : swapped.topology.loose_edges)
            for (std::uint32_t& vertex : edge.v)
                renumber(vertex);
        for (std::uint32_t& vertex : swapped.topology.loose_vertices)
            renumber(vertex);
        std::reverse(swapped.topology.triangles.begin(), swapped.topology.triangles.end());
        std::reverse(swapped.topology.parts.begin(), swapped.topology.parts.end());
        std::reverse(swapped.t0.begin(), swapped.t0.end());
        std::reverse(swapped.t1.begin(), swapped.t1.end());
        std::vector<Impact> impacts = impacts_of(swapped);
        for (Impact& impact : impacts)
            for (std::uint32_t& vertex : impact.vertices)
                renumber(vertex);
        const Meetings expected = meetings_of(impacts_of(c));
        ASSERT_GT(expected.size(), 30u);
        // On a grid many features only just touch, where times converge slowly.
        expect_same(meetings_of(impacts), expected, kind == 0 ? 1e-8 : 1e-3);
    }
}

TEST(DeformingMotions, MotionOfTheWholeDoesNotMatter) {
    const auto c = random_deforming<double>(24, 150, 0);
    const Meetings expected = meetings_of(impacts_of(c));
    ASSERT_GT(expected.size(), 30u);
    DeformingCase<double> moved = c;
    for (std::size_t i = 0; i < c.t0.size(); ++i) {
        // All points are turned twice and moved elsewhere, and move along in the step.
        const auto turned = [](const Vec3d& p) {
            return Vec3d{0.6 * p.x - 0.8 * p.y, 0.8 * p.x + 0.6 * p.y, p.z};
        };
        const auto tilted = [](const Vec3d& p) {
            return Vec3d{p.x, 0.28 * p.y - 0.96 * p.z, 0.96 * p.y + 0.28 * p.z};
        };
        moved.t0[i] = tilted(turned(c.t0[i])) + Vec3d{10, -20, 30};
        moved.t1[i] = tilted(turned(c.t1[i])) + Vec3d{15, -20, 26};
    }
    expect_same(meetings_of(impacts_of(moved)), expected, 1e-7);
}

// Two tangles that face each other within the separation and part, each vertex at a speed of its
// own: every distance between them grows, so that nothing may hold a line search back. Where
// `closer` is not 0 one vertex comes down that far instead, faster than all below it.
template <class T>
DeformingCase<T> parting_tangles(unsigned seed, double closer) {
    auto c = random_deforming<T>(seed, 60, 0);
    oracle::RandomPoints<T> random(seed);
    std::vector<std::uint32_t>& parts = c.topology.parts;
    std::size_t lowest = 0;
    for (std::size_t i = 0; i < c.t0.size(); ++i) {
        const T side = parts[i] == 1 ? T(-1) : T(1);  // part 1 is below part 0 and 2
        Vec3T<T> p = random.in_box(T(0.25));
        p.z = side * (T(0.01) + std::abs(p.z));
        Vec3T<T> q = p + Vec3T<T>{0, 0, side * random.uniform(T(0.01), T(1))};
        if (side > 0 && p.z < c.t0[lowest].z) lowest = i;
        const auto turned = [](const Vec3T<T>& v) {
            return Vec3T<T>{T(0.6) * v.x - T(0.8) * v.z, v.y, T(0.8) * v.x + T(0.6) * v.z};
        };
        c.t0[i] = closer > 0 ? p : turned(p);
        c.t1[i] = closer > 0 ? q : turned(q);
    }
    c.topology.ignored_parts = {{0, 0}, {1, 1}, {2, 2}, {0, 2}};
    if (closer > 0) c.t1[lowest] = c.t0[lowest] - Vec3T<T>{0, 0, T(closer)};
    return c;
}

template <class T>
void expect_free_to_part(unsigned seed) {
    const auto apart = parting_tangles<T>(seed, 0);
    DeformingOptions options;
    options.min_separation = 0.6;
    DeformingDetector detector(apart.topology, Device::cpu(), options);
    EXPECT_GT(detector.find_proximities(apart.t0, options.min_separation).size(), 100u);
    EXPECT_EQ(detector.find_earliest_time(apart.t0, apart.t1), std::nullopt);
    EXPECT_TRUE(detector.find_impacts(apart.t0, apart.t1).empty());
    const std::span<const double> times = detector.find_vertex_times(apart.t0, apart.t1);
    EXPECT_EQ(std::count(times.begin(), times.end(), 1.0), std::int64_t(times.size()));
    const auto together = parting_tangles<T>(seed, 2);
    EXPECT_EQ(detector.find_earliest_time(together.t0, together.t1), 0.0);
}

TEST(DeformingMotions, LineSearchesMayPartWhatIsNear) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        expect_free_to_part<float>(seed);
        expect_free_to_part<double>(seed);
    }
}

// A sheet of a million triangles is above another one, and some of its vertices are poked through.
TEST(DeformingMotions, AMillionTriangles) {
    const int side = oracle::case_count(500);
    DeformingCase<float> c;
    std::set<std::uint32_t> poked;
    for (int sheet = 0; sheet < 2; ++sheet) {
        const auto first = static_cast<std::uint32_t>(c.t0.size());
        for (int y = 0; y <= side; ++y) {
            for (int x = 0; x <= side; ++x) {
                const auto index = static_cast<std::uint32_t>(c.t0.size());
                const Vec3 shift = sheet == 0 ? Vec3{0, 0, 0} : Vec3{0.3f, 0.2f, 1};
                Vec3 p = Vec3{static_cast<float>(x), static_cast<float>(y), 0} + shift;
                c.t0.push_back(p);
                if (sheet == 1 && x % 10 == 5 && y % 10 == 5 && x < side && y < side) {
                    p.z = -0.25f;
                    poked.insert(index);
                }
                c.t1.push_back(p);
            }
        }
        const auto at = [&](int x, int y) {
            return first + static_cast<std::uint32_t>(y * (side + 1) + x);
        };
        for (int y = 0; y < side; ++y) {
            for (int x = 0; x < side; ++x) {
                c.topology.triangles.push_back({{at(x, y), at(x + 1, y), at(x + 1, y + 1)}});
                c.topology.triangles.push_back({{at(x, y), at(x + 1, y + 1), at(x, y + 1)}});
            }
        }
    }
    c.topology.vertex_count = static_cast<std::int64_t>(c.t0.size());
    DeformingOptions grid;
    grid.pair_search = PairSearch::one_level_grid;
    const std::vector<Impact> impacts = impacts_of(c, {}, Device::cpu(1));
    EXPECT_EQ(impacts_of(c, {}, Device::cpu(2)), impacts);
    EXPECT_EQ(impacts_of(c, grid), impacts);
    std::size_t vertex_face_count = 0;
    for (const Impact& impact : impacts) {
        if (!impact.is_vertex_face()) continue;
        ++vertex_face_count;
        EXPECT_TRUE(poked.count(impact.vertices[0]) == 1);
        EXPECT_NEAR(impact.time, 0.8, 1e-9);
    }
    EXPECT_EQ(vertex_face_count, poked.size());
    EXPECT_GT(impacts.size(), 2 * poked.size());  // a diagonal meets some of the edges around each
}

}  // namespace
}  // namespace graze
