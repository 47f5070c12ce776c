#include "speculative_points.h"

#include <algorithm>

namespace graze::bullet {

namespace {

// What is broken by less than this fraction of the most is left to later rounds: most of it is
// mended by the others. With 0 the solver gets many points that carry nothing.
constexpr btScalar kWorthFraction = btScalar(0.05);

}  // namespace

void SpeculativePoints::clear() {
    points_.clear();
    active_.clear();
}

void SpeculativePoints::activate(std::size_t point) {
    if (points_[point].is_active) return;
    points_[point].is_active = true;
    active_.push_back(static_cast<std::uint32_t>(point));
}

btScalar SpeculativePoints::need(const SpeculativePoint& point, const StepMove& move_0,
                                 const StepMove& move_1, btScalar push) {
    const btScalar apart = point.normal.dot(move_0.at(point.arm_0) - move_1.at(point.arm_1));
    return -apart - (point.distance > 0 ? point.distance : point.distance * push);
}

btScalar SpeculativePoints::measure(const StepMove& move_0, const StepMove& move_1, btScalar push) {
    needs_.resize(points_.size());
    btScalar most = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
        needs_[i] = need(points_[i], move_0, move_1, push);
        most = std::max(most, needs_[i]);
    }
    return most;
}

btScalar SpeculativePoints::newness(const SpeculativePoint& point, const SpeculativePoint& other,
                                    btScalar link) {
    const btScalar apart_sq = (point.arm_0 - other.arm_0).length2() / (link * link);
    return std::min(btScalar(1), apart_sq) +
           std::min(btScalar(1), btScalar(1) - point.normal.dot(other.normal)) + btScalar(0.01);
}

int SpeculativePoints::choose(int count, btScalar tolerance, btScalar link) {
    btScalar most = 0;
    int broken = 0;
    for (const btScalar need : needs_) {
        most = std::max(most, need);
        broken += need > tolerance;
    }
    if (broken == 0) return 0;
    newness_.assign(points_.size(), btScalar(2));
    const auto look_at = [&](const SpeculativePoint& chosen) {
        for (std::size_t i = 0; i < points_.size(); ++i) {
            if (needs_[i] > tolerance)
                newness_[i] = std::min(newness_[i], newness(points_[i], chosen, link));
        }
    };
    for (const std::uint32_t i : active_)
        look_at(points_[i]);
    for (int chosen = 0; chosen < count; ++chosen) {
        btScalar best_score = 0;
        std::size_t best = points_.size();
        for (std::size_t i = 0; i < points_.size(); ++i) {
            if (points_[i].is_active || !(needs_[i] > tolerance)) continue;
            // The worst one is taken whatever is near it.
            const btScalar score =
                needs_[i] * (chosen == 0 && active_.empty() ? btScalar(1) : newness_[i]);
            if (score > best_score) {
                best_score = score;
                best = i;
            }
        }
        if (best == points_.size() || best_score < kWorthFraction * most * (chosen > 0)) break;
        activate(best);
        look_at(points_[best]);
    }
    return broken;
}

}  // namespace graze::bullet
