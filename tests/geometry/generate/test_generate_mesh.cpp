// Every generated mesh is sound, has the measures asked for, and refuses what makes no sense.
#include "graze/generate_mesh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numbers>

#include "graze/error.h"
#include "graze/mesh_report.h"

namespace graze {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

constexpr double kPi = std::numbers::pi;

MeshReport expect_sound(const Mesh& mesh, const char* what, int euler_characteristic) {
    SCOPED_TRACE(what);
    const MeshReport report = inspect(mesh);
    EXPECT_TRUE(report.is_closed());
    EXPECT_EQ(report.component_count, 1);
    EXPECT_EQ(report.euler_characteristic, euler_characteristic);
    EXPECT_EQ(report.duplicate_triangle_count, 0);
    EXPECT_EQ(report.degenerate_triangle_count, 0);
    EXPECT_EQ(report.isolated_vertex_count, 0);
    EXPECT_EQ(report.self_intersection_count, 0);
    EXPECT_GT(report.volume, 0);
    return report;
}

// The volume of a polyhedron inside a round solid falls short of it by a fraction that shrinks with
// the square of the segments.
void expect_volume(double volume, double round, double shortfall) {
    EXPECT_LT(volume, round);
    EXPECT_GT(volume, round * (1 - shortfall));
}

TEST(GenerateMesh, Torus) {
    const MeshReport report = expect_sound(make_torus(), "torus", 0);
    expect_volume(report.volume, 2 * kPi * kPi * 0.5 * 0.15 * 0.15, 0.014);
    EXPECT_NEAR(report.max.x, 0.65, 1e-6);
    EXPECT_NEAR(report.max.z, 0.15, 1e-6);
    EXPECT_EQ(report.triangle_count, 64 * 24 * 2);
    const MeshReport coarse = expect_sound(
        make_torus({.radius = 2, .tube_radius = 1.9f, .segments = 3, .sides = 3}), "coarse", 0);
    EXPECT_EQ(coarse.triangle_count, 18);
}

TEST(GenerateMesh, Sphere) {
    for (int subdivisions = 0; subdivisions <= 6; ++subdivisions) {
        const MeshReport report = expect_sound(make_sphere(0.7f, subdivisions), "sphere", 2);
        EXPECT_EQ(report.triangle_count, 20 << (2 * subdivisions));
        expect_volume(report.volume, 4 * kPi / 3 * 0.7 * 0.7 * 0.7,
                      0.56 / static_cast<double>(1 << (2 * subdivisions)));
    }
}

TEST(GenerateMesh, Bowl) {
    // The part of a shell between two cones around its centre.
    const MeshReport report = expect_sound(make_bowl(), "bowl", 2);
    const double shell = (2.15 * 2.15 * 2.15 - 8) * 2 * kPi / 3 * (1 - std::cos(1.2));
    expect_volume(report.volume, shell, 0.003);
    EXPECT_NEAR(report.min.z, 0, 1e-6);
    EXPECT_NEAR(report.max.z, 2.15 - 2 * std::cos(1.2), 1e-6);
    for (const float opening : {0.02f, 1.57f, 2.5f, 3.1f})
        expect_sound(make_bowl({.wall = 0.01f, .opening = opening}), "bowl", 2);
    expect_sound(make_bowl({.segments = 3, .rings = 1}), "coarse bowl", 2);
}

TEST(GenerateMesh, Funnel) {
    const MeshReport report = expect_sound(make_funnel(), "funnel", 0);
    // Between two cones and two cylinders.
    const auto frustum = [](double a, double b, double height) {
        return kPi * height / 3 * (a * a + a * b + b * b);
    };
    const double wall =
        frustum(0.35, 1.05, 0.8) - frustum(0.3, 1, 0.8) + kPi * 0.5 * (0.35 * 0.35 - 0.3 * 0.3);
    expect_volume(report.volume, wall, 0.003);
    EXPECT_EQ(report.min.z, 0);
    EXPECT_NEAR(report.max.z, 1.3, 1e-6);
    EXPECT_NEAR(report.max.x, 1.05, 1e-6);
    expect_sound(make_funnel({.wall = 0.001f, .segments = 3, .rings = 1}), "coarse funnel", 0);
}

// Cloth: open, in one piece, its borders as many as it has.
MeshReport expect_cloth(const Mesh& mesh, const char* what, int euler_characteristic) {
    SCOPED_TRACE(what);
    const MeshReport report = inspect(mesh);
    EXPECT_FALSE(report.is_closed());
    EXPECT_EQ(report.component_count, 1);
    EXPECT_EQ(report.euler_characteristic, euler_characteristic);
    EXPECT_EQ(report.non_manifold_edge_count, 0);
    EXPECT_EQ(report.duplicate_triangle_count, 0);
    EXPECT_EQ(report.degenerate_triangle_count, 0);
    EXPECT_EQ(report.isolated_vertex_count, 0);
    EXPECT_EQ(report.self_intersection_count, 0);
    return report;
}
// The direction of the faces, on the whole.
Vec3d facing(const Mesh& mesh, std::size_t face) {
    const auto corner = [&](int i) {
        return static_cast<Vec3d>(mesh.positions[mesh.triangles[face][i]]);
    };
    return cross(corner(1) - corner(0), corner(2) - corner(0));
}

TEST(GenerateMesh, Sheet) {
    const Mesh mesh = make_sheet({.width = 3, .depth = 2, .columns = 6, .rows = 5});
    const MeshReport report = expect_cloth(mesh, "sheet", 1);
    EXPECT_EQ(report.triangle_count, 60);
    EXPECT_NEAR(report.area, 6, 1e-6);
    EXPECT_EQ(report.min, (Vec3d{-1.5, -1, 0}));
    EXPECT_EQ(report.max, (Vec3d{1.5, 1, 0}));
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
        EXPECT_GT(facing(mesh, i).z, 0);
    expect_cloth(make_sheet({.columns = 1, .rows = 1}), "one cell", 1);
}

TEST(GenerateMesh, Skirt) {
    const Mesh mesh = make_skirt();
    const MeshReport report = expect_cloth(mesh, "skirt", 0);
    EXPECT_EQ(report.triangle_count, 96 * 24 * 2);
    EXPECT_NEAR(report.area, kPi * 0.9 * std::hypot(0.5, 0.6), 0.002);
    EXPECT_NEAR(report.min.z, -0.6, 1e-6);
    EXPECT_EQ(report.max.z, 0);
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
        const Vec3d direction = facing(mesh, i);
        const Vec3 p = mesh.positions[mesh.triangles[i][0]];
        EXPECT_GT(direction.x * double{p.x} + direction.y * double{p.y}, 0) << "outwards";
    }
    const MeshReport pleated =
        expect_cloth(make_skirt({.pleats = 12, .pleat_depth = 0.1f}), "pleated", 0);
    EXPECT_GT(pleated.area, 1.05 * report.area);
    EXPECT_NEAR(pleated.max.x, 0.8, 1e-6);
    expect_cloth(
        make_skirt({.hem_radius = 0.1f, .pleats = 5, .pleat_depth = 0.08f, .segments = 30}),
        "narrow", 0);
}

