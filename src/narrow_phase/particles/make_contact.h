// From a point of an intersection to a contact: two points, one on the surface of each body,
// opposite each other along the normal. The contact's position is midway between them and its
// distance is from b's point to a's along the normal, so that position and distance give them back
// (graze/contact_points.h).
//
// Inside both bodies the line along the normal through the point is followed until it leaves b,
// forwards, and a, backwards. That is how far a must go along the normal for the line to leave the
// overlap, however far from the surface the fields' values are bounds only. Elsewhere the points
// are those of both surfaces that are closest to the given one, or, where the rule has a normal of
// its own, one of these and the point opposite it.
#pragma once

#include "narrow_phase/particles/leave_body.h"
#include "narrow_phase/particles/pair_region.h"

namespace graze {
namespace detail {

// Where the gradients do not oppose each other, one of the surfaces at least bends there: it has an
// edge, of which any face's normal may be met. The other one knows better. So each is weighed by
// how much the other turns from one side of the point to the other, in the direction of their
// disagreement; both are taken as means of the two sides, which for crossing edges is right too.
template <class Look>
GRAZE_HD Vec3 smoother_normal(const Look& look, const PairValue& value, const Vec3& point,
                              const Vec3& given, float reach) {
    constexpr float kOpposed = -0.95f;
    constexpr float kBends = 1e-5f;  // what rounding does not make
    if (dot(value.a.gradient, value.b.gradient) < kOpposed) return given;
    const Vec3 sideways = normalized(value.a.gradient + value.b.gradient) * reach;
    const PairValue one = look(point + sideways), other = look(point - sideways);
    const float bend_a = 1 - dot(one.a.gradient, other.a.gradient);
    const float bend_b = 1 - dot(one.b.gradient, other.b.gradient);
    if (!(max_of(bend_a, bend_b) > kBends)) return given;
    const Vec3 from_a = -normalized(one.a.gradient + other.a.gradient);
    const Vec3 from_b = normalized(one.b.gradient + other.b.gradient);
    const Vec3 normal = normalized(from_a * bend_b + from_b * bend_a);
    return length_sq(normal) > 0 ? normal : given;
}

// A line that is so many times as long as the ways to both surfaces leaves the bodies elsewhere.
constexpr float kLongestLine = 1.5f;
// The line along a smoother normal may be so many times as long as that along a gradient.
constexpr float kSmootherLine = 2;

template <class Look>
struct LookAtA {
    const Look& look;
    GRAZE_INLINE FieldValue operator()(const Vec3& point) const { return look.value_a(point); }
};
template <class Look>
struct LookAtB {
    const Look& look;
    GRAZE_INLINE FieldValue operator()(const Vec3& point) const { return look.value_b(point); }
};

// What is outside a body, as a body.
template <class ValueAt>
struct Outside {
    ValueAt value_at;
    GRAZE_INLINE FieldValue operator()(const Vec3& point) const {
        const FieldValue value = value_at(point);
        return {-value.distance, -value.gradient};
    }
};

}  // namespace detail

// Makes the contacts of one pair.
template <class Look>
struct ContactMaker {
    const Look& look;
    const PairRegion& region;
    Vec3 between;  // [m] from b's origin to a's
    float offset;  // [m] half of the gap
    NormalRule rule;

    // The contact at a point, where both fields are known. False where there is none: a surface is
    // not where its field leads.
    GRAZE_HD bool make(const PairValue& value, const Vec3& point, Contact& contact) const {
        contact = {};
        contact.body_a = region.body_a;
        contact.body_b = region.body_b;
        if (value.larger() > 0) return from_outside(value, point, contact);
        measure(value, point, contact);
        return true;
    }

    // The contact of a particle that has arrived at a point, where both fields are known.
    GRAZE_HD Contact operator()(const PairValue& value, const Vec3& point) const {
        Contact contact;
        if (!make(value, point, contact)) {
            contact.position = point;
            contact.normal = normal_at(value, point);
            contact.distance = max_of(value.larger(), 0.0f);
        }
        return contact;
    }

