#include "geometry/generate/check_generated.h"
#include "geometry/generate/ring_mesh.h"
#include "graze/generate_mesh.h"

namespace graze {

Mesh make_torus(const TorusMeshOptions& options) {
    constexpr const char* kKind = "torus";
    require_ranges(kKind, options);
    require(options.tube_radius < options.radius, kKind,
            "tube_radius is " + number_text(options.tube_radius) + "; it must be below radius, " +
                number_text(options.radius));

    const double radius = options.radius, tube_radius = options.tube_radius;
    Mesh mesh;
    std::vector<Ring> rings;
    for (int i = 0; i < options.segments; ++i) {
        const double around = turn_angle(i, options.segments);
        rings.push_back(add_ring(mesh, options.sides, [&](int side) {
            // The ring goes down on the outside: counter-clockwise about the direction of travel.
            const double angle = turn_angle(side, options.sides);
            return on_circle(radius + tube_radius * std::cos(angle), around,
                             -tube_radius * std::sin(angle));
        }));
    }
    join_rings(mesh, rings, true);
    return checked(std::move(mesh), kKind,
                   "tube_radius is too near to 0 or to radius for so many segments and sides");
}

}  // namespace graze
