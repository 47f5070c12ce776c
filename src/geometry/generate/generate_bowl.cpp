#include "geometry/generate/check_generated.h"
#include "geometry/generate/ring_mesh.h"
#include "graze/generate_mesh.h"

namespace graze {

Mesh make_bowl(const BowlMeshOptions& options) {
    constexpr const char* kKind = "bowl";
    require_ranges(kKind, options);

    const double inside = options.radius, outside = inside + options.wall;
    Mesh mesh;
    std::vector<Ring> rings;
    const auto add = [&](double radius, int ring) {
        const double down = double{options.opening} * ring / options.rings;
        rings.push_back(add_ring(mesh, options.segments, [&](int side) {
            return on_circle(radius * std::sin(down), turn_angle(side, options.segments),
                             outside - radius * std::cos(down));
        }));
    };
    // The rings go up on the outside, over the rim, and down on the inside.
    for (int i = 1; i <= options.rings; ++i)
        add(outside, i);
    for (int i = options.rings; i >= 1; --i)
        add(inside, i);
    join_rings(mesh, rings, false);
    close_start(mesh, rings.front(), {0, 0, 0});
    close_end(mesh, rings.back(), {0, 0, outside - inside});
    return checked(std::move(mesh), kKind,
                   "the wall is too thin for so few rings and segments, or opening too near to pi");
}

}  // namespace graze
