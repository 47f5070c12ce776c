// Table 1 of the paper: the ratio of tangential to normal force of bodies against the ground, in
// many orientations and depths, where each contact pushes by its depth along its normal.
#pragma once

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <random>

#include "graze/detector.h"
#include "graze/mesh_io.h"
#include "tests/data_folder.h"

namespace graze {
namespace ray_deviation {

// Rings of latitude between two poles: 17 segments and 4 rings have 70 vertices.
inline Mesh globe(int segments, int rings) {
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

// Moves and scales a mesh so that its box has a diagonal of 2 around the origin.
inline Mesh to_unit(Mesh mesh) {
    const Aabb box = bounds(mesh);
    for (Vec3& p : mesh.positions)
        p = (p - centre(box)) * (2 / length(extent(box)));
    return mesh;
}

struct DeviationOptions {
    int orientations = 400, depths = 20;
    int threads = 0;
};

// The mean over orientations and depths, up to half of how far the body reaches down.
inline double deviation(const Mesh& mesh, RayResponse response, const DeviationOptions& how) {
    DetectorOptions options;
    options.rays.response = response;
    options.rays.is_iterative = false;
    Detector detector(Method::rays, Device::cpu(how.threads), options);
    Scene scene;
    // The ground is a plane: a large square, all below which is inside. A vertex that no triangle
    // names makes its box deep.
    const Mesh ground{{{-50, -50, 0}, {50, -50, 0}, {50, 50, 0}, {-50, 50, 0}, {0, 0, -50}},
                      {{{0, 1, 2}}, {{0, 2, 3}}}};
    scene.add(Shape::from_mesh(ground));
    const std::uint32_t body = scene.add(Shape::from_mesh(mesh));
    std::mt19937 random(7);
    std::normal_distribution<float> normal;
    double sum = 0;
    int count = 0;
    for (int i = 0; i < how.orientations; ++i) {
        const float w = normal(random), x = normal(random), y = normal(random), z = normal(random);
        const Quat rotation = normalized(Quat{w, x, y, z});
        float lowest = 0;
        for (const Vec3& p : mesh.positions)
            lowest = std::min(lowest, rotate(rotation, p).z);
        for (int k = 1; k <= how.depths; ++k) {
            const float depth =
                -0.5f * lowest * static_cast<float>(k) / static_cast<float>(how.depths);
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
    return sum / std::max(count, 1);
}

}  // namespace ray_deviation

inline void print_deviation(const char* name, const Mesh& mesh, const char* paper,
                            const ray_deviation::DeviationOptions& options) {
    double percent[3];
    int at = 0;
    for (const RayResponse response :
         {RayResponse::ray, RayResponse::weighted, RayResponse::reprojected})
        percent[at++] = 100 * ray_deviation::deviation(mesh, response, options);
    std::printf("%-12s %9zu %9.2f %9.2f %12.4f   %s\n", name, mesh.positions.size(), percent[0],
                percent[1], percent[2], paper);
    std::fflush(stdout);
}

inline void print_deviations(const ray_deviation::DeviationOptions& options) {
    std::printf(
        "table 1: deviation of the reaction against the ground [%%], %d orientations x %d "
        "depths\n%-12s %9s %9s %9s %12s   %s\n",
        options.orientations, options.depths, "", "vertices", "standard", "weighted", "reprojected",
        "the paper: vertices, standard / weighted / reprojected");
    print_deviation("sphere", ray_deviation::globe(17, 4), "70, 3.97 / 2.66 / 0.00", options);
    const std::filesystem::path folder = data_folder() / "models";
    const auto print_model = [&](const char* name, const char* file, const char* paper) {
        if (!std::filesystem::exists(folder / file)) {
            std::printf("%-12s is not there; GRAZE_DATA names the folder of models\n", name);
            return;
        }
        print_deviation(name, ray_deviation::to_unit(load_mesh((folder / file).string())), paper,
                        options);
    };
    print_model("bunny", "bunny_hr.obj", "453, 22.0 / 16.5 / 0.00");
    print_model("pig", "pig.off", "1085, 27.0 / 20.6 / 0.00");
}

}  // namespace graze
