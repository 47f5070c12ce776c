// Pairs of bodies whose intersection is known in closed form; their fields are formulas or samples.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "graze/build_field.h"
#include "graze/scene.h"
#include "tests/oracle/fill_field.h"
#include "tests/oracle/intersection_oracle.h"

namespace graze {

// The ground is solid below z = 0.
struct ExactGround {
    oracle::ExactValue operator()(const Vec3d& p) const { return {p.z, {0, 0, 1}}; }
};
// The capsule is along y, from -half_length to half_length.
struct ExactCapsule {
    double half_length, radius;
    oracle::ExactValue operator()(const Vec3d& p) const {
        const Vec3d away = p - Vec3d{0, std::clamp(p.y, -half_length, half_length), 0};
        return {length(away) - radius, normalized(away)};
    }
};

// A body and its exact distance in double precision.
struct ClosedBody {
    std::function<oracle::ExactValue(const Vec3d&)> exact;  // in its own frame
    Field field;
    Transform pose;

    oracle::ExactValue at(const Vec3d& world) const {
        const Transformd world_from_body = oracle::widened(pose);
        const oracle::ExactValue local = exact(transform_point(inverse(world_from_body), world));
        return {local.distance * world_from_body.scale,
                transform_direction(world_from_body, local.gradient)};
    }
};

struct ClosedPair {
    std::string name;
    ClosedBody a, b;
    // [m] The depth of the deepest common point: the largest of -min(a, b) over the intersection.
    double depth;
    // For every s up to room / (1 + corner), both bodies contain a ball of radius s whose centre is
    // no farther than corner * s from the deepest point.
    double room;
    double corner = 1;
    // Moved in this direction by depth + g, a is g away from b. It is zero where no direction is as
    // simple.
    Vec3 away{0, 0, 0};
    Vec3 top{0, 0, 0};  // [m] the point of b that then is closest to a
};

inline Transform at_position(float x, float y, float z, float scale = 1) {
    return {{x, y, z}, Quat::identity(), scale};
}

inline std::vector<ClosedPair> closed_pairs() {
    const ClosedBody ball{oracle::ExactSphere{{0, 0, 0}, 0.5}, Field::sphere({0, 0, 0}, 0.5f), {}};
    const ClosedBody block{oracle::ExactBox{{1, 1, 0.625}}, Field::box({1, 1, 0.625f}), {}};
    const ClosedBody brick{
        oracle::ExactBox{{0.5, 0.375, 0.25}}, Field::box({0.5f, 0.375f, 0.25f}), {}};
    const ClosedBody ring{oracle::ExactTorus{1, 0.25}, Field::torus(1, 0.25f), {}};
    const ClosedBody ground{ExactGround{}, Field::plane({0, 0, 1}, 0), {}};
    const ClosedBody rod{
        ExactCapsule{0.5, 0.4}, Field::capsule({0, -0.5f, 0}, {0, 0.5f, 0}, 0.4f), {}};
    const auto put = [](ClosedBody body, const Transform& pose) {
        body.pose = pose;
        return body;
    };
    // The cube is turned by 45 degrees about y, so that an edge along y is on top.
    const float edge = std::sqrt(2.0f) * 0.5f;
    const ClosedBody cube{oracle::ExactBox{{0.5, 0.5, 0.5}},
                          Field::box({0.5f, 0.5f, 0.5f}),
                          {{0, 0, 0}, Quat::from_axis_angle({0, 1, 0}, 0.78539816f), 1}};
    const ClosedBody low_block = put(block, at_position(0, 0, 0));
    return {
        {.name = "ball and ball",
         .a = put(ball, at_position(0, 0, 0, 2)),
         .b = put(ball, at_position(1.25f, 0, 0, 1.25f)),
         .depth = 1 + 0.625 - 1.25,
         .room = 0.375,
         .away = {-1, 0, 0},
         .top = {0.625f, 0, 0}},
        {.name = "ball on a box",
         .a = put(ball, at_position(0.25f, -0.125f, 0.825f)),
         .b = low_block,
         .depth = 0.3,
         .room = 0.3,
         .away = {0, 0, 1},
         .top = {0.25f, -0.125f, 0.625f}},
        {.name = "box on a box",
         .a = put(brick, at_position(0.125f, 0.0625f, 0.575f)),
         .b = low_block,
         .depth = 0.3,
         .room = 0.3,
         .away = {0, 0, 1},
         .top = {0.125f, 0.0625f, 0.625f}},
        {.name = "ball on a ring",
         .a = put(ball, at_position(0.87f, 1.16f, 0)),
         .b = put(ring, at_position(0, 0, 0)),
         .depth = 0.5 + 0.25 - 0.45,
         .room = 0.3,
         .away = {0.6f, 0.8f, 0},
         .top = {0.75f, 1, 0}},
        {.name = "ball on the ground",
         .a = put(ball, at_position(0.5f, 0, 0.2f)),
         .b = put(ground, at_position(0, 0, 0)),
         .depth = 0.3,
         .room = 0.3,
         .away = {0, 0, 1},
         .top = {0.5f, 0, 0}},
        {.name = "rod on an edge",
         .a = put(rod, at_position(0, 0.1f, edge + 0.05f)),
         .b = cube,
         .depth = 0.35,
         .room = 0.35,
         .corner = std::sqrt(2.0),
         .away = {0, 0, 1},
         .top = {0, 0.1f, edge}},
        // The deepest points are halfway between the box's lower and upper face.
        {.name = "ball in a box",
         .a = put(ball, at_position(0.5f, 0.125f, 0, 0.5f)),
         .b = put(block, at_position(0, 0, 0, 1.5f)),
         .depth = 0.9375,
         .room = 0.5},
    };
}

// A kind of field that replaces the formulas.
struct FieldKindCase {
    std::string name;
    std::optional<FieldOptions> samples;  // none: the formulas themselves
};
inline std::vector<FieldKindCase> field_kinds() {
    constexpr float kPadding = 8;
    return {{"formula", std::nullopt},
            {"dense order 0",
             FieldOptions{.resolution = 96, .order = FieldOrder::zero, .padding = kPadding}},
            {"dense order 1",
             FieldOptions{.resolution = 64, .order = FieldOrder::one, .padding = kPadding}},
            {"sparse order 1",
             FieldOptions{
                 .resolution = 96, .order = FieldOrder::one, .sparse = true, .padding = kPadding}}};
}

inline void PrintTo(const FieldKindCase& kind, std::ostream* out) {
    *out << kind.name;
}

// Samples a field; that of an unbounded body stays a formula.
inline Field sampled(const Field& field, const FieldKindCase& kind) {
    if (!kind.samples || !is_finite(field.bounds().min)) return field;
    return sample_field(field, choose_grid(field.bounds(), *kind.samples), *kind.samples);
}

}  // namespace graze
