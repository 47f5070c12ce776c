#include <cstdlib>
#include <numeric>

#include "geometry/generate/check_generated.h"
#include "geometry/generate/ring_mesh.h"
#include "graze/generate_mesh.h"

namespace graze {

namespace {

struct KnotFrame {
    Vec3d position, tangent;
    Vec3d normal;  // that of the torus on which the knot lies, hence across the tangent
};

KnotFrame knot_frame(const KnotMeshOptions& options, double turn) {
    const double around = options.p * turn, wound = options.q * turn;
    const double winding = options.winding_radius;
    const double reach = options.radius + winding * std::cos(wound);
    const Vec3d out = on_circle(1, around, 0), along{-out.y, out.x, 0};
    const Vec3d velocity = along * (options.p * reach) +
                           out * (-winding * options.q * std::sin(wound)) +
                           Vec3d{0, 0, winding * options.q * std::cos(wound)};
    return {out * reach + Vec3d{0, 0, winding * std::sin(wound)}, normalized(velocity),
            out * std::cos(wound) + Vec3d{0, 0, std::sin(wound)}};
}

}  // namespace

Mesh make_knot(const KnotMeshOptions& options) {
    constexpr const char* kKind = "knot";
    require_ranges(kKind, options);
    require(std::gcd(options.p, options.q) == 1, kKind,
            "p and q are " + std::to_string(options.p) + " and " + std::to_string(options.q) +
                "; give whole numbers from 1 to 64 without a common divisor");
    require(options.winding_radius + options.tube_radius < options.radius, kKind,
            "winding_radius and tube_radius together must be below radius, " +
                number_text(options.radius));

    Mesh mesh;
    std::vector<Ring> rings;
    for (int i = 0; i < options.segments; ++i) {
        const KnotFrame frame = knot_frame(options, turn_angle(i, options.segments));
        const Vec3d across = cross(frame.tangent, frame.normal);
        rings.push_back(add_ring(mesh, options.sides, [&](int side) {
            const double angle = turn_angle(side, options.sides);
            const Vec3d direction = frame.normal * std::cos(angle) + across * std::sin(angle);
            return frame.position + direction * static_cast<double>(options.tube_radius);
        }));
    }
    join_rings(mesh, rings, true);
    return checked(std::move(mesh), kKind,
                   "the tube runs through itself; give a smaller tube_radius, a larger "
                   "winding_radius, smaller p and q, or more segments");
}

}  // namespace graze
