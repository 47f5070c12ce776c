#include "io/meshes/triangulate_polygon.h"

#include <cmath>
#include <vector>

#include "io/meshes/ear_clipper.h"
#include "io/meshes/overlap_width.h"

namespace graze::io {
namespace {

void write_fan(std::span<const std::uint32_t> corners, Triangle* triangles) {
    for (std::size_t i = 2; i < corners.size(); ++i)
        triangles[i - 2] = {{corners[0], corners[i - 1], corners[i]}};
}

// A polygon as seen along an axis of space or along its normal, so that it turns left.
struct Outline {
    std::vector<Vec2d> points;  // scaled by a power of two: at most 1/2 wide and high
    // How wide what is flipped or lies double may be: corners are not where they should be by as
    // much as positions are rounded.
    double rounding;
};

// What a polygon's outlines have in common.
struct PolygonShape {
    Vec3d normal;       // by Newell, as long as twice the area
    Vec3d plain_areas;  // twice the areas along each axis, of the triangles of a fan, without signs
    double reach;       // [m] from the first corner
    double farthest;    // [m] from the origin, along an axis
};

template <class T>
PolygonShape measure_polygon(std::span<const Vec3T<T>> positions,
                             std::span<const std::uint32_t> corners) {
    const Vec3d origin(positions[corners[0]]);
    PolygonShape shape{{0, 0, 0}, {0, 0, 0}, 0, 0};
    for (const std::uint32_t corner : corners) {
        const Vec3d at(positions[corner]), p = at - origin;
        for (int axis = 0; axis < 3; ++axis) {
            shape.reach = max_of(shape.reach, std::fabs(p[axis]));
            shape.farthest = max_of(shape.farthest, std::fabs(at[axis]));
        }
    }
    if (!(shape.reach > 0) || !std::isfinite(shape.reach)) return shape;
    Vec3d previous{0, 0, 0};
    for (const std::uint32_t corner : corners) {
        const Vec3d p = (Vec3d(positions[corner]) - origin) / shape.reach;
        const Vec3d area = cross(previous, p);
        shape.normal += area;
        for (int axis = 0; axis < 3; ++axis)
            shape.plain_areas[axis] += std::fabs(area[axis]);
        previous = p;
    }
    return shape;
}

int longest_axis(const Vec3d& v) {
    const Vec3d size{std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)};
    return size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
}

// Where areas cancel out, the normal is rounding, and any side serves.
bool has_normal(const PolygonShape& shape) {
    constexpr double kClearly = 1e-9;
    const Vec3d &n = shape.normal, &areas = shape.plain_areas;
    return std::fabs(n[longest_axis(n)]) > kClearly * areas[longest_axis(areas)];
}

// Calls place_of(corner) for the corner's place in the outline, unscaled.
template <class PlaceOf>
Outline make_outline(std::span<const std::uint32_t> corners, const PolygonShape& shape,
                     const PlaceOf& place_of) {
    const int exponent = -std::ilogb(shape.reach) - 3;
    Outline outline;
    outline.points.reserve(corners.size());
    for (const std::uint32_t corner : corners) {
        const Vec2d p = place_of(corner);
        outline.points.push_back({std::ldexp(p.x, exponent), std::ldexp(p.y, exponent)});
    }
    // Programs write and hold positions with no more digits than a float has.
    outline.rounding = std::ldexp(shape.farthest, exponent - 22);
    return outline;
}

// Along the axis that the normal is closest to, coordinates stay as they are.
template <class T>
Outline outline_along_axis(std::span<const Vec3T<T>> positions,
                           std::span<const std::uint32_t> corners, const PolygonShape& shape) {
    const int axis = longest_axis(has_normal(shape) ? shape.normal : shape.plain_areas);
    const bool is_up = shape.normal[axis] >= 0;
    const int u = (axis + (is_up ? 1 : 2)) % 3, v = (axis + (is_up ? 2 : 1)) % 3;
    return make_outline(corners, shape, [&](std::uint32_t corner) {
        const Vec3d p(positions[corner]);
        return Vec2d{p[u], p[v]};
    });
}

template <class T>
Outline outline_along_normal(std::span<const Vec3T<T>> positions,
                             std::span<const std::uint32_t> corners, const PolygonShape& shape) {
    const Vec3d n = shape.normal / length(shape.normal);
    const int axis = longest_axis(n);
    Vec3d side{0, 0, 0};
    side[(axis + 1) % 3] = 1;
    const Vec3d across = cross(n, side), v = across / length(across), u = cross(v, n);
    const Vec3d origin(positions[corners[0]]);
    return make_outline(corners, shape, [&](std::uint32_t corner) {
        const Vec3d p = Vec3d(positions[corner]) - origin;
        return Vec2d{dot(p, u), dot(p, v)};
    });
}

// True where every corner turns left and the outline goes round once (a pentagram goes twice).
bool is_strictly_convex(const std::vector<Vec2d>& points) {
    const std::size_t n = points.size();
    int reversals = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const Vec2d& a = points[i];
        const Vec2d& b = points[(i + 1) % n];
        const Vec2d& c = points[(i + 2) % n];
        if (orientation(a, b, c) <= 0) return false;
        // Vertical edges count as going up the x axis or down it by their y direction.
        const bool right = b.x > a.x || (b.x == a.x && b.y > a.y);
        const bool right_next = c.x > b.x || (c.x == b.x && c.y > b.y);
        reversals += right != right_next;
    }
    return reversals <= 2;
}

