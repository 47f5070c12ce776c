// Tests of split_caps(): with pieces and slivers a mesh is as closed as with whole caps, and pieces
// are short.
#include "geometry/split_caps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "tests/oracle/brute_distance.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

bool leaves_edges_open(const std::vector<Triangle>& triangles) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> sums;
    for (const Triangle& t : triangles) {
        for (int i = 0; i < 3; ++i) {
            const std::uint32_t from = t[i], to = t[(i + 1) % 3];
            if (from != to) sums[std::minmax(from, to)] += from < to ? 1 : -1;
        }
    }
    return std::any_of(sums.begin(), sums.end(), [](const auto& edge) { return edge.second != 0; });
}

// A mesh, and its caps in pieces.
struct Split {
    Mesh mesh, caps;  // caps names all positions
    SplitCaps pieces;
};
Split split(const Mesh& mesh, float longest) {
    CpuExecutor executor(1);
    const std::vector<OpenEdge> open = find_open_edges(executor, mesh.triangles);
    Split result{mesh, {mesh.positions, cap_holes(open)}, {}};
    result.pieces = split_caps(mesh.positions, open, result.caps.triangles, longest);
    return result;
}
Mesh with_positions(const Split& all, std::vector<Triangle> triangles) {
    Mesh mesh{all.mesh.positions, std::move(triangles)};
    mesh.positions.insert(mesh.positions.end(), all.pieces.positions.begin(),
                          all.pieces.positions.end());
    return mesh;
}

Mesh random_mesh(unsigned seed, unsigned vertex_count, unsigned triangle_count) {
    std::mt19937 random(seed);
    oracle::RandomPoints<float> points(seed);
    Mesh mesh;
    for (unsigned v = 0; v < vertex_count; ++v)
        mesh.positions.push_back(points.in_box(1));
    for (unsigned t = 0; t < triangle_count; ++t) {
        const auto a = static_cast<std::uint32_t>(random() % vertex_count);
        const auto b = static_cast<std::uint32_t>(random() % vertex_count);
        mesh.triangles.push_back({{a, b, static_cast<std::uint32_t>(random() % vertex_count)}});
    }
    return mesh;
}

TEST(SplitCaps, PiecesAreShortAndLeaveNoEdgeOpen) {
    for (int n = 0; n < oracle::case_count(300); ++n) {
        const auto seed = static_cast<unsigned>(n);
        const Split all = split(random_mesh(seed, 3 + seed % 20, 1 + seed % 25), 0.3f);
        std::vector<Triangle> closed = all.mesh.triangles;
        closed.insert(closed.end(), all.pieces.caps.begin(), all.pieces.caps.end());
        closed.insert(closed.end(), all.pieces.slivers.begin(), all.pieces.slivers.end());
        ASSERT_FALSE(leaves_edges_open(closed));
        const Mesh pieces = with_positions(all, all.pieces.caps);
        for (const Triangle& t : pieces.triangles) {
            for (int i = 0; i < 3; ++i)
                ASSERT_LE(length(pieces.positions[t[i]] - pieces.positions[t[(i + 1) % 3]]), 0.3f);
        }
        for (const Triangle& t : all.pieces.slivers) {
            const Vec3 a = pieces.positions[t[0]], b = pieces.positions[t[1]];
            ASSERT_LE(length(cross(b - a, pieces.positions[t[2]] - a)), 1e-6f)
                << "no thicker than rounding";
        }
    }
}

// The solid angle of the pieces is that of the caps.
TEST(SplitCaps, PiecesWindAsTheCapsDo) {
    oracle::RandomPoints<float> random(3);
    for (unsigned seed = 0; seed < 40; ++seed) {
        const Split all = split(random_mesh(seed, 12, 15), 0.2f);
        const Mesh pieces = with_positions(all, all.pieces.caps);
        for (int n = 0; n < 20; ++n) {
            const Vec3 point = random.in_box(1.2f);
            ASSERT_NEAR(oracle::winding_number(pieces, point),
                        oracle::winding_number(all.caps, point), 1e-5);
        }
    }
}

TEST(SplitCaps, WhereFloatsEndCapsStay) {
    const Mesh mesh{{{1e7f, 1e7f, 0}, {1e7f + 1, 1e7f, 0}, {1e7f, 1e7f + 1, 0}}, {{{0, 1, 2}}}};
    const Split all = split(mesh, 0.01f);
    EXPECT_GE(all.pieces.caps.size(), 1u);
    EXPECT_LT(all.pieces.caps.size(), 20u);
}

Mesh needles(unsigned count) {
    oracle::RandomPoints<float> random(5);
    Mesh mesh;
    for (std::uint32_t n = 0; n < count; ++n) {
        const Vec3 a = random.in_box(1), b = random.in_box(1);
        mesh.positions.insert(mesh.positions.end(), {a, b, b + random.in_box(0.002f)});
        mesh.triangles.push_back({{3 * n, 3 * n + 1, 3 * n + 2}});
    }
    return mesh;
}

TEST(ChooseCapLength, CutsManyLongOnesAlone) {
    const Mesh many = needles(5000), few = needles(100);
    const float chosen = choose_cap_length(many.positions, many.triangles);
    EXPECT_GT(chosen, 0.01f);
    EXPECT_LT(chosen, 0.3f);
    EXPECT_TRUE(std::isinf(choose_cap_length(few.positions, few.triangles)));
    EXPECT_TRUE(std::isinf(choose_cap_length({}, {})));
    // Short ones have compact clusters already.
    Mesh loose = needles(5000);
    for (std::size_t v = 0; v < loose.positions.size(); v += 3)
        loose.positions[v] = loose.positions[v + 1] + Vec3{0.01f, 0.02f, 0};
    EXPECT_TRUE(std::isinf(choose_cap_length(loose.positions, loose.triangles)));
    // Pieces of wide ones would be too many.
    const Mesh wide = random_mesh(1, 3000, 5000);
    EXPECT_TRUE(std::isinf(choose_cap_length(wide.positions, wide.triangles)));
}

}  // namespace
}  // namespace graze
