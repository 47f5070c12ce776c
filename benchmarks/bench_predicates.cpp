// Times the pure geometric functions, on ordinary input and on input that takes the slow path.
#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "geometry/closest_point_triangle.h"
#include "geometry/closest_points_segment_segment.h"
#include "geometry/intersect_mesh_triangles.h"
#include "geometry/intersect_ray_triangle.h"

namespace graze {
namespace {

constexpr int kPointCount = 4096 + 8;

// Makes points in a box, or on a small grid where most signs are zero and take the exact path.
template <class T>
std::vector<Vec3T<T>> make_points(bool is_on_grid) {
    std::mt19937 engine(1);
    std::uniform_real_distribution<T> uniform(-1, 1);
    std::uniform_int_distribution<int> grid(-7, 7);
    const auto coordinate = [&] { return is_on_grid ? T(grid(engine)) * T(0.1) : uniform(engine); };
    std::vector<Vec3T<T>> points(kPointCount);
    for (Vec3T<T>& p : points) {
        p = {coordinate(), coordinate(), coordinate()};
        if (is_on_grid) p.z = p.x;
    }
    return points;
}

// Calls work(points, first) for a running first index; one item per call.
template <class T, class Work>
void measure(benchmark::State& state, bool is_on_grid, Work work) {
    const std::vector<Vec3T<T>> points = make_points<T>(is_on_grid);
    int first = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(work(&points[first]));
        first = (first + 1) & 4095;
    }
    state.SetItemsProcessed(state.iterations());
}

template <class T>
void orient3d_filtered(benchmark::State& state) {
    measure<T>(state, false, [](const auto* p) { return orient3d(p[0], p[1], p[2], p[3]); });
}
template <class T>
void orient3d_coplanar(benchmark::State& state) {
    measure<T>(state, true, [](const auto* p) { return orient3d(p[0], p[1], p[2], p[3]); });
}
template <class T>
void triangle_triangle(benchmark::State& state) {
    measure<T>(state, false, [](const auto* p) {
        return intersect_triangle_triangle(p[0], p[1], p[2], p[3], p[4], p[5]);
    });
}
template <class T>
void triangle_triangle_coplanar(benchmark::State& state) {
    measure<T>(state, true, [](const auto* p) {
        return intersect_triangle_triangle(p[0], p[1], p[2], p[3], p[4], p[5]);
    });
}
template <class T>
void mesh_triangles_sharing_an_edge(benchmark::State& state) {
    measure<T>(state, false, [](const auto* p) {
        return intersect_mesh_triangles(p, Triangle{{0, 1, 2}}, Triangle{{2, 1, 3}});
    });
}
template <class T>
void point_triangle(benchmark::State& state) {
    measure<T>(state, false, [](const auto* p) {
        return closest_point_triangle(p[0], p[1], p[2], p[3]).distance_sq;
    });
}
template <class T>
void point_triangle_flat(benchmark::State& state) {
    measure<T>(state, false, [](const auto* p) {
        return closest_point_triangle(p[0], p[1], p[2], p[1] * T(0.5) + p[2] * T(0.5)).distance_sq;
    });
}
template <class T>
void segment_segment(benchmark::State& state) {
    measure<T>(state, false, [](const auto* p) {
        return closest_points_segment_segment(p[0], p[1], p[2], p[3]).distance_sq;
    });
}
template <class T>
void ray_triangle(benchmark::State& state) {
    const RayShear<T> ray = make_ray_shear<T>({0, 0, -2}, {T(0.1), T(0.2), 1});
    measure<T>(state, false, [&](const auto* p) {
        RayTriangleHit<T> hit{};
        const bool found = intersect_ray_triangle(ray, p[0], p[1], p[2], T(0), T(10), hit);
        return found ? hit.t : T(-1);
    });
}

#define GRAZE_BENCHMARK(name)        \
    BENCHMARK_TEMPLATE(name, float); \
    BENCHMARK_TEMPLATE(name, double)

GRAZE_BENCHMARK(orient3d_filtered);
GRAZE_BENCHMARK(orient3d_coplanar);
GRAZE_BENCHMARK(triangle_triangle);
GRAZE_BENCHMARK(triangle_triangle_coplanar);
GRAZE_BENCHMARK(mesh_triangles_sharing_an_edge);
GRAZE_BENCHMARK(point_triangle);
GRAZE_BENCHMARK(point_triangle_flat);
GRAZE_BENCHMARK(segment_segment);
GRAZE_BENCHMARK(ray_triangle);

}  // namespace
}  // namespace graze

BENCHMARK_MAIN();
