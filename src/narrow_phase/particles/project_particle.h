// Algorithm 2 of Krayer et al. (2022): a particle goes to where both fields of a pair are below a
// level, by projections onto the farther of the two surfaces.
//
// Where graze differs:
// - over_relax goes farther than the surface (Keinert et al., "Enhanced Sphere Tracing", 2014, is
//   the like for rays), and back to the plain step where that leads away.
// - tangent projects onto both tangent half-spaces at once. Between two surfaces that are nearly
//   parallel, plain steps jump from one to the other and hardly move along them (their figure 4);
//   this goes straight to where the tangent planes meet. Where that does not pay it takes the plain
//   step, and where neither does, the particle is given up: there is no intersection ahead of it.
// - Both stay in the box that holds the whole intersection: going back to the closest point of a
//   convex set that holds the goal never leads away from it.
#pragma once

#include "graze/detector.h"
#include "narrow_phase/particles/body_field.h"

namespace graze {

struct ParticleRules {
    ParticleStep step;
    int max_steps;
    float offset;     // [m] both fields shall be below this: half of the gap
    float tolerance;  // [m] by less than this above it, that is
    Aabb region;      // [m] holds the whole intersection
};

// A relaxed step must lower the height by this factor or is taken back; a plain one is the last.
// In 150 poses of an armadillo and a knot, adaptive, N = 10, 0.7 finds 2% fewer contacts and 1
// finds 1% more in about the same time, and with 1 over-relaxed steps miss a pair.
constexpr float kParticleProgress = 0.9f;
// On the same poses, from a plain grid, 1.3 and 1.8 find fewer contacts, by 8% and 2%.
constexpr float kOverRelaxation = 1.6f;

namespace detail {

// The shortest way to where both tangent half-spaces are; a and b are how far above the offset the
// fields are, of which one is positive at least. Where the planes are all but parallel, the way to
// the farther one.
GRAZE_INLINE Vec3 tangent_step(float a, const Vec3& gradient_a, float b, const Vec3& gradient_b) {
    const float cosine = dot(gradient_a, gradient_b);
    if (a >= b ? b <= a * cosine : a <= b * cosine) {
        return a >= b ? gradient_a * -a : gradient_b * -b;  // which lies in the other one too
    }
    const float sine_sq = 1 - cosine * cosine;
    if (sine_sq < 1e-4f) return a >= b ? gradient_a * -a : gradient_b * -b;
    return (gradient_a * (cosine * b - a) + gradient_b * (cosine * a - b)) / sine_sq;
}

}  // namespace detail

// Moves the particle; value is of where it is, before and after. True where it has arrived.
// Evaluate: from a point to the pair's PairValue.
template <class Evaluate>
GRAZE_HD bool project_particle(const Evaluate& evaluate, const ParticleRules& rules,
                               PairValue& value, Vec3& point) {
    Vec3 base = point, plain{0, 0, 0};  // where the last step began, and what it should have been
    float base_height = std::numeric_limits<float>::infinity();
    bool is_relaxed = false;
    for (int step = 0;; ++step) {
        const float a = value.a.distance - rules.offset, b = value.b.distance - rules.offset;
        const float height = max_of(a, b);
        if (height < rules.tolerance) return true;
        if (step == rules.max_steps) return false;
        if (rules.step == ParticleStep::project) {
            point += (a >= b ? value.a.gradient : value.b.gradient) * -height;
        } else {
            const bool gains = height < base_height * kParticleProgress;
            if (is_relaxed && !gains) {
                point = base + plain;
                is_relaxed = false;
            } else {
                if (!gains && rules.step == ParticleStep::tangent) return false;
                base = point;
                base_height = height;
                plain = (a >= b ? value.a.gradient : value.b.gradient) * -height;
                const Vec3 relaxed =
                    rules.step == ParticleStep::tangent
                        ? detail::tangent_step(a, value.a.gradient, b, value.b.gradient)
                        : plain * kOverRelaxation;
                is_relaxed = relaxed != plain;
                point = base + relaxed;
            }
            point = min_of(max_of(point, rules.region.min), rules.region.max);
        }
        value = evaluate(point);
    }
}

}  // namespace graze
