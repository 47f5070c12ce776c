// Tests of tidy_mesh() against a slow, obvious method, on small soups where everything that it
// looks for happens often: copies, copies that face in the opposite direction, triangles without
// area, joined vertices.
#include "geometry/tidy_mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <random>

#include "tests/oracle/case_count.h"

namespace graze {
namespace {

bool same_way(const Triangle& a, const Triangle& b) {
    return a == b || a == Triangle{{b[1], b[2], b[0]}} || a == Triangle{{b[2], b[0], b[1]}};
}
bool either_way(const Triangle& a, const Triangle& b) {
    return same_way(a, b) || same_way(a, Triangle{{b[0], b[2], b[1]}});
}

template <class Same>
std::vector<Triangle> without_copies(const std::vector<Triangle>& triangles, const Same& same) {
    std::vector<Triangle> kept;
    for (const Triangle& t : triangles) {
        if (std::none_of(kept.begin(), kept.end(), [&](const Triangle& k) { return same(k, t); }))
            kept.push_back(t);
    }
    return kept;
}

std::int64_t open_edges(const std::vector<Triangle>& triangles) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> sums;
    for (const Triangle& t : triangles) {
        for (int i = 0; i < 3; ++i) {
            const std::uint32_t from = t[i], to = t[(i + 1) % 3];
            if (from != to) sums[std::minmax(from, to)] += from < to ? 1 : -1;
        }
    }
    return std::count_if(sums.begin(), sums.end(), [](const auto& s) { return s.second != 0; });
}

// The result is exact, as the coordinates are small whole numbers.
double volume(const Mesh& mesh) {
    double sum = 0;
    for (const Triangle& t : mesh.triangles) {
        const auto a = static_cast<Vec3d>(mesh.positions[t[0]]);
        const auto b = static_cast<Vec3d>(mesh.positions[t[1]]);
        sum += dot(a, cross(b, static_cast<Vec3d>(mesh.positions[t[2]])));
    }
    return sum;
}

// The sets of triangles that hang together by edges.
std::vector<std::vector<Triangle*>> parts_of(std::vector<Triangle>& triangles) {
    std::vector<std::vector<Triangle*>> parts;
    const auto have_edge = [](const Triangle& a, const Triangle& b) {
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                if (std::minmax(a[i], a[(i + 1) % 3]) == std::minmax(b[j], b[(j + 1) % 3]))
                    return true;
            }
        }
        return false;
    };
    for (Triangle& t : triangles) {
        std::vector<Triangle*> own{&t};
        std::erase_if(parts, [&](const std::vector<Triangle*>& part) {
            const bool is_own = std::any_of(part.begin(), part.end(),
                                            [&](Triangle* other) { return have_edge(t, *other); });
            if (is_own) own.insert(own.end(), part.begin(), part.end());
            return is_own;
        });
        parts.push_back(own);
    }
    return parts;
}

// Whether the normals of an open part clearly point to its middle and all but cancel each other.
bool is_open_inside_out(const Mesh& mesh) {
    double area = 0, towards = 0, reach = 0;
    Vec3d sum{0, 0, 0}, middle{0, 0, 0};
    const auto at = [&](const Triangle& t, int k) {
        return static_cast<Vec3d>(mesh.positions[t[k]]);
    };
    const auto normal = [&](const Triangle& t) {
        return cross(at(t, 1) - at(t, 0), at(t, 2) - at(t, 0)) * 0.5;
    };
    const auto centre = [&](const Triangle& t) { return (at(t, 0) + at(t, 1) + at(t, 2)) / 3.0; };
    for (const Triangle& t : mesh.triangles) {
        area += length(normal(t));
        sum += normal(t);
        middle += centre(t) * length(normal(t));
    }
    for (const Triangle& t : mesh.triangles) {
        const Vec3d out = centre(t) - middle / area;
        towards += dot(out, normal(t));
        reach += length(out) * length(normal(t));
    }
    return area > 0 && reach > 0 && towards <= -0.5 * reach && length(sum) < 0.25 * area;
}

