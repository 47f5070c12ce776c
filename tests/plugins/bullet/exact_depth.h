// ExactDepth judges how deep the bodies of a scene are in each other by their meshes and formulas,
// without any field that was sampled and without any contact.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <span>

#include "graze/simulation.h"
#include "tests/oracle/mesh_distance.h"

namespace graze {

class ExactDepth {
public:
    // [m] Returns the depth of the deepest vertex, of every fifth, of any body's mesh in another
    // body; 0 where none is inside. Bodies that no force moves are not compared with each other.
    double deepest(const SceneDescription& scene, std::span<const BodyState> states) {
        double deepest = 0;
        for (std::size_t a = 0; a < states.size(); ++a) {
            for (std::size_t b = 0; b < states.size(); ++b) {
                const bool moves = scene.bodies[a].motion == BodyMotion::dynamic ||
                                   scene.bodies[b].motion == BodyMotion::dynamic;
                if (a == b || !moves || !states[a].is_present || !states[b].is_present) continue;
                deepest = std::max(deepest, depth_of_vertices(scene, states, a, b));
            }
        }
        return deepest;
    }

private:
    static constexpr std::size_t kStride = 5;  // of a mesh's vertices; all would take too long

    double depth_of_vertices(const SceneDescription& scene, std::span<const BodyState> states,
                             std::size_t a, std::size_t b) {
        const Shape& shape_a = scene.shapes[scene.bodies[a].shape].shape;
        const Shape& shape_b = scene.shapes[scene.bodies[b].shape].shape;
        const Mesh* vertices = shape_a.mesh();
        if (vertices == nullptr) return 0;
        const Transform b_from_a = inverse(states[b].pose) * states[a].pose;
        const Aabb box = shape_b.bounds();
        const Aabb own = shape_a.bounds();
        const Vec3 around = Vec3{1, 1, 1} * (0.51f * length(extent(own)) * b_from_a.scale);
        const Vec3 middle = transform_point(b_from_a, centre(own));
        if (!overlap(box, Aabb{middle - around, middle + around})) return 0;
        double deepest = 0;
        for (std::size_t v = 0; v < vertices->positions.size(); v += kStride) {
            const Vec3 point = transform_point(b_from_a, vertices->positions[v]);
            if (contains(box, point)) deepest = std::max(deepest, -distance(shape_b, point));
        }
        return deepest * states[b].pose.scale;
    }

    double distance(const Shape& shape, const Vec3& point) {
        if (shape.mesh() == nullptr) return shape.field().distance(point);
        auto& exact = meshes_[shape.id()];
        if (!exact) exact = std::make_unique<oracle::MeshDistance>(*shape.mesh());
        return (*exact)(static_cast<Vec3d>(point)).distance;
    }

    std::map<const void*, std::unique_ptr<oracle::MeshDistance>> meshes_;  // by shape
};

}  // namespace graze