TEST(GenerateMesh, TubeIsAsLongAsItsPathAndAsThickAsAsked) {
    // Cut at planes through its path, a prism keeps its volume.
    const Vec3 hook[] = {{0, 0, 3},    {0, 0, 1},           {0.3f, 0.1f, 0.5f},
                         {1, 0.4f, 0}, {1.5f, 1.2f, -0.5f}, {1.2f, 2, 0.3f}};
    double path_length = 0;
    for (int i = 0; i + 1 < 6; ++i)
        path_length += distance(static_cast<Vec3d>(hook[i]), static_cast<Vec3d>(hook[i + 1]));
    for (const int sides : {3, 4, 24, 101}) {
        const MeshReport report = expect_sound(make_tube(hook, 0.1f, sides), "tube", 2);
        const double polygon = sides / 2.0 * std::sin(2 * kPi / sides) * 0.01;
        EXPECT_NEAR(report.volume, polygon * path_length, 1e-6);
    }
}

TEST(GenerateMesh, Knot) {
    const MeshReport report = expect_sound(make_knot(), "knot", 0);
    // The tube's volume is its section times the length of the curve.
    double length_sum = 0;
    for (int i = 0; i < 100000; ++i) {
        const double t = 2 * kPi * i / 100000, reach = 0.5 + 0.2 * std::cos(3 * t);
        length_sum += std::sqrt(4 * reach * reach + 9 * 0.04) * 2 * kPi / 100000;
    }
    expect_volume(report.volume, kPi * 0.08 * 0.08 * length_sum, 0.03);
    expect_sound(make_knot({.p = 3, .q = 2}), "3, 2", 0);
    expect_sound(make_knot({.p = 2, .q = 5, .tube_radius = 0.05f}), "2, 5", 0);
    expect_sound(make_knot({.p = 1, .q = 1}), "1, 1", 0);
}

TEST(GenerateMesh, Gear) {
    const MeshReport report = expect_sound(make_gear(), "gear", 0);
    EXPECT_NEAR(report.max.z, 0.1, 1e-6);
    EXPECT_GT(report.volume, (0.425 * 0.425 - 0.15 * 0.15) * 3.0 * 0.2);
    EXPECT_LT(report.volume, (0.575 * 0.575 - 0.15 * 0.15) * kPi * 0.2);
    expect_sound(make_gear({.bore_radius = 0}), "no bore", 2);
    expect_sound(make_gear({.teeth = 3, .bore_radius = 0.4f}), "3 teeth", 0);
    expect_sound(make_gear({.teeth = 200, .tooth_height = 0.9f, .bore_radius = 0.04f}), "200", 0);
}

