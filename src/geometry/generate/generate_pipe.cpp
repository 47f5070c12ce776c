// The path of a pipe: a straight end, the helix, and where there is a mouth, a bend upwards into a
// funnel; else another straight end.
#include "geometry/generate/check_generated.h"
#include "geometry/generate/extrude_tube.h"
#include "graze/generate_mesh.h"

namespace graze {

namespace {

constexpr const char* kPipe = "pipe";

struct PipeStation {
    Vec3d position;
    double inner_radius;
};

// A corner of the path makes one ring; corners of the pipe's radius, that of its funnel, too.
std::vector<PipeStation> pipe_stations(const PipeMeshOptions& options) {
    const double coil = options.coil_radius, inner = options.inner_radius;
    const double outer = inner + options.wall;
    const double angle = 2 * std::numbers::pi * options.turns;
    const double climb = options.rise / (2 * std::numbers::pi);  // a radian
    const auto on_helix = [&](double a) { return on_circle(coil, a, climb * a); };
    const auto tangent = [&](double a) {
        return normalized(Vec3d{-coil * std::sin(a), coil * std::cos(a), climb});
    };

    std::vector<PipeStation> stations{{on_helix(0) - tangent(0) * outer, inner}};
    for (int i = 0; i <= options.segments; ++i)
        stations.push_back({on_helix(angle * i / options.segments), inner});
    const Vec3d end = on_helix(angle), direction = tangent(angle);
    if (options.mouth_radius == 0) {
        stations.push_back({end + direction * outer, inner});
        return stations;
    }
    // The bend goes from the helix's slope to upright, around a centre straight above the slope's
    // foot.
    const double bend = 2 * outer, slope = std::asin(direction.z);
    const Vec3d ahead = normalized(Vec3d{direction.x, direction.y, 0});
    const int bend_segments = std::max(8, options.segments / 16);
    for (int i = 1; i <= bend_segments; ++i) {
        const double a = slope + (std::numbers::pi / 2 - slope) * i / bend_segments;
        const Vec3d moved = ahead * (bend * (std::sin(a) - std::sin(slope))) +
                            Vec3d{0, 0, bend * (std::cos(slope) - std::cos(a))};
        stations.push_back({end + moved, inner});
    }
    const Vec3d neck = stations.back().position;
    stations.push_back({neck + Vec3d{0, 0, outer / 2}, inner});
    // The funnel widens at 45 degrees.
    const double widening = options.mouth_radius - inner;
    stations.push_back({neck + Vec3d{0, 0, outer / 2 + widening}, options.mouth_radius});
    return stations;
}

void check_options(const PipeMeshOptions& options) {
    require_ranges(kPipe, options);
    require(options.mouth_radius == 0 || options.mouth_radius > options.inner_radius, kPipe,
            "mouth_radius is " + number_text(options.mouth_radius) +
                "; give 0 for no funnel, or more than inner_radius, " +
                number_text(options.inner_radius));

    const double outer = double{options.inner_radius} + options.wall;
    const double coil = options.coil_radius;
    const double climb = options.rise / (2 * std::numbers::pi);
    require((coil * coil + climb * climb) / coil > outer, kPipe,
            "the coil is narrower than the pipe; give a coil_radius above inner_radius + wall, " +
                number_text(static_cast<float>(outer)));
    // Turns that lie upon each other are rise * cos(slope) apart.
    const double slope_cos = coil / std::sqrt(coil * coil + climb * climb);
    require(options.turns <= 1 || options.rise * slope_cos > 2 * outer, kPipe,
            "the turns touch each other; give a rise above " +
                number_text(static_cast<float>(2 * outer / slope_cos)) + " or a thinner pipe");
    require(options.segments >= 6 * options.turns, kPipe,
            "segments is " + std::to_string(options.segments) +
                "; give at least 6 for each of the turns");
}

}  // namespace

Mesh make_pipe(const PipeMeshOptions& options) {
    check_options(options);
    const std::vector<PipeStation> stations = pipe_stations(options);
    std::vector<Vec3d> path;
    path.reserve(stations.size());
    for (const PipeStation& station : stations)
        path.push_back(station.position);
    const std::vector<RingOffsets> offsets = extrude_tube(path, options.sides);

    Mesh mesh;
    std::vector<Ring> rings;
    const auto add = [&](std::size_t i, double radius) {
        rings.push_back(add_ring(mesh, options.sides, [&](int side) {
            return path[i] + offsets[i][static_cast<std::size_t>(side)] * radius;
        }));
    };
    // The rings go up on the outside, down on the inside, and around both ends.
    for (std::size_t i = 0; i < path.size(); ++i)
        add(i, stations[i].inner_radius + options.wall);
    for (std::size_t i = path.size(); i-- > 0;)
        add(i, stations[i].inner_radius);
    join_rings(mesh, rings, true);
    return checked(std::move(mesh), kPipe,
                   "it runs through itself; give a larger coil_radius or rise, a smaller "
                   "inner_radius, wall or mouth_radius, or more segments");
}

}  // namespace graze
