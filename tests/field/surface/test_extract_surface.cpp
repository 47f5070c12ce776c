#include "graze/extract_surface.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "field/surface/cell_loops.h"
#include "graze/error.h"
#include "graze/mass_properties.h"
#include "graze/mesh_io.h"
#include "graze/mesh_report.h"
#include "tests/needs_data.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/mesh_distance.h"

namespace graze {
namespace {

Field to_field(SampledField samples) {
    CpuExecutor executor;
    build_min_max_tree(executor, samples);
    return make_sampled_field(std::make_shared<SampledField>(std::move(samples)));
}

// Checks that a mesh is closed, oriented, without degenerate or repeated triangles, and that the
// triangles around every vertex form one ring.
void expect_manifold(const Mesh& mesh) {
    const MeshReport report = inspect(mesh, {.self_intersections = false});
    EXPECT_TRUE(report.is_closed());
    EXPECT_EQ(report.boundary_edge_count, 0);
    EXPECT_EQ(report.non_manifold_edge_count, 0);
    EXPECT_EQ(report.inconsistent_edge_count, 0);
    EXPECT_EQ(report.duplicate_triangle_count, 0);
    EXPECT_EQ(report.isolated_vertex_count, 0);
    std::vector<std::map<std::uint32_t, std::uint32_t>> rings(mesh.positions.size());
    for (const Triangle& t : mesh.triangles) {
        for (int corner = 0; corner < 3; ++corner)
            rings[t[corner]][t[(corner + 1) % 3]] = t[(corner + 2) % 3];
    }
    std::int64_t broken = 0;
    for (const auto& ring : rings) {
        if (ring.empty()) continue;
        std::size_t steps = 0;
        const std::uint32_t start = ring.begin()->first;
        std::uint32_t at = start;
        do {
            const auto next = ring.find(at);
            if (next == ring.end()) break;
            at = next->second;
            ++steps;
        } while (at != start && steps <= ring.size());
        broken += at != start || steps != ring.size();
    }
    EXPECT_EQ(broken, 0) << "vertices without a single ring of triangles";
}

// The largest distance of a vertex from the true surface [voxels].
template <class Distance>
double largest_distance(const Mesh& mesh, const Distance& distance, double spacing) {
    double largest = 0;
    for (const Vec3& p : mesh.positions)
        largest = std::max(largest, std::fabs(distance(static_cast<Vec3d>(p)).distance));
    return largest / spacing;
}
// The same for the middle of each triangle, where cut corners show.
template <class Distance>
double largest_middle_distance(const Mesh& mesh, const Distance& distance, double spacing) {
    double largest = 0;
    for (const Triangle& t : mesh.triangles) {
        const Vec3d sum = static_cast<Vec3d>(mesh.positions[t[0]]) +
                          static_cast<Vec3d>(mesh.positions[t[1]]) +
                          static_cast<Vec3d>(mesh.positions[t[2]]);
        largest = std::max(largest, std::fabs(distance(sum / 3.0).distance));
    }
    return largest / spacing;
}

bool same_mesh(const Mesh& a, const Mesh& b) {
    return a.positions.size() == b.positions.size() && a.triangles == b.triangles &&
           std::memcmp(a.positions.data(), b.positions.data(), a.positions.size() * sizeof(Vec3)) ==
               0;
}

// For every corner pattern and every choice at its ambiguous faces, each crossed edge is in one
// loop, each loop is closed, and what is seen from both sides of a face is the same, reversed.
TEST(CellLoops, EveryPatternGivesClosedLoops) {
    // (face of the cell, from edge, to edge) as seen by the cell, by corner pattern of the face.
    for (unsigned inside = 0; inside < 256; ++inside) {
        for (unsigned choices = 0; choices < 64; ++choices) {
            const CellLoops loops = trace_loops(static_cast<std::uint8_t>(inside), [&](int face) {
                return (choices >> face & 1) != 0;
            });
            std::set<int> crossed, seen;
            for (int edge = 0; edge < kCellEdgeCount; ++edge) {
                const int low = cell_edge_corner(edge), high = low | 1 << cell_edge_axis(edge);
                if ((inside >> low & 1) != (inside >> high & 1)) crossed.insert(edge);
            }
            for (int n = 0; n < loops.begin[loops.loop_count]; ++n)
                EXPECT_TRUE(seen.insert(loops.edges[n]).second);
            EXPECT_EQ(seen, crossed);
            for (int loop = 0; loop < loops.loop_count; ++loop) {
                const int begin = loops.begin[loop], count = loops.begin[loop + 1] - begin;
                EXPECT_GE(count, 3);
                std::set<int> faces;
                for (int m = 0; m < count; ++m) {
                    const int from = loops.edges[begin + m];
                    const int to = loops.edges[begin + (m + 1) % count];
                    const int face = loops.faces[begin + m];
                    faces.insert(face);
                    // Both edges are on the face.
                    for (const int edge : {from, to}) {
                        EXPECT_NE(cell_edge_axis(edge), face / 2);
                        EXPECT_EQ(cell_edge_corner(edge) >> face / 2 & 1, face & 1);
                    }
                }
                EXPECT_EQ(static_cast<int>(faces.size()) < count, (loops.doubled >> loop & 1) != 0);
            }
        }
    }
}

struct SurfaceCase {
    std::string name;
    std::function<oracle::ExactValue(const Vec3d&)> distance;
    double volume;
    int euler_characteristic;
    bool is_smooth;
};
std::vector<SurfaceCase> surface_cases() {
    return {
        {"sphere", oracle::ExactSphere{{0.02, -0.03, 0.01}, 0.7}, 4.18879 * 0.343, 2, true},
        {"torus", oracle::ExactTorus{0.6, 0.2}, 19.7392 * 0.6 * 0.04, 0, true},
        {"box", oracle::ExactBox{{0.613, 0.377, 0.219}}, 8 * 0.613 * 0.377 * 0.219, 2, false},
        // The plate is less than a voxel thick.
        {"plate", oracle::ExactBox{{0.613, 0.377, 0.009}}, 8 * 0.613 * 0.377 * 0.009, 2, false}};
}

TEST(ExtractSurface, ClosedExactAndOfTheRightGenus) {
    for (const SurfaceCase& c : surface_cases()) {
        for (const bool is_sparse : {false, true}) {
            for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
                SCOPED_TRACE(c.name + (is_sparse ? ", sparse" : ", dense") + ", order " +
                             std::to_string(static_cast<int>(order)));
                // The plate is only seen where it has samples in it.
                const bool is_even = is_sparse || c.name == "plate";
                const FieldGrid grid = oracle::cube_grid(is_even ? 48 : 45, 1);
                const Field field =
                    to_field(oracle::fill_field(c.distance, grid, order, is_sparse));
                const Mesh mesh = extract_surface(field);
                expect_manifold(mesh);
                const MeshReport report = inspect(mesh);
                EXPECT_EQ(report.euler_characteristic, c.euler_characteristic);
                EXPECT_EQ(report.component_count, 1);
                EXPECT_EQ(report.degenerate_triangle_count, 0);
                EXPECT_EQ(report.self_intersection_count, 0);
                const bool is_one = order == FieldOrder::one;
                EXPECT_NEAR(report.volume, c.volume, c.volume * (is_one ? 0.01 : 0.08));
                EXPECT_LT(largest_distance(mesh, c.distance, grid.spacing),
                          c.is_smooth ? 0.005 : (is_one ? 0.002 : 0.25));
            }
        }
    }
}

// The samples of order 1 tell where edges and corners are; without asking for them they are cut.
TEST(ExtractSurface, SharpEdgesAreEdgesOfTheMesh) {
    const oracle::ExactBox box{{0.613, 0.377, 0.219}};
    const FieldGrid grid = oracle::cube_grid(48, 1);
    const Field field = to_field(oracle::fill_field(box, grid, FieldOrder::one, true));
    const Mesh sharp = extract_surface(field), cut = extract_surface(field, {.sharp = false});
    expect_manifold(cut);
    EXPECT_LT(largest_middle_distance(sharp, box, grid.spacing), 0.001);
    EXPECT_GT(largest_middle_distance(cut, box, grid.spacing), 0.1);
    EXPECT_NEAR(inspect(sharp).volume, 8 * 0.613 * 0.377 * 0.219, 1e-5);
    const Field formula =
        intersect(Field::box({0.6f, 0.4f, 0.3f}), Field::sphere({0, 0, 0}, 0.63f));
    const Mesh mesh = extract_surface(formula, {.resolution = 50});
    expect_manifold(mesh);
    EXPECT_LT(largest_distance(
                  mesh,
                  [&](const Vec3d& p) {
                      return oracle::ExactValue{double(formula.distance(static_cast<Vec3>(p)))};
                  },
                  1.2 / 50),
              0.1);
}

// Values without any order have all corner patterns and ambiguous faces in them.
struct Static {
    std::uint64_t seed;
    double reach;
    oracle::ExactValue operator()(const Vec3d& p) const {
        if (std::max({std::fabs(p.x), std::fabs(p.y), std::fabs(p.z)}) > reach) return {1, {}};
        std::uint64_t bits = seed;
        for (int axis = 0; axis < 3; ++axis) {
            bits = (bits ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(p[axis] * 65536))) *
                   0x9e3779b97f4a7c15u;
            bits ^= bits >> 29;
        }
        const auto number = [&](int shift) { return double(bits >> shift & 1023) / 512 - 1; };
        // Now and then there is a zero exactly on a sample.
        return {bits % 64 == 0 ? 0 : number(50), {number(40), number(30), number(20)}};
    }
};

