// MeshFeatures: the vertices, edges and faces of a shape's mesh as Method::features takes them,
// and a tree over the faces; made once for a shape, in its own frame.
#pragma once

#include <functional>

#include "geometry/bvh/bvh.h"
#include "graze/mesh.h"
#include "narrow_phase/features/elements.h"
#include "parallel/cpu_executor.h"
#include "parallel/upload.h"

namespace graze {

// A mesh in the executor's memory.
struct ShapeMesh {
    const Vec3* positions;    // [m] by vertex, in the shape's frame
    const Element* elements;  // by triangle; each vertex and edge is owned by one of them
    BvhView tree;             // over the triangles
    std::int64_t triangle_count;
    const Aabb* block_boxes;  // [m] of every kBlockTriangles triangles in the order of the tree

    // So many triangles are left out at once; neighbours in the tree are neighbours in space.
    static constexpr std::int64_t kBlockTriangles = 32;
    GRAZE_INLINE std::int64_t block_count() const {
        return (triangle_count + kBlockTriangles - 1) / kBlockTriangles;
    }
};

struct MeshFeatures {
    explicit MeshFeatures(Memory& memory) : tree(memory), boxes(memory), workspace(memory) {}

    Elements elements;
    Bvh tree;
    Buffer<Aabb> boxes;             // [m] by triangle
    BvhWorkspace workspace;         // of refits
    std::vector<Aabb> block_boxes;  // as in ShapeMesh

    // mesh: the one that this was made of.
    ShapeMesh view(const Mesh& mesh) const {
        return {mesh.positions.data(), elements.elements.data(), tree.view(),
                elements.triangle_count, block_boxes.data()};
    }
};

// The mesh must be valid. threads: of the CPU, 0 for all cores. progress is asked between the steps
// of the work, as build_field does: where it returns false, Error is thrown.
MeshFeatures make_mesh_features(const Mesh& mesh, int threads,
                                const std::function<bool(double fraction)>& progress);

// Gives them the mesh at new positions.
void refit_mesh_features(CpuExecutor& executor, const Mesh& mesh, MeshFeatures& features);

// A copy of it in an executor's memory.
class DeviceMesh {
public:
    template <class Executor>
    DeviceMesh(Executor& executor, const Mesh& mesh, const MeshFeatures& features)
        : positions_(executor.memory()),
          elements_(executor.memory()),
          nodes_(executor.memory()),
          primitives_(executor.memory()),
          block_boxes_(executor.memory()),
          view_(features.view(mesh)) {
        const std::int64_t triangle_count = view_.triangle_count;
        copy(executor, view_.positions, static_cast<std::int64_t>(mesh.positions.size()),
             positions_);
        copy(executor, view_.elements, triangle_count, elements_);
        copy(executor, view_.tree.nodes, features.tree.nodes.size(), nodes_);
        copy(executor, view_.tree.primitives, triangle_count, primitives_);
        copy(executor, view_.block_boxes, view_.block_count(), block_boxes_);
        view_.tree.leaf_parents = nullptr;  // no query of this method goes up
        executor.wait();                    // the arrays of the host may be gone afterwards
    }

    // Takes over the mesh at new positions. The executor waits before these change again.
    template <class Executor>
    void follow(Executor& executor, const Mesh& mesh, const MeshFeatures& features) {
        upload(executor, "shapes: upload", mesh.positions, positions_);
        upload(executor, "shapes: upload", features.tree.nodes, nodes_);
        upload(executor, "shapes: upload", features.block_boxes, block_boxes_);
    }

    const ShapeMesh& view() const { return view_; }

private:
    template <class Executor, class T>
    static void copy(Executor& executor, const T*& array, std::int64_t count, Buffer<T>& to) {
        upload(executor, "shapes: upload", array, count, to);
        array = to.data();
    }

    Buffer<Vec3> positions_;
    Buffer<Element> elements_;
    Buffer<BvhNode> nodes_;
    Buffer<std::uint32_t> primitives_;
    Buffer<Aabb> block_boxes_;
    ShapeMesh view_;
};

}  // namespace graze
