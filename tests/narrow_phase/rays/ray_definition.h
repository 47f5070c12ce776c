// The comparison of contacts of Method::rays with the definition of these (ray_oracle.h).
#pragma once

#include "tests/narrow_phase/rays/ray_cases.h"

namespace graze {

struct Comparison {
    int certain_count = 0, uncertain_count = 0, contact_count = 0;
};

// Every vertex of every pair by the definition, and what was found.
inline Comparison compare_with_definition(const Scene& scene, std::span<const Contact> contacts,
                                          float gap) {
    Comparison result;
    const ContactsByRay found = by_ray(contacts);
    std::vector<oracle::RayBody> bodies;
    for (const Body& body : scene.bodies())
        bodies.emplace_back(*body.shape.mesh(), body.pose);
    for (std::uint32_t source = 0; source < scene.size(); ++source) {
        for (std::uint32_t target = 0; target < scene.size(); ++target) {
            if (source == target) continue;
            const Aabb box = intersect(inflate(body_box(scene[source]), gap / 2),
                                       inflate(body_box(scene[target]), gap / 2));
            if (box.is_empty()) continue;
            for (std::uint32_t v = 0; v < bodies[source].positions.size(); ++v) {
                const oracle::RayVerdict verdict = oracle::cast_by_definition(
                    bodies[source], bodies[target], v, inflate(box, gap), static_cast<double>(gap));
                if (!verdict.is_certain) {
                    ++result.uncertain_count;
                    continue;
                }
                ++result.certain_count;
                const auto it = found.find({source, target, v});
                if ((it != found.end()) != verdict.touches) {
                    ADD_FAILURE() << "vertex " << v << " of " << source << " against " << target
                                  << (verdict.touches ? ": missed, depth " : ": found, depth ")
                                  << verdict.depth;
                    continue;
                }
                if (!verdict.touches) continue;
                ++result.contact_count;
                const Contact& c = it->second;
                const double sign = source < target ? 1 : -1;
                EXPECT_NEAR(static_cast<double>(c.distance),
                            -verdict.depth * dot(verdict.direction, verdict.face_normal), 1e-4);
                EXPECT_GT(dot(static_cast<Vec3d>(c.normal), verdict.face_normal * sign), 0.9999);
                EXPECT_LT(length(static_cast<Vec3d>(c.position) - bodies[source].positions[v]),
                          1e-5);
                EXPECT_EQ((source < target ? c.feature_b : c.feature_a).index, verdict.face);
            }
        }
    }
    return result;
}

}  // namespace graze
