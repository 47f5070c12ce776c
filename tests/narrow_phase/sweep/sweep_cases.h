// Scenes for tests of Method::sweep, and what fine sampling in time says of them, in double
// precision and with nothing of the library but the fields.
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "graze/detector.h"
#include "graze/generate_mesh.h"
#include "tests/oracle/random_points.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {

using oracle::RandomPoints;

inline Quatd slerp(const Quat& from, const Quat& to, double t) {
    const auto unit = [](const Quat& q) { return normalized(Quatd{q.w, q.x, q.y, q.z}); };
    const Quatd a = unit(from);
    Quatd b = unit(to);
    double cosine = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    if (cosine < 0) {
        b = {-b.w, -b.x, -b.y, -b.z};
        cosine = -cosine;
    }
    const double angle = std::acos(std::min(cosine, 1.0));
    if (angle < 1e-9) return t < 0.5 ? a : b;
    const double u = std::sin((1 - t) * angle) / std::sin(angle);
    const double v = std::sin(t * angle) / std::sin(angle);
    return normalized(
        Quatd{a.w * u + b.w * v, a.x * u + b.x * v, a.y * u + b.y * v, a.z * u + b.z * v});
}

inline Transformd true_pose_at(const Body& body, double t) {
    const Transform &from = body.pose, &to = body.pose_t1 ? *body.pose_t1 : body.pose;
    const Vec3d origin = static_cast<Vec3d>(from.translation);
    return {origin + (static_cast<Vec3d>(to.translation) - origin) * t,
            slerp(from.rotation, to.rotation, t), static_cast<double>(from.scale)};
}

// Where a point of one body is in the frame of another.
inline Vec3d true_path_at(const Body& points, const Body& field, const Vec3& p, double t) {
    return transform_point(inverse(true_pose_at(field, t)) * true_pose_at(points, t),
                           static_cast<Vec3d>(p));
}
inline Vec3d straight_path_at(const Body& points, const Body& field, const Vec3& p, double t) {
    const Vec3d from = true_path_at(points, field, p, 0), to = true_path_at(points, field, p, 1);
    return from + (to - from) * t;
}

// [m] The value that the other body's field has at a point of a body, in the world's metres.
inline double value_at(const Body& points, const Body& field, const Vec3& p, double t,
                       SweepMotion motion = SweepMotion::rigid) {
    const Vec3d x = motion == SweepMotion::rigid ? true_path_at(points, field, p, t)
                                                 : straight_path_at(points, field, p, t);
    return static_cast<double>(field.shape.field().distance(static_cast<Vec3>(x))) *
           static_cast<double>(field.pose.scale);
}

inline Transform at(const Vec3& position) {
    return {position, Quat::identity(), 1};
}

inline Quat random_rotation(RandomPoints<float>& random) {
    return normalized(Quat{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1),
                           random.uniform(-1, 1) + 1e-3f});
}

inline Mesh box_mesh(const Vec3& half) {
    Mesh mesh = sample::cube();
    for (Vec3& p : mesh.positions)
        p = scale(p, half);
    return mesh;
}

inline Shape meshed(Mesh mesh, int resolution, FieldOrder order = FieldOrder::one,
                    bool sparse = false) {
    ShapeOptions options;
    options.field.resolution = resolution;
    options.field.order = order;
    options.field.sparse = sparse;
    return Shape::from_mesh(std::move(mesh), options);
}

// Meshes with fields of every kind, built once.
inline const std::vector<Shape>& sweep_shapes() {
    static const std::vector<Shape> shapes = {
        meshed(make_sphere(0.4f, 2), 24),
        meshed(box_mesh({0.3f, 0.2f, 0.4f}), 24, FieldOrder::zero),
        meshed(make_torus({.radius = 0.4f, .tube_radius = 0.15f, .segments = 16, .sides = 8}), 32,
               FieldOrder::one, true),
        meshed(make_gear({.teeth = 6}), 40),
        Shape::from_mesh(make_sphere(0.4f, 2), Field::sphere({0, 0, 0}, 0.4f)),
        Shape::from_mesh(box_mesh({0.3f, 0.25f, 0.1f}), Field::box({0.3f, 0.25f, 0.1f}))};
    return shapes;
}

// Bodies near each other that move and turn.
inline Scene random_sweep_scene(unsigned seed, int body_count = 4, float spread = 0.8f,
                                const Vec3& origin = {0, 0, 0}) {
    RandomPoints<float> random(seed);
    const std::vector<Shape>& shapes = sweep_shapes();
    Scene scene;
    if (seed % 3 == 0) scene.add(Shape::from_field(Field::plane({0, 0.1f, 1}, -0.5f)), at(origin));
    for (int i = 0; i < body_count; ++i) {
        const float scale = seed % 2 == 0 ? 1.0f : random.uniform(0.5f, 1.5f);
        const auto& shape = shapes[static_cast<std::size_t>(
            random.integer(0, static_cast<int>(shapes.size()) - 1))];
        const Transform from{origin + random.in_box(spread), random_rotation(random), scale};
        Transform to{origin + random.in_box(spread), random_rotation(random), scale};
        const auto body = scene.add(shape, from);
        if (i % 4 == 3) continue;  // rests
        if (i % 4 == 2) to.rotation = from.rotation;
        scene.set_motion(body, from, to);
    }
    return scene;
}

}  // namespace graze