TidyMesh tidied_slowly(const Mesh& mesh) {
    TidyMesh result;
    result.mesh = mesh;
    std::vector<std::uint32_t> first;
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
        const auto found =
            std::find(mesh.positions.begin(), mesh.positions.end(), mesh.positions[v]);
        first.push_back(static_cast<std::uint32_t>(found - mesh.positions.begin()));
        result.joined_count += first[v] != v ? 1 : 0;
    }
    std::vector<Triangle>& triangles = result.mesh.triangles;
    for (Triangle& t : triangles)
        t = {{first[t[0]], first[t[1]], first[t[2]]}};
    triangles = without_copies(triangles, same_way);
    if (open_edges(triangles) > 0 || volume(result.mesh) == 0)
        triangles = without_copies(triangles, either_way);
    result.duplicate_count = static_cast<std::int64_t>(mesh.triangles.size() - triangles.size());
    result.open_edge_count = open_edges(triangles);
    for (std::vector<Triangle*>& part : parts_of(triangles)) {
        Mesh own{mesh.positions, {}};
        for (const Triangle* t : part)
            own.triangles.push_back(*t);
        const bool is_inside_out =
            open_edges(own.triangles) == 0 ? volume(own) < 0 : is_open_inside_out(own);
        if (!is_inside_out) continue;
        ++result.turned_part_count;
        for (Triangle* t : part)
            std::swap(t->v[1], t->v[2]);
    }
    return result;
}

struct Seen {
    int copies = 0, closed = 0, inside_out = 0, joined = 0;
};

void compare(CpuExecutor& executor, const Mesh& mesh, Seen& seen) {
    const TidyMesh expected = tidied_slowly(mesh), actual = tidy_mesh(executor, mesh);
    EXPECT_EQ(actual.joined_count, expected.joined_count);
    EXPECT_EQ(actual.duplicate_count, expected.duplicate_count);
    EXPECT_EQ(actual.open_edge_count, expected.open_edge_count);
    EXPECT_EQ(actual.turned_part_count, expected.turned_part_count);
    ASSERT_EQ(actual.mesh.triangles.size(), expected.mesh.triangles.size());
    for (std::size_t i = 0; i < actual.mesh.triangles.size(); ++i)
        EXPECT_TRUE(actual.mesh.triangles[i] == expected.mesh.triangles[i]) << i;
    seen.copies += actual.duplicate_count > 0 ? 1 : 0;
    seen.closed += actual.is_closed() ? 1 : 0;
    seen.inside_out += actual.turned_part_count > 0 ? 1 : 0;
    seen.joined += actual.joined_count > 0 ? 1 : 0;
}

// The corners of a small box of whole numbers, some of them the same.
std::vector<Vec3> random_positions(std::mt19937& random, int count) {
    std::vector<Vec3> positions;
    positions.reserve(static_cast<std::size_t>(count));
    const auto whole = [&] { return static_cast<float>(random() % 4); };
    for (int i = 0; i < count; ++i) {
        const float x = whole(), y = whole();
        positions.push_back({x, y, whole()});
    }
    return positions;
}

TEST(TidyMesh, SoupsAreTidiedAsTheSlowWayDoes) {
    std::mt19937 random(1);
    CpuExecutor executor(2);
    Seen seen;
    const int count = oracle::case_count(20000);
    for (int n = 0; n < count && !testing::Test::HasFailure(); ++n) {
        const int vertex_count = 3 + static_cast<int>(random() % 3);
        Mesh mesh;
        mesh.positions = random_positions(random, vertex_count);
        const std::uint32_t triangle_count = 1 + random() % 6;
        const auto vertex = [&] {
            return static_cast<std::uint32_t>(random() % static_cast<unsigned>(vertex_count));
        };
        for (std::uint32_t i = 0; i < triangle_count; ++i) {
            const std::uint32_t a = vertex(), b = vertex();
            mesh.triangles.push_back({{a, b, vertex()}});
        }
        compare(executor, mesh, seen);
    }
    EXPECT_GT(seen.copies, count / 10);
    EXPECT_GT(seen.closed, count / 20);
    EXPECT_GT(seen.joined, count / 20);
}

