#include "manifold_points.h"

#include <BulletCollision/CollisionDispatch/btManifoldResult.h>

namespace graze::bullet {

btManifoldPoint make_manifold_point(const btVector3& on_0, const btVector3& on_1,
                                    const btVector3& normal_on_1, btScalar distance,
                                    const PairSide& side_0, const PairSide& side_1) {
    const btCollisionObject &body_0 = *side_0.object, &body_1 = *side_1.object;
    btManifoldPoint point(body_0.getWorldTransform().invXform(on_0),
                          body_1.getWorldTransform().invXform(on_1), normal_on_1, distance);
    point.m_positionWorldOnA = on_0;
    point.m_positionWorldOnB = on_1;
    point.m_combinedFriction = btManifoldResult::calculateCombinedFriction(&body_0, &body_1);
    point.m_combinedRestitution = btManifoldResult::calculateCombinedRestitution(&body_0, &body_1);
    point.m_combinedRollingFriction =
        btManifoldResult::calculateCombinedRollingFriction(&body_0, &body_1);
    point.m_combinedSpinningFriction =
        btManifoldResult::calculateCombinedSpinningFriction(&body_0, &body_1);
    const int flags = body_0.getCollisionFlags() | body_1.getCollisionFlags();
    if ((flags & btCollisionObject::CF_HAS_CONTACT_STIFFNESS_DAMPING) != 0) {
        point.m_combinedContactDamping1 =
            btManifoldResult::calculateCombinedContactDamping(&body_0, &body_1);
        point.m_combinedContactStiffness1 =
            btManifoldResult::calculateCombinedContactStiffness(&body_0, &body_1);
        point.m_contactPointFlags |= BT_CONTACT_FLAG_CONTACT_STIFFNESS_DAMPING;
    }
    if ((flags & btCollisionObject::CF_HAS_FRICTION_ANCHOR) != 0)
        point.m_contactPointFlags |= BT_CONTACT_FLAG_FRICTION_ANCHOR;
    btPlaneSpace1(point.m_normalWorldOnB, point.m_lateralFrictionDir1, point.m_lateralFrictionDir2);
    point.m_partId0 = side_0.part;
    point.m_partId1 = side_1.part;
    point.m_index0 = side_0.index;
    point.m_index1 = side_1.index;
    return point;
}

void tell_user(btManifoldPoint& point, const PairSide& side_0, const PairSide& side_1) {
    const int flags = side_0.object->getCollisionFlags() | side_1.object->getCollisionFlags();
    if (gContactAddedCallback == nullptr ||
        (flags & btCollisionObject::CF_CUSTOM_MATERIAL_CALLBACK) == 0)
        return;
    const btCollisionObjectWrapper wrapper_0(nullptr, side_0.shape, side_0.object,
                                             side_0.world_from_shape, side_0.part, side_0.index);
    const btCollisionObjectWrapper wrapper_1(nullptr, side_1.shape, side_1.object,
                                             side_1.world_from_shape, side_1.part, side_1.index);
    gContactAddedCallback(point, &wrapper_0, side_0.part, side_0.index, &wrapper_1, side_1.part,
                          side_1.index);
}

void overwrite_points(btPersistentManifold& manifold, std::span<const btManifoldPoint> points,
                      const PairSide& side_0, const PairSide& side_1) {
    for (int i = 0; i < manifold.getNumContacts(); ++i)
        manifold.getContactPoint(i).m_userPersistentData = nullptr;
    const auto count = static_cast<int>(points.size());
    const bool is_new = manifold.getNumContacts() == 0 && count > 0;
    while (manifold.getNumContacts() > count)
        manifold.removeContactPoint(manifold.getNumContacts() - 1);
    const int old_count = manifold.getNumContacts();
    for (int i = 0; i < count; ++i) {
        const btManifoldPoint& point = points[static_cast<std::size_t>(i)];
        if (i < old_count)
            manifold.getContactPoint(i) = point;
        else
            manifold.addManifoldPoint(point);
        tell_user(manifold.getContactPoint(i), side_0, side_1);
    }
    if (is_new && gContactStartedCallback != nullptr) {
        btPersistentManifold* const started = &manifold;
        gContactStartedCallback(started);
    }
}

}  // namespace graze::bullet
