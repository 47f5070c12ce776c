// Meshes and options that fields are built from, on either machine.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "field/sampled/sampled_field.h"
#include "graze/build_field.h"
#include "tests/geometry/bvh/bvh_cases.h"

namespace graze {

// A name that tells which case failed.
struct BuildCase {
    std::string name;
    Mesh mesh;
    FieldOptions options;
};
inline void PrintTo(const BuildCase& c, std::ostream* out) {
    *out << c.name;
}

inline Mesh oracle_cube() {
    Mesh mesh;
    for (int i = 0; i < 8; ++i) {
        mesh.positions.push_back({static_cast<float>(i & 1), static_cast<float>(i >> 1 & 1),
                                  static_cast<float>(i >> 2)});
    }
    mesh.triangles = {{{0, 2, 1}}, {{1, 2, 3}}, {{4, 5, 6}}, {{5, 7, 6}}, {{0, 1, 4}}, {{1, 5, 4}},
                      {{2, 6, 3}}, {{3, 6, 7}}, {{0, 4, 2}}, {{2, 4, 6}}, {{1, 3, 5}}, {{3, 7, 5}}};
    return mesh;
}

// A closed star with long thin spikes: needles, and edges and vertices of every kind of angle.
inline Mesh oracle_spikes() {
    Mesh mesh = make_torus(10, 6);
    for (std::size_t i = 0; i < mesh.positions.size(); i += 5)
        mesh.positions[i] = mesh.positions[i] * (1.3f + 0.1f * static_cast<float>(i % 7));
    return mesh;
}

inline Mesh moved(Mesh mesh, const Vec3& by) {
    for (Vec3& p : mesh.positions)
        p += by;
    return mesh;
}

inline void append(Mesh& mesh, const Mesh& other) {
    const auto first = static_cast<std::uint32_t>(mesh.positions.size());
    mesh.positions.insert(mesh.positions.end(), other.positions.begin(), other.positions.end());
    for (const Triangle& t : other.triangles)
        mesh.triangles.push_back({{t[0] + first, t[1] + first, t[2] + first}});
}

inline std::vector<BuildCase> build_cases() {
    const FieldOrder zero = FieldOrder::zero, one = FieldOrder::one;
    const Mesh torus = make_torus(14, 9), spikes = oracle_spikes();
    std::vector<BuildCase> cases{
        {"CubeOrder0", oracle_cube(), {.resolution = 19, .order = zero}},
        {"CubeOrder1", oracle_cube(), {.resolution = 30, .order = one}},
        {"CubeSparse", oracle_cube(), {.resolution = 48, .order = zero, .sparse = true, .band = 2}},
        {"TorusOrder0", torus, {.resolution = 33, .order = zero}},
        {"TorusOrder1", torus, {.resolution = 40, .order = one}},
        {"TorusSparseOrder0", torus, {.resolution = 64, .order = zero, .sparse = true, .band = 1}},
        {"TorusSparseOrder1", torus, {.resolution = 64, .order = one, .sparse = true, .band = 3}},
        {"SpikesOrder1", spikes, {.resolution = 37, .order = one}},
        {"SpikesSparse", spikes, {.resolution = 64, .order = zero, .sparse = true, .band = 3}},
        {"FarAway", moved(torus, {40, -30, 20}), {.resolution = 24, .order = zero}},
        {"ShellOfTorus",
         torus,
         {.resolution = 32, .order = one, .sign = FieldSign::shell, .thickness = 0.2f}},
        {"ShellSparse",
         torus,
         {.resolution = 64,
          .order = one,
          .sparse = true,
          .band = 2,
          .sign = FieldSign::shell,
          .thickness = 0.2f}},
    };
    // Here samples are exactly on faces, edges and vertices.
    BuildCase aligned{"CubeOnTheGrid", oracle_cube(), {.order = zero}};
    aligned.options.grid = FieldGrid{{-0.5f, -0.5f, -0.5f}, 0.125f, {16, 16, 17}};
    cases.push_back(aligned);
    // This is as small as a field gets.
    BuildCase tiny{"TinyGrid", oracle_cube(), {.order = one}};
    tiny.options.grid = FieldGrid{{-0.5f, -0.5f, -0.5f}, 2.0f, {1, 1, 1}};
    cases.push_back(tiny);
    Mesh millimetres = torus;
    for (Vec3& p : millimetres.positions)
        p = p * 1e-3f;
    cases.push_back({"Millimetres", millimetres, {.resolution = 32, .order = one, .sparse = true}});
    return cases;
}

// Parts that overlap, also beside an open one, and one that is inside out: not all triangles are
// surface here, or as they are given.
inline std::vector<BuildCase> part_cases() {
    Mesh overlapping = oracle_cube();
    append(overlapping, moved(oracle_cube(), {0.5f, 0.375f, 0.25f}));
    std::vector<BuildCase> cases{{"Union", overlapping, {.resolution = 33}},
                                 {"UnionSparse",
                                  overlapping,
                                  {.resolution = 64, .order = FieldOrder::zero, .sparse = true}}};
    Mesh open = make_torus(14, 9);
    open.triangles.erase(open.triangles.begin(), open.triangles.begin() + 9);
    append(overlapping, moved(open, {6, 0, 0}));
    cases.push_back({"UnionBesideAnOpenPart", overlapping, {.resolution = 40}});
    Mesh inverted = moved(oracle_cube(), {3, 0, 0});
    for (Triangle& t : inverted.triangles)
        t = {{t[0], t[2], t[1]}};
    append(inverted, oracle_cube());
    cases.push_back({"InvertedPart", inverted, {.resolution = 40}});
    return cases;
}

template <class T>
void expect_same_bytes(const Buffer<T>& a, const Buffer<T>& b, const char* what) {
    ASSERT_EQ(a.size(), b.size()) << what;
    const auto* bytes_a = reinterpret_cast<const unsigned char*>(a.data());
    const auto* bytes_b = reinterpret_cast<const unsigned char*>(b.data());
    const std::int64_t size = a.size() * static_cast<std::int64_t>(sizeof(T));
    const auto* differs = std::mismatch(bytes_a, bytes_a + size, bytes_b).first;
    ASSERT_EQ(differs - bytes_a, size) << what << ", at this byte";
}

inline void expect_same_bytes(const SampledField& a, const SampledField& b) {
    EXPECT_TRUE(a.grid == b.grid);
    EXPECT_EQ(a.error, b.error);
    EXPECT_EQ(a.seam, b.seam);
    expect_same_bytes(a.values, b.values, "values");
    expect_same_bytes(a.samples, b.samples, "samples");
    expect_same_bytes(a.coarse, b.coarse, "coarse");
    expect_same_bytes(a.brick_of_block, b.brick_of_block, "bricks");
    expect_same_bytes(a.block_of_brick, b.block_of_brick, "blocks");
    expect_same_bytes(a.errors, b.errors, "errors");
    expect_same_bytes(a.tree.nodes, b.tree.nodes, "tree");
}

}  // namespace graze