// Tetrahedra that face outwards or inwards, with some of their sides once more.
// The inverse of how tidy_mesh.cpp mixes bits.
std::uint64_t unmixed(std::uint64_t value) {
    const auto inverse = [](std::uint64_t odd) {
        std::uint64_t x = odd;
        for (int i = 0; i < 6; ++i)
            x *= 2 - odd * x;
        return x;
    };
    const auto unshift = [](std::uint64_t x, int shift) {
        std::uint64_t result = x;
        for (int i = 0; i < 64 / shift; ++i)
            result = x ^ (result >> shift);
        return result;
    };
    value = unshift(value, 32) * inverse(0xd6e8feb86659fd93u);
    value = unshift(value, 29) * inverse(0x9e3779b97f4a7c15u);
    return unshift(value, 31);
}

// All positions have the same key; comparing all with all would take hours.
TEST(TidyMesh, CraftedKeysCostLittle) {
    std::mt19937 random(3);
    Mesh mesh;
    while (mesh.positions.size() < 3 * static_cast<std::size_t>(oracle::case_count(100000))) {
        const auto z = static_cast<std::uint32_t>(random());
        const std::uint64_t xy = unmixed(unmixed(0x1234567890abcdefu) - z);
        const Vec3 p{std::bit_cast<float>(static_cast<std::uint32_t>(xy)),
                     std::bit_cast<float>(static_cast<std::uint32_t>(xy >> 32)),
                     std::bit_cast<float>(z)};
        if (!(std::fabs(p.x) < 1e6f && std::fabs(p.y) < 1e6f && std::fabs(p.z) < 1e6f)) continue;
        mesh.positions.push_back(p);
    }
    const auto count = static_cast<std::uint32_t>(mesh.positions.size());
    mesh.positions.push_back(mesh.positions[7]);
    for (std::uint32_t v = 0; v < count; v += 3)
        mesh.triangles.push_back({{v, v + 1, v + 2}});
    mesh.triangles.push_back({{count, 8, 9}});
    CpuExecutor executor(2);
    const TidyMesh tidy = tidy_mesh(executor, mesh);
    EXPECT_EQ(tidy.first_vertex[count], 7u);
    EXPECT_GE(tidy.joined_count, 1);
}

TEST(TidyMesh, SolidsWithCopiesAreTidiedAsTheSlowWayDoes) {
    std::mt19937 random(2);
    CpuExecutor executor(2);
    Seen seen;
    const int count = oracle::case_count(5000);
    for (int n = 0; n < count && !testing::Test::HasFailure(); ++n) {
        Mesh mesh;
        mesh.positions = random_positions(random, 4);
        mesh.triangles = {{{0, 2, 1}}, {{0, 1, 3}}, {{1, 2, 3}}, {{2, 0, 3}}};
        for (std::uint32_t i = random() % 3; i > 0; --i) {
            Triangle copy = mesh.triangles[random() % 4];
            std::rotate(copy.v, copy.v + random() % 3, copy.v + 3);
            if (random() % 4 == 0) std::swap(copy.v[1], copy.v[2]);
            mesh.triangles.push_back(copy);
        }
        compare(executor, mesh, seen);
    }
    EXPECT_GT(seen.copies, count / 10);
    EXPECT_GT(seen.closed, count / 10);
    EXPECT_GT(seen.inside_out, count / 20);
}

Mesh cube(const Vec3& from, float side, bool is_inside_out) {
    Mesh mesh;
    for (int i = 0; i < 8; ++i) {
        mesh.positions.push_back(from + Vec3{static_cast<float>(i & 1) * side,
                                             static_cast<float>(i >> 1 & 1) * side,
                                             static_cast<float>(i >> 2) * side});
    }
    mesh.triangles = {{{0, 2, 1}}, {{1, 2, 3}}, {{4, 5, 6}}, {{5, 7, 6}}, {{0, 1, 4}}, {{1, 5, 4}},
                      {{2, 6, 3}}, {{3, 6, 7}}, {{0, 4, 2}}, {{2, 4, 6}}, {{1, 3, 5}}, {{3, 7, 5}}};
    if (is_inside_out) {
        for (Triangle& t : mesh.triangles)
            std::swap(t.v[1], t.v[2]);
    }
    return mesh;
}