// Whether triangles cover the outline once, as far as its corners are where they should be.
bool is_right(const Outline& outline, const std::vector<Triangle>& triangles) {
    return flipped_width(outline.points, triangles) <= outline.rounding &&
           overlap_width(outline.points, triangles) <= outline.rounding;
}

// Returns no triangles where the outline cannot be cut right.
std::vector<Triangle> cut_outline(const Outline& outline) {
    std::vector<Triangle> result;
    const auto corner_count = static_cast<std::uint32_t>(outline.points.size());
    if (is_strictly_convex(outline.points)) {
        for (std::uint32_t i = 2; i < corner_count; ++i)
            result.push_back({{0, i - 1, i}});
        return result;
    }
    if (corner_count == 4) {
        // Of the two cuts the one that flips less.
        result = {{{0, 1, 2}}, {{0, 2, 3}}};
        const std::vector<Triangle> other = {{{0, 1, 3}}, {{1, 2, 3}}};
        if (flipped_width(outline.points, other) < flipped_width(outline.points, result))
            result = other;
        if (!is_right(outline, result)) result.clear();
        return result;
    }
    // A corner that rounding put a little beyond another side, which it should touch, is seen only
    // where that is allowed for.
    for (const double tolerance : {0.0, outline.rounding}) {
        result.clear();
        result.reserve(corner_count);
        clip_ears(outline.points, result, tolerance);
        if (is_right(outline, result)) return result;
    }
    return {};
}

// Keeps the fan's diagonal, as most programs do, unless it flips a triangle and the other does not.
// Returns whether neither triangle is flipped by the chosen one, as far as doubles can tell.
template <class T>
bool triangulate_quad(std::span<const Vec3T<T>> positions, std::span<const std::uint32_t> corners,
                      Triangle* triangles) {
    Vec3d p[4];
    for (int i = 0; i < 4; ++i)
        p[i] = Vec3d(positions[corners[static_cast<std::size_t>(i)]]);
    const Vec3d normal = cross(p[2] - p[0], p[3] - p[1]);
    // The share of the area that a triangle has, far above what rounding does to it.
    constexpr double kClearly = 1e-9;
    const double clear_area = length_sq(normal) * kClearly;
    const auto keeps_side = [&](int a, int b, int c) {
        return dot(cross(p[b] - p[a], p[c] - p[a]), normal) > clear_area;
    };
    const bool is_flat_quad = !(length_sq(normal) > kClearly * kClearly * length_sq(p[2] - p[0]) *
                                                        length_sq(p[3] - p[1]));
    const bool cut_02 = keeps_side(0, 1, 2) && keeps_side(0, 2, 3);
    const bool cut_13 = keeps_side(0, 1, 3) && keeps_side(1, 2, 3);
    if (is_flat_quad || (!cut_02 && !cut_13)) return false;
    if (cut_02) {
        write_fan(corners, triangles);
    } else {
        triangles[0] = {{corners[0], corners[1], corners[3]}};
        triangles[1] = {{corners[1], corners[2], corners[3]}};
    }
    return true;
}

}  // namespace

template <class T>
void triangulate_polygon(std::span<const Vec3T<T>> positions,
                         std::span<const std::uint32_t> corners, Triangle* triangles) {
    if (corners.size() == 3) return write_fan(corners, triangles);
    if (corners.size() == 4 && triangulate_quad(positions, corners, triangles)) return;
    const PolygonShape shape = measure_polygon(positions, corners);
    if (!std::isfinite(shape.reach))
        throw PolygonError("the corners of this face are too far apart to be told from each other");
    // A single point.
    if (!(shape.reach > 0)) return write_fan(corners, triangles);
    std::vector<Triangle> cut_triangles =
        cut_outline(outline_along_axis(positions, corners, shape));
    // A polygon that is far from flat may look right only from where it has most area.
    if (cut_triangles.empty() && has_normal(shape))
        cut_triangles = cut_outline(outline_along_normal(positions, corners, shape));
    if (cut_triangles.empty()) {
        throw PolygonError(
            "this face crosses itself, so that no triangles cover what it bounds; take it apart "
            "where it does, or give its corners in their order around it");
    }
    for (const Triangle& t : cut_triangles)
        *triangles++ = {{corners[t[0]], corners[t[1]], corners[t[2]]}};
}

template void triangulate_polygon<float>(std::span<const Vec3>, std::span<const std::uint32_t>,
                                         Triangle*);
template void triangulate_polygon<double>(std::span<const Vec3d>, std::span<const std::uint32_t>,
                                          Triangle*);

}  // namespace graze::io
