// BodyBoxes: the world boxes of bodies under their poses.
//
// A box holds every point of its body twice: where the pose takes it in exact arithmetic, and where
// transform_point() puts it in floats. The pose takes v to t + s (I + 2 w [q] + 2 [q]^2) v, whose
// terms along axis i add up, without cancelling each other, to at most |t_i| + s (3 |v_i| + |v_j| +
// |v_k|). Here and in transform_point() no term of v is rounded more than 10 times, and t only
// where it is added. So with u = 2^-24 both are within 32 u s (|v_i| + |v_j| + |v_k|) + 2 u |t_i|
// of the truth. The box is that of all values twice as far from it: 64 u widens the matrix'
// entries, 4 u |t_i| the result.
//
// Along axes where a shape has no end neither has its box, and neither has it along any other axis
// that the rotation mixes them with, however little.
#pragma once

#include "graze/transform.h"

namespace graze {
namespace body_box_detail {

constexpr float kLargest = std::numeric_limits<float>::max();
constexpr float kSmallest = std::numeric_limits<float>::min();  // more than underflow can lose
constexpr float kTranslationError = 0x1p-22f;
constexpr float kRotationError = 0x1p-18f;

// A bound is an infinity where it is beyond the floats or, from infinities of both signs, NaN.
GRAZE_INLINE float lower_bound(float x) {
    return x > -kLargest ? min_of(x, kLargest) : -std::numeric_limits<float>::infinity();
}
GRAZE_INLINE float upper_bound(float x) {
    return x < kLargest ? max_of(x, -kLargest) : std::numeric_limits<float>::infinity();
}

GRAZE_INLINE float magnitude(float x) {
    return x < 0 ? -x : x;
}

// A little less than an entry of a rotation's matrix, and a little more; never 0.
GRAZE_INLINE float below(float m) {
    return m == kRotationError ? -kRotationError : m - kRotationError;
}
GRAZE_INLINE float above(float m) {
    return m == -kRotationError ? kRotationError : m + kRotationError;
}

// True where coordinate i of a point's image does not depend on coordinate j of the point: both
// products in the matrix' entry are zero, not only their sum.
GRAZE_INLINE bool is_independent(const Quat& q, int i, int j) {
    const Vec3 v{q.x, q.y, q.z};
    return i != j && (v[i] == 0 || v[j] == 0) && (q.w == 0 || v[3 - i - j] == 0);
}

// The largest coordinates of a box's points, regardless of sign.
GRAZE_INLINE Vec3 farthest(const Aabb& box) {
    return {max_of(magnitude(box.min.x), magnitude(box.max.x)),
            max_of(magnitude(box.min.y), magnitude(box.max.y)),
            max_of(magnitude(box.min.z), magnitude(box.max.z))};
}

}  // namespace body_box_detail

// The world box of a shape's box, grown by margin [m].
GRAZE_INLINE Aabb pose_box(const Transform& pose, const Aabb& bounds, float margin) {
    using namespace body_box_detail;
    const Mat3 rotation = to_matrix(pose.rotation);
    Aabb box;
    for (int i = 0; i < 3; ++i) {
        float low = 0, high = 0;
        for (int j = 0; j < 3; ++j) {
            const float m = rotation(i, j);
            if (m == 0 && is_independent(pose.rotation, i, j)) continue;
            // The product of a factor anywhere in [a, b] and a coordinate anywhere in the shape's
            // box. Neither a nor b is 0, which times infinity would be NaN.
            const float a = below(m), b = above(m);
            const float from = bounds.min[j], to = bounds.max[j];
            low += pose.scale * min_of(from * (from < 0 ? b : a), to * (to < 0 ? b : a));
            high += pose.scale * max_of(from * (from < 0 ? a : b), to * (to < 0 ? a : b));
        }
        const float t = pose.translation[i];
        const float growth = margin + (kTranslationError * (magnitude(t) + margin) + kSmallest);
        box.min[i] = lower_bound((t + low) - growth);
        box.max[i] = upper_bound((t + high) + growth);
    }
    return box;
}

// The box of all that a body reaches on its path from one pose to the other: the translation goes
// straight, the rotation along the shorter arc, both at constant speed.
//
// A point p of the body goes along x(t) = T(t) + s R(t) p. T is linear, and R(t) p runs along a
// circle of radius at most |p| with angular speed theta, so |x''| <= s |p| theta^2; the distance of
// x(t) from the straight line between its ends is therefore at most s |p| theta^2 / 8. That line is
// inside the box of both ends' boxes. Also, |x(t) - T(t)| is at most s |p|. Both hold, so
// their intersection does: the first is tight for small rotations, the second for large ones.
//
// With k the distance between the two quaternions, of the signs that are nearer, theta = 4
// asin(k / 2), where k / 2 <= sqrt(1/2). All terms of asin's series being positive, (asin(x) - x) /
// x^3 increases and is at most 0.2215 there.
//
// A quaternion of length a stands for the matrix I + a^2 (R - I), within 2 |a^2 - 1| of R, and is
// |a - 1| <= |a^2 - 1| from the unit quaternion, which moves theta^2 / 8 by less than 5 of that.
GRAZE_INLINE Aabb sweep_box(const Transform& pose_t0, const Transform& pose_t1, const Aabb& bounds,
                            float margin) {
    using namespace body_box_detail;
    const Aabb ends = merge(pose_box(pose_t0, bounds, margin), pose_box(pose_t1, bounds, margin));
    const Quat &a = pose_t0.rotation, &b = pose_t1.rotation;
    if (a.w == b.w && a.x == b.x && a.y == b.y && a.z == b.z) return ends;

    const float sign = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0 ? -1.0f : 1.0f;
    const Quat d{b.w - sign * a.w, b.x - sign * a.x, b.y - sign * a.y, b.z - sign * a.z};
    const float x_sq = 0.25f * (d.w * d.w + d.x * d.x + d.y * d.y + d.z * d.z);
    const float angle = 1.0f + 0.2215f * x_sq;  // a quarter of theta, over x
    const float arc = 2.0f * x_sq * (angle * angle);
    const float fault = max_of(magnitude(a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z - 1.0f),
                               magnitude(b.w * b.w + b.x * b.x + b.y * b.y + b.z * b.z - 1.0f));
    const float slack = 8.0f * fault + 0x1p-17f;  // includes all rounding, of the poses too
    // In double, where no square underflows.
    const auto reach = static_cast<float>(length(static_cast<Vec3d>(farthest(bounds))));
    const float radius = max_of(pose_t0.scale, pose_t1.scale) * reach;
    const float growth = radius * (arc * 1.00001f + slack);
    Aabb box;
    for (int i = 0; i < 3; ++i) {
        const float t0 = pose_t0.translation[i], t1 = pose_t1.translation[i];
        const float around = radius * (1.0f + slack) + margin +
                             kTranslationError * (magnitude(t0) + magnitude(t1) + margin) +
                             kSmallest;
        box.min[i] =
            max_of(lower_bound(ends.min[i] - growth), lower_bound(min_of(t0, t1) - around));
        box.max[i] =
            min_of(upper_bound(ends.max[i] + growth), upper_bound(max_of(t0, t1) + around));
    }
    return box;
}

// Computes the box of a body.
struct BodyBoxes {
    const Aabb* shape_bounds;            // [m] by shape; infinite along some axes where unbounded
    const std::uint32_t* shape_of_body;  // by body
    const Transform* poses_t0;           // world from body, with rotations of unit length
    const Transform* poses_t1;           // null where the bodies are tested at an instant
    float margin;                        // [m] added on every side
    Aabb* boxes;                         // out; empty where the shape is

    GRAZE_HD void operator()(std::int64_t body) const {
        const Aabb bounds = shape_bounds[shape_of_body[body]];
        if (bounds.is_empty()) {
            boxes[body] = Aabb::empty();
        } else if (poses_t1) {
            boxes[body] = sweep_box(poses_t0[body], poses_t1[body], bounds, margin);
        } else {
            boxes[body] = pose_box(poses_t0[body], bounds, margin);
        }
    }
};

}  // namespace graze
