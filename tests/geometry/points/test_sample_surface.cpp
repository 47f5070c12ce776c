// Points spread over a surface are on it, about a spacing apart, and near to all of it: asserted by
// random points of the surface, which know nothing of how the samples were found.
#include "geometry/points/sample_surface.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "geometry/closest_point_triangle.h"
#include "geometry/points/point_grid.h"
#include "graze/error.h"
#include "graze/mesh_io.h"
#include "tests/needs_data.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {
namespace {

constexpr std::uint32_t kNobody = 0xffffffffu;

// All in units of the spacing.
struct SpreadFigures {
    double min_neighbour = 1e30, mean_neighbour = 0;  // distances to the nearest on the same side
    double cover = 0;  // of random points of the surface to the nearest sample on their side
};

bool is_same_side(const Vec3& a, const Vec3& b) {
    return dot(a, b) > -0.2f;
}

Vec3 face_normal(const Mesh& mesh, const Triangle& t) {
    return normalized(cross(mesh.positions[t[1]] - mesh.positions[t[0]],
                            mesh.positions[t[2]] - mesh.positions[t[0]]));
}

double nearest(const PointGrid& grid, const SurfacePoints& points, const Vec3& at,
               const Vec3& normal, std::uint32_t but) {
    double best = 1e30;
    grid.visit_near(at, [&](std::uint32_t i, const Vec3& position) {
        if (i == but || !is_same_side(points.normals[i], normal)) return;
        best = std::min(best, static_cast<double>(length(position - at)));
    });
    return best;
}

// Points drawn evenly over a mesh's area, and its vertices: the places most easily missed.
template <class Visit>
void visit_surface(const Mesh& mesh, int count, const Visit& visit) {
    std::vector<double> areas;
    for (const Triangle& t : mesh.triangles) {
        areas.push_back(
            static_cast<double>(length(cross(mesh.positions[t[1]] - mesh.positions[t[0]],
                                             mesh.positions[t[2]] - mesh.positions[t[0]]))));
        for (const std::uint32_t vertex : t.v)
            visit(mesh.positions[vertex], face_normal(mesh, t));
    }
    std::mt19937 random(7);
    std::discrete_distribution<std::size_t> draw(areas.begin(), areas.end());
    std::uniform_real_distribution<float> unit(0, 1);
    for (int i = 0; i < count; ++i) {
        const Triangle& t = mesh.triangles[draw(random)];
        float u = unit(random), v = unit(random);
        if (u + v > 1) u = 1 - u, v = 1 - v;
        visit(mesh.positions[t[0]] * (1 - u - v) + mesh.positions[t[1]] * u +
                  mesh.positions[t[2]] * v,
              face_normal(mesh, t));
    }
}

SpreadFigures measure(const Mesh& mesh, const SurfacePoints& points, float spacing) {
    EXPECT_EQ(points.positions.size(), points.normals.size());
    CpuExecutor executor;
    PointGrid grid(3.0 * static_cast<double>(spacing));
    grid.build(executor, static_cast<std::int64_t>(points.positions.size()),
               [&](std::int64_t i) { return points.positions[static_cast<std::size_t>(i)]; });
    SpreadFigures figures;
    for (std::uint32_t i = 0; i < points.positions.size(); ++i) {
        const double distance =
            nearest(grid, points, points.positions[i], points.normals[i], i) / spacing;
        figures.min_neighbour = std::min(figures.min_neighbour, distance);
        figures.mean_neighbour += distance / static_cast<double>(points.positions.size());
        EXPECT_NEAR(length(points.normals[i]), 1, 1e-5);
    }
    visit_surface(mesh, oracle::case_count(30000), [&](const Vec3& at, const Vec3& normal) {
        figures.cover =
            std::max(figures.cover, nearest(grid, points, at, normal, kNobody) / spacing);
    });
    return figures;
}

void expect_on_surface(const Mesh& mesh, const SurfacePoints& points, float tolerance) {
    const std::size_t step = std::max<std::size_t>(1, points.positions.size() / 300);
    for (std::size_t i = 0; i < points.positions.size(); i += step) {
        float best = 1e30f;
        for (const Triangle& t : mesh.triangles) {
            best = std::min(best, closest_point_triangle(points.positions[i], mesh.positions[t[0]],
                                                         mesh.positions[t[1]], mesh.positions[t[2]])
                                      .distance_sq);
        }
        EXPECT_LT(std::sqrt(best), tolerance);
    }
}

// The vertices of an octahedron's triangles, halved again and again, on the unit sphere.
Mesh unit_sphere(int halvings) {
    const Vec3 axes[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    const int n = 1 << halvings;
    Mesh mesh;
    for (int octant = 0; octant < 8; ++octant) {
        const Vec3 a = axes[octant & 1], b = axes[2 + (octant >> 1 & 1)],
                   c = axes[4 + (octant >> 2 & 1)];
        const bool is_mirrored = ((octant ^ octant >> 1 ^ octant >> 2) & 1) != 0;
        const auto at = [&](int i, int j) {
            const auto u = static_cast<float>(i), v = static_cast<float>(j);
            mesh.positions.push_back(
                normalized(a * (static_cast<float>(n) - u - v) + b * u + c * v));
            return static_cast<std::uint32_t>(mesh.positions.size() - 1);
        };
        const auto add = [&](std::uint32_t p, std::uint32_t q, std::uint32_t r) {
            mesh.triangles.push_back(is_mirrored ? Triangle{{p, r, q}} : Triangle{{p, q, r}});
        };
        for (int i = 0; i < n; ++i) {
            for (int j = 0; i + j < n; ++j) {
                add(at(i, j), at(i + 1, j), at(i, j + 1));
                if (i + j + 1 < n) add(at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            }
        }
    }
    return mesh;
}

// Vertices at the same place become one.
Mesh welded(const Mesh& mesh) {
    Mesh result;
    std::vector<std::uint32_t> index(mesh.positions.size());
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
        std::size_t k = 0;
        while (k < result.positions.size() && !(result.positions[k] == mesh.positions[i]))
            ++k;
        if (k == result.positions.size()) result.positions.push_back(mesh.positions[i]);
        index[i] = static_cast<std::uint32_t>(k);
    }
    for (const Triangle& t : mesh.triangles)
        result.triangles.push_back({{index[t[0]], index[t[1]], index[t[2]]}});
    return result;
}

Mesh box(const Vec3& half) {
    Mesh mesh = sample::cube();
    for (Vec3& position : mesh.positions)
        position = {position.x * half.x, position.y * half.y, position.z * half.z};
    return mesh;
}

TEST(SampleSurface, SpreadsPointsOverASphere) {
    const Mesh mesh = welded(unit_sphere(4));
    const float spacing = 0.08f;
    const SurfacePoints points = sample_surface(mesh, spacing, 0);
    const SpreadFigures figures = measure(mesh, points, spacing);
    EXPECT_GT(figures.min_neighbour, 0.75);
    EXPECT_NEAR(figures.mean_neighbour, 0.95, 0.02);
    EXPECT_LT(figures.cover, kCoverFraction);
    const double area = 4 * 3.14159265;
    EXPECT_NEAR(static_cast<double>(points.positions.size()) * spacing * spacing / area, 1, 0.05);
    for (std::size_t i = 0; i < points.positions.size(); ++i) {
        EXPECT_GT(dot(points.normals[i], normalized(points.positions[i])), 0.995f)
            << "interpolated normals are closer to the sphere's than those of its faces";
    }
    expect_on_surface(mesh, points, 1e-5f);
}

TEST(SampleSurface, CoversCornersAndEdgesOfABox) {
    const Mesh mesh = box({1, 0.5f, 0.25f});
    const float spacing = 0.07f;
    const SurfacePoints points = sample_surface(mesh, spacing, 0);
    const SpreadFigures figures = measure(mesh, points, spacing);
    EXPECT_GT(figures.min_neighbour, 0.5);
    EXPECT_GT(figures.mean_neighbour, 0.9);
    EXPECT_LT(figures.cover, kCoverFraction);
    int corner_count = 0, edge_count = 0;
    for (std::size_t i = 0; i < points.positions.size(); ++i) {
        const Vec3& p = points.positions[i];
        const int at_end = (std::fabs(p.x) == 1 ? 1 : 0) + (std::fabs(p.y) == 0.5f ? 1 : 0) +
                           (std::fabs(p.z) == 0.25f ? 1 : 0);
        corner_count += at_end == 3 ? 1 : 0;
        edge_count += at_end == 2 ? 1 : 0;
        EXPECT_GT(dot(points.normals[i], p), 0) << "outward";
        if (at_end == 1) {
            const Vec3& n = points.normals[i];
            EXPECT_GT(std::fabs(n.x) + std::fabs(n.y) + std::fabs(n.z), 0.999f);
            EXPECT_LT(std::fabs(n.x) + std::fabs(n.y) + std::fabs(n.z), 1.001f)
                << "inside a face the normal is the face's, creases or not";
        }
    }
    EXPECT_EQ(corner_count, 8);
    // Four edges each of 2, 1 and 0.5.
    EXPECT_GT(edge_count, 4 * (28 + 14 + 7) - 24);
    expect_on_surface(mesh, points, 1e-6f);
}

TEST(SampleSurface, CoversBothSidesOfAThinSheet) {
    const Mesh mesh = box({1, 1, 0.002f});
    const float spacing = 0.1f;
    const SurfacePoints points = sample_surface(mesh, spacing, 0);
    const SpreadFigures figures = measure(mesh, points, spacing);
    EXPECT_LT(figures.cover, kCoverFraction);
    EXPECT_GT(figures.mean_neighbour, 0.85);
    int top_count = 0, bottom_count = 0;
    for (const Vec3& normal : points.normals) {
        top_count += normal.z > 0.99f ? 1 : 0;
        bottom_count += normal.z < -0.99f ? 1 : 0;
    }
    EXPECT_GT(top_count, 250);
    EXPECT_GT(bottom_count, 250);
}

TEST(SampleSurface, CoversTheEndsOfOpenMeshes) {
    for (const Mesh& mesh : {sample::single_triangle(), sample::fan(6)}) {
        const float spacing = 0.05f;
        const SurfacePoints points = sample_surface(mesh, spacing, 0);
        const SpreadFigures figures = measure(mesh, points, spacing);
        EXPECT_LT(figures.cover, kCoverFraction);
        EXPECT_GT(figures.mean_neighbour, 0.85);
        expect_on_surface(mesh, points, 1e-6f);
        for (const Vec3& vertex : mesh.positions) {
            const bool is_there = std::find(points.positions.begin(), points.positions.end(),
                                            vertex) != points.positions.end();
            EXPECT_TRUE(is_there) << "a corner of the rim has a point";
        }
    }
}

TEST(SampleSurface, CoversMeshesThatAreNoSurface) {
    for (const Mesh& mesh : {sample::book(5), sample::repeated_triangle(),
                             sample::collapsed_triangles(), sample::twisted_pair()}) {
        const SurfacePoints points = sample_surface(mesh, 0.1f, 0);
        ASSERT_FALSE(points.positions.empty());
        for (std::size_t i = 0; i < points.positions.size(); ++i)
            EXPECT_TRUE(is_finite(points.positions[i]) && is_finite(points.normals[i]));
        expect_on_surface(mesh, points, 1e-5f);
    }
    EXPECT_TRUE(sample_surface({}, 0.1f, 0).positions.empty());
}

TEST(SampleSurface, HasPointsOnAllSidesOfWhatIsSmallerThanTheSpacing) {
    const SurfacePoints points = sample_surface(welded(unit_sphere(2)), 10, 0);
    ASSERT_GE(points.positions.size(), 2u);
    EXPECT_LE(points.positions.size(), 20u);
    float least = 1;
    for (const Vec3& normal : points.normals)
        least = std::min(least, dot(normal, points.normals[0]));
    EXPECT_LT(least, 0);
}

TEST(SampleSurface, IsTheSameForAnyNumberOfThreads) {
    const Mesh mesh = sample::torus(40, 20);
    const SurfacePoints one = sample_surface(mesh, 0.15f, 1), many = sample_surface(mesh, 0.15f, 0);
    EXPECT_EQ(one.positions, many.positions);
    EXPECT_EQ(one.normals, many.normals);
}

TEST(SampleSurface, TellsItsProgressAndCanBeStopped) {
    double last = -1;
    sample_surface(sample::cube(), 0.2f, 0, [&](double fraction) {
        EXPECT_GE(fraction, last);
        EXPECT_LE(fraction, 1);
        last = fraction;
        return true;
    });
    EXPECT_EQ(last, 1);
    int call_count = 0;
    EXPECT_THROW(sample_surface(sample::cube(), 0.2f, 0, [&](double) { return ++call_count < 5; }),
                 Error);
    EXPECT_EQ(call_count, 5);
}

TEST(SampleSurface, RefusesSpacingsThatAreTooSmall) {
    try {
        sample_surface(sample::cube(), 1e-4f, 0);
        FAIL() << "2.4 billion points were spread";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("take a spacing of at least"), std::string::npos);
    }
    Mesh far_away = sample::cube();
    for (Vec3& position : far_away.positions)
        position += Vec3{1e6f, 0, 0};
    EXPECT_THROW(sample_surface(far_away, 0.1f, 0), Error);
}

TEST(SampleSurface, SpreadsPointsOverTheBunny) {
    GRAZE_NEEDS_DATA("models/bunny_hr.obj");
    const std::filesystem::path file = data_folder() / "models/bunny_hr.obj";
    const Mesh mesh = load_mesh(file);
    const Vec3 size = extent(bounds(mesh));
    const float spacing = size.x / 60;
    const SurfacePoints points = sample_surface(mesh, spacing, 0);
    const SpreadFigures figures = measure(mesh, points, spacing);
    EXPECT_GT(figures.min_neighbour, 0.3);
    EXPECT_GT(figures.mean_neighbour, 0.85);
    EXPECT_LT(figures.mean_neighbour, 1.05);
    EXPECT_LT(figures.cover, kCoverFraction);
    expect_on_surface(mesh, points, 1e-5f * size.x);
}

TEST(PointsOfVertices, HaveTheirTrianglesMeanNormal) {
    const Mesh mesh = sample::cube();
    const SurfacePoints points = points_of_vertices(mesh, 0);
    EXPECT_EQ(points.positions, mesh.positions);
    for (std::size_t i = 0; i < points.normals.size(); ++i)
        EXPECT_LT(length(points.normals[i] - normalized(mesh.positions[i])), 1e-6f);
}

}  // namespace
}  // namespace graze
