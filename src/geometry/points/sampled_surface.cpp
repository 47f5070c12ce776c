#include "geometry/points/sampled_surface.h"

namespace graze {

namespace {

// The closest point among triangles that do not face away from a normal.
class ClosestOnSide {
public:
    static constexpr bool kVisitsInPassing = false;

    ClosestOnSide(const Vec3& point, const BvhTriangle* triangles, float max_distance_sq,
                  const Vec3* face_normals, const Vec3& normal)
        : closest_(point, triangles, max_distance_sq),
          triangles_(triangles),
          face_normals_(face_normals),
          normal_(normal) {}

    template <class S>
    S enter(const AabbT<S>& box) const {
        return closest_.enter(box);
    }
    float limit() const { return closest_.limit(); }
    void visit(std::uint32_t slot) {
        // Around a convex edge the surface may turn by more than a right angle.
        if (dot(face_normals_[triangles_[slot].index], normal_) > -0.5f) closest_.visit(slot);
    }
    const ClosestPoint& closest() const { return closest_; }

private:
    ClosestPoint closest_;
    const BvhTriangle* triangles_;
    const Vec3* face_normals_;
    Vec3 normal_;
};

}  // namespace

SampledSurface::SampledSurface(CpuExecutor& executor, const Mesh& mesh)
    : mesh_(mesh),
      topology_(executor.memory()),
      normals_(executor.memory()),
      bvh_(executor.memory()) {
    const auto triangle_count = static_cast<std::int64_t>(mesh.triangles.size());
    TopologyWorkspace workspace(executor.memory());
    build_topology(executor, mesh.triangles.data(), triangle_count,
                   static_cast<std::int64_t>(mesh.positions.size()), workspace, topology_);
    compute_pseudonormals(executor, mesh.positions.data(), mesh.triangles.data(), topology_.view(),
                          normals_);
    build_triangle_bvh(executor, mesh.positions.data(), mesh.triangles.data(), triangle_count,
                       BvhQuality::high, bvh_);
}

void SampledSurface::project(const Vec3& point, float max_distance, SurfaceSample& sample) const {
    ClosestOnSide query(point, bvh_.triangles.data(), max_distance * max_distance,
                        normals_.faces.data(), sample.normal);
    traverse(bvh_.tree.view(), query);
    if (!query.closest().is_found()) return;
    sample.position = query.closest().closest().point;
    sample.triangle = query.closest().triangle();
    const Vec3& normal = face_normal(sample.triangle);
    if (length_sq(normal) > 0) sample.normal = normal;
}

Vec3 SampledSurface::smooth_normal(const SurfaceSample& sample) const {
    const Triangle& t = mesh_.triangles[sample.triangle];
    const auto at = closest_point_triangle(sample.position, mesh_.positions[t[0]],
                                           mesh_.positions[t[1]], mesh_.positions[t[2]]);
    const TopologyView topology = topology_.view();
    const Vec3d own = normals_.measures.data()[sample.triangle].normal;
    Vec3d sum{0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        // At each corner: the triangles around it that do not turn away from this one.
        Vec3d corner{0, 0, 0};
        const std::uint32_t vertex = t[k];
        for (std::uint32_t i = topology.vertex_offsets[vertex];
             i < topology.vertex_offsets[vertex + 1]; ++i) {
            const std::uint32_t other = topology.vertex_corners[i];
            const Pseudonormals::FaceMeasure& measure = normals_.measures.data()[other / 3];
            if (dot(measure.normal, own) > static_cast<double>(kCreaseCosine))
                corner += measure.normal * measure.angles[other % 3];
        }
        const double size = length(corner);
        if (size > 0) sum += corner * (static_cast<double>(at.barycentric[k]) / size);
    }
    const double size = length(sum);
    return size > 0 ? static_cast<Vec3>(sum * (1 / size)) : sample.normal;
}

}  // namespace graze
