// Bolt and nut fit: the thread is what it should be, and the nut keeps its clearance as it moves.
#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "graze/generate_mesh.h"
#include "graze/mesh_report.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/mesh_distance.h"

namespace graze {
namespace {

constexpr double kPi = std::numbers::pi;

// Points of the threaded part of a mesh: vertices, and middles of faces and edges.
std::vector<Vec3d> thread_points(const Mesh& mesh) {
    std::vector<Vec3d> points;
    for (const Triangle& t : mesh.triangles) {
        Vec3d corner[3];
        for (int k = 0; k < 3; ++k)
            corner[k] = static_cast<Vec3d>(mesh.positions[t[k]]);
        for (const Vec3d& p : {corner[0], (corner[0] + corner[1]) / 2.0,
                               (corner[0] + corner[1] + corner[2]) / 3.0}) {
            if (std::hypot(p.x, p.y) < 0.6) points.push_back(p);
        }
    }
    return points;
}

Vec3d turned(const Vec3d& p, double angle, double climb) {
    const double c = std::cos(angle), s = std::sin(angle);
    return {c * p.x - s * p.y, s * p.x + c * p.y, p.z + climb};
}

double least_distance(const std::vector<Vec3d>& points, const oracle::MeshDistance& solid,
                      double angle, double climb) {
    double least = std::numeric_limits<double>::infinity();
    for (const Vec3d& p : points)
        least = std::min(least, solid(turned(p, angle, climb)).distance);
    return least;
}

TEST(GenerateThread, BoltAndNutAreSound) {
    const ThreadOptions threads[] = {{},
                                     {.radius = 2, .pitch = 0.5f, .depth = 0.2f, .segments = 48},
                                     {.pitch = 0.9f, .depth = 0.3f},
                                     {.flank_angle = 0.05f, .segments = 12}};
    for (const ThreadOptions& thread : threads) {
        const MeshReport bolt = inspect(
            make_bolt({.thread = thread, .length = 2, .head_radius = thread.radius * 1.8f}));
        const MeshReport nut =
            inspect(make_nut({.thread = thread, .radius = thread.radius * 1.9f}));
        EXPECT_TRUE(bolt.is_closed());
        EXPECT_TRUE(nut.is_closed());
        EXPECT_EQ(bolt.euler_characteristic, 2);
        EXPECT_EQ(nut.euler_characteristic, 0);
        EXPECT_EQ(bolt.self_intersection_count, 0);
        EXPECT_EQ(nut.self_intersection_count, 0);
        EXPECT_EQ(bolt.degenerate_triangle_count + nut.degenerate_triangle_count, 0);
        EXPECT_GT(bolt.volume, 0);
        EXPECT_GT(nut.volume, 0);
    }
}

TEST(GenerateThread, TheBoltHasItsMeasures) {
    const Mesh mesh = make_bolt();
    const Aabb box = bounds(mesh);
    EXPECT_FLOAT_EQ(box.min.z, -0.4f);
    EXPECT_FLOAT_EQ(box.max.z, 2);
    EXPECT_FLOAT_EQ(box.max.x, 0.9f);
    // In the middle of the shaft, at angle a, the crest is where z is a multiple of the pitch plus
    // pitch * a / 2 pi: right-handed.
    const oracle::MeshDistance solid(mesh);
    for (int i = 0; i < 20; ++i) {
        const double angle = 2 * kPi * i / 20, z = 0.9 + 0.3 * i / 20;
        const Vec3d out{std::cos(angle), std::sin(angle), 0};
        EXPECT_LT(solid(out * 0.49 + Vec3d{0, 0, z}).distance, 0);
        EXPECT_GT(solid(out * 0.51 + Vec3d{0, 0, z}).distance, 0);
        EXPECT_LT(solid(out * 0.35 + Vec3d{0, 0, z + 0.15}).distance, 0);
        EXPECT_GT(solid(out * 0.37 + Vec3d{0, 0, z + 0.15}).distance, 0);
    }
}

// From 97% to 102% of the clearance: what chords of 96 segments and faces across the flanks are off
// the thread, on the bolt and on the nut.
TEST(GenerateThread, TheNutKeepsItsClearanceOnItsWay) {
    const Mesh bolt = make_bolt(), nut = make_nut();
    const oracle::MeshDistance bolt_solid(bolt), nut_solid(nut);
    const std::vector<Vec3d> bolt_points = thread_points(bolt), nut_points = thread_points(nut);
    std::mt19937 random(3);
    for (int i = 0; i < oracle::case_count(10); ++i) {
        // By up to a turn and a half in either direction, in all that time fully on the thread.
        const double angle = (static_cast<double>(random()) / 4294967296.0 - 0.5) * 6 * kPi;
        const double climb = 0.9 + 0.3 * angle / (2 * kPi);
        const double of_nut = least_distance(nut_points, bolt_solid, angle, climb);
        std::vector<Vec3d> seen_from_nut;
        for (const Vec3d& p : bolt_points) {
            if (std::fabs(p.z - climb) < 0.4)
                seen_from_nut.push_back(turned({p.x, p.y, p.z - climb}, -angle, 0));
        }
        const double of_bolt = least_distance(seen_from_nut, nut_solid, 0, 0);
        for (const double clearance : {of_nut, of_bolt}) {
            EXPECT_GT(clearance, 0.97 * 0.02) << angle;
            EXPECT_LT(clearance, 1.02 * 0.02) << angle;
        }
    }
    // Turned in the wrong direction, or not moved along, it does not fit.
    EXPECT_LT(least_distance(nut_points, bolt_solid, kPi / 2, 0.9 - 0.3 / 4), 0);
    EXPECT_LT(least_distance(nut_points, bolt_solid, 0, 0.9 + 0.3 / 2), -0.05);
}

TEST(GenerateThread, TheThreadRunsOutSoThatTheNutCanBePutOn) {
    const Mesh bolt = make_bolt(), nut = make_nut();
    const oracle::MeshDistance bolt_solid(bolt);
    const std::vector<Vec3d> nut_points = thread_points(nut);
    for (int i = 0; i <= 12; ++i) {
        // From above the bolt down to its head.
        const double climb = 2.5 - (2.5 - 0.36) * i / 12, angle = 2 * kPi * (climb - 0.9) / 0.3;
        EXPECT_GT(least_distance(nut_points, bolt_solid, angle, climb), 0.009) << climb;
    }
}

}  // namespace
}  // namespace graze