TEST(ExtractSurface, NoiseIsManifoldToo) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        for (const bool is_sparse : {false, true}) {
            for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
                for (const bool sharp : {false, true}) {
                    const FieldGrid grid = oracle::cube_grid(is_sparse ? 24 : 21, 1);
                    const Static noise{seed, 0.9};
                    // There are bricks everywhere but in the corner blocks, which are far outside.
                    const auto all = [](std::int64_t, std::int64_t, std::int64_t) { return true; };
                    const Field field =
                        to_field(is_sparse ? oracle::fill_sparse(noise, grid, order, 0.1f, all)
                                           : oracle::fill_dense(noise, grid, order));
                    const Mesh mesh = extract_surface(field, {.sharp = sharp});
                    EXPECT_GT(mesh.triangles.size(), 5000u);
                    expect_manifold(mesh);
                }
            }
        }
    }
}

// Dense and sparse fields of the same samples have the same surface: bricks leave no seam.
TEST(ExtractSurface, BricksLeaveNoSeam) {
    const oracle::ExactTorus torus{0.6, 0.2};
    const FieldGrid grid = oracle::cube_grid(48, 1);
    const Mesh dense =
        extract_surface(to_field(oracle::fill_field(torus, grid, FieldOrder::one, false)));
    const Mesh sparse =
        extract_surface(to_field(oracle::fill_field(torus, grid, FieldOrder::one, true)));
    EXPECT_TRUE(same_mesh(dense, sparse));
}

