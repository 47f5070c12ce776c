#include "narrow_phase/rays/shape_rays.h"

#include <cmath>

#include "geometry/bvh/wide_traverse.h"
#include "geometry/topology.h"
#include "graze/error.h"
#include "narrow_phase/rays/own_hit.h"

namespace graze {

namespace {

float own_reach(const MeshRays& rays, std::uint32_t vertex, const Vec3& direction, bool is_front) {
    OwnHit query({rays.mesh.positions[vertex], direction}, rays.tree.view(),
                 rays.mesh.triangles.data(), vertex, is_front);
    traverse(rays.wide.view(), query);
    return query.reach();
}

// Of the triangles that are left, which ones of the mesh they are: a subsequence.
std::vector<std::uint32_t> indices_in_mesh(const Mesh& mesh, const TidyMesh& tidy) {
    std::vector<std::uint32_t> indices;
    indices.reserve(tidy.mesh.triangles.size());
    for (std::uint32_t i = 0; i < mesh.triangles.size(); ++i) {
        if (indices.size() == tidy.mesh.triangles.size()) break;
        Triangle t = mesh.triangles[i];
        for (std::uint32_t& vertex : t.v)
            vertex = tidy.first_vertex[vertex];
        // Parts that faced inwards are turned.
        const Triangle& left = tidy.mesh.triangles[indices.size()];
        if (t == left || Triangle{{t[0], t[2], t[1]}} == left) indices.push_back(i);
    }
    return indices;
}

// The vertices that triangles name, in the order of the tree.
std::vector<std::uint32_t> vertices_in_order(const MeshRays& rays) {
    std::vector<bool> is_known(rays.mesh.positions.size());
    std::vector<std::uint32_t> order;
    const BvhView tree = rays.tree.view().tree;
    for (std::int64_t slot = 0; slot < tree.primitive_count; ++slot) {
        for (const std::uint32_t vertex : rays.mesh.triangles[tree.primitives[slot]].v) {
            if (!is_known[vertex]) order.push_back(vertex);
            is_known[vertex] = true;
        }
    }
    return order;
}

float mean_edge_length(const Mesh& mesh, const TopologyView& topology) {
    double sum = 0;
    for (std::int64_t i = 0; i < topology.edge_count; ++i) {
        const Edge& edge = topology.edges[i];
        sum += static_cast<double>(length(mesh.positions[edge.v[1]] - mesh.positions[edge.v[0]]));
    }
    return topology.edge_count > 0
               ? static_cast<float>(sum / static_cast<double>(topology.edge_count))
               : 0.0f;
}

struct MakeRayVertex {
    const MeshRays* rays;
    const Vec3* normals;
    RayVertex* vertices;  // out

