#include "pictures/body_tracer.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "field/field_program.h"
#include "graze/detector.h"

namespace graze {

namespace {

// More overlaps than this would only cost time: nobody looks at so many.
constexpr std::size_t kMaxOverlaps = 64;

// Cuts [begin, end] down to the t at which origin + direction * t is in the box, grown by margin.
void clip(const Vec3d& origin, const Vec3d& direction, const Aabb& box, double margin,
          double& begin, double& end) {
    for (int axis = 0; axis < 3; ++axis) {
        const double low = box.min[axis] - margin - origin[axis];
        const double high = box.max[axis] + margin - origin[axis];
        if (direction[axis] == 0) {
            if (low > 0 || high < 0) end = begin - 1;
            continue;
        }
        const double a = low / direction[axis], b = high / direction[axis];
        begin = std::max(begin, std::min(a, b));
        end = std::min(end, std::max(a, b));
    }
}

Transformd wide(const Transform& t) {
    return {static_cast<Vec3d>(t.translation),
            normalized(Quatd{t.rotation.w, t.rotation.x, t.rotation.y, t.rotation.z}), t.scale};
}

}  // namespace

BodyRays::BodyRays(const Body& body, const Aabb& region, const Vec3d& direction)
    : field_(view_of(body.shape.field())),
      body_from_world_(inverse(wide(body.pose))),
      scale_(body.pose.scale),
      direction_(direction),
      step_(transform_vector(body_from_world_, direction)),
      bounds_(body.shape.field().bounds()),
      region_(region),
      is_bounded_(graze::is_bounded(bounds_)) {}

BodyRays::Span BodyRays::span(const Vec3d& origin, double margin) const {
    constexpr double kFar = std::numeric_limits<double>::max();
    Span span{-kFar, kFar};
    clip(transform_point(body_from_world_, origin), step_, bounds_, margin / scale_, span.begin,
         span.end);
    if (!is_bounded_) clip(origin, direction_, region_, 0, span.begin, span.end);
    return span;
}

double BodyRays::distance(const Vec3d& origin, double t) const {
    return scale_ * static_cast<double>(evaluate(field_, point_in_body(origin, t)).distance);
}

Vec3d BodyRays::normal(const Vec3d& origin, double t) const {
    const auto gradient = static_cast<Vec3d>(evaluate(field_, point_in_body(origin, t)).gradient);
    const Vec3d turned = rotate(conjugate(body_from_world_.rotation), gradient);
    return length_sq(turned) > 0.25 ? normalized(turned) : -direction_;
}

TracedHit BodyTracer::trace(const Vec3d& origin, double detail) const {
    // The margin is wide enough for the outline.
    const double margin = b ? 0.0 : 2 * detail;
    BodyRays::Span span = a.span(origin, margin);
    if (b) {
        const BodyRays::Span other = b->span(origin, margin);
        span = {std::max(span.begin, other.begin), std::min(span.end, other.end)};
    }
    if (!(span.begin <= span.end)) return {};
    const auto distance = [&](double t) {
        const double d = a.distance(origin, t);
        return b ? std::max(d, b->distance(origin, t)) : d;
    };
    return trace_ray(distance, span.begin, span.end, detail);
}

Vec3d BodyTracer::normal(const Vec3d& origin, double t) const {
    const bool is_b = b && b->distance(origin, t) > a.distance(origin, t);
    return is_b ? b->normal(origin, t) : a.normal(origin, t);
}

std::vector<BodyTracer> make_tracers(const Scene& scene, std::span<const Contact> contacts,
                                     const Aabb& region, const Vec3d& towards_eye) {
    std::vector<BodyTracer> tracers;
    const auto rays = [&](std::uint32_t body) {
        return BodyRays(scene[body], region, -towards_eye);
    };
    tracers.reserve(scene.size());
    for (std::uint32_t body = 0; body < scene.size(); ++body)
        tracers.push_back({rays(body), std::nullopt, static_cast<int>(body)});
    std::set<BodyPair> pairs;
    for (const Contact& contact : contacts) {
        if (pairs.size() < kMaxOverlaps) pairs.insert({contact.body_a, contact.body_b});
    }
    for (const BodyPair& pair : pairs)
        tracers.push_back({rays(pair.body_a), rays(pair.body_b), 0});
    return tracers;
}

}  // namespace graze
