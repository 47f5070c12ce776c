#include "graze/mesh_tree.h"

#include <cmath>
#include <string>

#include "geometry/bvh/mesh_tree_engine.h"
#include "graze/error.h"

namespace graze {

namespace {

// Squares of distances stay finite below.
constexpr float kFarthestCoordinate = 1e18f;

bool is_near_enough(const Vec3& v) {
    return std::fabs(v.x) <= kFarthestCoordinate && std::fabs(v.y) <= kFarthestCoordinate &&
           std::fabs(v.z) <= kFarthestCoordinate;
}

[[noreturn]] void refuse_coordinate(const char* thing, std::size_t index) {
    throw Error(std::string("mesh tree: a coordinate of ") + thing + " " + std::to_string(index) +
                " is not finite or beyond 1e18 m; give finite coordinates");
}

void require_tree_positions(const char* thing, std::span<const Vec3> positions) {
    for (std::size_t i = 0; i < positions.size(); ++i) {
        if (!is_near_enough(positions[i])) refuse_coordinate(thing, i);
    }
}

void require_rays(std::span<const Ray> rays) {
    for (std::size_t i = 0; i < rays.size(); ++i) {
        const Ray& ray = rays[i];
        if (!is_near_enough(ray.origin) || !is_near_enough(ray.direction))
            refuse_coordinate("ray", i);
        if (std::isnan(ray.t_min) || std::isnan(ray.t_max)) {
            throw Error("mesh tree: t_min or t_max of ray " + std::to_string(i) +
                        " is not a number; give the parameters between which hits count");
        }
    }
}

void require_boxes(std::span<const Aabb> boxes) {
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        const Aabb& box = boxes[i];
        if (!box.is_empty() && (!is_near_enough(box.min) || !is_near_enough(box.max)))
            refuse_coordinate("box", i);
        if (std::isnan(box.min.x + box.min.y + box.min.z) ||
            std::isnan(box.max.x + box.max.y + box.max.z))
            refuse_coordinate("box", i);
    }
}

void require_distance(float distance) {
    if (!(distance >= 0)) {
        throw Error("mesh tree: the distance is " + std::to_string(distance) +
                    "; give a number of metres, 0 or more");
    }
}

}  // namespace

MeshTree::MeshTree(Mesh mesh, const Device& device) {
    validate(mesh);
    if (mesh.triangles.empty())
        throw Error("mesh tree: the mesh has no triangles; give one that has a surface");
    require_tree_positions("vertex", mesh.positions);
#if GRAZE_WITH_CUDA
    if (device.is_cuda()) {
        engine_ = make_cuda_mesh_tree(std::move(mesh), device);
        return;
    }
#endif
    engine_ = make_cpu_mesh_tree(std::move(mesh), device);
}
MeshTree::~MeshTree() = default;
MeshTree::MeshTree(MeshTree&&) noexcept = default;
MeshTree& MeshTree::operator=(MeshTree&&) noexcept = default;

void MeshTree::set_positions(std::span<const Vec3> positions) {
    const std::size_t count = mesh().positions.size();
    if (positions.size() != count) {
        throw Error("mesh tree: " + std::to_string(positions.size()) + " positions for a mesh of " +
                    std::to_string(count) + " vertices; give one for each");
    }
    require_tree_positions("vertex", positions);
    engine_->set_positions(positions);
}
const Mesh& MeshTree::mesh() const {
    return engine_->mesh();
}

std::span<const NearestPoint> MeshTree::find_nearest(std::span<const Vec3> points,
                                                     float max_distance, const Progress& progress) {
    require_tree_positions("point", points);
    require_distance(max_distance);
    return engine_->find_nearest(points, max_distance, progress);
}
std::span<const float> MeshTree::signed_distances(std::span<const Vec3> points, DistanceSign sign,
                                                  const Progress& progress) {
    require_tree_positions("point", points);
    if (sign == DistanceSign::automatic) sign = engine_->distance_sign();
    return engine_->signed_distances(points, sign, progress);
}
DistanceSign MeshTree::distance_sign() {
    return engine_->distance_sign();
}
std::span<const float> MeshTree::winding_numbers(std::span<const Vec3> points,
                                                 const Progress& progress) {
    require_tree_positions("point", points);
    return engine_->winding_numbers(points, progress);
}
std::span<const RayHit> MeshTree::find_first_hits(std::span<const Ray> rays,
                                                  const Progress& progress) {
    require_rays(rays);
    return engine_->find_first_hits(rays, progress);
}
std::span<const std::uint8_t> MeshTree::find_any_hits(std::span<const Ray> rays,
                                                      const Progress& progress) {
    require_rays(rays);
    return engine_->find_any_hits(rays, progress);
}
AnswerLists<RayHit> MeshTree::find_all_hits(std::span<const Ray> rays, const Progress& progress) {
    require_rays(rays);
    return engine_->find_all_hits(rays, progress);
}
AnswerLists<std::uint32_t> MeshTree::find_in_boxes(std::span<const Aabb> boxes,
                                                   const Progress& progress) {
    require_boxes(boxes);
    return engine_->find_in_boxes(boxes, progress);
}
std::span<const NearTriangle> MeshTree::find_nearest_triangles(std::span<const Vec3> points,
                                                               int count,
                                                               const Progress& progress) {
    require_tree_positions("point", points);
    if (count < 1 || count > 1024) {
        throw Error("mesh tree: " + std::to_string(count) +
                    " nearest triangles; give a number from 1 to 1024");
    }
    return engine_->find_nearest_triangles(points, count, progress);
}
AnswerLists<NearTriangle> MeshTree::find_within(std::span<const Vec3> points, float distance,
                                                const Progress& progress) {
    require_tree_positions("point", points);
    require_distance(distance);
    return engine_->find_within(points, distance, progress);
}

}  // namespace graze