    // Measures a contact anew along another normal. False, and nothing has changed, where no point
    // of it is in both bodies, or the line does not leave them.
    GRAZE_HD bool turn(const Vec3& normal, Contact& contact) const {
        const Vec3 half = contact.normal * (contact.distance * 0.5f);
        const float sides[] = {0.0f, 1.0f, -1.0f};
        for (const float side : sides) {
            const Vec3 point = contact.position + half * side;
            const PairValue value = look(point);
            if (value.larger() <= nearest()) return measure_along(value, point, normal, contact);
        }
        return false;
    }

private:
    // [m] How near to a surface is on it. Half a tolerance and more is left to the searches.
    GRAZE_INLINE float nearest() const { return region.tolerance * 0.25f; }

    GRAZE_INLINE detail::LookAtA<Look> field_a() const { return {look}; }
    GRAZE_INLINE detail::LookAtB<Look> field_b() const { return {look}; }

    GRAZE_INLINE Vec3 direction_or_between(const Vec3& direction) const {
        const Vec3 unit = normalized(direction);
        return length_sq(unit) > 0 ? unit : normalized(between);
    }

    // The normal that the rule gives at a point.
    GRAZE_HD Vec3 normal_at(const PairValue& value, const Vec3& point) const {
        const float a = value.a.distance, b = value.b.distance;
        // The farther surface says best which way it is to it, and where both are as far, as on the
        // rim of an intersection, both do: in between one goes over into the other, so that
        // rounding decides nothing and neither body is preferred.
        const Vec3 from_a = -value.a.gradient;
        const bool by_b = rule == NormalRule::gradient_b;
        const float lead = by_b ? 1.0f : (std::fabs(b) - std::fabs(a)) / (2 * region.tolerance);
        const float share_a = clamp(0.5f - lead, 0.0f, 1.0f);
        const float share_b = clamp(0.5f + lead, 0.0f, 1.0f);
        Vec3 normal = normalized(value.b.gradient * share_b + from_a * share_a);
        if (length_sq(normal) == 0) normal = lead > 0 ? from_a : value.b.gradient;
        if (length_sq(normal) == 0) normal = normalized(between);
        if (rule == NormalRule::smoother) {
            // Deep inside, so far that other faces do not count.
            const float near = max_of(offset, 4 * region.tolerance);
            const float reach = 2 * clamp(max_of(std::fabs(a), std::fabs(b)), near, 2 * near);
            normal = detail::smoother_normal(look, value, point, normal, reach);
        }
        return normal;
    }

    // From a point that is outside one body or both. Only a point of one surface that is in the
    // other body says that they overlap; else the contact is between points of both surfaces, and
    // its distance is not below 0.
    GRAZE_HD bool from_outside(PairValue value, const Vec3& point, Contact& contact) const {
        const bool is_in_a = value.a.distance <= 0, is_in_b = value.b.distance <= 0;
        Vec3 on_a = point, on_b = point;
        // A point inside one body may be far inside: it begins at the other's surface.
        if (!is_in_a && !reach_surface(field_a(), nearest(), value.a, on_a)) return false;
        if (is_in_b) on_b = on_a;
        const FieldValue b_at_a = is_in_a ? value.b : look.value_b(on_a);
        if (is_in_b) value.b = b_at_a;
        if (!is_in_a && b_at_a.distance <= 0) {
            measure({value.a, b_at_a}, on_a, contact);
            return true;
        }
        if (!reach_surface(field_b(), nearest(), value.b, on_b)) return false;
        const FieldValue a_at_b = look.value_a(on_b);
        if (a_at_b.distance <= 0) {
            measure({a_at_b, value.b}, on_b, contact);
            return true;
        }
        if (is_in_a) {
            on_a = on_b;
            value.a = a_at_b;
            if (!reach_surface(field_a(), nearest(), value.a, on_a)) return false;
            const FieldValue b_again = look.value_b(on_a);
            if (b_again.distance <= 0) {
                measure({value.a, b_again}, on_a, contact);
                return true;
            }
        }
        between_surfaces(value, on_a, on_b, contact);
        return true;
    }

