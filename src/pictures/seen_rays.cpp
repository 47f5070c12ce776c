#include "pictures/seen_rays.h"

#include <cmath>
#include <map>
#include <tuple>

#include "detection/shape_access.h"

namespace graze {

namespace {

// Source body, target body, vertex.
using RayName = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

std::map<RayName, const Contact*> contacts_by_ray(std::span<const Contact> contacts) {
    std::map<RayName, const Contact*> by_ray;
    for (const Contact& c : contacts) {
        if (c.feature_a.kind == FeatureKind::vertex)
            by_ray[{c.body_a, c.body_b, c.feature_a.index}] = &c;
        if (c.feature_b.kind == FeatureKind::vertex)
            by_ray[{c.body_b, c.body_a, c.feature_b.index}] = &c;
    }
    return by_ray;
}

// Where the ray's line meets the face that the contact names.
std::optional<Vec3d> hit_of(const SeenRay& ray, const Body& target, std::uint32_t face) {
    const Mesh& mesh = *target.shape.mesh();
    if (face >= mesh.triangles.size()) return std::nullopt;
    Vec3d corners[3];
    for (int k = 0; k < 3; ++k) {
        const Vec3 position = mesh.positions[mesh.triangles[face][k]];
        corners[k] = static_cast<Vec3d>(transform_point(target.pose, position));
    }
    const Vec3d normal = cross(corners[1] - corners[0], corners[2] - corners[0]);
    const double slope = dot(ray.direction, normal);
    if (slope == 0) return std::nullopt;
    const Vec3d hit = ray.vertex + ray.direction * (dot(corners[0] - ray.vertex, normal) / slope);
    // It is in the face, or beside it by no more than rounding.
    for (int k = 0; k < 3; ++k) {
        const Vec3d side = corners[(k + 1) % 3] - corners[k];
        if (dot(cross(side, hit - corners[k]), normal) < -1e-3 * length_sq(normal))
            return std::nullopt;
    }
    return hit;
}

}  // namespace

std::vector<SeenRay> find_seen_rays(const Scene& scene, std::span<const Contact> contacts,
                                    float gap) {
    std::vector<SeenRay> seen;
    const std::map<RayName, const Contact*> by_ray = contacts_by_ray(contacts);
    for (std::uint32_t source = 0; source < scene.size(); ++source) {
        const Body& body = scene[source];
        const MeshRays& rays = ShapeAccess::mesh_rays(body.shape);
        const auto edge = static_cast<double>(rays.mean_edge * body.pose.scale);
        for (std::uint32_t target = 0; target < scene.size(); ++target) {
            if (target == source) continue;
            const Aabb region = inflate(intersect(inflate(body_box(body), gap / 2),
                                                  inflate(body_box(scene[target]), gap / 2)),
                                        gap);
            for (std::size_t i = 0; i < rays.vertices.size(); ++i) {
                const RayVertex& vertex = rays.vertices[i];
                const Vec3 position = transform_point(body.pose, vertex.position);
                if (!contains(region, position) || !(length_sq(vertex.normal) > 0)) continue;
                const Vec3 normal = transform_direction(body.pose, vertex.normal);
                SeenRay ray{static_cast<Vec3d>(position), normalized(-static_cast<Vec3d>(normal)),
                            std::nullopt, std::nullopt, edge};
                const auto found = by_ray.find({source, target, rays.vertex_index[i]});
                if (found != by_ray.end()) {
                    const Contact& c = *found->second;
                    const bool is_of_a = c.body_a == source;
                    const double depth = is_of_a ? -double(c.distance) : double(c.distance);
                    ray.way_out = static_cast<Vec3d>(c.normal) * depth;
                    ray.hit =
                        hit_of(ray, scene[target], (is_of_a ? c.feature_b : c.feature_a).index);
                }
                seen.push_back(ray);
            }
        }
    }
    return seen;
}

}  // namespace graze
