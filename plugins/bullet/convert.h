// Functions that convert between Bullet's types, which may be of doubles, and graze's.
#pragma once

#include <LinearMath/btTransform.h>

#include "graze/transform.h"

namespace graze::bullet {

inline Vec3 to_graze(const btVector3& v) {
    return {static_cast<float>(v.x()), static_cast<float>(v.y()), static_cast<float>(v.z())};
}
inline btVector3 to_bullet(const Vec3& v) {
    return {v.x, v.y, v.z};
}
inline btQuaternion to_bullet(const Quat& q) {
    return {q.x, q.y, q.z, q.w};
}
inline Transform to_graze(const btTransform& a_from_b) {
    const btQuaternion q = a_from_b.getRotation();
    return {to_graze(a_from_b.getOrigin()),
            normalized(Quat{static_cast<float>(q.w()), static_cast<float>(q.x()),
                            static_cast<float>(q.y()), static_cast<float>(q.z())}),
            1};
}
// The scale is dropped, as Bullet's transforms have none.
inline btTransform to_bullet(const Transform& a_from_b) {
    return btTransform(to_bullet(a_from_b.rotation), to_bullet(a_from_b.translation));
}

}  // namespace graze::bullet