TEST(ExtractSurface, ThreadsChangeNothing) {
    const Field field = to_field(oracle::fill_field(
        oracle::ExactBox{{0.6, 0.35, 0.2}}, oracle::cube_grid(48, 1), FieldOrder::one, true));
    EXPECT_TRUE(
        same_mesh(extract_surface(field, {.device = Device::cpu(1)}), extract_surface(field)));
}

TEST(ExtractSurface, NeedsNoTree) {
    auto samples = std::make_shared<SampledField>(oracle::fill_field(
        oracle::ExactTorus{0.6, 0.2}, oracle::cube_grid(40, 1), FieldOrder::one, false));
    const Mesh without = extract_surface(make_sampled_field(samples));
    CpuExecutor executor;
    build_min_max_tree(executor, *samples);
    EXPECT_TRUE(same_mesh(without, extract_surface(make_sampled_field(samples))));
}

TEST(ExtractSurface, OtherLevels) {
    const oracle::ExactSphere sphere{{0, 0, 0}, 0.6};
    const FieldGrid grid = oracle::cube_grid(48, 1);
    for (const bool is_sparse : {false, true}) {
        const Field field = to_field(oracle::fill_field(sphere, grid, FieldOrder::one, is_sparse));
        for (const float level : {-0.1f, 0.05f, 0.12f}) {
            const Mesh mesh = extract_surface(field, {.level = level});
            expect_manifold(mesh);
            EXPECT_LT(largest_distance(mesh, oracle::ExactSphere{{0, 0, 0}, 0.6 + double(level)},
                                       grid.spacing),
                      0.005);
        }
    }
    const Field sparse = to_field(oracle::fill_field(sphere, grid, FieldOrder::one, true));
    EXPECT_THROW(extract_surface(sparse, {.level = 0.2f}), Error);
    const Mesh grown = extract_surface(Field::box({0.2f, 0.2f, 0.2f}), {.level = 0.3f});
    expect_manifold(grown);
    EXPECT_NEAR(bounds(grown).max.x, 0.5f, 1e-3f);
}

