// ShapePoints: the points of a shape, and where asked for its faces, as Method::sweep takes them:
// under trees of spheres, in the shape's frame.
#pragma once

#include "geometry/sphere_tree.h"
#include "graze/shape.h"
#include "parallel/upload.h"

namespace graze {

// In the executor's memory. Both trees are empty where the shape has no mesh.
struct ShapePoints {
    SphereTreeView tree;  // over the shape's points; its indices are those of Shape::points()
    const Vec3* normals;  // in the order of the tree: unit, outward; zero where there is none
    // Over the mesh's triangles; its indices are theirs, its spheres hold them whole, and it has no
    // points. It is empty where ShapeNeeds::faces is not set.
    SphereTreeView faces;
    const Vec3* face_corners;  // [m] three for each face, in the order of its tree
};

// The points of a mesh, and which of them go into the tree.
struct MeshPoints {
    SurfacePoints points;
    std::vector<std::uint32_t> distinct;
};
// The points in a tree, in the host's memory.
struct PointTree {
    SphereTree tree;
    std::vector<Vec3> normals;  // as in ShapePoints
};
// The faces likewise.
struct FaceTree {
    SphereTree tree;
    std::vector<Vec3> corners;  // as in ShapePoints
};

// Of vertices at the same position, as there are along seams, all have one normal and the first is
// in the tree. Vertices that no triangle names are no part of the surface and left out of it,
// unless the mesh has no triangles at all. Normals of a closed mesh that faces inwards are turned
// around, as its field is. threads: of the CPU, 0 for all cores. Throws Error as sample_surface().
MeshPoints make_mesh_points(const Mesh& mesh, const PointOptions& options, int threads,
                            const Progress& progress);
PointTree make_point_tree(const MeshPoints& points, int threads);
FaceTree make_face_tree(const Mesh& mesh, int threads);

// The view of what is at hand; a null pointer stands for an empty tree.
inline ShapePoints view_points(const PointTree* points, const FaceTree* faces) {
    ShapePoints view{};
    if (points) {
        view.tree = points->tree.view();
        view.normals = points->normals.data();
    }
    if (faces) {
        view.faces = faces->tree.view();
        view.face_corners = faces->corners.data();
    }
    return view;
}

// A copy of it in an executor's memory.
class DevicePoints {
public:
    template <class Executor>
    DevicePoints(Executor& executor, const ShapePoints& points)
        : nodes_(executor.memory()),
          points_(executor.memory()),
          indices_(executor.memory()),
          normals_(executor.memory()),
          face_nodes_(executor.memory()),
          face_indices_(executor.memory()),
          face_corners_(executor.memory()),
          view_(points) {
        copy(executor, view_.tree.nodes, view_.tree.node_count, nodes_);
        copy(executor, view_.tree.points, view_.tree.point_count, points_);
        copy(executor, view_.tree.indices, view_.tree.point_count, indices_);
        copy(executor, view_.normals, view_.tree.point_count, normals_);
        copy(executor, view_.faces.nodes, view_.faces.node_count, face_nodes_);
        copy(executor, view_.faces.indices, view_.faces.point_count, face_indices_);
        copy(executor, view_.face_corners, 3 * std::int64_t{view_.faces.point_count},
             face_corners_);
        executor.wait();  // the arrays of the host may be gone afterwards
    }

    const ShapePoints& view() const { return view_; }

private:
    template <class Executor, class T>
    static void copy(Executor& executor, const T*& array, std::int64_t count, Buffer<T>& to) {
        if (count > 0) upload(executor, "shapes: upload", array, count, to);
        array = to.data();
    }

    Buffer<SphereNode> nodes_;
    Buffer<Vec3> points_;
    Buffer<std::uint32_t> indices_;
    Buffer<Vec3> normals_;
    Buffer<SphereNode> face_nodes_;
    Buffer<std::uint32_t> face_indices_;
    Buffer<Vec3> face_corners_;
    ShapePoints view_;
};

}  // namespace graze
