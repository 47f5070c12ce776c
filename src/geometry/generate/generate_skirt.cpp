#include "geometry/generate/check_generated.h"
#include "geometry/generate/ring_mesh.h"
#include "graze/generate_mesh.h"

namespace graze {

// Each ring is lower than the one before it, and each face stays between two half planes through
// the axis: nothing can run through itself as long as radii are positive.
Mesh make_skirt(const SkirtMeshOptions& options) {
    constexpr const char* kKind = "skirt";
    require_ranges(kKind, options);
    require(options.pleat_depth < 0.9f * options.hem_radius, kKind,
            "pleat_depth is " + number_text(options.pleat_depth) +
                "; give a length from 0 to 0.9 of hem_radius, " + number_text(options.hem_radius));

    Mesh mesh;
    std::vector<Ring> rings;
    for (int i = 0; i <= options.rings; ++i) {
        const double fraction = static_cast<double>(i) / options.rings;
        const double mean = options.waist_radius * (1 - fraction) + options.hem_radius * fraction;
        rings.push_back(add_ring(mesh, options.segments, [&](int side) {
            const double angle = turn_angle(side, options.segments);
            // The depth grows with the square, so that radii stay positive also where the waist is
            // narrow.
            const double radius =
                mean + options.pleat_depth * fraction * fraction * std::cos(options.pleats * angle);
            return on_circle(radius, -angle, -options.length * fraction);
        }));
    }
    join_rings(mesh, rings, false);
    return mesh;
}

}  // namespace graze
