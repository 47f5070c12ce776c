#include "io/meshes/ear_clipper.h"

#include <cmath>

#include "io/meshes/index_set.h"
#include "io/meshes/triangulate_polygon.h"

namespace graze::io {
namespace {

bool is_same(const Vec2d& a, const Vec2d& b) {
    return a.x == b.x && a.y == b.y;
}
// True to the left of the line from a to b, on it, and up to tolerance to its right.
bool is_left(const Vec2d& p, const Vec2d& a, const Vec2d& b, double tolerance) {
    if (orientation(a, b, p) >= 0) return true;
    return tolerance > 0 && turn(a, b, p) >= -tolerance * std::hypot(b.x - a.x, b.y - a.y);
}
// True inside abc, which turns left, on its border, and as near to that.
bool is_inside(const Vec2d& p, const Vec2d& a, const Vec2d& b, const Vec2d& c, double tolerance) {
    return is_left(p, a, b, tolerance) && is_left(p, b, c, tolerance) &&
           is_left(p, c, a, tolerance);
}

// Clips ears in an order that does not depend on how they are found: from each one on, the next
// corner but one that is an ear. Which corners are still to be tested and which reflex ones an ear
// would hold are looked up, so that n corners take about n log n steps.
class EarClipper {
public:
    EarClipper(const std::vector<Vec2d>& points, double tolerance,
               std::vector<Triangle>& triangles);
    bool run();

private:
    void classify(std::uint32_t i);
    bool is_ear(std::uint32_t i);
    bool enters(std::uint32_t j, const Vec2d& a, const Vec2d& b, const Vec2d& c) const;
    void clip(std::uint32_t i);
    std::uint32_t find_ear(std::uint32_t start);
    void write_rest(std::uint32_t start);

    static constexpr std::uint32_t kNone = IndexSet::kNone;
    // Simple polygons take 10 to 100 steps for each corner. The bound keeps hostile files at a few
    // microseconds for each.
    static constexpr std::int64_t kStepsPerCorner = 1000;

    const std::vector<Vec2d>& points_;
    double tolerance_;
    std::vector<Triangle>& triangles_;
    std::uint32_t left_;                   // corners not yet clipped
    std::int64_t steps_ = 0;               // boxes and corners looked at, and ears asked for
    std::vector<std::uint32_t> previous_;  // the outline as a ring, in the order of its indices
    std::vector<std::uint32_t> next_;
    IndexSet untested_;  // corners that may be ears
    IndexSet flat_;      // corners without area
    CornerTree reflex_;
};

EarClipper::EarClipper(const std::vector<Vec2d>& points, double tolerance,
                       std::vector<Triangle>& triangles)
    : points_(points),
      tolerance_(tolerance),
      triangles_(triangles),
      left_(static_cast<std::uint32_t>(points.size())),
      previous_(left_),
      next_(left_),
      untested_(left_),
      flat_(left_),
      reflex_(points) {
    for (std::uint32_t i = 0; i < left_; ++i) {
        previous_[i] = i == 0 ? left_ - 1 : i - 1;
        next_[i] = i + 1 == left_ ? 0 : i + 1;
        untested_.insert(i);
    }
    for (std::uint32_t i = 0; i < left_; ++i)
        classify(i);
}

// Straight corners count as reflex: they must not end up on the inside of an ear's diagonal.
void EarClipper::classify(std::uint32_t i) {
    const int side = orientation(points_[previous_[i]], points_[i], points_[next_[i]]);
    flat_.set(i, side == 0);
    const bool is_reflex = side <= 0;
    if (is_reflex && !reflex_.contains(i)) reflex_.insert(i);
    if (!is_reflex && reflex_.contains(i)) reflex_.erase(i);
}

bool EarClipper::is_ear(std::uint32_t i) {
    if (reflex_.contains(i)) return false;
    const Vec2d& a = points_[previous_[i]];
    const Vec2d& b = points_[i];
    const Vec2d& c = points_[next_[i]];
    return !reflex_.any_in(a, b, c, tolerance_, steps_, [&](std::uint32_t j) {
        const Vec2d& p = points_[j];
        if (!is_inside(p, a, b, c, tolerance_)) return false;
        // Corners that coincide only touch, as in outlines with holes, which visit them twice,
        // unless the outline goes on into the ear.
        if (is_same(p, a)) return enters(j, a, b, c);
        if (is_same(p, b)) return enters(j, b, c, a);
        return !is_same(p, c) || enters(j, c, a, b);
    });
}

// True where a side at corner j, which is at a, goes into the triangle abc.
bool EarClipper::enters(std::uint32_t j, const Vec2d& a, const Vec2d& b, const Vec2d& c) const {
    const auto goes_in = [&](const Vec2d& to) {
        return orientation(a, b, to) > 0 && orientation(a, c, to) < 0;
    };
    return goes_in(points_[previous_[j]]) || goes_in(points_[next_[j]]);
}

void EarClipper::clip(std::uint32_t i) {
    const std::uint32_t a = previous_[i];
    const std::uint32_t c = next_[i];
    triangles_.push_back({{a, i, c}});
    next_[a] = c;
    previous_[c] = a;
    if (reflex_.contains(i)) reflex_.erase(i);
    flat_.erase(i);
    untested_.erase(i);
    --left_;
    for (const std::uint32_t neighbour : {a, c}) {
        classify(neighbour);
        untested_.insert(neighbour);
    }
}

// Goes once round the outline. In a simple polygon clipping an ear changes only its neighbours, so
// a corner that was found to be none is not asked again.
std::uint32_t EarClipper::find_ear(std::uint32_t start) {
    while (true) {
        const std::uint32_t i = untested_.next_around(start);
        if (i == kNone) return kNone;
        if (++steps_ > kStepsPerCorner * static_cast<std::int64_t>(points_.size())) {
            throw PolygonError(
                "this face touches or crosses itself in too many places to be cut into "
                "triangles; cut it before");
        }
        if (is_ear(i)) return i;
        untested_.erase(i);
    }
}

void EarClipper::write_rest(std::uint32_t start) {
    for (std::uint32_t i = next_[start]; next_[i] != start; i = next_[i])
        triangles_.push_back({{start, i, next_[i]}});
}

bool EarClipper::run() {
    std::uint32_t start = 0;
    bool asked_again = false;
    while (left_ > 3) {
        std::uint32_t tip = find_ear(start);
        // A corner without area can go without changing the outline.
        if (tip == kNone) tip = flat_.next_around(start);
        if (tip == kNone && !asked_again) {
            // In an outline that touches itself an ear may have appeared elsewhere.
            std::uint32_t i = start;
            do {
                untested_.insert(i);
                i = next_[i];
            } while (i != start);
            asked_again = true;
            continue;
        }
        if (tip == kNone) break;
        clip(tip);
        asked_again = false;
        // Going on behind the neighbour makes fewer slivers than many ears around one corner.
        start = next_[next_[tip]];
    }
    write_rest(start);
    const Triangle& last = triangles_.back();
    return left_ == 3 && orientation(points_[last[0]], points_[last[1]], points_[last[2]]) >= 0;
}

}  // namespace

bool clip_ears(const std::vector<Vec2d>& points, std::vector<Triangle>& triangles,
               double tolerance) {
    return EarClipper(points, tolerance, triangles).run();
}

}  // namespace graze::io
