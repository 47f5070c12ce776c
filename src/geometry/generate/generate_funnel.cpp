#include <algorithm>

#include "geometry/generate/check_generated.h"
#include "geometry/generate/ring_mesh.h"
#include "graze/generate_mesh.h"

namespace graze {

namespace {

struct RimPoint {
    double radius, z;  // [m]
};

// The profile inside, from the lower end upwards: the cone has a piece for each ring, the throat
// pieces about as high.
std::vector<RimPoint> inner_profile(const FunnelMeshOptions& options) {
    const double height = options.cone_height, throat = options.throat_length;
    const int throat_rings =
        std::clamp(static_cast<int>(std::ceil(throat / height * options.rings)), 1, 4096);
    std::vector<RimPoint> points;
    points.reserve(static_cast<std::size_t>(throat_rings) +
                   static_cast<std::size_t>(options.rings) + 1);
    for (int i = 0; i < throat_rings; ++i)
        points.push_back({options.throat_radius, throat * i / throat_rings});
    for (int i = 0; i <= options.rings; ++i) {
        const double fraction = static_cast<double>(i) / options.rings;
        points.push_back({options.throat_radius * (1 - fraction) + options.mouth_radius * fraction,
                          throat + height * fraction});
    }
    return points;
}

}  // namespace

Mesh make_funnel(const FunnelMeshOptions& options) {
    constexpr const char* kKind = "funnel";
    require_ranges(kKind, options);
    require(options.throat_radius < options.mouth_radius, kKind,
            "throat_radius is " + number_text(options.throat_radius) +
                "; it must be below mouth_radius, " + number_text(options.mouth_radius));

    const std::vector<RimPoint> profile = inner_profile(options);
    Mesh mesh;
    std::vector<Ring> rings;
    const auto add = [&](const RimPoint& point, double wall) {
        rings.push_back(add_ring(mesh, options.segments, [&](int side) {
            return on_circle(point.radius + wall, turn_angle(side, options.segments), point.z);
        }));
    };
    // The rings go up on the outside, over the rim, and down on the inside.
    for (const RimPoint& point : profile)
        add(point, options.wall);
    std::for_each(profile.rbegin(), profile.rend(), [&](const RimPoint& point) { add(point, 0); });
    join_rings(mesh, rings, true);
    return checked(std::move(mesh), kKind, "the wall is too thin for so few segments");
}

}  // namespace graze
