// Solids by their definition, in double precision: which points they contain, and their surface.
// The distance is found by trying the whole surface, and then ever closer around the best points.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "graze/transform.h"

namespace graze::oracle {

// A part of a surface, by u and v in [0, 1]. Patches and curves are nowhere so distorted that
// a search gets stuck.
using Patch = std::function<Vec3d(double u, double v)>;
// A curve in the half plane of radius (x >= 0) and height (z), by v in [0, 1]; the surface is the
// curve turned about the z axis. By symmetry the surface's point closest to another point is in
// that point's half plane.
using Curve = std::function<Vec3d(double v)>;

struct Solid {
    std::function<bool(const Vec3d& point)> contains;
    std::vector<Patch> patches;
    std::vector<Curve> curves;
    Transformd world_from_solid =
        Transformd::identity();  // all of the above is in the solid's frame
};

constexpr double kTurn = 2 * std::numbers::pi;

inline Curve line(double radius_a, double height_a, double radius_b, double height_b) {
    return [=](double v) {
        return Vec3d{radius_a + (radius_b - radius_a) * v, 0, height_a + (height_b - height_a) * v};
    };
}
// The arc goes from angle a to b, counted from the direction of the radius.
inline Curve arc(double centre_radius, double centre_height, double r, double a, double b) {
    return [=](double v) {
        const double angle = a + (b - a) * v;
        return Vec3d{centre_radius + r * std::cos(angle), 0, centre_height + r * std::sin(angle)};
    };
}

inline Solid ball(double radius) {
    return {[=](const Vec3d& p) { return length(p) <= radius; },
            {},
            {arc(0, 0, radius, -kTurn / 4, kTurn / 4)}};
}

inline Solid box(const Vec3d& half) {
    Solid solid{[=](const Vec3d& p) {
                    return std::fabs(p.x) <= half.x && std::fabs(p.y) <= half.y &&
                           std::fabs(p.z) <= half.z;
                },
                {},
                {}};
    for (int axis = 0; axis < 3; ++axis) {
        for (const double side : {-1, 1}) {
            solid.patches.push_back([=](double u, double v) {
                Vec3d p = half;
                p[axis] *= side;
                p[(axis + 1) % 3] *= 2 * u - 1;
                p[(axis + 2) % 3] *= 2 * v - 1;
                return p;
            });
        }
    }
    return solid;
}

// The solid is what a ball reaches whose centre stays in the core. For every corner of the core and
// every axis there are three patches: of the ball, of an edge and of a face.
inline Solid rounded_box(const Vec3d& half, double r) {
    const Vec3d core = half - Vec3d{r, r, r};
    Solid solid{
        [=](const Vec3d& p) { return distance(p, min_of(max_of(p, -core), core)) <= r; }, {}, {}};
    for (int index = 0; index < 24; ++index) {
        const Vec3d side{index & 1 ? -1.0 : 1.0, index & 2 ? -1.0 : 1.0, index & 4 ? -1.0 : 1.0};
        const int axis = index / 8, next = (axis + 1) % 3, last = (axis + 2) % 3;
        solid.patches.push_back([=](double u, double v) {
            Vec3d direction{1, 1, 1};
            direction[next] = u;
            direction[last] = v;
            return scale(core + normalized(direction) * r, side);
        });
        solid.patches.push_back([=](double u, double v) {
            Vec3d p = core;
            p[axis] *= u;
            p[next] += r * std::cos(kTurn / 4 * v);
            p[last] += r * std::sin(kTurn / 4 * v);
            return scale(p, side);
        });
        solid.patches.push_back([=](double u, double v) {
            Vec3d p = core;
            p[axis] += r;
            p[next] *= u;
            p[last] *= v;
            return scale(p, side);
        });
    }
    return solid;
}

// The capsule is along z from 0 to length_z.
inline Solid upright_capsule(double length_z, double r) {
    return {
        [=](const Vec3d& p) {
            return distance(p, Vec3d{0, 0, std::clamp(p.z, 0.0, length_z)}) <= r;
        },
        {},
        {arc(0, 0, r, -kTurn / 4, 0), line(r, 0, r, length_z), arc(0, length_z, r, 0, kTurn / 4)}};
}

inline Solid cylinder(double radius, double half_height) {
    return {
        [=](const Vec3d& p) {
            return std::hypot(p.x, p.y) <= radius && std::fabs(p.z) <= half_height;
        },
        {},
        {line(0, half_height, radius, half_height), line(radius, half_height, radius, -half_height),
         line(radius, -half_height, 0, -half_height)}};
}

inline Solid cone(double radius, double height) {
    return {[=](const Vec3d& p) {
                const double across = std::hypot(p.x, p.y);
                return p.z >= 0 && p.z <= height && across <= radius &&
                       across * height <= radius * (height - p.z);
            },
            {},
            {line(0, 0, radius, 0), line(radius, 0, 0, height)}};
}

inline Solid torus(double ring, double tube) {
    // The part of the circle beyond the axis is inside the solid.
    const double end = tube > ring ? std::acos(-ring / tube) : kTurn / 2;
    return {[=](const Vec3d& p) { return std::hypot(std::hypot(p.x, p.y) - ring, p.z) <= tube; },
            {},
            {arc(ring, 0, tube, -end, end)}};
}

inline Solid moved(Solid solid, const Transformd& world_from_solid) {
    solid.world_from_solid = world_from_solid * solid.world_from_solid;
    return solid;
}

inline bool contains(const Solid& solid, const Vec3d& point) {
    return solid.contains(transform_point(inverse(solid.world_from_solid), point));
}

// Returns the least value of a function on [0, 1]: it starts at the best of many samples and at
// both ends, which may be the same point of a closed curve, and goes ever closer from there.
inline double least(const std::function<double(double)>& f) {
    constexpr int kSamples = 200;
    int best_sample = 0;
    for (int i = 1; i <= kSamples; ++i) {
        if (f(double(i) / kSamples) < f(double(best_sample) / kSamples)) best_sample = i;
    }
    double result = f(0);
    for (double at : {0.0, double(best_sample) / kSamples, 1.0}) {
        for (double reach = 1.0 / kSamples; reach > 1e-10; reach /= 2) {
            for (const double next : {at - reach, at + reach}) {
                const double inside = std::clamp(next, 0.0, 1.0);
                if (f(inside) < f(at)) at = inside;
            }
        }
        result = std::min(result, f(at));
    }
    return result;
}

// Returns the distance to a patch, which is flat or slightly curved, by a search of the same kind.
inline double distance_to_patch(const Patch& patch, const Vec3d& point) {
    double best_u = 0, best_v = 0, best = 1e300;
    const auto visit = [&](double u, double v) {
        const double d = distance(patch(std::clamp(u, 0.0, 1.0), std::clamp(v, 0.0, 1.0)), point);
        if (d >= best) return;
        best = d;
        best_u = std::clamp(u, 0.0, 1.0);
        best_v = std::clamp(v, 0.0, 1.0);
    };
    for (double u = 0; u <= 1; u += 0.125)
        for (double v = 0; v <= 1; v += 0.125)
            visit(u, v);
    for (double reach = 0.125; reach > 1e-10;) {
        const double before = best, u = best_u, v = best_v;
        for (const double step_u : {-reach, 0.0, reach})
            for (const double step_v : {-reach, 0.0, reach})
                visit(u + step_u, v + step_v);
        if (best == before) reach /= 2;
    }
    return best;
}

inline double distance_to_surface(const Solid& solid, const Vec3d& point) {
    const Vec3d local = transform_point(inverse(solid.world_from_solid), point);
    double best = 1e300;
    for (const Patch& patch : solid.patches)
        best = std::min(best, distance_to_patch(patch, local));
    const Vec3d in_plane{std::hypot(local.x, local.y), 0, local.z};
    for (const Curve& curve : solid.curves)
        best = std::min(best, least([&](double v) { return distance(curve(v), in_plane); }));
    return best * solid.world_from_solid.scale;
}

// A combination of solids, with many points of its surface: those points of each solid's surface
// that are on the surface of the combination.
struct Cloud {
    std::function<bool(const Vec3d& point)> contains;
    std::vector<Vec3d> surface;

