// The part of GrazeAlgorithm that takes its points anew from where the solved motion leads.
//
// A point bounds the step's motion by a plane, that of the surface where and when it was found.
// Over a long way a plane is not the surface: a normal that leans by 0.01 against the way makes 1
// mm of it climb 10 um, however smooth the surface is. Of many points the solver holds those that
// lean most, so that all of them together brake what slides. At the end of a motion that crosses
// nothing the distance is known, and the plane there is right for every motion near it.
#include <algorithm>

#include "convert.h"
#include "dispatch_batch.h"

namespace graze::bullet {

// [m] Returns how far the plane of a point that carries load was off.
btScalar GrazeAlgorithm::refine(btScalar time, const Shape& shape_a, const Transform& pose_a,
                                const Shape& shape_b, const Transform& pose_b, bool flipped) {
    const StepMove move_0 = side_0_.solved_move(time), move_1 = side_1_.solved_move(time);
    const btTransform &at_0 = side_0_.object_t1(), &at_1 = side_1_.object_t1();
    const auto points = speculative_.points();
    const auto active = speculative_.active();
    refined_.clear();
    // What stops a body ahead of a surface is an impact, after which it moves in another way.
    for (std::size_t i = 0; i < active.size(); ++i) {
        if (solved_point(i).m_appliedImpulse > 0 && is_ahead(points[active[i]])) return 0;
    }
    refined_.assign(points.begin(), points.end());
    for (SpeculativePoint& point : refined_) {
        const bool is_of_a = point.contact.feature_a.kind != FeatureKind::none;
        if (is_of_a == (point.contact.feature_b.kind != FeatureKind::none)) continue;
        const bool is_of_0 = is_of_a != flipped;
        const btVector3 position = is_of_0 ? at_0 * point.local_0 : at_1 * point.local_1;
        const Transform& pose = is_of_a ? pose_b : pose_a;
        const FieldValue value = (is_of_a ? shape_b : shape_a)
                                     .field()
                                     .evaluate(transform_point(inverse(pose), to_graze(position)));
        if (!(length_sq(value.gradient) > 0)) continue;
        const btVector3 gradient = to_bullet(transform_direction(pose, value.gradient));
        const btVector3 normal = is_of_0 ? gradient : -gradient;
        const btVector3 arm_0 = position - at_0.getOrigin(), arm_1 = position - at_1.getOrigin();
        const btScalar distance = static_cast<btScalar>(value.distance * pose.scale) -
                                  normal.dot(move_0.at(arm_0) - move_1.at(arm_1));
        // Bodies that have to move apart keep the plane by which they do.
        if (distance < 0) continue;
        point.normal = normal;
        point.arm_0 = arm_0;
        point.arm_1 = arm_1;
        point.local_0 = at_0.invXform(position);
        point.local_1 = at_1.invXform(position);
        point.distance = distance;
    }
    btScalar off = 0;
    for (std::size_t i = 0; i < active.size(); ++i) {
        if (!(solved_point(i).m_appliedImpulse > 0)) continue;
        const SpeculativePoint &was = points[active[i]], &is = refined_[active[i]];
        off = std::max(off, SpeculativePoints::need(was, move_0, move_1, 0) -
                                SpeculativePoints::need(is, move_0, move_1, 0));
    }
    return off;
}

void GrazeAlgorithm::take_refined() {
    if (refined_.empty()) return;
    std::copy(refined_.begin(), refined_.end(), speculative_.points().begin());
    const auto active = speculative_.active();
    for (std::size_t i = 0; i < active.size(); ++i) {
        btManifoldPoint& given = solved_point(i);
        btManifoldPoint fresh = solver_point(speculative_.points()[active[i]]);
        fresh.m_userPersistentData = given.m_userPersistentData;
        fresh.m_lifeTime = given.m_lifeTime;
        given = fresh;
    }
}

}  // namespace graze::bullet
