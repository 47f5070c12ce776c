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
    DeformingTopology topology;
    std::vector<ScriptedVertex> scripted;       // of bodies that move
    std::vector<std::uint32_t> first_vertices;  // by body, and the number of all
    std::vector<std::uint32_t> rigid_bodies;    // the scene's, by RigidBody
    double thickness = 0;                       // [m] as asked for or chosen
};

// Throws Error where a shape has no mesh or a body no mass.
ClothScene build_cloth_scene(const SceneDescription& scene);

// Of mass, in the shape's frame; its origin where it has none.
Vec3d centre_of(const SceneDescription& scene, const SceneBody& body);

}  // namespace graze
