// BodyTracer follows the rays of a picture to a body, or to the overlap of two bodies.
#pragma once

#include <optional>

#include "field/field_view.h"
#include "pictures/picture_camera.h"
#include "pictures/trace_ray.h"

namespace graze {

// BodyRays evaluates a body's field along the rays of one picture, which are parallel. It refers to
// the body's field, which must outlive it.
class BodyRays {
public:
    BodyRays(const Body& body, const Aabb& region, const Vec3d& direction);

    // [m] The ray from origin can meet the body, grown by margin, only between begin and end; it
    // cannot meet it where begin > end.
    struct Span {
        double begin, end;
    };
    Span span(const Vec3d& origin, double margin) const;
    // [m] Returns the distance to the body at t [m] along the ray from origin.
    double distance(const Vec3d& origin, double t) const;
    // Returns the unit normal in the world; where the field has none, the direction to the eye.
    Vec3d normal(const Vec3d& origin, double t) const;

private:
    Vec3 point_in_body(const Vec3d& origin, double t) const {
        return static_cast<Vec3>(transform_point(body_from_world_, origin) + step_ * t);
    }

    FieldView field_;
    Transformd body_from_world_;
    double scale_;     // metres of the world per metre of the body
    Vec3d direction_;  // unit, of all rays, in the world
    Vec3d step_;       // the same in the body's frame, per metre of the world
    Aabb bounds_;      // [m] in the body's frame
    Aabb region_;      // [m] world; a body without an end is cut off at it
    bool is_bounded_;
};

struct BodyTracer {
    BodyRays a;
    std::optional<BodyRays> b;  // where there is one, only what is in both bodies is seen
    int hue;                    // index of the body's colour
    bool is_faint = false;      // the body is not there yet, and hides little of what is
    bool is_overlap() const { return b.has_value(); }

    TracedHit trace(const Vec3d& origin, double detail) const;
    Vec3d normal(const Vec3d& origin, double t) const;
};

// Returns a tracer for each body, in their order, and then one for the overlap of each pair of
// bodies that has contacts.
std::vector<BodyTracer> make_tracers(const Scene& scene, std::span<const Contact> contacts,
                                     const Aabb& region, const Vec3d& towards_eye);

}  // namespace graze
