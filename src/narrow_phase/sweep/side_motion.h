// SideMotion: how the points of one body move inside a step, seen from the frame of another body,
// whose field they meet.
//
// With D the vector between the bodies' origins and R, s their rotations and scales, a point p of
// the first body is at
//
//     x(t) = R_f(t)^T (D(t) + s_p R_p(t) p) / s_f
//
// in the frame of the second. D is linear in t and is a difference of given positions in double
// precision, so that bodies far from the world's origin lose nothing. A rotation at the constant
// angular speed w has derivatives of norm w and w^2. Hence, with d the largest |D| of the step,
//
//     |x'|  <= (|D'| + w_f d + (w_f + w_p) s_p |p|) / s_f
//     |x''| <= (2 w_f |D'| + w_f^2 d + (w_f + w_p)^2 s_p |p|) / s_f
//
// and over a span h of time x is never farther than h^2 / 8 times the second from its chord.
#pragma once

#include "geometry/rigid_motion.h"
#include "graze/detector.h"

namespace graze {

// x = matrix p + translation.
struct AffineMap {
    Mat3 matrix;
    Vec3 translation;

    GRAZE_INLINE Vec3 operator()(const Vec3& p) const { return matrix * p + translation; }
};

// a + b |p|, for a point p of the body.
struct RadialBound {
    float constant, per_radius;

    GRAZE_INLINE float at(float radius) const { return constant + per_radius * radius; }
};

struct SideMotion {
    RotationArc points, field;  // world from body
    Vec3d field_origin_t0;      // [m] world
    Vec3d field_travel;         // [m] world: from t0 to t1
    Vec3d offset;               // [m] world: from the field's origin to that of the points, at t0
    Vec3d travel;               // [m] world: how that changes until t1
    double points_scale, field_scale;
    AffineMap at_t0, at_t1;  // field from points
    RadialBound speed;       // [m of the field] of |x'|, rounding included
    RadialBound bend;        // [m of the field] of |x''|, rounding included; 0 where straight
    float scale;             // metres of the field per metre of the points' body
    float reach;             // [m of the field] the largest |D|
    bool is_straight;        // every point goes straight from t0 to t1
};

namespace side_motion_detail {

GRAZE_INLINE AffineMap true_map_at(const SideMotion& motion, double t) {
    const Quatd field_from_world = conjugate(rotation_at(motion.field, t));
    const Quatd rotation = field_from_world * rotation_at(motion.points, t);
    const double inverse_scale = 1 / motion.field_scale;
    const Mat3d matrix = to_matrix(rotation) * (motion.points_scale * inverse_scale);
    const Vec3d translation =
        rotate(field_from_world, motion.offset + motion.travel * t) * inverse_scale;
    return {{{static_cast<Vec3>(matrix.columns[0]), static_cast<Vec3>(matrix.columns[1]),
              static_cast<Vec3>(matrix.columns[2])}},
            static_cast<Vec3>(translation)};
}

GRAZE_INLINE AffineMap mix(const AffineMap& from, const AffineMap& to, float t) {
    return {from.matrix + (to.matrix - from.matrix) * t,
            from.translation + (to.translation - from.translation) * t};
}

}  // namespace side_motion_detail

// points_t0, ...: world from body. Rotations are of unit length but for rounding.
GRAZE_INLINE SideMotion make_side_motion(const Transform& points_t0, const Transform& points_t1,
                                         const Transform& field_t0, const Transform& field_t1,
                                         SweepMotion kind) {
    SideMotion motion;
    motion.points = make_rotation_arc(points_t0.rotation, points_t1.rotation);
    motion.field = make_rotation_arc(field_t0.rotation, field_t1.rotation);
    motion.field_origin_t0 = static_cast<Vec3d>(field_t0.translation);
    motion.field_travel = static_cast<Vec3d>(field_t1.translation) - motion.field_origin_t0;
    motion.offset = static_cast<Vec3d>(points_t0.translation) - motion.field_origin_t0;
    const Vec3d offset_t1 =
        static_cast<Vec3d>(points_t1.translation) - static_cast<Vec3d>(field_t1.translation);
    motion.travel = offset_t1 - motion.offset;
    motion.points_scale = static_cast<double>(points_t0.scale);
    motion.field_scale = static_cast<double>(field_t0.scale);
    motion.at_t0 = side_motion_detail::true_map_at(motion, 0);
    motion.at_t1 = side_motion_detail::true_map_at(motion, 1);

    const double points_turn = 2 * motion.points.angle, field_turn = 2 * motion.field.angle;
    const double turn = points_turn + field_turn;
    const double farthest = max_of(length(motion.offset), length(offset_t1));
    const double way = length(motion.travel);
    // The factor covers the rounding to floats, here and in what is computed with the bounds.
    constexpr double kMore = 1 + 0x1p-20;
    const double unit = kMore / motion.field_scale;
    motion.speed = {static_cast<float>((way + field_turn * farthest) * unit),
                    static_cast<float>(turn * motion.points_scale * unit)};
    motion.bend = {
        static_cast<float>((2 * field_turn * way + field_turn * field_turn * farthest) * unit),
        static_cast<float>(turn * turn * motion.points_scale * unit)};
    motion.scale = static_cast<float>(motion.points_scale / motion.field_scale);
    motion.reach = static_cast<float>(farthest * unit);
    motion.is_straight = kind == SweepMotion::straight || turn == 0;
    if (motion.is_straight) motion.bend = {0, 0};
    return motion;
}

// Field from points at t.
GRAZE_HD inline AffineMap map_at(const SideMotion& motion, float t) {
    if (t == 0) return motion.at_t0;
    if (t == 1) return motion.at_t1;
    if (motion.is_straight) return side_motion_detail::mix(motion.at_t0, motion.at_t1, t);
    return side_motion_detail::true_map_at(motion, static_cast<double>(t));
}

// [m] Where a point of the one body is at t, in the frame of the field.
GRAZE_HD inline Vec3 path_at(const SideMotion& motion, const Vec3& point, float t) {
    return map_at(motion, t)(point);
}

// World from the field's frame at t. The translation is in double precision.
GRAZE_INLINE Transformd field_pose_at(const SideMotion& motion, float t) {
    const auto time = static_cast<double>(t);
    return {motion.field_origin_t0 + motion.field_travel * time, rotation_at(motion.field, time),
            motion.field_scale};
}

}  // namespace graze
