// Scenes of the solver penalty that need no files, for tests on both machines.
#pragma once

#include <string>

#include "graze/generate_mesh.h"
#include "graze/penalty_simulation.h"

namespace graze {

// A cube of 8 vertices with sides of 0.2 m, centred.
inline Mesh make_cube() {
    Mesh mesh;
    for (int i = 0; i < 8; ++i) {
        mesh.positions.push_back({(i & 1) != 0 ? 0.1f : -0.1f, (i & 2) != 0 ? 0.1f : -0.1f,
                                  (i & 4) != 0 ? 0.1f : -0.1f});
    }
    mesh.triangles = {{{0, 2, 1}}, {{1, 2, 3}}, {{4, 5, 6}}, {{5, 7, 6}}, {{0, 1, 4}}, {{1, 5, 4}},
                      {{2, 6, 3}}, {{3, 6, 7}}, {{0, 4, 2}}, {{2, 4, 6}}, {{1, 3, 5}}, {{3, 7, 5}}};
    return mesh;
}

inline SceneShape scene_shape(const std::string& name, const Mesh& mesh, const Field& field) {
    return {.name = name,
            .shape = Shape::from_mesh(mesh, field),
            .origin = "test",
            .mass = mass_properties(mesh)};
}
inline SceneShape scene_shape(const std::string& name, const Mesh& mesh, int resolution) {
    FieldOptions options;
    options.resolution = resolution;
    return scene_shape(name, mesh, build_field(mesh, options));
}

// A ground at z = 0 and nothing else.
inline SceneDescription make_penalty_ground() {
    SceneDescription scene;
    scene.name = "penalty";
    scene.materials = {Material{.name = "default", .density = 500}};
    scene.shapes.push_back({.name = "ground",
                            .shape = Shape::from_field(Field::plane({0, 0, 1}, 0)),
                            .origin = "test"});
    scene.bodies.push_back({.name = "ground", .shape = 0, .motion = BodyMotion::fixed});
    scene.solver.kind = SolverKind::penalty;
    scene.solver.linear_damping = scene.solver.angular_damping = 0;
    scene.time_step = 1e-3;
    return scene;
}

inline void add_body(SceneDescription& scene, std::uint32_t shape, const Vec3& position,
                     const Vec3& velocity = {0, 0, 0}, const Vec3& turn = {0, 0, 0}) {
    SceneBody body;
    body.name = "body " + std::to_string(scene.bodies.size());
    body.shape = shape;
    body.pose.translation = position;
    body.velocity = velocity;
    body.angular_velocity = turn;
    scene.bodies.push_back(body);
}

// Tori and cubes that fall on each other and on the ground.
inline SceneDescription make_penalty_heap(int count) {
    SceneDescription scene = make_penalty_ground();
    scene.shapes.push_back(scene_shape(
        "torus", make_torus({.radius = 0.12f, .tube_radius = 0.05f, .segments = 24, .sides = 12}),
        48));
    scene.shapes.push_back(scene_shape("cube", make_cube(), Field::box({0.1f, 0.1f, 0.1f})));
    for (int i = 0; i < count; ++i) {
        const int row = i / 3 % 3, layer = i / 9;
        const auto x = static_cast<float>(i % 3), y = static_cast<float>(row);
        const auto z = static_cast<float>(layer);
        add_body(scene, 1 + static_cast<std::uint32_t>(i % 2),
                 {0.36f * x + 0.02f * z, 0.37f * y, 0.25f + 0.36f * z}, {0.1f * y, 0, -1},
                 {static_cast<float>(i % 5), 1, 0});
    }
    return scene;
}

}  // namespace graze
