// Small meshes with known properties, clean and broken, for tests.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "graze/mesh.h"

namespace graze::sample {

inline Mesh single_triangle() {
    return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{{0, 1, 2}}}};
}

inline Mesh tetrahedron() {
    return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
            {{{0, 2, 1}}, {{0, 1, 3}}, {{0, 3, 2}}, {{1, 2, 3}}}};
}

// The cube [-1, 1]^3, closed and outward. Bit f of diagonals chooses how face f is cut in two.
inline Mesh cube(unsigned diagonals = 0) {
    Mesh mesh;
    for (int i = 0; i < 8; ++i) {
        mesh.positions.push_back(
            {i & 1 ? 1.0f : -1.0f, i & 2 ? 1.0f : -1.0f, i & 4 ? 1.0f : -1.0f});
    }
    const std::uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                       {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (int f = 0; f < 6; ++f) {
        const auto& q = quads[f];
        if (diagonals >> f & 1) {
            mesh.triangles.push_back({{q[0], q[1], q[3]}});
            mesh.triangles.push_back({{q[1], q[2], q[3]}});
        } else {
            mesh.triangles.push_back({{q[0], q[1], q[2]}});
            mesh.triangles.push_back({{q[0], q[2], q[3]}});
        }
    }
    return mesh;
}

// An open fan of `count` triangles around vertex 0.
inline Mesh fan(int count) {
    Mesh mesh{{{0, 0, 1}}, {}};
    for (int i = 0; i <= count; ++i) {
        const float angle = 0.5f * static_cast<float>(i);
        mesh.positions.push_back({std::cos(angle), std::sin(angle), 0.0f});
    }
    for (std::uint32_t i = 1; i <= static_cast<std::uint32_t>(count); ++i) {
        mesh.triangles.push_back({{0, i, i + 1}});
    }
    return mesh;
}

// Two triangles that run in the same direction along their common edge.
inline Mesh twisted_pair() {
    return {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}}, {{{0, 1, 2}}, {{0, 1, 3}}}};
}

// `page_count` triangles on one edge.
inline Mesh book(int page_count) {
    Mesh mesh{{{0, 0, 0}, {0, 0, 1}}, {}};
    for (int i = 0; i < page_count; ++i) {
        const float angle = static_cast<float>(i);
        mesh.positions.push_back({std::cos(angle), std::sin(angle), 0.5f});
        mesh.triangles.push_back({{0, 1, static_cast<std::uint32_t>(i + 2)}});
    }
    return mesh;
}

// The same triangle three times: as it is, rotated, and turned over.
inline Mesh repeated_triangle() {
    Mesh mesh = single_triangle();
    mesh.triangles.push_back({{1, 2, 0}});
    mesh.triangles.push_back({{2, 1, 0}});
    return mesh;
}

// A tetrahedron with three more triangles that name a vertex twice or thrice.
inline Mesh collapsed_triangles() {
    Mesh mesh = tetrahedron();
    mesh.triangles.insert(mesh.triangles.begin() + 1, Triangle{{1, 1, 2}});
    mesh.triangles.push_back({{3, 0, 3}});
    mesh.triangles.push_back({{2, 2, 2}});
    return mesh;
}

// A torus with major radius 2 and minor radius 1, closed and outward, 2 * m * n triangles.
inline Mesh torus(int m, int n) {
    Mesh mesh;
    const double tau = 6.283185307179586;
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            const double a = tau * i / m, b = tau * j / n, r = 2 + std::cos(b);
            mesh.positions.push_back({static_cast<float>(r * std::cos(a)),
                                      static_cast<float>(r * std::sin(a)),
                                      static_cast<float>(std::sin(b))});
        }
    }
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < n; ++j) {
            const auto at = [&](int p, int q) {
                return static_cast<std::uint32_t>(p % m * n + q % n);
            };
            mesh.triangles.push_back({{at(i, j), at(i + 1, j), at(i + 1, j + 1)}});
            mesh.triangles.push_back({{at(i, j), at(i + 1, j + 1), at(i, j + 1)}});
        }
    }
    return mesh;
}

// Random vertices and indices: every defect at once.
inline Mesh random_soup(std::uint32_t vertex_count, int triangle_count, unsigned seed) {
    std::mt19937 random(seed);
    Mesh mesh;
    const auto coordinate = [&] { return static_cast<float>(random() % 2001) * 0.001f - 1.0f; };
    for (std::uint32_t i = 0; i < vertex_count; ++i) {
        const float x = coordinate(), y = coordinate(), z = coordinate();
        mesh.positions.push_back({x, y, z});
    }
    for (int i = 0; i < triangle_count; ++i) {
        const auto a = static_cast<std::uint32_t>(random() % vertex_count);
        const auto b = static_cast<std::uint32_t>(random() % vertex_count);
        const auto c = static_cast<std::uint32_t>(random() % vertex_count);
        mesh.triangles.push_back({{a, b, c}});
    }
    return mesh;
}

struct NamedMesh {
    std::string name;
    Mesh mesh;
};

// All of the above, in sizes that cross the block sizes of the executors.
inline std::vector<NamedMesh> all_meshes() {
    return {{"empty", {}},
            {"vertices only", {{{0, 0, 0}, {1, 2, 3}}, {}}},
            {"single triangle", single_triangle()},
            {"tetrahedron", tetrahedron()},
            {"cube", cube()},
            {"fan", fan(9)},
            {"large fan", fan(20000)},
            {"twisted pair", twisted_pair()},
            {"book of 3", book(3)},
            {"book of 4", book(4)},
            {"book of 10000", book(10000)},
            {"repeated triangle", repeated_triangle()},
            {"collapsed triangles", collapsed_triangles()},
            {"only collapsed", {{{0, 0, 0}, {1, 0, 0}}, {{{0, 0, 1}}, {{1, 1, 1}}}}},
            {"one vertex", {{{0, 0, 0}}, {{{0, 0, 0}}}}},
            {"torus", torus(20, 12)},
            {"large torus", torus(200, 150)},
            {"dense soup", random_soup(8, 300, 1)},
            {"soup", random_soup(300, 1000, 2)},
            {"sparse soup", random_soup(70000, 30000, 3)}};
}

}  // namespace graze::sample
