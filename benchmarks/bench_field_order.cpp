// Measures how much nearer to the truth a field of order 1 is than one of order 0 in the same
// memory.
//
// For every closed model it builds a field of order 1, and one of order 0 with as many more samples
// as fit in at least the same memory, and prints the deviation of both from the true distance at
// random points less than a voxel (of order 1, the coarser one) away from the surface.
//
//   bench_field_order [MESH...] [--picture FILE.png]
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "bench_meshes.h"
#include "draw_field_order.h"
#include "graze/build_field.h"
#include "graze/error.h"
#include "graze/field_summary.h"
#include "graze/mesh_report.h"
#include "true_distance.h"

namespace graze {
namespace {

constexpr int kPointCount = 200000;

struct Deviation {
    double root_mean_square = 0, largest = 0;  // [m]
};

// Returns points that are drawn evenly from the surface and moved up to a voxel along the normal.
std::vector<Vec3> points_near_surface(const Mesh& mesh, double voxel) {
    std::mt19937_64 random(1);
    std::vector<double> areas;
    for (const Triangle& t : mesh.triangles) {
        const Vec3 a = mesh.positions[t[0]], b = mesh.positions[t[1]], c = mesh.positions[t[2]];
        areas.push_back(length(cross(b - a, c - a)));
    }
    std::discrete_distribution<std::size_t> pick(areas.begin(), areas.end());
    std::uniform_real_distribution<double> unit(0, 1);
    std::vector<Vec3> points;
    for (int i = 0; i < kPointCount; ++i) {
        const Triangle& t = mesh.triangles[pick(random)];
        double u = unit(random), v = unit(random);
        if (u + v > 1) u = 1 - u, v = 1 - v;
        const auto a = static_cast<Vec3d>(mesh.positions[t[0]]);
        const Vec3d ab = static_cast<Vec3d>(mesh.positions[t[1]]) - a;
        const Vec3d ac = static_cast<Vec3d>(mesh.positions[t[2]]) - a;
        const Vec3d normal = normalized(cross(ab, ac));
        points.push_back(
            static_cast<Vec3>(a + ab * u + ac * v + normal * (voxel * (2 * unit(random) - 1))));
    }
    return points;
}

Deviation measure(const Field& field, const std::vector<Vec3>& points,
                  const std::vector<double>& truth) {
    Deviation result;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double off = std::fabs(field.distance(points[i]) - truth[i]);
        result.root_mean_square += off * off;
        result.largest = std::max(result.largest, off);
    }
    result.root_mean_square =
        std::sqrt(result.root_mean_square / static_cast<double>(points.size()));
    return result;
}

struct Tally {
    int rows = 0, lower_mean = 0, lower_largest = 0;
};

void compare(const std::string& name, const Mesh& mesh, const TrueDistance& distance,
             int resolution, Tally& tally) {
    const FieldPair pair = build_pair(mesh, resolution);
    const FieldSummary one = summarize(pair.order_1), zero = summarize(pair.order_0);
    const double voxel = one.grid.spacing;
    const std::vector<Vec3> points = points_near_surface(mesh, voxel);
    std::vector<double> truth(points.size());
    CpuExecutor executor;
    executor.for_each("truth", static_cast<std::int64_t>(points.size()), [&](std::int64_t i) {
        truth[static_cast<std::size_t>(i)] = distance(points[static_cast<std::size_t>(i)]);
    });
    const Deviation d0 = measure(pair.order_0, points, truth);
    const Deviation d1 = measure(pair.order_1, points, truth);
    std::printf("%-18s %4d  %7.2f %7.2f   %9.5f %9.5f %6.2f   %8.4f %8.4f %6.2f\n", name.c_str(),
                resolution, static_cast<double>(zero.memory_bytes) * 1e-6,
                static_cast<double>(one.memory_bytes) * 1e-6, d0.root_mean_square / voxel,
                d1.root_mean_square / voxel, d0.root_mean_square / d1.root_mean_square,
                d0.largest / voxel, d1.largest / voxel, d0.largest / d1.largest);
    std::fflush(stdout);
    ++tally.rows;
    tally.lower_mean += d1.root_mean_square < d0.root_mean_square;
    tally.lower_largest += d1.largest < d0.largest;
}

int run(std::vector<std::filesystem::path> paths, const std::string& picture) {
    if (!picture.empty()) {
        const BenchMesh bunny = paths.empty()
                                    ? load_bench_mesh("bunny_hr.obj", 60000)
                                    : BenchMesh{paths[0].filename().string(), load_mesh(paths[0])};
        save_png(draw_field_order(bunny.mesh), picture);
        std::printf("%s: order 0 and order 1 of %s\n", picture.c_str(), bunny.name.c_str());
        return 0;
    }
    if (paths.empty()) paths = model_files();
    if (paths.empty()) throw Error("no models: name meshes, or their folder in GRAZE_DATA");
    std::printf(
        "Deviation from the true distance, at %d points within a voxel of the surface, in "
        "voxels of order 1.\n\n",
        kPointCount);
    std::printf("%-18s %4s  %7s %7s   %9s %9s %6s   %8s %8s %6s\n", "", "", "MB, 0", "MB, 1",
                "rms, 0", "rms, 1", "ratio", "max, 0", "max, 1", "ratio");
    Tally tally;
    for (const auto& path : paths) {
        const Mesh mesh = load_mesh(path);
        if (!inspect(mesh, {.self_intersections = false}).is_closed()) continue;
        const TrueDistance distance(mesh);
        for (const int resolution : {64, 128})
            compare(path.filename().string(), mesh, distance, resolution, tally);
    }
    std::printf("\nOrder 1 is nearer in %d of %d rows by root mean square, in %d by maximum.\n",
                tally.lower_mean, tally.rows, tally.lower_largest);
    return 0;
}

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
    std::vector<std::filesystem::path> paths;
    std::string picture;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--picture") == 0 && i + 1 < argc) {
            picture = argv[++i];
        } else {
            paths.emplace_back(argv[i]);
        }
    }
    try {
        return graze::run(paths, picture);
    } catch (const graze::Error& error) {
        std::fprintf(stderr, "bench_field_order: %s\n", error.what());
        return 1;
    }
}