// The signs of the cubes' volumes after tidying, as 12 triangles each.
std::vector<int> signs_of(CpuExecutor& executor, const std::vector<Mesh>& cubes,
                          std::int64_t& turned_count) {
    Mesh all;
    for (const Mesh& mesh : cubes) {
        const auto first = static_cast<std::uint32_t>(all.positions.size());
        all.positions.insert(all.positions.end(), mesh.positions.begin(), mesh.positions.end());
        for (const Triangle& t : mesh.triangles)
            all.triangles.push_back({{t[0] + first, t[1] + first, t[2] + first}});
    }
    const TidyMesh tidy = tidy_mesh(executor, all);
    turned_count = tidy.turned_part_count;
    std::vector<int> signs;
    for (std::size_t n = 0; n < cubes.size(); ++n) {
        const auto first = tidy.mesh.triangles.begin() + static_cast<std::ptrdiff_t>(12 * n);
        signs.push_back(volume({tidy.mesh.positions, {first, first + 12}}) > 0 ? 1 : -1);
    }
    return signs;
}

// Each case is a list of cubes by position, side and whether it is inside out, and what becomes of
// it.
TEST(TidyMesh, EachPartIsTurnedByItsOwnPlace) {
    struct Case {
        std::vector<Mesh> cubes;
        std::vector<int> signs;
        std::int64_t turned_count;
    };
    const std::vector<Case> cases{
        // Two apart, of which the smaller is inside out, and both.
        {{cube({0, 0, 0}, 4, false), cube({8, 0, 0}, 2, true)}, {1, 1}, 1},
        {{cube({8, 0, 0}, 2, true), cube({0, 0, 0}, 4, true)}, {1, 1}, 2},
        // A cavity is one, also where it is given first.
        {{cube({0, 0, 0}, 8, false), cube({2, 2, 2}, 2, true)}, {1, -1}, 0},
        {{cube({2, 2, 2}, 2, true), cube({0, 0, 0}, 8, false)}, {-1, 1}, 0},
        // A hollow cube that is inside out as a whole.
        {{cube({0, 0, 0}, 8, true), cube({2, 2, 2}, 2, false)}, {1, -1}, 2},
        // A solid in a cavity, upright and inside out.
        {{cube({0, 0, 0}, 16, false), cube({2, 2, 2}, 8, true), cube({4, 4, 4}, 2, false)},
         {1, -1, 1},
         0},
        {{cube({0, 0, 0}, 16, false), cube({2, 2, 2}, 8, true), cube({4, 4, 4}, 2, true)},
         {1, -1, 1},
         1},
        // One that only reaches into another is no cavity.
        {{cube({0, 0, 0}, 4, false), cube({3, 1, 1}, 2, true)}, {1, 1}, 1},
    };
    CpuExecutor executor(2);
    for (const Case& c : cases) {
        SCOPED_TRACE(&c - cases.data());
        std::int64_t turned_count = 0;
        EXPECT_EQ(signs_of(executor, c.cubes, turned_count), c.signs);
        EXPECT_EQ(turned_count, c.turned_count);
    }
}

// A cube without one of its 12 triangles faces inwards as a closed one does; a cube that has only
// three of its sides does too, but might be a room's corner.
TEST(TidyMesh, OpenPartsThatFaceInwardsAreTurnedOrCounted) {
    CpuExecutor executor(1);
    for (const bool is_inside_out : {false, true}) {
        Mesh mesh = cube({1, 2, 3}, 4, is_inside_out);
        mesh.triangles.pop_back();
        const TidyMesh tidy = tidy_mesh(executor, mesh);
        EXPECT_EQ(tidy.turned_part_count, is_inside_out ? 1 : 0);
        EXPECT_EQ(tidy.inward_part_count, 0);
        Mesh half = cube({1, 2, 3}, 4, is_inside_out);
        half.triangles.resize(10);  // without the side towards +x
        half.triangles.erase(half.triangles.begin(), half.triangles.begin() + 2);
        const TidyMesh tidy_half = tidy_mesh(executor, half);
        EXPECT_EQ(tidy_half.turned_part_count, 0);
        EXPECT_EQ(tidy_half.inward_part_count, is_inside_out ? 1 : 0);
    }
}

}  // namespace
}  // namespace graze
