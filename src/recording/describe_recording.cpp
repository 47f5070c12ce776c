#include <algorithm>
#include <cmath>

#include "graze/extract_surface.h"
#include "graze/recording.h"

namespace graze {
namespace {

// Enough to look at; 64 cells of a ball show no corners at the size of a body.
constexpr int kSurfaceResolution = 64;
// [m] Around the origin, where there is nothing else to go by.
constexpr float kLonelyReach = 5;

bool is_finite(const Aabb& box) {
    return !box.is_empty() && graze::is_finite(box.min) && graze::is_finite(box.max);
}

// The box of all bodies that have one, in the world, where they start.
Aabb starting_box(const SceneDescription& scene) {
    Aabb box = Aabb::empty();
    for (const SceneBody& body : scene.bodies) {
        const Aabb& own = scene.shapes[body.shape].shape.bounds();
        if (is_finite(own)) box = merge(box, transform_box(body.pose, own));
    }
    return box;
}

// The box, in the frame of an endless shape, that is worth seeing: what is near the other bodies,
// and the surface below each of them, however high it starts.
Aabb visible_box(const SceneDescription& scene, std::uint32_t shape) {
    const Field& field = scene.shapes[shape].shape.field();
    const Aabb world = starting_box(scene);
    Aabb box = Aabb::empty();
    for (const SceneBody& body : scene.bodies) {
        if (body.shape != shape || !is_finite(world)) continue;
        const Transform shape_from_world = inverse(body.pose);
        box = merge(box, transform_box(shape_from_world, world));
        for (const SceneBody& other : scene.bodies) {
            if (!is_finite(scene.shapes[other.shape].shape.bounds())) continue;
            const Vec3 origin = transform_point(shape_from_world, other.pose.translation);
            const FieldValue value = field.evaluate(origin);
            box = merge(box, origin - value.gradient * value.distance);
        }
    }
    if (!is_finite(box)) box = {{0, 0, 0}, {0, 0, 0}};
    // Bodies spread before they come to rest.
    const Vec3 size = extent(box);
    const float longest = std::max({size.x, size.y, size.z});
    return inflate(box, longest > 0 ? 0.25f * longest : kLonelyReach);
}

Mesh surface_of(const SceneDescription& scene, std::uint32_t index) {
    const Shape& shape = scene.shapes[index].shape;
    if (shape.mesh()) return *shape.mesh();
    const SurfaceOptions options{.resolution = kSurfaceResolution};
    const Field& field = shape.field();
    if (field.is_sampled() || is_finite(shape.bounds())) return extract_surface(field, options);
    const Aabb visible = visible_box(scene, index);
    const Field block =
        Field::box(extent(visible) * 0.5f).transformed({centre(visible), Quat::identity(), 1});
    return extract_surface(intersect(field, block), options);
}

}  // namespace

RecordingSetup describe_recording(const SceneDescription& scene) {
    RecordingSetup setup;
    setup.scene_name = scene.name;
    setup.frame_time = scene.time_step * scene.frame_steps;
    for (std::uint32_t i = 0; i < scene.shapes.size(); ++i)
        setup.shapes.push_back({scene.shapes[i].name, surface_of(scene, i)});
    for (const SceneBody& body : scene.bodies)
        setup.bodies.push_back({body.name, body.shape, body.motion});
    return setup;
}

}  // namespace graze
