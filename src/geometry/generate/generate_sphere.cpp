#include <algorithm>
#include <map>

#include "geometry/generate/check_generated.h"
#include "geometry/generate/ring_mesh.h"
#include "graze/generate_mesh.h"

namespace graze {

namespace {

// Its vertices are on the unit sphere.
MeshD make_icosahedron() {
    const double g = std::numbers::phi;
    MeshD mesh{{{-1, g, 0},
                {1, g, 0},
                {-1, -g, 0},
                {1, -g, 0},
                {0, -1, g},
                {0, 1, g},
                {0, -1, -g},
                {0, 1, -g},
                {g, 0, -1},
                {g, 0, 1},
                {-g, 0, -1},
                {-g, 0, 1}},
               {{{0, 11, 5}}, {{0, 5, 1}},  {{0, 1, 7}},   {{0, 7, 10}}, {{0, 10, 11}},
                {{1, 5, 9}},  {{5, 11, 4}}, {{11, 10, 2}}, {{10, 7, 6}}, {{7, 1, 8}},
                {{3, 9, 4}},  {{3, 4, 2}},  {{3, 2, 6}},   {{3, 6, 8}},  {{3, 8, 9}},
                {{4, 9, 5}},  {{2, 4, 11}}, {{6, 2, 10}},  {{8, 6, 7}},  {{9, 8, 1}}}};
    for (Vec3d& p : mesh.positions)
        p = normalized(p);
    return mesh;
}

// Each triangle becomes four; the new vertices are on the unit sphere.
void subdivide(MeshD& mesh) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles;
    const auto middle_of = [&](std::uint32_t a, std::uint32_t b) {
        const auto [entry, is_new] = middles.try_emplace(
            std::minmax(a, b), static_cast<std::uint32_t>(mesh.positions.size()));
        if (is_new) mesh.positions.push_back(normalized(mesh.positions[a] + mesh.positions[b]));
        return entry->second;
    };
    std::vector<Triangle> finer;
    finer.reserve(mesh.triangles.size() * 4);
    for (const Triangle& t : mesh.triangles) {
        const std::uint32_t ab = middle_of(t[0], t[1]), bc = middle_of(t[1], t[2]),
                            ca = middle_of(t[2], t[0]);
        finer.insert(finer.end(),
                     {{{t[0], ab, ca}}, {{t[1], bc, ab}}, {{t[2], ca, bc}}, {{ab, bc, ca}}});
    }
    mesh.triangles = std::move(finer);
}

}  // namespace

Mesh make_sphere(float radius, int subdivisions) {
    require_ranges("sphere", SphereMeshOptions{radius, subdivisions});
    MeshD unit = make_icosahedron();
    for (int i = 0; i < subdivisions; ++i)
        subdivide(unit);
    Mesh mesh{{}, std::move(unit.triangles)};
    mesh.positions.reserve(unit.positions.size());
    for (const Vec3d& p : unit.positions)
        add_vertex(mesh, p * static_cast<double>(radius));
    return mesh;
}

}  // namespace graze
