// ShapeRays: a shape's mesh as Method::rays takes it: vertices that cast rays, triangles with their
// neighbours that are walked over, and trees that rays are cast through; in the shape's frame.
#pragma once

#include <functional>
#include <optional>

#include "geometry/bvh/quantised_bvh.h"
#include "geometry/bvh/wide_bvh.h"
#include "geometry/bvh/winding_number.h"
#include "geometry/tidy_mesh.h"
#include "narrow_phase/rays/refit_rays.h"
#include "parallel/upload.h"

namespace graze {

// In the executor's memory. Vertices at the same position are one, and of triangles over the same
// vertices one is left (tidy_mesh.h); indices of triangles are those of what is left.
struct ShapeRays {
    static constexpr std::int64_t kBlockVertices = kRayBlockVertices;

    const RayVertex* vertices;          // neighbours in this order are neighbours in space
    const std::uint32_t* vertex_index;  // their indices in the shape's mesh
    const Aabb* block_boxes;            // [m] of every kBlockVertices vertices
    std::int64_t vertex_count;
    const WalkTriangle* triangles;
    const std::uint32_t* triangle_index;  // their indices in the shape's mesh
    TriangleBvhView tree;
    WideBvhView wide;              // on the host
    QuantisedBvhView quantised;    // on a device
    const WindingMoment* moments;  // null where ShapeNeeds::winding is not set
    float mean_edge;               // [m] length
    float size;                    // [m] the diagonal of the box
    bool is_closed;                // the triangles bound a solid
    std::uint64_t serial;          // no other mesh in the same table ever has it
    // Of a shape that deforms, else null: the vertices of the triangles, as vertex_index has them.
    const Triangle* own_triangles;
    std::uint64_t revision;  // how many times positions have changed
    double travel;           // [m] the sum, over these, of how far any vertex went at most

    GRAZE_INLINE bool deforms() const { return own_triangles != nullptr; }
    GRAZE_INLINE std::int64_t block_count() const {
        return (vertex_count + kBlockVertices - 1) / kBlockVertices;
    }
};

// What ShapeRays shows, in the host's memory.
struct MeshRays {
    explicit MeshRays(Memory& memory) : tree(memory), wide(memory), winding(memory) {}

    std::vector<RayVertex> vertices;
    std::vector<std::uint32_t> vertex_index;
    std::vector<Aabb> block_boxes;
    std::vector<WalkTriangle> triangles;
    std::vector<std::uint32_t> triangle_index;
    Mesh mesh;  // what the trees are over
    TriangleBvh tree;
    WideBvh wide;
    WindingTree winding;
    float mean_edge = 0, size = 0;  // as it was made
    bool is_closed = false;
    std::optional<RayNormals> normals;  // of a shape that deforms

    ShapeRays view() const {
        return {vertices.data(),
                vertex_index.data(),
                block_boxes.data(),
                static_cast<std::int64_t>(vertices.size()),
                triangles.data(),
                triangle_index.data(),
                tree.view(),
                wide.view(),
                {},
                winding.moments.data(),
                mean_edge,
                size,
                is_closed,
                0,
                normals ? mesh.triangles.data() : nullptr,
                0,
                0};
    }
};

// The mesh must be valid. A closed mesh that faces inwards is turned around, as its field is.
// Vertices that no triangle names, and those without a normal, cast no ray. threads: of the CPU, 0
// for all cores. progress is asked between the steps of the work; where it returns false, Error is
// thrown.
MeshRays make_mesh_rays(const Mesh& mesh, int threads,
                        const std::function<bool(double fraction)>& progress);
// Of a shape that deforms. tidy: of the mesh as the shape was made of it, but with the positions of
// today. Vertices without a normal stay, because they may get one.
MeshRays make_deforming_rays(const Mesh& mesh, TidyMesh tidy, int threads,
                             const std::function<bool(double fraction)>& progress);
// Gives those new positions, one for each vertex of the shape's mesh; all but the winding, which
// takes about as long and few ask for.
void refit_mesh_rays(CpuExecutor& executor, const std::vector<Vec3>& positions, MeshRays& rays);
void refit_ray_winding(CpuExecutor& executor, MeshRays& rays);

// A copy of it in an executor's memory, with trees that are built there.
class DeviceRays {
public:
    template <class Executor>
    DeviceRays(Executor& executor, const MeshRays& rays, bool has_winding)
        : vertices_(executor.memory()),
          vertex_index_(executor.memory()),
          block_boxes_(executor.memory()),
          triangles_(executor.memory()),
          triangle_index_(executor.memory()),
          positions_(executor.memory()),
          mesh_triangles_(executor.memory()),
          tree_(executor.memory()),
          quantised_(executor.memory()),
          winding_(executor.memory()),
          view_(rays.view()) {
        copy(executor, rays.vertices, view_.vertices, vertices_);
        copy(executor, rays.vertex_index, view_.vertex_index, vertex_index_);
        copy(executor, rays.block_boxes, view_.block_boxes, block_boxes_);
        copy(executor, rays.triangles, view_.triangles, triangles_);
        copy(executor, rays.triangle_index, view_.triangle_index, triangle_index_);
        upload(executor, "shapes: upload", rays.mesh.positions, positions_);
        upload(executor, "shapes: upload", rays.mesh.triangles, mesh_triangles_);
        build_triangle_bvh(executor, positions_.data(), mesh_triangles_.data(),
                           mesh_triangles_.size(), BvhQuality::high, tree_);
        build_quantised_bvh(executor, tree_, quantised_);
        if (has_winding) build_winding_tree(executor, tree_, winding_);
        view_.tree = tree_.view();
        view_.wide = {};
        view_.quantised = quantised_.view(tree_);
        view_.moments = has_winding ? winding_.moments.data() : nullptr;
        if (rays.normals) {
            normals_.emplace(executor.memory());
            TopologyWorkspace workspace(executor.memory());
            build_topology(executor, mesh_triangles_.data(), mesh_triangles_.size(),
                           positions_.size(), workspace, normals_->topology);
            view_.own_triangles = mesh_triangles_.data();
        }
        executor.wait();  // the arrays of the host may be gone afterwards
    }

    // Of a shape that deforms: gives it new positions, which stay until the executor has waited.
    template <class Executor>
    void refit(Executor& executor, const std::vector<Vec3>& positions) {
        upload(executor, "shapes: upload", positions, positions_);
        refit_rays(executor,
                   {positions_.data(), mesh_triangles_.data(), mesh_triangles_.size(),
                    vertex_index_.data(), vertices_.size(), vertices_.data(), block_boxes_.data(),
                    triangles_.data()},
                   *normals_, tree_);
        refit_quantised_bvh(executor, tree_, quantised_);
        if (view_.moments) build_winding_tree(executor, tree_, winding_);
    }

    const ShapeRays& view() const { return view_; }

private:
    template <class Executor, class T>
    static void copy(Executor& executor, const std::vector<T>& from, const T*& array,
                     Buffer<T>& to) {
        upload(executor, "shapes: upload", from, to);
        array = to.data();
    }

    Buffer<RayVertex> vertices_;
    Buffer<std::uint32_t> vertex_index_;
    Buffer<Aabb> block_boxes_;
    Buffer<WalkTriangle> triangles_;
    Buffer<std::uint32_t> triangle_index_;
    Buffer<Vec3> positions_;
    Buffer<Triangle> mesh_triangles_;
    TriangleBvh tree_;
    QuantisedBvh quantised_;
    WindingTree winding_;
    std::optional<RayNormals> normals_;  // of a shape that deforms
    ShapeRays view_;
};

}  // namespace graze
