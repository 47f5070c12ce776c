// When a face of a body first comes within the level of the other body's field.
//
// A triangle is split in two at its longest edge, and so are its parts, until each part is proven
// apart, as the spheres of the tree are, or its sphere has a radius of at most r, the tolerance. A
// part as small as that counts as reached where the value at its centre is at most r above the
// level. What that guarantees, in metres of the field, with the slack of swept_side.h:
//
// - None is missed. Where the value at some point y of the face is at most level - slack at some
//   time of the step, the face is reached, no later than then: no part around y is left out, and
//   the smallest has a value of at most level - slack + r + slack at its centre. For a closed
//   mesh's field of order 1 the slack is 3.1 voxels by proof, and below a tenth of a voxel in
//   practice.
// - None is invented. Where a face is reached, the value at the point of it that is reported is
//   level + r at most.
//
// Of several parts the one that is reached first counts. The number of splits is bounded; where a
// face exhausts it, parts are as they are then, and r is their radius.
#pragma once

#include "narrow_phase/sweep/first_times.h"

namespace graze {

struct FaceHit {
    float time;     // kNever where the face is not reached
    Vec3 position;  // [m] in the frame of the face's body
};

namespace face_parts_detail {

constexpr int kMaxDepth = 48;     // three splits at most halve a part's size
constexpr int kMaxSplits = 4096;  // enough for 64 x 64 parts of a face that lies on a surface

struct Sphere {
    Vec3 centre;
    float radius;
};

struct FacePart {
    Vec3 corners[3];  // the longest edge is between the first two
    float begin;      // not reached before
};

GRAZE_INLINE void turn_longest_edge_first(Vec3 (&corners)[3]) {
    const float ab = length_sq(corners[1] - corners[0]);
    const float bc = length_sq(corners[2] - corners[1]);
    const float ca = length_sq(corners[0] - corners[2]);
    if (ab >= bc && ab >= ca) return;
    const Vec3 a = corners[0], b = corners[1], c = corners[2];
    if (bc >= ca) {
        corners[0] = b, corners[1] = c, corners[2] = a;
    } else {
        corners[0] = c, corners[1] = a, corners[2] = b;
    }
}

// About the smallest sphere around a triangle with its longest edge first.
GRAZE_INLINE Sphere sphere_around(const Vec3 (&corners)[3]) {
    const Vec3 &a = corners[0], &b = corners[1], &c = corners[2];
    Vec3 centre = (a + b) * 0.5f;
    const Vec3 u = b - a, v = c - a;
    if (dot(a - c, b - c) > 0) {  // all angles are acute
        const Vec3 n = cross(u, v);
        const float n_sq = length_sq(n);
        if (n_sq > 0)
            centre = a + (cross(n, u) * length_sq(v) + cross(v, n) * length_sq(u)) / (2 * n_sq);
    }
    const float radius_sq =
        max_of(max_of(length_sq(a - centre), length_sq(b - centre)), length_sq(c - centre));
    return {centre, std::sqrt(radius_sq) * (1 + 0x1p-20f)};
}

// Moves on a part's begin; kNever where it is apart.
GRAZE_HD GRAZE_NOINLINE inline Sphere look_at(const SweptSide& side, FacePart& part) {
    turn_longest_edge_first(part.corners);
    const Sphere sphere = sphere_around(part.corners);
    part.begin = first_time_of_sphere(side, sphere.centre, sphere.radius, part.begin);
    return sphere;
}

}  // namespace face_parts_detail

// The face is in the order of the tree. Before begin it is not reached.
GRAZE_HD inline FaceHit first_time_of_face(const SweptSide& side, std::uint32_t face, float begin) {
    namespace detail = face_parts_detail;
    FaceHit hit{kNever, {0, 0, 0}};
    detail::FacePart waiting[detail::kMaxDepth];
    int waiting_count = 0, split_count = 0;
    const Vec3* corners = side.face_corners + 3 * std::size_t{face};
    detail::FacePart part{{corners[0], corners[1], corners[2]}, begin};
    detail::look_at(side, part);
    for (;;) {
        if (part.begin < hit.time) {
            const detail::Sphere sphere = detail::sphere_around(part.corners);
            if (sphere.radius > side.face_radius && waiting_count < detail::kMaxDepth &&
                split_count < detail::kMaxSplits) {
                ++split_count;
                const Vec3 middle = (part.corners[0] + part.corners[1]) * 0.5f;
                detail::FacePart halves[2] = {
                    {{part.corners[0], middle, part.corners[2]}, part.begin},
                    {{middle, part.corners[1], part.corners[2]}, part.begin}};
                detail::look_at(side, halves[0]);
                detail::look_at(side, halves[1]);
                // The one that can be reached earlier comes first.
                const int first = halves[1].begin < halves[0].begin ? 1 : 0;
                if (halves[1 - first].begin < hit.time)
                    waiting[waiting_count++] = halves[1 - first];
                part = halves[first];
                continue;
            }
            const float radius = sphere.radius * side.motion.scale;
            const float time =
                first_time_of_point(side, sphere.centre, side.level + radius, part.begin);
            if (time < hit.time) hit = {time, sphere.centre};
        }
        if (waiting_count == 0) return hit;
        part = waiting[--waiting_count];
    }
}

}  // namespace graze
