#include "contacts/match_points.h"

#include <algorithm>

#include "geometry/topology.h"
#include "graze/aabb.h"

namespace graze {

namespace {

// With fewer points of the last step all are looked at.
constexpr std::size_t kFewPoints = 16;

}  // namespace

void PointMatcher::match(std::span<const MatchPoint> last, std::span<const MatchPoint> now,
                         float reach, std::uint32_t* last_of) {
    last_ = last;
    now_ = now;
    reach_ = reach;
    std::fill_n(last_of, now.size(), kNoIndex);
    is_free_.assign(last.size(), 1);
    match_features(last_of);
    match_positions(last_of);
}

void PointMatcher::match_features(std::uint32_t* last_of) {
    const auto sort_features = [](std::span<const MatchPoint> points, auto& features) {
        features.clear();
        for (std::uint32_t i = 0; i < points.size(); ++i) {
            if (points[i].features != 0) features.emplace_back(points[i].features, i);
        }
        std::sort(features.begin(), features.end());
    };
    sort_features(last_, last_features_);
    sort_features(now_, now_features_);
    // Of several with the same features the first goes on as the first.
    auto last = last_features_.begin();
    for (const auto& [features, point] : now_features_) {
        while (last != last_features_.end() && last->first < features)
            ++last;
        if (last == last_features_.end() || last->first != features) continue;
        last_of[point] = last->second;
        is_free_[last->second] = 0;
        ++last;
    }
}

void PointMatcher::match_positions(std::uint32_t* last_of) {
    if (!(reach_ > 0)) return;
    holders_.assign(last_.size(), {kNoIndex, 0});
    sort(on_a_);
    sort(on_b_);
    if (on_a_.order.empty()) return;
    for (std::uint32_t i = 0; i < now_.size(); ++i) {
        if (last_of[i] == kNoIndex) propose(i);
    }
    for (std::uint32_t j = 0; j < last_.size(); ++j) {
        if (holders_[j].point != kNoIndex) last_of[holders_[j].point] = j;
    }
}

void PointMatcher::sort(SortedPoints& points) const {
    points.order.clear();
    Aabb box = Aabb::empty();
    for (std::uint32_t j = 0; j < last_.size(); ++j) {
        if (is_free_[j]) box = merge(box, last_[j].*points.side);
    }
    const Vec3 sides = extent(box);
    points.axis = sides.x >= sides.y && sides.x >= sides.z ? 0 : sides.y >= sides.z ? 1 : 2;
    for (std::uint32_t j = 0; j < last_.size(); ++j) {
        if (is_free_[j]) points.order.emplace_back((last_[j].*points.side)[points.axis], j);
    }
    std::sort(points.order.begin(), points.order.end());
}

void PointMatcher::propose(std::uint32_t point) {
    while (point != kNoIndex) {
        float distance_sq = 0;
        const std::uint32_t taker = nearest_that_takes(point, distance_sq);
        if (taker == kNoIndex) return;
        const std::uint32_t dropped = holders_[taker].point;
        holders_[taker] = {point, distance_sq};
        point = dropped;
    }
}

std::uint32_t PointMatcher::nearest_that_takes(std::uint32_t point, float& distance_sq) const {
    std::uint32_t nearest = kNoIndex;
    distance_sq = reach_ * reach_;
    if (on_a_.order.size() < kFewPoints) {
        for (const auto& [coordinate, candidate] : on_a_.order)
            look_at(candidate, point, nearest, distance_sq);
        return nearest;
    }
    for (const SortedPoints* points : {&on_a_, &on_b_}) {
        const float at = (now_[point].*points->side)[points->axis];
        const auto first = std::lower_bound(points->order.begin(), points->order.end(),
                                            std::pair(at - reach_, std::uint32_t{0}));
        for (auto it = first; it != points->order.end() && it->first <= at + reach_; ++it)
            look_at(it->second, point, nearest, distance_sq);
    }
    return nearest;
}

void PointMatcher::look_at(std::uint32_t candidate, std::uint32_t point, std::uint32_t& nearest,
                           float& nearest_sq) const {
    const float distance_sq = match_distance_sq(last_[candidate], now_[point]);
    // Of equally near ones the first: whatever the order in which they are looked at.
    const bool is_nearer = nearest == kNoIndex
                               ? distance_sq <= nearest_sq
                               : std::pair(distance_sq, candidate) < std::pair(nearest_sq, nearest);
    if (!is_nearer) return;
    const Holder& holder = holders_[candidate];
    if (holder.point != kNoIndex &&
        std::pair(holder.distance_sq, holder.point) <= std::pair(distance_sq, point))
        return;
    nearest = candidate;
    nearest_sq = distance_sq;
}

}  // namespace graze
