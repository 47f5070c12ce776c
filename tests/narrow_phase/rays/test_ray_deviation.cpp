// The deviation of the reaction against the ground, as Hermann et al. (2008) and table 1 of
// Lehericey et al. (2013) measure it: the ratio of tangential to normal force, where each contact
// pushes by its depth along its normal. It should be 0.
#include <gtest/gtest.h>

#include "graze/mesh_io.h"
#include "tests/narrow_phase/rays/ray_cases.h"
#include "tests/needs_data.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

// Rings of latitude between two poles.
Mesh globe(int segments, int rings) {
    Mesh mesh{{{0, 0, 1}, {0, 0, -1}}, {}};
    constexpr float kPi = 3.14159265f;
    for (int ring = 0; ring < rings; ++ring) {
        const float latitude = kPi * static_cast<float>(ring + 1) / static_cast<float>(rings + 1);
        for (int i = 0; i < segments; ++i) {
            const float angle = 2 * kPi * static_cast<float>(i) / static_cast<float>(segments);
            mesh.positions.push_back({std::sin(latitude) * std::cos(angle),
                                      std::sin(latitude) * std::sin(angle), std::cos(latitude)});
        }
    }
    const auto at_ring = [&](int ring, int i) {
        return static_cast<std::uint32_t>(2 + ring * segments + i % segments);
    };
    for (int i = 0; i < segments; ++i) {
        mesh.triangles.push_back({{0, at_ring(0, i), at_ring(0, i + 1)}});
        mesh.triangles.push_back({{1, at_ring(rings - 1, i + 1), at_ring(rings - 1, i)}});
        for (int ring = 0; ring + 1 < rings; ++ring) {
            mesh.triangles.push_back(
                {{at_ring(ring, i), at_ring(ring + 1, i), at_ring(ring + 1, i + 1)}});
            mesh.triangles.push_back(
                {{at_ring(ring, i), at_ring(ring + 1, i + 1), at_ring(ring, i + 1)}});
        }
    }
    return mesh;
}

// The mean over orientations and depths up to half of the body's radius.
double deviation(const Mesh& mesh, RayResponse response, int orientations, int depths) {
    DetectorOptions options;
    options.rays.response = response;
    options.rays.is_iterative = false;
    Detector detector(Method::rays, Device::cpu(), options);
    const Shape shape = Shape::from_mesh(mesh);
    Scene scene;
    // The ground is a plane: a large square, all below which is inside. A vertex that no triangle
    // names makes its box deep.
    const Mesh ground{{{-50, -50, 0}, {50, -50, 0}, {50, 50, 0}, {-50, 50, 0}, {0, 0, -50}},
                      {{{0, 1, 2}}, {{0, 2, 3}}}};
    scene.add(Shape::from_mesh(ground));
    const auto body = scene.add(shape);
    RandomPoints<float> random(7);
    double sum = 0;
    int count = 0;
    for (int i = 0; i < orientations; ++i) {
        const Quat rotation = random_rotation(random);
        float lowest = 0;
        for (const Vec3& p : mesh.positions)
            lowest = std::min(lowest, rotate(rotation, p).z);
        for (int k = 1; k <= depths; ++k) {
            const float depth = -0.5f * lowest * static_cast<float>(k) / static_cast<float>(depths);
            scene.set_pose(body, {{0, 0, -lowest - depth}, rotation, 1});
            Vec3d force{0, 0, 0};
            for (const Contact& c : detector.detect(scene)) {
                if (c.feature_b.kind != FeatureKind::vertex) continue;
                force = force + static_cast<Vec3d>(c.normal) * static_cast<double>(-c.distance);
            }
            if (!(std::abs(force.z) > 0)) continue;
            sum += std::hypot(force.x, force.y) / std::abs(force.z);
            ++count;
        }
    }
    EXPECT_GT(count, orientations * depths * 9 / 10);
    return sum / count;
}

struct Deviations {
    double ray, weighted, reprojected;
};

Deviations measure(const char* name, const Mesh& mesh, int orientations, int depths) {
    const Deviations d{deviation(mesh, RayResponse::ray, orientations, depths),
                       deviation(mesh, RayResponse::weighted, orientations, depths),
                       deviation(mesh, RayResponse::reprojected, orientations, depths)};
    std::printf("%s, %zu vertices: ray %.2f%%, weighted %.2f%%, reprojected %.2f%%\n", name,
                mesh.positions.size(), 100 * d.ray, 100 * d.weighted, 100 * d.reprojected);
    return d;
}

TEST(RayDeviation, IsZeroWhereRaysAreReprojected) {
    const Mesh sphere = globe(17, 4);
    ASSERT_EQ(sphere.positions.size(), 70u);
    const Deviations d = measure("sphere", sphere, oracle::case_count(400), 20);
    EXPECT_LT(d.reprojected, 5e-5) << "0.00%";
    EXPECT_LT(d.weighted, d.ray);
    EXPECT_LT(d.ray, 0.15);
    const Deviations l = measure("L", l_shape(), oracle::case_count(100), 5);
    EXPECT_LT(l.reprojected, 5e-5);
    EXPECT_LT(l.weighted, l.ray);
}

TEST(RayDeviation, IsZeroForRealModels) {
    GRAZE_NEEDS_DATA("models");
    const auto folder = data_folder() / "models";
    for (const char* name : {"pig.off", "spot_low.obj"}) {
        Mesh mesh = load_mesh((folder / name).string());
        const Aabb box = bounds(mesh);
        for (Vec3& p : mesh.positions)
            p = (p - centre(box)) * (2 / length(extent(box)));
        const Deviations d = measure(name, mesh, oracle::case_count(40), 5);
        EXPECT_LT(d.reprojected, 5e-5);
        EXPECT_LT(d.weighted, d.ray);
    }
}

}  // namespace
}  // namespace graze