TEST(GenerateMesh, Pipe) {
    const MeshReport report = expect_sound(make_pipe(), "pipe", 0);
    EXPECT_GT(report.max.z, 2.2 * 2);
    EXPECT_LT(report.min.z, -0.5);
    // Without its mouth it is a tube less its bore: sections times the path's length.
    const MeshReport plain = expect_sound(make_pipe({.mouth_radius = 0}), "no mouth", 0);
    const double climb = 2.2 / (2 * kPi);
    const double path_length = 4 * kPi * std::hypot(2, climb) + 2 * 0.6;
    expect_volume(plain.volume, kPi * (0.36 - 0.25) * path_length, 0.008);
    expect_sound(make_pipe({.turns = 0.25f, .segments = 16}), "quarter", 0);
    expect_sound(make_pipe({.coil_radius = 3, .rise = 1.5f, .turns = 5, .mouth_radius = 0.8f}),
                 "flat", 0);
}

TEST(GenerateMesh, TerrainLiesAsTerrainHeightSays) {
    TerrainMeshOptions options{.size = 10, .rim_height = 1.5f, .cells = 40, .seed = 7};
    const Mesh mesh = make_terrain(options);
    const MeshReport report = expect_sound(mesh, "terrain", 2);
    double sum = 0;
    for (std::size_t i = 0; i < 41u * 41u; ++i) {
        const Vec3& p = mesh.positions[i];
        EXPECT_NEAR(p.z, terrain_height(options, p.x, p.y), 2e-6);
        // Vertices of the border have half a cell, those of corners a quarter.
        const double share = (std::fabs(p.x) == 5 ? 0.5 : 1) * (std::fabs(p.y) == 5 ? 0.5 : 1);
        sum += share * (double{p.z} + 2) / 16;
    }
    EXPECT_NEAR(report.volume, sum, 0.002 * sum);
    EXPECT_EQ(report.min.z, -2);
    EXPECT_GT(report.max.z, 1);

    options.seed = 8;
    EXPECT_NE(terrain_height(options, 1, 2), terrain_height({.seed = 7}, 1, 2));
    float lowest = 0, highest = 0;
    for (float x = -100; x < 100; x += 0.37f) {
        lowest = std::min(lowest, terrain_height({}, x, 0.5f * x));
        highest = std::max(highest, terrain_height({}, x, 0.5f * x));
    }
    EXPECT_GE(lowest, -0.6f);
    EXPECT_LE(highest, 0.6f);
    EXPECT_GT(highest - lowest, 0.6f);
    expect_sound(make_terrain({.height = 0, .cells = 1}), "flat", 2);
}

TEST(GenerateMesh, StatueStandsOneHigh) {
    for (const std::uint32_t seed : {1u, 2u, 3u}) {
        // One hole, between the propped arm and the trunk.
        const MeshReport report = expect_sound(make_statue(seed, 64), "statue", 0);
        EXPECT_EQ(report.min.z, 0);
        EXPECT_NEAR(report.max.z, 1, 1e-6);
        EXPECT_GT(report.volume, 0.04);
        EXPECT_LT(report.volume, 0.12);
    }
    const std::size_t triangle_count = make_statue().triangles.size();
    EXPECT_GT(triangle_count, 20000u);
}

TEST(GenerateMesh, TheSameFromRunToRun) {
    const Mesh a = make_terrain(), b = make_terrain();
    EXPECT_EQ(a.positions, b.positions);
    EXPECT_EQ(a.triangles, b.triangles);
    EXPECT_EQ(make_statue(5, 48).positions, make_statue(5, 48).positions);
    // And on every machine: the engine's numbers are given by the standard.
    EXPECT_NEAR(terrain_height({}, 1, 2), -0.26373446f, 1e-6);
}

template <class Make>
void expect_refused(const Make& make, const char* kind, const char* option) {
    EXPECT_THAT(make, ThrowsMessage<Error>(AllOf(StartsWith(kind), HasSubstr(option))));
}

