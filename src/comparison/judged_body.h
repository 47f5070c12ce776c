// JudgedBody: what the judge of a comparison knows of one mesh: exact distances and sides, and
// points all over its surface.
//
// The mesh is a TidyMesh: vertices at the same position are one, copies of triangles are left out,
// and parts that face inwards are turned around, as fields and rays take it.
#pragma once

#include <vector>

#include "geometry/bvh/triangle_bvh.h"
#include "geometry/bvh/winding_number.h"
#include "graze/mesh.h"
#include "parallel/cpu_executor.h"

namespace graze {

class JudgedBody {
public:
    // The mesh is valid and has triangles.
    JudgedBody(CpuExecutor& executor, const Mesh& mesh);

    const Mesh& mesh() const { return mesh_; }
    const Aabb& box() const { return box_; }
    double size() const { return size_; }  // [m] the diagonal of the box
    // The fraction of points next to the surface whose winding number is nearly whole, and whether
    // it is so large that the mesh tells inside from outside, holes or not.
    double whole_share() const { return whole_share_; }
    bool has_inside() const { return has_inside_; }
    // Vertices of triangles, and points spread over them.
    const std::vector<Vec3>& samples() const { return samples_; }
    const std::vector<std::uint32_t>& used_vertices() const { return used_vertices_; }

    struct Nearest {
        double distance;  // [m] never negative
        Vec3d normal;     // unit: away from the surface outside, towards it inside; of the triangle
                          // where the point is on it
    };
    Nearest nearest(const Vec3& point) const;
    // Never true where the mesh has no inside.
    bool is_inside(const Vec3& point) const;

private:
    void find_whole_share();
    void spread_samples();

    Mesh mesh_;
    TriangleBvh bvh_;
    WindingTree winding_;
    std::vector<std::uint32_t> used_vertices_;
    std::vector<Vec3> samples_;
    Aabb box_ = Aabb::empty();
    double size_ = 0, whole_share_ = 0;
    bool has_inside_ = false;
};

}  // namespace graze