    double distance_to_surface(const Vec3d& point) const {
        double best = 1e300;
        for (const Vec3d& s : surface)
            best = std::min(best, distance(s, point));
        return best;
    }
};

inline Cloud cloud_of(const Solid& solid, int n) {
    Cloud cloud{[=](const Vec3d& p) { return contains(solid, p); }, {}};
    for (int i = 0; i <= n; ++i) {
        for (int j = 0; j <= n; ++j) {
            const double u = double(i) / n, v = double(j) / n;
            for (const Patch& patch : solid.patches)
                cloud.surface.push_back(patch(u, v));
            for (const Curve& curve : solid.curves) {
                const Vec3d p = curve(v);
                cloud.surface.push_back(
                    {p.x * std::cos(kTurn * u), p.x * std::sin(kTurn * u), p.z});
            }
        }
    }
    for (Vec3d& p : cloud.surface)
        p = transform_point(solid.world_from_solid, p);
    return cloud;
}

// Returns the combination that contains the points p with holds(p in a, p in b).
inline Cloud combine(const Cloud& a, const Cloud& b,
                     const std::function<bool(bool in_a, bool in_b)>& holds) {
    const auto contains_a = a.contains, contains_b = b.contains;
    Cloud cloud{[=](const Vec3d& p) { return holds(contains_a(p), contains_b(p)); }, {}};
    // A point of a's surface is on that of the combination where being in a makes a difference.
    for (const Vec3d& s : a.surface) {
        const bool in_b = b.contains(s);
        if (holds(true, in_b) != holds(false, in_b)) cloud.surface.push_back(s);
    }
    for (const Vec3d& s : b.surface) {
        const bool in_a = a.contains(s);
        if (holds(in_a, true) != holds(in_a, false)) cloud.surface.push_back(s);
    }
    return cloud;
}

}  // namespace graze::oracle
