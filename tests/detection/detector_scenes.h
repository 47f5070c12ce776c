// Scenes for tests of the detector, with fields of every kind.
#pragma once

#include <random>

#include "graze/detector.h"

namespace graze {

inline std::vector<Shape> shapes_of_every_kind() {
    const Field torus = Field::torus(0.35f, 0.13f);
    const FieldGrid grid{{-0.6f, -0.6f, -0.3f}, 1.2f / 32, {32, 32, 16}};
    FieldOptions order_1, order_0, sparse;
    order_0.order = FieldOrder::zero;
    sparse.sparse = true;
    const Field knobs =
        unite(Field::box({0.25f, 0.2f, 0.3f}), Field::sphere({0.2f, 0.2f, 0.2f}, 0.2f));
    return {Shape::from_field(Field::sphere({0, 0, 0}, 0.4f)),
            Shape::from_field(subtract(knobs, Field::capsule({0, 0, -1}, {0, 0, 1}, 0.1f))),
            Shape::from_field(sample_field(torus, grid, order_1)),
            Shape::from_field(sample_field(torus, grid, order_0)),
            Shape::from_field(sample_field(torus, grid, sparse)),
            Shape::from_field(
                sample_field(knobs, {{-0.5f, -0.5f, -0.5f}, 1.0f / 32, {32, 32, 32}}, order_1)
                    .transformed({{0.05f, 0, 0}, Quat::from_axis_angle({1, 1, 0}, 0.7f), 1.2f}))};
}

// A heap of bodies on a plane.
inline Scene make_heap(int body_count, unsigned seed = 1) {
    const std::vector<Shape> shapes = shapes_of_every_kind();
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> unit(-1, 1);
    const float side = 0.36f * std::cbrt(static_cast<float>(body_count));
    Scene scene;
    Body ground{.shape = Shape::from_field(Field::plane({0, 0, 1}, 0))};
    ground.is_static = true;
    scene.add(ground);
    for (int i = 0; i < body_count; ++i) {
        const Vec3 position{side * unit(random), side * unit(random), side * (unit(random) + 1)};
        const float w = unit(random), x = unit(random), y = unit(random), z = unit(random);
        scene.add(shapes[static_cast<std::size_t>(i) % shapes.size()],
                  {position, normalized(Quat{w, x, y, z}), 0.8f + 0.3f * unit(random)});
    }
    return scene;
}

inline std::vector<Contact> copy(std::span<const Contact> contacts) {
    return {contacts.begin(), contacts.end()};
}

}  // namespace graze
