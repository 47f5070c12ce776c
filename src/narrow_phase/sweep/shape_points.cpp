#include "narrow_phase/sweep/shape_points.h"

#include "parallel/cpu_executor.h"

namespace graze {

PointTree make_point_tree(const Mesh& mesh, const SurfacePoints& points, bool are_vertices,
                          int threads) {
    CpuExecutor executor(threads);
    PointTree made;
    if (are_vertices && !mesh.triangles.empty()) {
        std::vector<bool> is_named(points.positions.size());
        for (const Triangle& triangle : mesh.triangles) {
            for (const std::uint32_t vertex : triangle.v)
                is_named[vertex] = true;
        }
        std::vector<std::uint32_t> named;
        named.reserve(is_named.size());
        for (std::uint32_t vertex = 0; vertex < is_named.size(); ++vertex) {
            if (is_named[vertex]) named.push_back(vertex);
        }
        made.tree = build_sphere_tree(executor, points.positions, named);
    } else {
        made.tree = build_sphere_tree(executor, points.positions);
    }
    made.normals.reserve(made.tree.indices.size());
    for (const std::uint32_t index : made.tree.indices)
        made.normals.push_back(points.normals[index]);
    return made;
}

FaceTree make_face_tree(const Mesh& mesh, int threads) {
    CpuExecutor executor(threads);
    FaceTree made{build_sphere_tree(executor, mesh), {}};
    made.corners.reserve(3 * made.tree.indices.size());
    for (const std::uint32_t index : made.tree.indices) {
        for (const std::uint32_t vertex : mesh.triangles[index].v)
            made.corners.push_back(mesh.positions[vertex]);
    }
    return made;
}

}  // namespace graze
