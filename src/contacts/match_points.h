// PointMatcher: which points of a pair of bodies are those of the last step.
//
// Points with the same features are the same. Of the others, each takes the nearest of the last
// step that no nearer one takes: they propose to the nearest that would have them, which drops the
// one that it had (Gale and Shapley). That ends with what taking the closest two first, again and
// again, would give, without a list of all distances.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "graze/vec3.h"

namespace graze {

struct MatchPoint {
    std::uint64_t features;  // of both bodies; 0 where one of them has none
    Vec3 on_a, on_b;         // [m] as each body sees it
};

// How far apart two points are, squared, on the body on which that is less.
inline float match_distance_sq(const MatchPoint& p, const MatchPoint& q) {
    const float on_a = length_sq(p.on_a - q.on_a), on_b = length_sq(p.on_b - q.on_b);
    return on_a < on_b ? on_a : on_b;
}

// It keeps its room from pair to pair.
class PointMatcher {
public:
    // last_of: for each point of now the index in last, or kNoIndex. reach: [m] how far points may
    // have moved.
    void match(std::span<const MatchPoint> last, std::span<const MatchPoint> now, float reach,
               std::uint32_t* last_of);

private:
    // Those that are looked for on one of the bodies, along the axis in which they extend most.
    struct SortedPoints {
        Vec3 MatchPoint::* side;
        int axis;
        std::vector<std::pair<float, std::uint32_t>> order;  // coordinate and index in last
    };
    struct Holder {
        std::uint32_t point;  // of now
        float distance_sq;
    };

    void match_features(std::uint32_t* last_of);
    void match_positions(std::uint32_t* last_of);
    void sort(SortedPoints& points) const;
    std::uint32_t nearest_that_takes(std::uint32_t point, float& distance_sq) const;
    void look_at(std::uint32_t candidate, std::uint32_t point, std::uint32_t& nearest,
                 float& nearest_sq) const;
    void propose(std::uint32_t point);

    std::span<const MatchPoint> last_, now_;
    float reach_ = 0;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> last_features_, now_features_;
    std::vector<Holder> holders_;        // by point of last
    std::vector<std::uint8_t> is_free_;  // by point of last: no point has it by its features
    SortedPoints on_a_{&MatchPoint::on_a, 0, {}}, on_b_{&MatchPoint::on_b, 0, {}};
};

}  // namespace graze
