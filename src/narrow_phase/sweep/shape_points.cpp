#include "narrow_phase/sweep/shape_points.h"

#include <numeric>

#include "geometry/points/sample_surface.h"
#include "geometry/tidy_mesh.h"
#include "parallel/cpu_executor.h"

namespace graze {

namespace {

std::vector<std::uint32_t> all_indices(std::size_t count) {
    std::vector<std::uint32_t> indices(count);
    std::iota(indices.begin(), indices.end(), 0u);
    return indices;
}

std::vector<std::uint32_t> named_vertices(const Mesh& mesh) {
    std::vector<bool> is_named(mesh.positions.size());
    for (const Triangle& triangle : mesh.triangles) {
        for (const std::uint32_t vertex : triangle.v)
            is_named[vertex] = true;
    }
    std::vector<std::uint32_t> named;
    named.reserve(is_named.size());
    for (std::uint32_t vertex = 0; vertex < is_named.size(); ++vertex) {
        if (is_named[vertex]) named.push_back(vertex);
    }
    return named;
}

}  // namespace

MeshPoints make_mesh_points(const Mesh& mesh, const PointOptions& options, int threads,
                            const Progress& progress) {
    if (progress && !progress(0)) throw Error("the making of points was stopped by its caller");
    if (mesh.triangles.empty()) {
        return {{mesh.positions, std::vector<Vec3>(mesh.positions.size(), Vec3{0, 0, 0})},
                all_indices(mesh.positions.size())};
    }
    CpuExecutor executor(threads);
    const TidyMesh tidy = tidy_mesh(executor, mesh);
    MeshPoints made;
    if (options.spacing > 0) {
        made.points = sample_surface(tidy.mesh, options.spacing, threads, progress);
        made.distinct = all_indices(made.points.positions.size());
        return made;
    }
    made.points = points_of_vertices(tidy.mesh, threads);
    for (std::size_t i = 0; i < tidy.first_vertex.size(); ++i)
        made.points.normals[i] = made.points.normals[tidy.first_vertex[i]];
    made.distinct = named_vertices(tidy.mesh);
    return made;
}

PointTree make_point_tree(const MeshPoints& points, int threads) {
    CpuExecutor executor(threads);
    PointTree made{build_sphere_tree(executor, points.points.positions, points.distinct), {}};
    made.normals.reserve(made.tree.indices.size());
    for (const std::uint32_t index : made.tree.indices)
        made.normals.push_back(points.points.normals[index]);
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
