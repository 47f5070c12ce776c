#include "geometry/bvh/mesh_solid.h"

#include "geometry/self_intersections.h"
#include "geometry/tidy_mesh.h"

namespace graze {

namespace {

// Whether a triangle is so flat that rounding may turn its normal, or has none: its height is below
// a thousandth of its longest side.
bool has_flat_triangle(const Mesh& mesh) {
    for (const Triangle& t : mesh.triangles) {
        const auto a = static_cast<Vec3d>(mesh.positions[t[0]]);
        const auto b = static_cast<Vec3d>(mesh.positions[t[1]]);
        const auto c = static_cast<Vec3d>(mesh.positions[t[2]]);
        const double longest_sq =
            max_of(length_sq(b - a), max_of(length_sq(c - b), length_sq(a - c)));
        if (!(length(cross(b - a, c - a)) > 1e-3 * longest_sq)) return true;
    }
    return false;
}

}  // namespace

MeshSolid::MeshSolid(const Mesh& mesh) : mesh_(mesh) {}
MeshSolid::~MeshSolid() = default;

const TidyMesh& MeshSolid::tidy() {
    if (!tidy_) {
        CpuExecutor executor;
        tidy_ = std::make_unique<TidyMesh>(tidy_mesh(executor, mesh_));
    }
    return *tidy_;
}

const std::vector<std::uint32_t>& MeshSolid::first_vertices() {
    if (first_vertices_.empty()) first_vertices_ = tidy().first_vertex;
    return first_vertices_;
}
const Mesh& MeshSolid::oriented() {
    return tidy().mesh;
}
bool MeshSolid::is_oriented() {
    return tidy().duplicate_count == 0 && tidy().turned_part_count == 0;
}
bool MeshSolid::has_sure_normals() {
    if (!is_oriented() || !tidy().is_closed() || has_flat_triangle(mesh_)) return false;
    CpuExecutor executor;
    return count_self_intersections(executor, tidy().mesh) == 0;
}
void MeshSolid::moved() {
    tidy_.reset();
}

}  // namespace graze
