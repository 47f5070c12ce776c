#include "io/meshes/overlap_width.h"

#include <cmath>
#include <numeric>

#include "io/meshes/ear_clipper.h"
#include "io/meshes/triangulate_polygon.h"

namespace graze::io {
namespace {

constexpr double kSomething = std::numeric_limits<double>::min();

struct FlatTriangle {
    Vec2d corners[3];
    Vec2d low, high;
};

// Whether all of b is on the right of a side of a, or on it. Two convex shapes are apart where that
// is so of a side of either.
bool is_apart_by_side(const FlatTriangle& a, const FlatTriangle& b) {
    for (int i = 0; i < 3; ++i) {
        const Vec2d &from = a.corners[i], &to = a.corners[(i + 1) % 3];
        if (orientation(from, to, b.corners[0]) <= 0 && orientation(from, to, b.corners[1]) <= 0 &&
            orientation(from, to, b.corners[2]) <= 0)
            return true;
    }
    return false;
}

double longest_side(const std::vector<Vec2d>& shape) {
    double longest = 0;
    for (const Vec2d& p : shape) {
        for (const Vec2d& q : shape)
            longest = std::max(longest, std::hypot(p.x - q.x, p.y - q.y));
    }
    return longest;
}

// How wide what two triangles share is, by cutting one along the sides of the other.
double shared_width(const FlatTriangle& a, const FlatTriangle& b) {
    std::vector<Vec2d> shape(a.corners, a.corners + 3), cut;
    for (int i = 0; i < 3; ++i) {
        const Vec2d &from = b.corners[i], &to = b.corners[(i + 1) % 3];
        cut.clear();
        for (std::size_t k = 0; k < shape.size(); ++k) {
            const Vec2d &p = shape[k], &q = shape[(k + 1) % shape.size()];
            const double at_p = turn(from, to, p), at_q = turn(from, to, q);
            if (at_p >= 0) cut.push_back(p);
            if ((at_p < 0) == (at_q < 0)) continue;
            const double t = at_p / (at_p - at_q);
            cut.push_back({p.x + (q.x - p.x) * t, p.y + (q.y - p.y) * t});
        }
        shape.swap(cut);
    }
    double twice_area = 0;
    for (std::size_t k = 2; k < shape.size(); ++k)
        twice_area += turn(shape[0], shape[k - 1], shape[k]);
    // Rounding may hide what is there, but not that there is something.
    const double width = twice_area / longest_side(shape);
    return width > kSomething ? width : kSomething;
}

// Compares all pairs whose boxes overlap. Returns infinity where there are too many.
double shared_width_of_pairs(const std::vector<Vec2d>& points,
                             const std::vector<Triangle>& triangles) {
    std::vector<FlatTriangle> list;
    for (const Triangle& t : triangles) {
        const Vec2d &a = points[t[0]], &b = points[t[1]], &c = points[t[2]];
        if (orientation(a, b, c) <= 0) continue;
        list.push_back({{a, b, c},
                        {std::min({a.x, b.x, c.x}), std::min({a.y, b.y, c.y})},
                        {std::max({a.x, b.x, c.x}), std::max({a.y, b.y, c.y})}});
    }
    std::sort(list.begin(), list.end(),
              [](const FlatTriangle& a, const FlatTriangle& b) { return a.low.x < b.low.x; });
    constexpr std::int64_t kStepsPerTriangle = 1000;
    std::int64_t steps = 0;
    double width = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const FlatTriangle& a = list[i];
        for (std::size_t j = i + 1; j < list.size() && list[j].low.x < a.high.x; ++j) {
            if (++steps > kStepsPerTriangle * static_cast<std::int64_t>(list.size()))
                return std::numeric_limits<double>::infinity();
            const FlatTriangle& b = list[j];
            if (b.low.y >= a.high.y || a.low.y >= b.high.y) continue;
            if (is_apart_by_side(a, b) || is_apart_by_side(b, a)) continue;
            width = std::max(width, shared_width(a, b));
        }
    }
    return width;
}

// Cuts what is around the outline, within a larger square, into triangles as well. The triangles of
// both are a map of the square onto itself that keeps its border, and so cover every point once
// where none is flipped. That none overlaps is thereby proven in n log n time. Returns whether it
// is.
bool is_proven_by_surroundings(const std::vector<Vec2d>& points) {
    std::size_t first = 0;
    Vec2d low = points[0], high = points[0];
    for (std::size_t i = 0; i < points.size(); ++i) {
        const Vec2d& p = points[i];
        const Vec2d& leftmost = points[first];
        if (p.x < leftmost.x || (p.x == leftmost.x && p.y < leftmost.y)) first = i;
        low = {std::min(low.x, p.x), std::min(low.y, p.y)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    }
    constexpr double kMargin = 0.25;
    low = {low.x - kMargin, low.y - kMargin};
    high = {high.x + kMargin, high.y + kMargin};
    // A cut leads from the square's corner to the leftmost point, which no other side comes near.
    std::vector<Vec2d> around{low, {high.x, low.y}, high, {low.x, high.y}, low};
    for (std::size_t i = 0; i <= points.size(); ++i)
        around.push_back(points[(first + points.size() - i) % points.size()]);
    std::vector<Triangle> triangles;
    return clip_ears(around, triangles) && flipped_width(around, triangles) == 0;
}

}  // namespace

double flipped_width(const std::vector<Vec2d>& points, const std::vector<Triangle>& triangles) {
    double width = 0;
    for (const Triangle& t : triangles) {
        const Vec2d &a = points[t[0]], &b = points[t[1]], &c = points[t[2]];
        if (orientation(a, b, c) >= 0) continue;
        width = std::max({width, kSomething, -turn(a, b, c) / longest_side({a, b, c})});
    }
    return width;
}

double overlap_width(const std::vector<Vec2d>& points, const std::vector<Triangle>& triangles) {
    constexpr std::size_t kFew = 256;
    if (triangles.size() <= kFew) return shared_width_of_pairs(points, triangles);
    try {
        if (is_proven_by_surroundings(points)) return 0;
    } catch (const PolygonError&) {
        // What is around may touch itself in too many places, unlike the outline.
    }
    return shared_width_of_pairs(points, triangles);
}

}  // namespace graze::io
