// SampledSurface: a mesh with what is asked of it while points are spread over it.
#pragma once

#include "geometry/bvh/triangle_bvh.h"
#include "geometry/topology.h"
#include "parallel/cpu_executor.h"

namespace graze {

// A point of the surface. Points whose normals are opposed are on different sides of a thin sheet
// and have nothing to do with each other.
struct SurfaceSample {
    Vec3 position;  // [m]
    Vec3 normal;    // unit, outward; zero where there is none
    std::uint32_t triangle;
    bool is_fixed;  // true for corners and points of creases, which do not move
};

// The sides of a right angle still belong together, within rounding and a little more.
inline bool are_on_one_side(const Vec3& normal_a, const Vec3& normal_b) {
    return dot(normal_a, normal_b) > -0.1f;
}

class SampledSurface {
public:
    // The mesh must outlive this.
    SampledSurface(CpuExecutor& executor, const Mesh& mesh);

    const Mesh& mesh() const { return mesh_; }
    TopologyView topology() const { return topology_.view(); }
    const Vec3& vertex_normal(std::uint32_t vertex) const {
        return normals_.vertices.data()[vertex];
    }
    const Vec3& edge_normal(std::uint32_t edge) const { return normals_.edges.data()[edge]; }
    const Vec3& face_normal(std::uint32_t triangle) const {
        return normals_.faces.data()[triangle];
    }

    // Puts a sample at the closest point of the surface within a distance of a point, on the same
    // side of it; leaves it where it is if there is none. Triangles that face away are passed over.
    void project(const Vec3& point, float max_distance, SurfaceSample& sample) const;
    // The normal at a sample that is not fixed, interpolated over the smooth part of the surface
    // around its triangle.
    Vec3 smooth_normal(const SurfaceSample& sample) const;

private:
    const Mesh& mesh_;
    Topology topology_;
    Pseudonormals normals_;
    TriangleBvh bvh_;
};

// Faces that turn by more than 40 degrees meet in a crease.
constexpr float kCreaseCosine = 0.766f;

// [m] How long the creases and the ends of the surface are.
double crease_length(const SampledSurface& surface);

// Corners and points of creases and of the surface's ends, no closer than a fraction of the spacing
// to each other.
std::vector<SurfaceSample> sample_creases(const SampledSurface& surface, float spacing);

}  // namespace graze
