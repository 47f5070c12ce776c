// Tests of tidy_mesh() against a slow, obvious method, on small soups where everything that it
// looks for happens often: copies, copies that face in the opposite direction, triangles without
// area, joined vertices.
#include "field/build/tidy_mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
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
    result.was_inside_out = result.is_closed() && volume(result.mesh) < 0;
    if (result.was_inside_out) {
        for (Triangle& t : triangles)
            std::swap(t.v[1], t.v[2]);
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
    EXPECT_EQ(actual.was_inside_out, expected.was_inside_out);
    ASSERT_EQ(actual.mesh.triangles.size(), expected.mesh.triangles.size());
    for (std::size_t i = 0; i < actual.mesh.triangles.size(); ++i)
        EXPECT_TRUE(actual.mesh.triangles[i] == expected.mesh.triangles[i]) << i;
    seen.copies += actual.duplicate_count > 0 ? 1 : 0;
    seen.closed += actual.is_closed() ? 1 : 0;
    seen.inside_out += actual.was_inside_out ? 1 : 0;
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

}  // namespace
}  // namespace graze
