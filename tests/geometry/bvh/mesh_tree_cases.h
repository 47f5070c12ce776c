// Meshes and points for the tests of MeshTree on both machines.
#pragma once

#include <cmath>
#include <random>

#include "graze/generate_mesh.h"
#include "graze/mesh_tree.h"
#include "tests/geometry/bvh/bvh_cases.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {

// Closed and open, apart and crossing itself, with vertices doubled, turned inside out.
inline std::vector<NamedMesh> tree_meshes() {
    std::vector<NamedMesh> meshes{{"torus", make_torus(24, 12)},
                                  {"cube", sample::cube()},
                                  {"one triangle", sample::single_triangle()},
                                  {"soup", random_soup(300, 0.3f, 3)},
                                  {"sphere", make_sphere(0.9f, 3)}};
    NamedMesh turned{"cube turned inside out", sample::cube()};
    for (Triangle& t : turned.mesh.triangles)
        std::swap(t.v[1], t.v[2]);
    meshes.push_back(turned);
    NamedMesh split{"torus of loose triangles", {}};
    for (const Triangle& t : meshes[0].mesh.triangles) {
        const auto first = static_cast<std::uint32_t>(split.mesh.positions.size());
        for (int k = 0; k < 3; ++k)
            split.mesh.positions.push_back(meshes[0].mesh.positions[t[k]]);
        split.mesh.triangles.push_back({{first, first + 1, first + 2}});
    }
    meshes.push_back(split);
    NamedMesh two{"two spheres that overlap", make_sphere(0.6f, 2)};
    const auto count = static_cast<std::uint32_t>(two.mesh.positions.size());
    const std::vector<Triangle> triangles = two.mesh.triangles;
    for (std::uint32_t i = 0; i < count; ++i)
        two.mesh.positions.push_back(two.mesh.positions[i] + Vec3{0.5f, 0.1f, 0});
    for (const Triangle& t : triangles)
        two.mesh.triangles.push_back({{t[0] + count, t[1] + count, t[2] + count}});
    meshes.push_back(two);
    return meshes;
}

// Around the mesh, at its vertices, at the middles of its edges and a little beside both.
inline std::vector<Vec3> tree_points(const Mesh& mesh, int count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> unit(-1, 1);
    const Aabb box = bounds(mesh);
    const Vec3 size = extent(box) + Vec3{0.1f, 0.1f, 0.1f};
    const auto offset = [&] { return Vec3{unit(random), unit(random), unit(random)}; };
    std::vector<Vec3> points;
    for (int i = 0; i < count; ++i) {
        const Triangle& t = mesh.triangles[random() % mesh.triangles.size()];
        const Vec3 corner = mesh.positions[t[0]], next = mesh.positions[t[1]];
        const float near = 0.1f * std::pow(10.0f, -static_cast<float>(i % 4));
        switch (i % 3) {
            case 0:
                points.push_back(centre(box) + scale(size, offset()));
                break;
            case 1:
                points.push_back(corner + offset() * near);
                break;
            default:
                points.push_back((corner + next) * 0.5f + offset() * near);
        }
    }
    return points;
}

}  // namespace graze
