// BodyTracer: a body, or the part of space that is in both of two bodies, as rays of a picture see
// it.
#pragma once

#include <optional>

#include "field/field_view.h"
#include "pictures/picture_camera.h"
#include "pictures/trace_ray.h"

namespace graze {

// A body's field along the rays of one picture. It refers to the body's field, which must stay.
class BodyRays {
public:
    BodyRays(const Body& body, const Aabb& region, const Vec3d& direction);

    // [m] Where the ray from origin may meet the body, grown by margin; empty where begin > end.
    struct Span {
        double begin, end;
    };
    Span span(const Vec3d& origin, double margin) const;
    // [m] At t along the ray from origin.
    double distance(const Vec3d& origin, double t) const;
    // In the world, unit; the way to the eye where there is none.
    Vec3d normal(const Vec3d& origin, double t) const;

private:
    Vec3 place(const Vec3d& origin, double t) const {
        return static_cast<Vec3>(transform_point(body_from_world_, origin) + step_ * t);
    }

    FieldView field_;
    Transformd body_from_world_;
    double scale_;     // metres of the world per metre of the body
    Vec3d direction_;  // unit, of all rays, in the world
    Vec3d step_;       // the same in the body's frame, per metre of the world
    Aabb bounds_;      // [m] in the body's frame
    Aabb region_;      // [m] of the world, that a body without an end is cut off at
    bool is_bounded_;
};

struct BodyTracer {
    BodyRays a;
    std::optional<BodyRays> b;  // then only what is in both
    int hue;                    // which of the colours
    bool is_overlap() const { return b.has_value(); }

    TracedHit trace(const Vec3d& origin, double detail) const;
    Vec3d normal(const Vec3d& origin, double t) const;
};

// The bodies in their order, then what the two bodies of each pair have in common.
std::vector<BodyTracer> make_tracers(const Scene& scene, std::span<const Contact> contacts,
                                     const Aabb& region, const Vec3d& towards_eye);

}  // namespace graze
