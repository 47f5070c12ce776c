// The impulse of a point in another body's field over a step, by adaptive quadrature in double
// precision, from the definition: slow and plain.
#pragma once

#include <cmath>
#include <functional>

#include "graze/quat.h"
#include "graze/scene_description.h"

namespace graze::testing {

// A rigid body in a step that moves as symplectic Euler has it: by the velocities of its end.
struct OracleBody {
    Vec3d centre_t0, centre_t1;      // [m] of mass, world
    Quatd rotation_t0, rotation_t1;  // world from body
    Vec3d velocity_t0, velocity_t1;  // [m/s]
    Vec3d turn_t0, turn_t1;          // [rad/s]
};

struct OracleDistance {
    double distance;  // [m]
    Vec3d gradient;
};

struct OracleContact {
    OracleBody points, field;  // frames have their origins at the centres of mass
    Vec3d point;               // [m] in the frame of the first
    std::function<OracleDistance(const Vec3d&)> distance;  // in the frame of the second
    double duration, stiffness, damping, level, friction;
    bool limits_damping, is_linear;
};

struct OracleImpulse {
    Vec3d impulse, moment_points, moment_field;

    OracleImpulse operator+(const OracleImpulse& o) const {
        return {impulse + o.impulse, moment_points + o.moment_points,
                moment_field + o.moment_field};
    }
    OracleImpulse operator*(double s) const {
        return {impulse * s, moment_points * s, moment_field * s};
    }
};

inline Quatd oracle_turned(const Quatd& rotation, const Vec3d& by) {
    const double angle = length(by);
    return angle > 0 ? Quatd::from_axis_angle(by, angle) * rotation : rotation;
}

inline Vec3d oracle_mix(const Vec3d& a, const Vec3d& b, double t) {
    return a + (b - a) * t;
}

// The force and both torques at t, a fraction of the step.
inline OracleImpulse oracle_force(const OracleContact& c, double t) {
    const Vec3d none{0, 0, 0};
    const auto world = [&](bool at_end) {
        const OracleBody& p = c.points;
        return (at_end ? p.centre_t1 : p.centre_t0) +
               rotate(at_end ? p.rotation_t1 : p.rotation_t0, c.point);
    };
    const auto local = [&](bool at_end) {
        const OracleBody& f = c.field;
        return rotate(conjugate(at_end ? f.rotation_t1 : f.rotation_t0),
                      world(at_end) - (at_end ? f.centre_t1 : f.centre_t0));
    };
    const Vec3d x = oracle_mix(local(false), local(true), t);
    const OracleDistance here = c.distance(x);
    const double depth = c.level - here.distance;
    if (depth <= 0) return {none, none, none};

    Vec3d normal, handle_p, handle_f, velocity, turn_p = c.points.turn_t1, turn_f = c.field.turn_t1;
    if (c.is_linear) {
        normal = oracle_mix(rotate(c.field.rotation_t0, c.distance(local(false)).gradient),
                            rotate(c.field.rotation_t1, c.distance(local(true)).gradient), t);
        handle_p =
            oracle_mix(world(false) - c.points.centre_t0, world(true) - c.points.centre_t1, t);
        handle_f = oracle_mix(world(false) - c.field.centre_t0, world(true) - c.field.centre_t1, t);
        velocity = c.points.velocity_t1 - c.field.velocity_t1;
    } else {
        const double time = t * c.duration;
        turn_p = oracle_mix(c.points.turn_t0, c.points.turn_t1, t);
        turn_f = oracle_mix(c.field.turn_t0, c.field.turn_t1, t);
        const Vec3d v_p = oracle_mix(c.points.velocity_t0, c.points.velocity_t1, t);
        const Vec3d v_f = oracle_mix(c.field.velocity_t0, c.field.velocity_t1, t);
        handle_p = rotate(oracle_turned(c.points.rotation_t0, turn_p * time), c.point);
        handle_f = handle_p + (c.points.centre_t0 + v_p * time) - (c.field.centre_t0 + v_f * time);
        normal = rotate(oracle_turned(c.field.rotation_t0, turn_f * time), here.gradient);
        velocity = v_p - v_f;
    }
    velocity += cross(turn_p, handle_p) - cross(turn_f, handle_f);
    Vec3d force = normal * (c.stiffness * depth) - velocity * c.damping;
    if (c.limits_damping) {
        const Vec3d n = normalized(normal);
        const double leaving = dot(velocity, n);
        const double pressing =
            std::max(0.0, c.stiffness * depth * length(normal) - c.damping * leaving);
        const Vec3d sliding = velocity - n * leaving;
        const double speed = length(sliding);
        const double holding = std::min(c.damping * speed, c.friction * pressing);
        force = n * pressing - (speed > 0 ? sliding * (holding / speed) : none);
    }
    return {force, cross(handle_p, force), cross(handle_f, force) * -1.0};
}

// Simpson's rule, halved until it no longer changes.
inline OracleImpulse oracle_integrate(const OracleContact& c, double from, double to, int depth) {
    const auto simpson = [&](double a, double b) {
        return (oracle_force(c, a) + oracle_force(c, (a + b) / 2) * 4 + oracle_force(c, b)) *
               ((b - a) * c.duration / 6);
    };
    const double middle = (from + to) / 2;
    const OracleImpulse whole = simpson(from, to);
    const OracleImpulse halves = simpson(from, middle) + simpson(middle, to);
    const double change = length(whole.impulse - halves.impulse) +
                          length(whole.moment_points - halves.moment_points) +
                          length(whole.moment_field - halves.moment_field);
    // Short parts are always halved a few times: an interval between the samples would be missed.
    if (depth >= 24 || (depth >= 7 && change < 1e-13)) return halves;
    return oracle_integrate(c, from, middle, depth + 1) +
           oracle_integrate(c, middle, to, depth + 1);
}

inline OracleImpulse oracle_impulse(const OracleContact& contact) {
    return oracle_integrate(contact, 0, 1, 0);
}

}  // namespace graze::testing
