// ShapeRays: a shape's mesh as Method::rays takes it: vertices that cast rays, triangles with their
// neighbours that are walked over, and trees that rays are cast through; in the shape's frame.
#pragma once

#include <functional>

#include "geometry/bvh/quantised_bvh.h"
#include "geometry/bvh/wide_bvh.h"
#include "geometry/bvh/winding_number.h"
#include "parallel/upload.h"

namespace graze {

// A vertex that casts rays: one against its normal, into its own body, and one along it.
struct alignas(16) RayVertex {
    Vec3 position;  // [m]
    // [m] How far the ray against the normal goes until it leaves the body, and how far the one
    // along it goes until it enters the body again; infinite where it never does.
    float inner_reach;
    Vec3 normal;  // unit, outward
    float outer_reach;
};
static_assert(sizeof(RayVertex) == 32);

// A triangle and what is on the other side of each of its sides, in three 16-byte loads.
struct alignas(16) WalkTriangle {
    Vec3 corners[3];  // [m]
    // By the side from that corner to the next; kNoIndex at a boundary. Around an edge of more than
    // two triangles they form a ring (topology.h).
    std::uint32_t neighbours[3];
};
static_assert(sizeof(WalkTriangle) == 48);

// In the executor's memory. Vertices at the same position are one, and of triangles over the same
// vertices one is left (tidy_mesh.h); indices of triangles are those of what is left.
struct ShapeRays {
    // So many vertices are left out at once where their box is outside of what is looked at.
    static constexpr std::int64_t kBlockVertices = 32;

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
    std::uint64_t serial;          // no other mesh in the same table ever has it

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
    float mean_edge = 0, size = 0;

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
                0};
    }
};

// The mesh must be valid. A closed mesh that faces inwards is turned around, as its field is.
// Vertices that no triangle names, and those without a normal, cast no ray. threads: of the CPU, 0
// for all cores. progress is asked between the steps of the work; where it returns false, Error is
// thrown.
MeshRays make_mesh_rays(const Mesh& mesh, int threads,
                        const std::function<bool(double fraction)>& progress);

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
        executor.wait();  // the arrays of the host may be gone afterwards
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
    ShapeRays view_;
};

}  // namespace graze
