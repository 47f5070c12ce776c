// Scenes of the size and kind of Krayer et al.'s (2022) table 1: many objects on a terrain, balls
// in a winding pipe, two statues on a terrain. Nothing moves in them; poses are drawn so that the
// counts of pairs and of contacts are of the table's magnitude. One more scene is a loose heap,
// most of whose pairs have boxes that touch and bodies that do not.
#pragma once

#include <random>
#include <string>

#include "bench_meshes.h"
#include "graze/scene.h"

namespace graze {

struct ParticleScene {
    std::string name;
    Scene scene;
};

namespace particle_scenes {

constexpr float kPi = 3.14159265f;

// Moves and scales a mesh so that its box is around the origin and has a longest side of 1.
inline Mesh to_unit(Mesh mesh) {
    const Aabb box = bounds(mesh);
    const Vec3 sides = extent(box);
    const float scale = 1 / std::max({sides.x, sides.y, sides.z});
    for (Vec3& p : mesh.positions)
        p = (p - centre(box)) * scale;
    return mesh;
}

inline Shape load_shape(const char* model, Device device) {
    ShapeOptions options;
    options.field.resolution = 128;
    options.field.measure_error = false;
    options.field.device = device;
    return Shape::from_mesh(to_unit(load_bench_mesh(model, 20000).mesh), options);
}

// The terrain has hills in a box of 2 side x 2 side x 4 and is sampled.
inline float hill(float x, float y) {
    return 0.35f * std::sin(x * 0.9f) * std::cos(y * 0.7f) + 0.15f * std::sin(x * 2.3f + y);
}
inline Shape make_terrain(float side) {
    HeightMap map{{-side, -side, 0}, side / 128, {257, 257}, {}};
    for (int j = 0; j < 257; ++j) {
        for (int i = 0; i < 257; ++i)
            map.heights.push_back(hill(-side + side / 128 * static_cast<float>(i),
                                       -side + side / 128 * static_cast<float>(j)));
    }
    const Field solid = intersect(Field::height_map(map), Field::box({side, side, 2}));
    const float spacing = side / 125;
    const auto cells = static_cast<std::int32_t>(std::ceil(4 / spacing)) + 6;
    const FieldGrid grid{
        {-side - 3 * spacing, -side - 3 * spacing, -2 - 3 * spacing}, spacing, {256, 256, cells}};
    FieldOptions options;
    options.measure_error = false;
    return Shape::from_field(sample_field(solid, grid, options));
}

inline Quat random_rotation(std::mt19937& random) {
    std::normal_distribution<float> normal;
    const float w = normal(random), x = normal(random), y = normal(random), z = normal(random);
    return normalized(Quat{w, x, y, z});
}

}  // namespace particle_scenes

inline ParticleScene make_objects_on_terrain(Device device) {
    namespace ps = particle_scenes;
    std::mt19937 random(1);
    std::uniform_real_distribution<float> unit(-1, 1);
    const float side = 12;
    Scene scene;
    Body terrain{.shape = ps::make_terrain(side)};
    terrain.is_static = true;
    scene.add(terrain);
    std::vector<Shape> shapes;
    for (const char* model : {"armadillo_29k.obj", "bunny_hr.obj", "knot.off", "torus.obj",
                              "bowl.obj", "buddha_100k.obj"})
        shapes.push_back(ps::load_shape(model, device));
    // There are two layers of objects, the upper one upon the lower.
    for (int i = 0; i < 400; ++i) {
        const int row = i % 200 / 15, column = i % 15, layer = i / 200;
        const float x = (static_cast<float>(column) - 7) * 1.36f + 0.12f * unit(random);
        const float y = (static_cast<float>(row) - 6.5f) * 1.36f + 0.12f * unit(random);
        const float z = ps::hill(x, y) + 0.33f + 0.83f * static_cast<float>(layer);
        scene.add(shapes[static_cast<std::size_t>(i) % shapes.size()],
                  {{x, y, z}, ps::random_rotation(random), 1});
    }
    return {"objects on terrain", std::move(scene)};
}

// The pipe is a thick-walled tube along a helix; the balls lie in it one upon the other.
inline ParticleScene make_balls_in_pipe(Device /*device*/) {
    namespace ps = particle_scenes;
    std::mt19937 random(2);
    std::uniform_real_distribution<float> unit(-1, 1);
    const auto helix = [](float t) {
        return Vec3{2 * std::cos(t), 2 * std::sin(t), t * 0.35f - 2.2f};
    };
    const auto tube = [&](const Vec3& p) {
        float best = std::numeric_limits<float>::infinity();
        Vec3 offset{0, 0, 1};
        for (int i = 0; i <= 400; ++i) {
            const Vec3 d = p - helix(static_cast<float>(i) * (4 * ps::kPi / 400));
            if (length(d) < best) {
                best = length(d);
                offset = d;
            }
        }
        // The pipe is solid where the axis is between 0.5 and 0.6 away.
        const float wall = std::fabs(best - 0.55f) - 0.05f;
        return FieldValue{wall, normalized(offset) * (best > 0.55f ? 1.0f : -1.0f)};
    };
    const FieldGrid grid{{-2.8f, -2.8f, -3.0f}, 5.6f / 128, {128, 128, 136}};
    FieldOptions options;
    options.measure_error = false;
    Scene scene;
    Body pipe{.shape = Shape::from_field(sample_field(tube, grid, options))};
    pipe.is_static = true;
    scene.add(pipe);
    const Shape ball = Shape::from_field(sample_field(
        Field::sphere({0, 0, 0}, 0.5f), {{-0.6f, -0.6f, -0.6f}, 1.2f / 64, {64, 64, 64}}, options));
    for (int i = 0; i < 112; ++i) {
        const float t = (static_cast<float>(i) + 0.5f) * (4 * ps::kPi / 112);
        const Vec3 offset{0.16f * unit(random), 0.16f * unit(random), 0.16f * unit(random)};
        scene.add(ball, {helix(t) + offset, ps::random_rotation(random), 0.38f});
    }
    return {"balls in a pipe", std::move(scene)};
}

inline ParticleScene make_loose_heap(Device device) {
    namespace ps = particle_scenes;
    std::mt19937 random(3);
    std::uniform_real_distribution<float> unit(-1, 1);
    const Shape bunny = ps::load_shape("bunny_hr.obj", device);
    Scene scene;
    for (int i = 0; i < 50; ++i) {
        scene.add(bunny, {{1.6f * unit(random), 1.6f * unit(random), 1.6f * unit(random)},
                          ps::random_rotation(random),
                          1});
    }
    return {"heap of bunnies", std::move(scene)};
}

inline ParticleScene make_statues(Device device) {
    namespace ps = particle_scenes;
    Scene scene;
    Body terrain{.shape = ps::make_terrain(4)};
    terrain.is_static = true;
    scene.add(terrain);
    scene.add(ps::load_shape("armadillo_86k.obj", device),
              {{0, 0, ps::hill(0, 0) + 0.58f}, Quat::identity(), 1});
    scene.add(ps::load_shape("buddha_100k.obj", device),
              {{0.1f, 0.62f, ps::hill(0.1f, 0.62f) + 0.49f}, Quat::identity(), 1});
    return {"statues on terrain", std::move(scene)};
}

}  // namespace graze
