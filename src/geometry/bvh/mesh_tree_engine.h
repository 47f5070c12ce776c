// MeshTreeEngine: what is behind a MeshTree, on one machine. Questions are valid when they come
// here.
#pragma once

#include <memory>

#include "geometry/bvh/mesh_solid.h"

namespace graze {

class MeshTreeEngine {
public:
    explicit MeshTreeEngine(Mesh mesh) : mesh_(std::move(mesh)), solid_(mesh_) {}
    virtual ~MeshTreeEngine() = default;
    MeshTreeEngine(const MeshTreeEngine&) = delete;
    MeshTreeEngine& operator=(const MeshTreeEngine&) = delete;

    const Mesh& mesh() const { return mesh_; }
    virtual void set_positions(std::span<const Vec3> positions) = 0;
    virtual DistanceSign distance_sign() = 0;
    virtual std::span<const NearestPoint> find_nearest(std::span<const Vec3> points,
                                                       float max_distance,
                                                       const Progress& progress) = 0;
    // sign: not automatic.
    virtual std::span<const float> signed_distances(std::span<const Vec3> points, DistanceSign sign,
                                                    const Progress& progress) = 0;
    virtual std::span<const float> winding_numbers(std::span<const Vec3> points,
                                                   const Progress& progress) = 0;
    virtual std::span<const RayHit> find_first_hits(std::span<const Ray> rays,
                                                    const Progress& progress) = 0;
    virtual std::span<const std::uint8_t> find_any_hits(std::span<const Ray> rays,
                                                        const Progress& progress) = 0;
    virtual AnswerLists<RayHit> find_all_hits(std::span<const Ray> rays,
                                              const Progress& progress) = 0;
    virtual AnswerLists<std::uint32_t> find_in_boxes(std::span<const Aabb> boxes,
                                                     const Progress& progress) = 0;
    virtual std::span<const NearTriangle> find_nearest_triangles(std::span<const Vec3> points,
                                                                 int count,
                                                                 const Progress& progress) = 0;
    virtual AnswerLists<NearTriangle> find_within(std::span<const Vec3> points, float distance,
                                                  const Progress& progress) = 0;

protected:
    Mesh mesh_;
    MeshSolid solid_;
};

std::unique_ptr<MeshTreeEngine> make_cpu_mesh_tree(Mesh mesh, const Device& device);
std::unique_ptr<MeshTreeEngine> make_cuda_mesh_tree(Mesh mesh, const Device& device);

}  // namespace graze
