#include "geometry/generate/check_generated.h"
#include "geometry/generate/extrude_tube.h"
#include "graze/generate_mesh.h"

namespace graze {

namespace {

constexpr const char* kTube = "tube";

void check_path(std::span<const Vec3> path) {
    require(path.size() >= 2, kTube, "the path has no length; give two points or more");
    for (std::size_t i = 0; i < path.size(); ++i) {
        require(is_finite(path[i]), kTube,
                "point " + std::to_string(i) + " of the path is not finite");
        require(i == 0 || distance(path[i - 1], path[i]) >= 1e-6f, kTube,
                "points " + std::to_string(i - 1) + " and " + std::to_string(i) +
                    " of the path are the same; leave one out");
    }
    for (std::size_t i = 1; i + 1 < path.size(); ++i) {
        const Vec3 before = normalized(path[i] - path[i - 1]);
        const Vec3 after = normalized(path[i + 1] - path[i]);
        require(dot(before, after) >= -0.5f, kTube,
                "the path turns by more than 120 degrees at point " + std::to_string(i) +
                    "; round the corner off with more points");
    }
}

}  // namespace

Mesh make_tube(std::span<const Vec3> path, float radius, int sides) {
    require_ranges(kTube, TubeMeshOptions{{}, radius, sides});
    check_path(path);

    std::vector<Vec3d> points;
    points.reserve(path.size());
    for (const Vec3& p : path)
        points.push_back(static_cast<Vec3d>(p));
    const std::vector<RingOffsets> offsets = extrude_tube(points, sides);
    Mesh mesh;
    std::vector<Ring> rings;
    rings.reserve(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        rings.push_back(add_ring(mesh, sides, [&](int side) {
            return points[i] + offsets[i][static_cast<std::size_t>(side)] * double{radius};
        }));
    }
    join_rings(mesh, rings, false);
    close_start(mesh, rings.front(), points.front());
    close_end(mesh, rings.back(), points.back());
    return checked(std::move(mesh), kTube,
                   "it runs through itself; give a smaller radius, or a path that turns less "
                   "sharply and keeps two radii away from itself");
}

}  // namespace graze
