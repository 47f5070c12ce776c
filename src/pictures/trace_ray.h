// trace_ray finds where a ray first meets a solid, by sphere tracing: from each point it goes on as
// far as the surface is away at least (Hart 1996). Where the ray misses, it tells how near it
// passes, by which outlines get soft edges.
#pragma once

#include <algorithm>
#include <limits>

namespace graze {

struct TracedHit {
    bool is_hit = false;
    bool is_cut = false;  // the ray begins inside of the solid
    double t = 0;         // [m] along the ray
    // [m] The least distance on the ray, and the t at which it is.
    double nearest = std::numeric_limits<double>::infinity(), nearest_t = 0;
};

// distance(t): the signed distance, or a lower bound of it, at t metres along the ray. Features
// smaller than half of `detail` [m] may be missed.
template <class Distance>
TracedHit trace_ray(const Distance& distance, double begin, double end, double detail) {
    // Grazing rays need many steps; those that need more than this are taken for misses.
    constexpr int kMaxSteps = 1000;
    const double tolerance = 0.2 * detail;
    TracedHit hit;
    double t = begin, last = begin;
    for (int step = 0; step < kMaxSteps && t <= end; ++step) {
        const double d = distance(t);
        if (d < hit.nearest) {
            hit.nearest = d;
            hit.nearest_t = t;
        }
        if (d <= tolerance) {
            hit.is_hit = true;
            hit.is_cut = step == 0 && d < -tolerance;
            break;
        }
        last = t;
        t += std::max(d, 0.5 * detail);
    }
    hit.t = t;
    if (!hit.is_hit || hit.is_cut) return hit;
    // A step may have gone too far, as samples may say a little too much and steps have a least
    // length.
    double low = last, high = t;
    for (int i = 0; i < 30 && distance(high) < -tolerance; ++i) {
        const double middle = 0.5 * (low + high);
        if (distance(middle) <= tolerance) {
            high = middle;
        } else {
            low = middle;
        }
    }
    hit.t = high;
    return hit;
}

}  // namespace graze