    void operator()(std::int64_t i) const {
        const std::uint32_t vertex = rays->vertex_index[static_cast<std::size_t>(i)];
        const Vec3 normal = normals[vertex];
        vertices[i] = {rays->mesh.positions[vertex], own_reach(*rays, vertex, -normal, false),
                       normal, own_reach(*rays, vertex, normal, true)};
    }
};

// What both kinds of shapes have: all but the vertices.
struct RayParts {
    MeshRays rays;
    RayNormals normals;
};

using TellProgress = std::function<void(double fraction)>;

TellProgress report_to(const std::function<bool(double fraction)>& progress) {
    return [&progress](double fraction) {
        if (progress && !progress(fraction))
            throw Error("the preparation of a mesh was stopped by its caller");
    };
}

RayParts make_ray_parts(CpuExecutor& executor, const Mesh& mesh, TidyMesh tidy,
                        const TellProgress& report) {
    RayParts parts{MeshRays(executor.memory()), RayNormals(executor.memory())};
    auto& [rays, normals] = parts;
    rays.triangle_index = indices_in_mesh(mesh, tidy);
    rays.is_closed = tidy.is_closed();
    rays.mesh = std::move(tidy.mesh);
    const Vec3* positions = rays.mesh.positions.data();
    const Triangle* triangles = rays.mesh.triangles.data();
    const auto triangle_count = static_cast<std::int64_t>(rays.mesh.triangles.size());

    TopologyWorkspace workspace(executor.memory());
    build_topology(executor, triangles, triangle_count,
                   static_cast<std::int64_t>(rays.mesh.positions.size()), workspace,
                   normals.topology);
    compute_pseudonormals(executor, positions, triangles, normals.topology.view(), normals.normals);
    report(0.3);
    build_triangle_bvh(executor, positions, triangles, triangle_count, BvhQuality::high, rays.tree);
    build_wide_bvh(executor, rays.tree, rays.wide);
    build_winding_tree(executor, rays.tree, rays.winding);
    report(0.6);

    for (std::int64_t t = 0; t < triangle_count; ++t) {
        WalkTriangle walk{};
        for (int k = 0; k < 3; ++k) {
            walk.corners[k] = positions[triangles[t][k]];
            walk.neighbours[k] = normals.topology.triangle_neighbours.data()[3 * t + k];
        }
        rays.triangles.push_back(walk);
    }
    rays.mean_edge = mean_edge_length(rays.mesh, normals.topology.view());
    rays.size = length(extent(bounds(rays.mesh)));
    return parts;
}

// Makes room for the vertices of vertex_index.
void resize_vertices(MeshRays& rays) {
    constexpr auto kBlock = static_cast<std::size_t>(ShapeRays::kBlockVertices);
    rays.vertices.resize(rays.vertex_index.size());
    rays.block_boxes.assign((rays.vertices.size() + kBlock - 1) / kBlock, Aabb::empty());
}

}  // namespace

MeshRays make_mesh_rays(const Mesh& mesh, int threads,
                        const std::function<bool(double fraction)>& progress) {
    const TellProgress report = report_to(progress);
    report(0);
    CpuExecutor executor(threads);
    auto [rays, normals] = make_ray_parts(executor, mesh, tidy_mesh(executor, mesh), report);
    const Vec3* normal_of = normals.normals.vertices.data();
    for (const std::uint32_t vertex : vertices_in_order(rays)) {
        if (length_sq(normal_of[vertex]) > 0) rays.vertex_index.push_back(vertex);
    }
    resize_vertices(rays);
    executor.for_each("rays: reach of vertices", static_cast<std::int64_t>(rays.vertices.size()),
                      MakeRayVertex{&rays, normal_of, rays.vertices.data()}, 64);
    for (std::size_t i = 0; i < rays.vertices.size(); ++i) {
        Aabb& box = rays.block_boxes[i / ShapeRays::kBlockVertices];
        box = merge(box, rays.vertices[i].position);
    }
    report(1);
    return std::move(rays);
}

MeshRays make_deforming_rays(const Mesh& mesh, TidyMesh tidy, int threads,
                             const std::function<bool(double fraction)>& progress) {
    const TellProgress report = report_to(progress);
    report(0);
    CpuExecutor executor(threads);
    auto [rays, normals] = make_ray_parts(executor, mesh, std::move(tidy), report);
    rays.vertex_index = vertices_in_order(rays);
    resize_vertices(rays);
    rays.normals = std::move(normals);
    refit_mesh_rays(executor, mesh.positions, rays);
    report(1);
    return std::move(rays);
}

void refit_mesh_rays(CpuExecutor& executor, const std::vector<Vec3>& positions, MeshRays& rays) {
    executor.copy("rays: take positions", positions.data(), rays.mesh.positions.data(),
                  static_cast<std::int64_t>(positions.size()));
    refit_rays(executor,
               {rays.mesh.positions.data(), rays.mesh.triangles.data(),
                static_cast<std::int64_t>(rays.mesh.triangles.size()), rays.vertex_index.data(),
                static_cast<std::int64_t>(rays.vertices.size()), rays.vertices.data(),
                rays.block_boxes.data(), rays.triangles.data()},
               *rays.normals, rays.tree);
    refit_wide_bvh(executor, rays.tree, rays.wide);
}

void refit_ray_winding(CpuExecutor& executor, MeshRays& rays) {
    build_winding_tree(executor, rays.tree, rays.winding);
}

}  // namespace graze
