// The meshes that benchmarks run on.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "graze/mesh_io.h"
#include "tests/data_folder.h"

namespace graze {

struct BenchMesh {
    std::string name;
    Mesh mesh;
};

// Makes a closed, bumpy sphere of about 2 * rings * segments triangles.
inline Mesh make_bumpy_sphere(int rings, int segments) {
    Mesh mesh;
    const float pi = 3.14159265358979f;
    const auto point = [&](float theta, float phi) {
        const float r = 1.0f + 0.1f * std::sin(9 * theta) * std::sin(7 * phi);
        return Vec3{r * std::sin(theta) * std::cos(phi), r * std::sin(theta) * std::sin(phi),
                    r * std::cos(theta)};
    };
    mesh.positions.push_back(point(0, 0));
    for (int ring = 1; ring < rings; ++ring) {
        for (int segment = 0; segment < segments; ++segment) {
            mesh.positions.push_back(
                point(pi * static_cast<float>(ring) / static_cast<float>(rings),
                      2 * pi * static_cast<float>(segment) / static_cast<float>(segments)));
        }
    }
    mesh.positions.push_back(point(pi, 0));
    const auto id = [&](int ring, int segment) {
        return static_cast<std::uint32_t>(1 + (ring - 1) * segments + segment % segments);
    };
    const auto south = static_cast<std::uint32_t>(mesh.positions.size() - 1);
    for (int s = 0; s < segments; ++s) {
        mesh.triangles.push_back({{0, id(1, s), id(1, s + 1)}});
        for (int ring = 1; ring + 1 < rings; ++ring) {
            mesh.triangles.push_back({{id(ring, s), id(ring + 1, s), id(ring + 1, s + 1)}});
            mesh.triangles.push_back({{id(ring, s), id(ring + 1, s + 1), id(ring, s + 1)}});
        }
        mesh.triangles.push_back({{id(rings - 1, s), south, id(rings - 1, s + 1)}});
    }
    return mesh;
}

// Returns the files of the data folder's models, sorted by name; none where there is no such
// folder.
inline std::vector<std::filesystem::path> model_files() {
    std::vector<std::filesystem::path> files;
    const std::filesystem::path folder = data_folder() / "models";
    if (!std::filesystem::is_directory(folder)) return files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

// Loads the file that GRAZE_BENCH_MESH names, else the model of the data folder where it is there,
// else makes a bumpy sphere of about triangle_count triangles.
inline BenchMesh load_bench_mesh(const std::string& model, int triangle_count) {
    if (const char* path = std::getenv("GRAZE_BENCH_MESH")) return {path, load_mesh(path)};
    const std::filesystem::path path = data_folder() / "models" / model;
    if (std::filesystem::exists(path)) return {model, load_mesh(path)};
    const int rings = static_cast<int>(std::sqrt(triangle_count / 4.0));
    return {"bumpy sphere", make_bumpy_sphere(rings, 2 * rings)};
}

// Returns an outward unit normal for each vertex, along the sum of its triangles' normals.
inline std::vector<Vec3> vertex_normals(const Mesh& mesh) {
    std::vector<Vec3> normals(mesh.positions.size(), Vec3{0, 0, 0});
    for (const Triangle& t : mesh.triangles) {
        const Vec3 a = mesh.positions[t[0]], b = mesh.positions[t[1]], c = mesh.positions[t[2]];
        for (int corner = 0; corner < 3; ++corner)
            normals[t[corner]] += cross(b - a, c - a);
    }
    for (Vec3& normal : normals)
        normal = normalized(normal);
    return normals;
}

}  // namespace graze