TEST(ExtractSurface, OfFormulasAndTheirCombinations) {
    const Field field =
        subtract(unite(Field::box({1, 0.5f, 0.25f}), Field::sphere({1, 0, 0}, 0.6f)),
                 Field::cylinder(0.3f, 2))
            .transformed({{5, 6, 7}, Quat::from_axis_angle({1, 2, 3}, 1.0f), 2});
    const Mesh mesh = extract_surface(field, {.resolution = 60});
    expect_manifold(mesh);
    EXPECT_EQ(inspect(mesh).euler_characteristic, 0);  // one hole
    const double spacing = 2 * 2.6 / 60;
    EXPECT_LT(largest_distance(
                  mesh,
                  [&](const Vec3d& p) {
                      return oracle::ExactValue{double(field.distance(static_cast<Vec3>(p)))};
                  },
                  spacing),
              0.1);
    EXPECT_NEAR(inspect(mesh).volume, mass_properties(field).volume, 0.05);
}

TEST(ExtractSurface, WhatHasNoEndOrNoSurface) {
    EXPECT_THROW(extract_surface(Field::plane({0, 0, 1}, 0)), Error);
    EXPECT_THROW(extract_surface(Field::sphere({0, 0, 0}, 1), {.level = NAN}), Error);
    EXPECT_THROW(extract_surface(Field::sphere({0, 0, 0}, 1), {.resolution = -3}), Error);
    EXPECT_TRUE(extract_surface(Field::sphere({0, 0, 0}, 0)).triangles.empty());
    const Field nothing = intersect(Field::sphere({0, 0, 0}, 1), Field::sphere({9, 0, 0}, 1));
    EXPECT_TRUE(extract_surface(nothing).triangles.empty());
    // A surface that leaves the grid is open there.
    const auto slab = [](const Vec3d& p) { return oracle::ExactValue{p.z - 0.1, {0, 0, 1}}; };
    const Mesh open = extract_surface(
        to_field(oracle::fill_dense(slab, oracle::cube_grid(13, 1), FieldOrder::zero)));
    EXPECT_EQ(open.triangles.size(), 2u * 13 * 13);
    EXPECT_EQ(inspect(open).boundary_edge_count, 4 * 13);
}

// The sign of an open sheet's field changes all across the space, the distance is near zero only
// at the sheet: away from it a sparse field has no samples, and the surface ends there.
TEST(ExtractSurface, EndsWhereThereAreNoSamples) {
    const auto disc = [](const Vec3d& p) {
        const double beyond = std::max(std::hypot(p.x, p.y) - 0.35, 0.0);
        return oracle::ExactValue{std::hypot(beyond, p.z) * (p.z - 0.3 * p.x < 0 ? -1 : 1), {}};
    };
    for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
        const Field field =
            to_field(oracle::fill_field(disc, oracle::cube_grid(64, 1), order, true));
        const MeshReport report = inspect(extract_surface(field), {.self_intersections = false});
        EXPECT_GT(report.triangle_count, 500);
        EXPECT_GT(report.boundary_edge_count, 0);
        EXPECT_EQ(report.non_manifold_edge_count, 0);
        EXPECT_EQ(report.inconsistent_edge_count, 0);
    }
}

// Bricks whose samples disagree, as of a damaged file, are an error and not a crash.
TEST(ExtractSurface, RefusesBricksThatDisagree) {
    SampledField samples = oracle::fill_field(oracle::ExactSphere{{0, 0, 0}, 0.7},
                                              oracle::cube_grid(32, 1), FieldOrder::zero, true);
    std::mt19937 random(1);
    for (std::int64_t n = 0; n < samples.values.size(); ++n)
        if (random() % 2) samples.values.data()[n] *= -1;
    EXPECT_THROW(extract_surface(to_field(std::move(samples))), Error);
}

TEST(ExtractSurface, RealModelsComeBack) {
    GRAZE_NEEDS_DATA("models");
    const std::filesystem::path folder = data_folder() / "models";
    for (const char* name : {"knot.off", "spot_low.obj"}) {
        SCOPED_TRACE(name);
        const Mesh model = load_mesh(folder / name);
        const oracle::MeshDistance distance(model);
        const FieldGrid grid = oracle::grid_around(model, 48, true);
        const Field field = to_field(oracle::fill_field(distance, grid, FieldOrder::one, true));
        const Mesh mesh = extract_surface(field);
        expect_manifold(mesh);
        const MeshReport expected = inspect(model), found = inspect(mesh);
        EXPECT_EQ(found.euler_characteristic, expected.euler_characteristic);
        EXPECT_NEAR(found.volume, expected.volume, expected.volume * 0.02);
        EXPECT_LT(largest_distance(mesh, distance, grid.spacing), 0.3);
    }
}

}  // namespace
}  // namespace graze
