// ClothScene: a scene as the solver cloth takes it.
#pragma once

#include "graze/deforming.h"
#include "graze/scene_description.h"
#include "response/cloth_world.h"

namespace graze {

// A vertex that goes with a scripted body.
struct ScriptedVertex {
    std::uint32_t vertex;
    std::uint32_t body;
    Vec3d local;  // [m] in the body's shape
};

struct ClothScene {
    ClothWorld world;
    DeformingTopology topology;                 // of the bodies that are there at the beginning
    std::vector<ScriptedVertex> scripted;       // of bodies that move
    std::vector<std::uint32_t> first_vertices;  // by body, and the count of all
    std::vector<std::uint32_t> rigid_bodies;    // the scene's, by RigidBody
    double thickness = 0;                       // [m] as asked for or chosen
};

// The units of bodies that are not there at the beginning wait. Throws Error where a shape has no
// mesh or a body no mass.
ClothScene build_cloth_scene(const SceneDescription& scene);

// Who can touch whom, of the bodies that are there (by body).
DeformingTopology describe_topology(const SceneDescription& scene, const ClothWorld& world,
                                    const std::vector<char>& is_present);

// By body: whether it is there in a step that begins at this time [s]. It comes half a step early
// rather than late, so that rounding does not count.
std::vector<char> bodies_due(const SceneDescription& scene, double time);

// The centre of mass in the shape's frame; the shape's origin where it has none.
Vec3d centre_of(const SceneDescription& scene, const SceneBody& body);

}  // namespace graze
