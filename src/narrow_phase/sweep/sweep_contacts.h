// From points that reach a field to contacts; docs/concepts/contacts.md defines their members.
#pragma once

#include "narrow_phase/sweep/sweep_search.h"

namespace graze {

struct MakeSweepContact {
    PairStep step;
    const SweptSide* sides;
    const SweptPoint* points;
    const std::uint64_t* count;
    Contact* contacts;  // out

    GRAZE_HD void operator()(std::int64_t i) const {
        if (static_cast<std::uint64_t>(i) >= *count) return;
        const SweptPoint& point = points[i];
        const SweptSide& side = sides[point.side];
        const SideMotion& motion = side.motion;
        const Vec3 at_start = path_at(motion, point.position, 0);
        const Vec3 at_time = path_at(motion, point.position, point.time);
        const FieldValue value = evaluate(side.field, at_time);
        const Transformd pose = field_pose_at(motion, point.time);

        Vec3d normal = rotate(pose.rotation, static_cast<Vec3d>(value.gradient));
        if (value.gradient == Vec3{0, 0, 0}) {
            normal = normalized(motion.offset + motion.travel * static_cast<double>(point.time));
        }
        const Vec3 direction = static_cast<Vec3>(normal);
        // At the start of the step, along the normal; what the point has moved since is exact.
        const float distance = value.distance + dot(value.gradient, at_start - at_time);

        const IndexPair bodies = step.pairs[side.pair];
        const FeatureKind kind = side.face_corners ? FeatureKind::face : FeatureKind::vertex;
        const Feature feature{kind, side.tree.indices[point.point]};
        Contact& contact = contacts[i];
        contact.body_a = bodies.a;
        contact.body_b = bodies.b;
        contact.feature_a = side.has_points_of_a ? feature : kNoFeature;
        contact.feature_b = side.has_points_of_a ? kNoFeature : feature;
        contact.position = static_cast<Vec3>(transform_point(pose, static_cast<Vec3d>(at_time)));
        contact.distance = distance * static_cast<float>(motion.field_scale);
        contact.normal = side.has_points_of_a ? direction : -direction;
        contact.time = point.time;
    }
};

struct OffsetOfSweptPair {
    const std::uint64_t* side_offsets;
    int sides_per_pair;
    std::uint64_t* offsets;  // out, by pair

    GRAZE_HD void operator()(std::int64_t pair) const {
        offsets[pair] = side_offsets[pair * sides_per_pair];
    }
};

}  // namespace graze