    // Between points of both surfaces, where value is what the fields are near their own.
    GRAZE_HD void between_surfaces(const PairValue& value, const Vec3& on_a, const Vec3& on_b,
                                   Contact& contact) const {
        const Vec3 apart = on_a - on_b;
        const Vec3 facing = value.b.gradient - value.a.gradient;
        const float way = length(apart);
        const bool are_apart = way > region.tolerance;
        contact.position = (on_a + on_b) * 0.5f;
        contact.normal = are_apart ? apart / way : direction_or_between(facing);
        contact.distance = max_of(dot(apart, contact.normal), 0.0f);
        if (rule == NormalRule::deeper) return;
        const Vec3 given = contact.normal;
        Vec3 normal = value.b.gradient;
        if (rule == NormalRule::smoother) {
            const float reach = 2 * max_of(offset, 4 * region.tolerance);
            normal = detail::smoother_normal(look, value, contact.position,
                                             direction_or_between(facing), reach);
        }
        if (!are_apart && length_sq(normal) > 0) {
            contact.normal = normal;
            contact.distance = max_of(dot(apart, normal), 0.0f);
        } else if (contact.distance > 0 && dot(normal, given) < 0.999f) {
            cast_along(normal, value, on_a, on_b, contact);
        }
    }

    // From the surface that bends, along the normal of the other one, to that. Which one bends is
    // not always plain: then one of the lines misses.
    GRAZE_HD void cast_along(const Vec3& normal, const PairValue& value, const Vec3& on_a,
                             const Vec3& on_b, Contact& contact) const {
        const detail::Outside<detail::LookAtA<Look>> outside_a{field_a()};
        const detail::Outside<detail::LookAtB<Look>> outside_b{field_b()};
        const bool meets_b = dot(normal, value.b.gradient) >= -dot(normal, value.a.gradient);
        const bool orders[] = {meets_b, !meets_b};
        for (const bool is_to_b : orders) {
            const Vec3 from = is_to_b ? on_a : on_b;
            const Vec3 direction = is_to_b ? -normal : normal;
            float way = 0;
            const bool arrives =
                is_to_b ? leave_body(outside_b, outside_b(from), from, direction, nearest(), way)
                        : leave_body(outside_a, outside_a(from), from, direction, nearest(), way);
            if (!arrives || way < 0 || way > 2 * (offset + region.tolerance)) continue;
            contact.normal = normal;
            contact.distance = way;
            contact.position = from + direction * (0.5f * way);
            return;
        }
    }

    // The line through a point of both bodies. False where it does not leave them.
    GRAZE_HD bool measure_along(const PairValue& value, const Vec3& point, const Vec3& normal,
                                Contact& contact) const {
        float ahead, behind;
        if (length_sq(normal) == 0) return false;
        if (!leave_body(field_b(), value.b, point, normal, nearest(), ahead)) return false;
        if (!leave_body(field_a(), value.a, point, -normal, nearest(), behind)) return false;
        contact.normal = normal;
        contact.distance = -(ahead + behind);
        contact.position = point + normal * (0.5f * (ahead - behind));
        return true;
    }

    // At a point of both bodies.
    GRAZE_HD void measure(const PairValue& value, const Vec3& point, Contact& contact) const {
        const Vec3 normal = normal_at(value, point);
        const bool is_measured = measure_along(value, point, normal, contact);
        // The ways to both surfaces add up to its length where they are flat.
        const float flat = -(value.a.distance + value.b.distance) * detail::kLongestLine;
        if (is_measured && -contact.distance <= flat + region.tolerance) return;
        if (!is_measured) {
            contact.position = point;
            contact.normal = normal;
            contact.distance = min_of(value.a.distance, value.b.distance);
        }
        if (rule == NormalRule::gradient_b) return;
        // The surface that the line meets is not the one that the point is near to. The other
        // surface's normal may be the shorter way.
        Contact best = contact;
        bool has_way = is_measured;
        const Vec3 others[] = {-value.a.gradient, value.b.gradient};
        for (const Vec3& other : others) {
            Contact shorter = contact;
            if (!measure_along(value, point, other, shorter)) continue;
            if (!has_way || shorter.distance > best.distance) best = shorter;
            has_way = true;
        }
        // Beside an edge the smoother normal is the better one though another way is shorter, but
        // for lines that run along below a surface, as through a thick terrain.
        const bool stays = rule == NormalRule::smoother && is_measured &&
                           contact.distance >= best.distance * detail::kSmootherLine;
        if (!stays) contact = best;
    }
};

}  // namespace graze
