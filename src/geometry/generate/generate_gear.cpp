#include "geometry/generate/check_generated.h"
#include "geometry/generate/ring_mesh.h"
#include "graze/generate_mesh.h"

namespace graze {

namespace {

struct OutlinePoint {
    double angle, radius;
};

// Angles are fractions of one tooth's share of the outline. A tooth is narrower at its tip than at
// its root, and at half its height a little narrower than the gap, so that gears can mesh.
std::vector<OutlinePoint> gear_outline(const GearMeshOptions& options) {
    constexpr double kRootHalf = 0.31, kTipHalf = 0.15;
    const double root = options.radius - options.tooth_height / 2;
    const double tip = options.radius + options.tooth_height / 2;
    std::vector<OutlinePoint> outline;
    for (int tooth = 0; tooth < options.teeth; ++tooth) {
        const auto add = [&](double fraction, double radius) {
            outline.push_back({2 * std::numbers::pi * (tooth + fraction) / options.teeth, radius});
        };
        add(-kRootHalf, root);
        add(-kTipHalf, tip);
        add(0, tip);
        add(kTipHalf, tip);
        add(kRootHalf, root);
        add(0.5, root);
    }
    return outline;
}

}  // namespace

Mesh make_gear(const GearMeshOptions& options) {
    constexpr const char* kKind = "gear";
    require_ranges(kKind, options);
    const float root = options.radius - options.tooth_height / 2;
    require(root > 0, kKind,
            "tooth_height is " + number_text(options.tooth_height) +
                "; it must be below twice the radius, " + number_text(2 * options.radius));
    require(options.bore_radius < root, kKind,
            "bore_radius is " + number_text(options.bore_radius) +
                "; give 0 for none, or less than the radius between the teeth, " +
                number_text(root));

    const std::vector<OutlinePoint> outline = gear_outline(options);
    const double half = options.thickness / 2.0;
    Mesh mesh;
    const auto add_outline = [&](double z) {
        return add_ring(mesh, static_cast<int>(outline.size()), [&](int i) {
            const OutlinePoint& p = outline[static_cast<std::size_t>(i)];
            return on_circle(p.radius, p.angle, z);
        });
    };
    const auto add_bore = [&](double z) {
        return add_ring(mesh, static_cast<int>(outline.size()), [&](int i) {
            return on_circle(options.bore_radius, outline[static_cast<std::size_t>(i)].angle, z);
        });
    };
    std::vector<Ring> rings{add_outline(-half), add_outline(half)};
    if (options.bore_radius > 0) {
        rings.push_back(add_bore(half));
        rings.push_back(add_bore(-half));
        join_rings(mesh, rings, true);
    } else {
        join_rings(mesh, rings, false);
        close_start(mesh, rings.front(), {0, 0, -half});
        close_end(mesh, rings.back(), {0, 0, half});
    }
    return checked(std::move(mesh), kKind, "its measures are too different in size");
}

}  // namespace graze
