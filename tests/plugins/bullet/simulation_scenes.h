// Small scenes for tests of simulations.
#pragma once

#include <cmath>

#include "graze/simulation.h"

namespace graze {

inline SceneShape shape_of(const char* name, const Field& field) {
    SceneShape entry{.name = name, .shape = Shape::from_field(field), .origin = "formula"};
    entry.mass_source = MassSource::field;
    if (std::isfinite(field.bounds().max.x)) entry.mass = mass_properties(field);
    return entry;
}

inline SceneDescription empty_scene() {
    SceneDescription scene;
    scene.name = "test";
    scene.materials.push_back({.name = "stuff"});
    scene.shapes.push_back(shape_of("ground", Field::plane({0, 0, 1}, 0)));
    scene.shapes.push_back(shape_of("box", Field::box({0.5f, 0.4f, 0.3f})));
    scene.solver.angular_damping = 0;
    return scene;
}

inline SceneBody body_at(const Vec3& position, std::uint32_t shape = 1) {
    SceneBody body;
    body.name = "body";
    body.shape = shape;
    body.pose.translation = position;
    return body;
}

// Returns a scene of boxes and rings that fall on each other.
inline SceneDescription heap_scene(int count) {
    SceneDescription scene = empty_scene();
    scene.shapes.push_back(shape_of("torus", Field::torus(0.4f, 0.15f)));
    scene.bodies.push_back(body_at({0, 0, 0}, 0));
    scene.bodies[0].motion = BodyMotion::fixed;
    for (int i = 0; i < count; ++i) {
        const auto k = static_cast<float>(i);
        SceneBody body = body_at({0.3f * std::sin(k), 0.3f * std::cos(2 * k), 0.7f + 0.6f * k},
                                 1 + static_cast<std::uint32_t>(i) % 2);
        body.pose.rotation = normalized(Quat{1, 0.2f * k, 0.3f, 0.1f * k});
        scene.bodies.push_back(body);
    }
    return scene;
}

}  // namespace graze
