#include "detection/body_follower.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "geometry/topology.h"

namespace graze {
namespace {

bool is_near(const FollowedBody& body, const FollowedBody& before) {
    // An infinite reach reaches all, and a position that is no number is near nothing.
    return length_sq(body.position - before.position) <= body.reach * body.reach;
}

bool comes_before(const FollowedBody& a, const FollowedBody& b) {
    if (a.shape != b.shape) return std::less<>()(a.shape, b.shape);
    return a.position.x < b.position.x;
}

}  // namespace

const std::vector<std::uint32_t>& BodyFollower::follow(std::span<const FollowedBody> last,
                                                       std::span<const FollowedBody> now) {
    last_of_.clear();
    const std::size_t common = std::min(last.size(), now.size());
    const auto stays = [&](std::size_t i) {
        return now[i].shape && now[i].shape == last[i].shape && is_near(now[i], last[i]);
    };
    std::size_t first = 0;
    while (first < common && stays(first))
        ++first;
    if (first == common) return last_of_;

    last_of_.assign(now.size(), kNoIndex);
    is_taken_.assign(last.size(), 0);
    for (std::size_t i = 0; i < common; ++i) {
        if (i >= first && !stays(i)) continue;
        last_of_[i] = static_cast<std::uint32_t>(i);
        is_taken_[i] = 1;
    }
    left_.clear();
    for (std::uint32_t i = 0; i < last.size(); ++i) {
        if (!is_taken_[i] && last[i].shape) left_.push_back(i);
    }
    std::sort(left_.begin(), left_.end(), [&](std::uint32_t a, std::uint32_t b) {
        if (comes_before(last[a], last[b])) return true;
        return !comes_before(last[b], last[a]) && a < b;
    });
    for (std::size_t i = first; i < now.size(); ++i) {
        if (last_of_[i] == kNoIndex && now[i].shape) last_of_[i] = take_nearest(last, now[i]);
    }
    for (std::size_t i = first; i < common; ++i) {
        const bool is_left = last_of_[i] == kNoIndex && !is_taken_[i];
        if (is_left && now[i].shape && now[i].shape == last[i].shape)
            last_of_[i] = static_cast<std::uint32_t>(i);
    }
    bool is_identity = true;
    for (std::size_t i = 0; i < common; ++i)
        is_identity = is_identity && last_of_[i] == i;
    if (is_identity) last_of_.clear();
    return last_of_;
}

std::uint32_t BodyFollower::take_nearest(std::span<const FollowedBody> last,
                                         const FollowedBody& body) {
    const FollowedBody leftmost{body.shape, body.position - Vec3{body.reach, 0, 0}, 0};
    auto at = std::lower_bound(
        left_.begin(), left_.end(), leftmost,
        [&](std::uint32_t index, const FollowedBody& x) { return comes_before(last[index], x); });
    std::uint32_t nearest = kNoIndex;
    float least_sq = std::numeric_limits<float>::infinity();
    for (; at != left_.end() && last[*at].shape == body.shape; ++at) {
        if (last[*at].position.x > body.position.x + body.reach) break;
        if (is_taken_[*at] || !is_near(body, last[*at])) continue;
        const float distance_sq = length_sq(body.position - last[*at].position);
        // At the same distance it is that of the lower index.
        if (distance_sq > least_sq || (distance_sq == least_sq && *at > nearest)) continue;
        least_sq = distance_sq;
        nearest = *at;
    }
    if (nearest != kNoIndex) is_taken_[nearest] = 1;
    return nearest;
}

}  // namespace graze
