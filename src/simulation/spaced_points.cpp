#include "simulation/spaced_points.h"

#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>

namespace graze {

namespace {

// So many attempts leave about a tenth of the room that a patient search would still find.
constexpr int kAttempts = 200;

// Points by the cube that they are in, whose side is the distance: what is too near is in one of 27
// cubes. A point is added only where none is too near, so that a cube holds few.
class PointGrid {
public:
    explicit PointGrid(double distance) : distance_(distance) {}

    bool has_room(const Vec3d& point) const {
        const auto [x, y, z] = cube_of(point);
        for (std::int64_t k = z - 1; k <= z + 1; ++k) {
            for (std::int64_t j = y - 1; j <= y + 1; ++j) {
                // Along x cubes are neighbours in the map, too.
                for (auto at = points_.lower_bound({k, j, x - 1});
                     at != points_.end() && at->first <= Cube{k, j, x + 1}; ++at) {
                    if (length_sq(at->second - point) < distance_ * distance_) return false;
                }
            }
        }
        return true;
    }
    void add(const Vec3d& point) {
        const auto [x, y, z] = cube_of(point);
        points_.emplace(Cube{z, y, x}, point);
    }

private:
    using Cube = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

    // Coordinates of a scene are below 1e9 and distances above 1e-6, so that their quotients fit.
    Cube cube_of(const Vec3d& point) const {
        const auto along = [&](double x) {
            return static_cast<std::int64_t>(std::floor(x / distance_));
        };
        return {along(point.x), along(point.y), along(point.z)};
    }

    double distance_;
    std::multimap<Cube, Vec3d> points_;
};

}  // namespace

std::vector<Vec3d> spaced_points(std::size_t count, double distance, RandomNumbers& random,
                                 const PointSource& source) {
    std::vector<Vec3d> points;
    points.reserve(count);
    PointGrid grid(distance);
    while (points.size() < count) {
        Vec3d point = source(random);
        if (distance > 0) {
            int attempts = 1;
            for (; attempts < kAttempts && !grid.has_room(point); ++attempts)
                point = source(random);
            if (attempts == kAttempts) break;
            grid.add(point);
        }
        points.push_back(point);
    }
    return points;
}

}  // namespace graze
