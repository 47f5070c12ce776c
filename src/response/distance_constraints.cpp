#include "response/distance_constraints.h"

#include <algorithm>

namespace graze {

namespace {

// An edge of a triangle, and the triangle's third vertex.
struct EdgeSide {
    std::uint32_t a, b;  // a < b
    std::uint32_t across;
};

// One constraint, solved.
struct SolveDistance {
    const DistanceConstraint* constraints;
    const double* inverse_masses;
    double* multipliers;
    double* works;
    Vec3d* next;
    const Vec3d* from;
    double softness[2];  // where stretched, where shortened

    void operator()(std::int64_t i) const {
        const DistanceConstraint& c = constraints[i];
        const double mass_a = inverse_masses[c.a], mass_b = inverse_masses[c.b];
        const Vec3d edge = next[c.a] - next[c.b];
        const double span = length(edge);
        if (!(mass_a + mass_b > 0) || !(span > 0)) return;
        const double mass = mass_a + mass_b, missing = double{c.rest} - span;
        // The multiplier is positive where the distance is to be longer; its sign after the change
        // does not depend on the softness.
        const bool is_shortened = missing + mass * multipliers[i] > 0;
        // Which it is no processor can foresee: both quotients together take less time than a
        // branch.
        const double changes[2] = {(missing - softness[0] * multipliers[i]) / (mass + softness[0]),
                                   (missing - softness[1] * multipliers[i]) / (mass + softness[1])};
        const double change = changes[static_cast<int>(is_shortened)];
        multipliers[i] += change;
        const Vec3d push = edge * (change / span);
        // What nothing moves may be in several constraints of a batch: it is not even written.
        if (mass_a > 0)
            next[c.a] += push * mass_a;
        else
            works[i] -= dot(push, next[c.a] - from[c.a]);
        if (mass_b > 0)
            next[c.b] -= push * mass_b;
        else
            works[i] += dot(push, next[c.b] - from[c.b]);
    }
};

}  // namespace

void add_distance_constraints(ClothWorld& world, std::span<const Triangle> triangles) {
    std::vector<EdgeSide> sides;
    sides.reserve(triangles.size() * 3);
    for (const Triangle& t : triangles) {
        for (int i = 0; i < 3; ++i) {
            const auto [a, b] = std::minmax({t[i], t[(i + 1) % 3]});
            sides.push_back({a, b, t[(i + 2) % 3]});
        }
    }
    const auto key = [](const EdgeSide& s) {
        return std::uint64_t{s.a} << 32 | std::uint64_t{s.b};
    };
    std::stable_sort(sides.begin(), sides.end(),
                     [&](const EdgeSide& x, const EdgeSide& y) { return key(x) < key(y); });

    const auto constrain = [&](std::uint32_t a, std::uint32_t b) {
        return DistanceConstraint{a, b, distance(world.rest[a], world.rest[b])};
    };
    std::vector<DistanceConstraint> stretches, bends;
    for (std::size_t i = 0; i < sides.size();) {
        std::size_t end = i + 1;
        while (end < sides.size() && key(sides[end]) == key(sides[i]))
            ++end;
        stretches.push_back(constrain(sides[i].a, sides[i].b));
        if (end - i == 2) bends.push_back(constrain(sides[i].across, sides[i + 1].across));
        i = end;
    }
    world.stretches.insert(world.stretches.end(), stretches.begin(), stretches.end());
    world.bends.insert(world.bends.end(), bends.begin(), bends.end());
}

DistanceSolver::DistanceSolver(const ClothWorld& world, std::vector<DistanceConstraint> constraints,
                               const Compliance& compliance, double time_step)
    : constraints_(std::move(constraints)),
      batches_(sort_into_batches(
          world.unit_count,
          [&](const DistanceConstraint& c) {
              return std::array{world.units[c.a], world.units[c.b]};
          },
          constraints_)),
      multipliers_(constraints_.size(), 0),
      works_(constraints_.size(), 0),
      seconds_sq_(time_step * time_step),
      softness_{compliance.stretched / seconds_sq_, compliance.shortened / seconds_sq_} {
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
        const double mass_a = world.inverse_masses[constraints_[i].a];
        const double mass_b = world.inverse_masses[constraints_[i].b];
        if ((mass_a > 0) != (mass_b > 0)) held_.push_back(static_cast<std::uint32_t>(i));
    }
}

void DistanceSolver::begin_step() {
    std::fill(multipliers_.begin(), multipliers_.end(), 0.0);
}

double DistanceSolver::script_work() const {
    double work = 0;
    for (const std::uint32_t i : held_)
        work += works_[i];
    return work / seconds_sq_;
}

double DistanceSolver::elastic_energy() const {
    double sum = 0;
    for (const double multiplier : multipliers_) {
        const double soft = multiplier > 0 ? softness_.shortened : softness_.stretched;
        sum += soft * multiplier * multiplier;
    }
    return sum / (2 * seconds_sq_);
}

void DistanceSolver::set_back_script_work() {
    for (const std::uint32_t i : held_)
        works_[i] = 0;
}

void DistanceSolver::solve(CpuExecutor& executor, ClothWorld& world) {
    solve_batches(executor, "solve distances", batches_,
                  SolveDistance{constraints_.data(),
                                world.inverse_masses.data(),
                                multipliers_.data(),
                                works_.data(),
                                world.next.data(),
                                world.from.data(),
                                {softness_.stretched, softness_.shortened}});
}

}  // namespace graze
