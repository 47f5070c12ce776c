#include <algorithm>
#include <array>
#include <random>

#include "core/random_unit.h"
#include "geometry/generate/check_generated.h"
#include "geometry/generate/ring_mesh.h"
#include "graze/generate_mesh.h"

namespace graze {

namespace {

constexpr const char* kTerrain = "terrain";

// Waves in all directions, each shorter and lower than the one before it.
struct Wave {
    double x, y;    // [rad/m]
    double offset;  // [rad]
    double height;  // [m]
};
using Waves = std::array<Wave, 8>;

Waves make_waves(const TerrainMeshOptions& options) {
    std::mt19937 random(options.seed);
    Waves waves;
    double length = options.wavelength, height = 1, sum = 0;
    double direction = 2 * std::numbers::pi * random_unit(random);
    for (Wave& wave : waves) {
        const double wave_number = 2 * std::numbers::pi / length;
        wave = {wave_number * std::cos(direction), wave_number * std::sin(direction),
                2 * std::numbers::pi * random_unit(random), height};
        sum += height;
        // The turn is about the golden angle, so that few waves go in all directions.
        direction += 2.4 + 0.6 * (random_unit(random) - 0.5);
        length *= 0.75;
        height *= 0.7;
    }
    for (Wave& wave : waves)
        wave.height *= options.height / sum;
    return waves;
}

double height_at(const TerrainMeshOptions& options, const Waves& waves, double x, double y) {
    double z = 0;
    for (const Wave& wave : waves)
        z += wave.height * std::sin(wave.x * x + wave.y * y + wave.offset);
    if (options.rim_height > 0) {
        // The bank is as wide as a twelfth of the side.
        const double inwards = options.size / 2.0 - std::max(std::fabs(x), std::fabs(y));
        const double fraction = std::clamp(1 - inwards / (options.size / 12.0), 0.0, 1.0);
        z += options.rim_height * fraction * fraction * (3 - 2 * fraction);
    }
    return z;
}

void check_options(const TerrainMeshOptions& options) {
    require_ranges(kTerrain, options);
    require(options.depth > options.height, kTerrain,
            "depth is " + number_text(options.depth) + "; it must be above the height of hills, " +
                number_text(options.height));
}

}  // namespace

float terrain_height(const TerrainMeshOptions& options, float x, float y) {
    check_options(options);
    return static_cast<float>(height_at(options, make_waves(options), x, y));
}

Mesh make_terrain(const TerrainMeshOptions& options) {
    check_options(options);
    const Waves waves = make_waves(options);
    const int cells = options.cells, row = cells + 1;
    const auto along = [&](int i) { return double{options.size} * i / cells - options.size / 2.0; };
    Mesh mesh;
    for (int j = 0; j < row; ++j) {
        for (int i = 0; i < row; ++i) {
            const double x = along(i), y = along(j);
            add_vertex(mesh, {x, y, height_at(options, waves, x, y)});
        }
    }
    const auto at = [&](int i, int j) { return static_cast<std::uint32_t>(j * row + i); };
    for (int j = 0; j < cells; ++j) {
        for (int i = 0; i < cells; ++i) {
            mesh.triangles.push_back({{at(i, j), at(i + 1, j), at(i + 1, j + 1)}});
            mesh.triangles.push_back({{at(i, j), at(i + 1, j + 1), at(i, j + 1)}});
        }
    }
    // The border, counter-clockwise seen from above, then the same on the floor.
    Ring border;
    for (int i = 0; i < cells; ++i)
        border.push_back(at(i, 0));
    for (int j = 0; j < cells; ++j)
        border.push_back(at(cells, j));
    for (int i = cells; i > 0; --i)
        border.push_back(at(i, cells));
    for (int j = cells; j > 0; --j)
        border.push_back(at(0, j));
    const Ring floor = add_ring(mesh, static_cast<int>(border.size()), [&](int i) {
        const Vec3& p = mesh.positions[border[static_cast<std::size_t>(i)]];
        return Vec3d{p.x, p.y, -double{options.depth}};
    });
    join_rings(mesh, floor, border);
    close_start(mesh, floor, {0, 0, -double{options.depth}});
    return checked(std::move(mesh), kTerrain, "its measures are too different in size");
}

}  // namespace graze
