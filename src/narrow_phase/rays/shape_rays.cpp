#include "narrow_phase/rays/shape_rays.h"

#include <cmath>

#include "field/build/tidy_mesh.h"
#include "geometry/bvh/wide_traverse.h"
#include "geometry/topology.h"
#include "graze/error.h"

namespace graze {

namespace {

// The first hit of a ray that begins at a vertex, on one side of the triangles and on none that
// touches the vertex.
class OwnHit : public RayQuery<OwnHit> {
public:
    OwnHit(const Ray& ray, const TriangleBvhView& tree, const Triangle* triangles,
           std::uint32_t vertex, bool is_front)
        : RayQuery(ray, tree.triangles),
          triangles_by_index_(triangles),
          vertex_(vertex),
          is_front_(is_front) {}

    void found(const RayHit& hit, const BvhTriangle& triangle) {
        const Triangle& t = triangles_by_index_[hit.triangle];
        const bool touches = t[0] == vertex_ || t[1] == vertex_ || t[2] == vertex_;
        if (touches || hit.front != is_front_) return;
        reach_ = min_of(reach_, hit.t);
        lower_limit(hit.t, triangle);
    }
    float reach() const { return reach_; }

private:
    const Triangle* triangles_by_index_;
    std::uint32_t vertex_;
    bool is_front_;
    float reach_ = std::numeric_limits<float>::infinity();
};

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
        if (tidy.was_inside_out) std::swap(t.v[1], t.v[2]);
        const Triangle& left = tidy.mesh.triangles[indices.size()];
        if (t[0] == left[0] && t[1] == left[1] && t[2] == left[2]) indices.push_back(i);
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

}  // namespace

MeshRays make_mesh_rays(const Mesh& mesh, int threads,
                        const std::function<bool(double fraction)>& progress) {
    const auto report = [&](double fraction) {
        if (progress && !progress(fraction))
            throw Error("the preparation of a mesh was stopped by its caller");
    };
    report(0);
    CpuExecutor executor(threads);
    MeshRays rays(executor.memory());
    TidyMesh tidy = tidy_mesh(executor, mesh);
    rays.triangle_index = indices_in_mesh(mesh, tidy);
    rays.mesh = std::move(tidy.mesh);
    const Vec3* positions = rays.mesh.positions.data();
    const Triangle* triangles = rays.mesh.triangles.data();
    const auto triangle_count = static_cast<std::int64_t>(rays.mesh.triangles.size());

    TopologyWorkspace workspace(executor.memory());
    Topology topology(executor.memory());
    build_topology(executor, triangles, triangle_count,
                   static_cast<std::int64_t>(rays.mesh.positions.size()), workspace, topology);
    Pseudonormals normals(executor.memory());
    compute_pseudonormals(executor, positions, triangles, topology.view(), normals);
    report(0.3);
    build_triangle_bvh(executor, positions, triangles, triangle_count, BvhQuality::high, rays.tree);
    build_wide_bvh(executor, rays.tree, rays.wide);
    build_winding_tree(executor, rays.tree, rays.winding);
    report(0.6);

    for (std::int64_t t = 0; t < triangle_count; ++t) {
        WalkTriangle walk{};
        for (int k = 0; k < 3; ++k) {
            walk.corners[k] = positions[triangles[t][k]];
            walk.neighbours[k] = topology.triangle_neighbours.data()[3 * t + k];
        }
        rays.triangles.push_back(walk);
    }
    for (const std::uint32_t vertex : vertices_in_order(rays)) {
        if (length_sq(normals.vertices.data()[vertex]) > 0) rays.vertex_index.push_back(vertex);
    }
    rays.vertices.resize(rays.vertex_index.size());
    executor.for_each("rays: reach of vertices", static_cast<std::int64_t>(rays.vertices.size()),
                      MakeRayVertex{&rays, normals.vertices.data(), rays.vertices.data()}, 64);
    for (std::size_t i = 0; i < rays.vertices.size(); ++i) {
        if (i % ShapeRays::kBlockVertices == 0) rays.block_boxes.push_back(Aabb::empty());
        rays.block_boxes.back() = merge(rays.block_boxes.back(), rays.vertices[i].position);
    }
    rays.mean_edge = mean_edge_length(rays.mesh, topology.view());
    rays.size = length(extent(bounds(rays.mesh)));
    report(1);
    return rays;
}

}  // namespace graze
