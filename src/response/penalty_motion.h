// The parts of a penalty step that go body by body, and the contacts that it found.
#pragma once

#include "broad_phase/body_boxes.h"
#include "graze/contact.h"
#include "response/penalty_sides.h"

namespace graze {
namespace penalty_detail {

// Moves a body on by what acts on it, and says where it is at both ends of the step.
struct MoveBody {
    const RigidProperties* bodies;
    const BodyForce* forces;
    RigidStep step;
    double time;            // [s] when the step begins
    RigidState* states_t0;  // in; bodies that are due become present
    RigidState* states_t1;  // out
    Transform* poses_t0;    // out
    Transform* poses_t1;    // out

    GRAZE_HD void operator()(std::int64_t i) const {
        RigidState state = states_t0[i];
        if (!state.is_present && bodies[i].start_time <= time + step.duration * 0.5) {
            state.is_present = 1;
            states_t0[i] = state;
        }
        const RigidState moved = step_rigid(state, bodies[i], forces[i], step);
        states_t1[i] = moved;
        poses_t0[i] = pose_of(state, bodies[i]);
        poses_t1[i] = pose_of(moved, bodies[i]);
    }
};

// The box of a body; empty where it is not there.
struct BoxOfPresent {
    BodyBoxes boxes;
    const RigidState* states;

    GRAZE_HD void operator()(std::int64_t i) const {
        if (states[i].is_present && !states[i].is_lost) {
            boxes(i);
        } else {
            boxes.boxes[i] = Aabb::empty();
        }
    }
};

struct IsLost {
    const RigidState* states;
    GRAZE_HD std::uint64_t operator()(std::int64_t i) const { return states[i].is_lost; }
};

struct ContactOfPoint {
    PenaltyStep step;
    const PenaltySide* sides;
    bool is_continuous;
    float level;  // [m]
    const SweptPoint* points;
    Contact* contacts;  // out

    GRAZE_HD void operator()(std::int64_t i) const {
        const SweptPoint swept = points[i];
        const IndexPair pair = step.pairs.pairs[swept.side / 2];
        const SideBodies bodies = bodies_of_side(step.pairs.pairs, swept.side);
        const PenaltySide& side = sides[swept.side];
        const SphereTreeView& tree =
            step.pairs.shapes.points[step.pairs.shape_of_body[bodies.points]].tree;
        const FieldView& field =
            step.pairs.shapes.fields[step.pairs.shape_of_body[bodies.field]].field;
        const Vec3 arm = arm_of(side, tree.points[swept.point]);
        const float t = is_continuous ? swept.time : 1.0f;
        const Placed now = place(side, arm, t);
        const Vec3 x = in_field(side, now);
        const FieldValue value = evaluate(field, x);
        const Vec3 normal = rotate(now.field, value.gradient);
        float distance = value.distance;
        if (is_continuous && t > 0)
            distance += dot(value.gradient, in_field(side, placed_at_t0(side, arm)) - x);
        const Vec3d from = step.states_t0[bodies.field].centre;
        const Vec3d to = step.states_t1[bodies.field].centre;
        const Vec3d centre = from + (to - from) * static_cast<double>(t);
        const Feature feature{FeatureKind::vertex, tree.indices[swept.point]};
        const bool is_of_a = swept.side % 2 == 0;
        Contact contact{};
        contact.body_a = pair.a;
        contact.body_b = pair.b;
        contact.feature_a = is_of_a ? feature : kNoFeature;
        contact.feature_b = is_of_a ? kNoFeature : feature;
        contact.position = static_cast<Vec3>(centre + static_cast<Vec3d>(now.field_handle));
        contact.distance = distance * side.field_scale;
        contact.normal = is_of_a ? normal : -normal;
        contact.time = is_continuous ? t : 0.0f;
        contacts[i] = contact;
    }

private:
    GRAZE_HD static Placed place(const PenaltySide& side, const Vec3& arm, float t) {
        if (t == 0) return placed_at_t0(side, arm);
        return t == 1 ? placed_at_t1(side, arm) : placed_between(side, arm, t);
    }
};

}  // namespace penalty_detail
}  // namespace graze
