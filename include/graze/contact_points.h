// The two points of a contact, one on the surface of each body; docs/concepts/contacts.md says for
// each method what they are.
#pragma once

#include "graze/contact.h"
#include "graze/detector.h"

namespace graze {

// Of Method::particles, and of Method::features at time 0: the position is midway between both, and
// the distance is from b's to a's along the normal. [m] In the world.
inline Vec3 point_a(const Contact& contact) {
    return contact.position + contact.normal * (contact.distance * 0.5f);
}
inline Vec3 point_b(const Contact& contact) {
    return contact.position - contact.normal * (contact.distance * 0.5f);
}

struct ContactPoints {
    Vec3 on_a, on_b;  // [m] in the world
};

// Of any method. Where a body's point touches the other one (sweep, rays), that is the position,
// and the other one is before or behind it along the normal. Inside a step both are where they
// meet.
inline ContactPoints contact_points(const Contact& contact, Method method) {
    if (contact.time > 0) return {contact.position, contact.position};
    const Vec3 apart = contact.normal * contact.distance;
    if (method == Method::particles || method == Method::features)
        return {point_a(contact), point_b(contact)};
    // With rays both have features: it is the vertex. With sweep only the point's body has one.
    const bool is_of_a = contact.feature_a.kind == FeatureKind::vertex ||
                         contact.feature_b.kind == FeatureKind::none;
    return is_of_a ? ContactPoints{contact.position, contact.position - apart}
                   : ContactPoints{contact.position + apart, contact.position};
}

}  // namespace graze