TEST(GenerateMesh, WrongMeasuresAreRefusedByName) {
    const float nan = std::nanf("");
    expect_refused([] { make_torus({.tube_radius = 0.5f}); }, "torus: ", "below radius, 0.5");
    expect_refused([&] { make_torus({.radius = nan}); }, "torus: ", "radius is nan");
    expect_refused([] { make_torus({.sides = 2}); }, "torus: ", "sides is 2");
    expect_refused([] { make_torus({.segments = 100000}); }, "torus: ", "3 to 4096");
    expect_refused([] { make_sphere(-1); }, "sphere: ", "radius is -1");
    expect_refused([] { make_sphere(1, 10); }, "sphere: ", "subdivisions");
    expect_refused([] { make_knot({.p = 2, .q = 4}); }, "knot: ", "common divisor");
    expect_refused([] { make_knot({.winding_radius = 0.45f}); }, "knot: ", "below radius");
    expect_refused([] { make_knot({.p = 2, .q = 9, .tube_radius = 0.15f}); },
                   "knot: ", "through itself");
    expect_refused([] { make_gear({.teeth = 2}); }, "gear: ", "teeth");
    expect_refused([] { make_gear({.tooth_height = 1}); }, "gear: ", "tooth_height");
    expect_refused([] { make_gear({.bore_radius = 0.43f}); }, "gear: ", "bore_radius");
    expect_refused([&] { make_gear({.bore_radius = nan}); }, "gear: ", "bore_radius");
    expect_refused([] { make_bowl({.opening = 3.2f}); }, "bowl: ", "opening");
    expect_refused([] { make_bowl({.wall = 0}); }, "bowl: ", "wall");
    expect_refused([] { make_funnel({.throat_radius = 1}); }, "funnel: ", "below mouth_radius");
    expect_refused([] { make_funnel({.rings = 0}); }, "funnel: ", "rings");
    expect_refused([&] { make_sheet({.width = nan}); }, "sheet: ", "width");
    expect_refused([] { make_sheet({.rows = 0}); }, "sheet: ", "rows");
    expect_refused([] { make_skirt({.length = 0}); }, "skirt: ", "length");
    expect_refused([] { make_skirt({.pleat_depth = 0.7f}); }, "skirt: ", "pleat_depth");
    expect_refused([] { make_skirt({.pleats = -1}); }, "skirt: ", "pleats");
    expect_refused([] { make_pipe({.coil_radius = 0.5f, .rise = 1}); }, "pipe: ", "coil_radius");
    expect_refused([] { make_pipe({.rise = 1.1f}); }, "pipe: ", "rise above");
    expect_refused([] { make_pipe({.mouth_radius = 0.3f}); }, "pipe: ", "mouth_radius");
    expect_refused([] { make_pipe({.rise = 0.5f, .turns = 1}); }, "pipe: ", "through itself");
    expect_refused([] { make_pipe({.turns = 50}); }, "pipe: ", "segments");
    expect_refused([] { make_terrain({.depth = 0.5f}); }, "terrain: ", "depth");
    expect_refused([] { make_terrain({.cells = 0}); }, "terrain: ", "cells");
    expect_refused([&] { terrain_height({.size = nan}, 0, 0); }, "terrain: ", "size");
    expect_refused([] { make_statue(1, 10); }, "statue: ", "resolution");
    expect_refused([] { make_bolt({.thread = {.depth = 0.5f}}); }, "bolt: ", "depth");
    expect_refused([] { make_bolt({.thread = {.pitch = 0.15f}}); }, "bolt: ", "pitch");
    expect_refused([] { make_bolt({.thread = {.segments = 64}}); }, "bolt: ", "multiple of 6");
    expect_refused([] { make_bolt({.length = 0.5f}); }, "bolt: ", "length");
    expect_refused([] { make_bolt({.head_radius = 0.55f}); }, "bolt: ", "head_radius");
    expect_refused([] { make_nut({.clearance = 0.07f}); }, "nut: ", "clearance");
    expect_refused([] { make_nut({.radius = 0.55f}); }, "nut: ", "radius");
}

TEST(GenerateMesh, PathsThatMakeNoTubeAreRefused) {
    const auto refuses = [](std::vector<Vec3> path, float radius, const char* why) {
        expect_refused([&] { make_tube(path, radius); }, "tube: ", why);
    };
    refuses({{0, 0, 0}}, 0.1f, "two points");
    refuses({{0, 0, 0}, {0, 0, 0}}, 0.1f, "points 0 and 1");
    refuses({{0, 0, 0}, {0, 0, std::nanf("")}}, 0.1f, "point 1");
    refuses({{0, 0, 0}, {0, 0, 1}, {0, 0.1f, 0}}, 0.01f, "120 degrees");
    refuses({{0, 0, 0}, {0, 0, 1}}, 0, "radius");
    // Wider than the corner is round, and back through its own beginning.
    refuses({{0, 0, 0}, {0, 0, 1}, {0, 0.2f, 1}, {0, 0.2f, 0}}, 0.15f, "through itself");
    refuses({{0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {0, 1, 0.5f}, {0, -1, 0.5f}}, 0.1f, "through itself");
}

}  // namespace
}  // namespace graze
