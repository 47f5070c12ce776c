// RigidPairs: the bodies and pairs of a step as Method::features sees them, with the vertices of
// every body in the world at both ends of the step.
//
// World coordinates are doubles, computed from poses and meshes in floats by a fixed sequence of
// operations: a vertex is at the same point whoever asks, on both machines. What is exact here is
// exact for these points. They are within 2^-48, relative to the largest coordinate involved, of
// where the pose takes the vertex in exact arithmetic. Floats reach from 2^-149 to 2^128 and scales
// from 1e-20 to 1e20, so that coordinates that are not zero are of magnitude 1e-85 to 1e60: within
// what predicates.h decides exactly.
#pragma once

#include "broad_phase/body_boxes.h"
#include "narrow_phase/features/mesh_features.h"
#include "narrow_phase/method.h"

namespace graze {

// A body's mesh in a step.
struct BodyMesh {
    ShapeMesh mesh;
    Transform pose_t0, pose_t1;

    GRAZE_INLINE Vec3d at_t0(std::uint32_t vertex) const { return move(pose_t0, vertex); }
    GRAZE_INLINE Vec3d at_t1(std::uint32_t vertex) const { return move(pose_t1, vertex); }

private:
    GRAZE_INLINE Vec3d move(const Transform& pose, std::uint32_t vertex) const {
        const Quatd rotation{pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z};
        const Transformd in_double{static_cast<Vec3d>(pose.translation), rotation, pose.scale};
        return transform_point(in_double, static_cast<Vec3d>(mesh.positions[vertex]));
    }
};

GRAZE_INLINE bool is_same_pose(const Transform& a, const Transform& b) {
    return a.translation == b.translation && a.rotation.w == b.rotation.w &&
           a.rotation.x == b.rotation.x && a.rotation.y == b.rotation.y &&
           a.rotation.z == b.rotation.z && a.scale == b.scale;
}

struct RigidPairs {
    PairStep step;
    double gap;  // [m]

    GRAZE_INLINE const ShapeMesh& mesh(std::uint32_t body) const {
        return step.shapes.meshes[step.shape_of_body[body]];
    }
    GRAZE_INLINE BodyMesh body(std::uint32_t body) const {
        const Transform& pose_t0 = step.poses_t0[body];
        return {mesh(body), pose_t0, step.poses_t1 ? step.poses_t1[body] : pose_t0};
    }
    GRAZE_INLINE bool moves(std::uint32_t body) const {
        return step.poses_t1 && !is_same_pose(step.poses_t0[body], step.poses_t1[body]);
    }
    // A pair that does not move is looked at in an instant.
    GRAZE_INLINE bool moves(const IndexPair& pair) const { return moves(pair.a) || moves(pair.b); }
    // The work on a pair goes through the triangles of the body that has fewer, each of which walks
    // the tree of the other.
    GRAZE_INLINE bool walks_tree_of_b(const IndexPair& pair) const {
        return mesh(pair.a).triangle_count <= mesh(pair.b).triangle_count;
    }
};

// The corners of a triangle in the world, in both bodies of a pair alike.
struct MovingTriangle {
    Vec3d t0[3], t1[3];
    Element element;

    GRAZE_INLINE MovingTriangle(const BodyMesh& body, std::uint32_t triangle)
        : element(body.mesh.elements[triangle]) {
        const bool rests = is_same_pose(body.pose_t0, body.pose_t1);
        for (int k = 0; k < 3; ++k) {
            t0[k] = body.at_t0(element.vertices[k]);
            t1[k] = rests ? t0[k] : body.at_t1(element.vertices[k]);
        }
    }

    // [m] All that it reaches in the step: corners move straight.
    GRAZE_INLINE Aabbd box() const {
        return merge(box_of(t0[0], t0[1], t0[2]), box_of(t1[0], t1[1], t1[2]));
    }
};

// A box of floats around one of doubles, grown by margin [m]. A double is within 2^-24 of its
// nearest float, relative or below the smallest normal float, and so is each sum here.
GRAZE_INLINE Aabb rounded_out(const Aabbd& box, double margin) {
    constexpr double kSlack = 0x1p-22, kTiny = 0x1p-120;
    constexpr double kLargest = std::numeric_limits<float>::max();
    Aabb result;
    for (int axis = 0; axis < 3; ++axis) {
        const double low = box.min[axis] - margin, high = box.max[axis] + margin;
        const double below = low - (std::fabs(low) * kSlack + kTiny);
        const double above = high + (std::fabs(high) * kSlack + kTiny);
        result.min[axis] = below > -kLargest ? static_cast<float>(min_of(below, kLargest))
                                             : -std::numeric_limits<float>::infinity();
        result.max[axis] = above < kLargest ? static_cast<float>(max_of(above, -kLargest))
                                            : std::numeric_limits<float>::infinity();
    }
    return result;
}

}  // namespace graze
