// Measures random look-ups in a field on a GPU, by hardware-filtered texture and by evaluate().
// Points are made and answers summed in registers, so that only look-ups touch memory.
#include <algorithm>
#include <cstdio>

#include "bench_meshes.h"
#include "cuda_timing.h"
#include "field/sampled/copy_samples.h"
#include "field/sampled/field_texture.h"
#include "graze/build_field.h"

namespace graze {
namespace {

// [G/s] The rate of bare half4 look-ups at random points of a 128^3 texture, measured on an H200.
constexpr double kCeiling = 55;
constexpr std::int64_t kThreadCount = std::int64_t{1} << 20;
constexpr int kLookUpsPerThread = 64;

struct Random {
    std::uint32_t state;

    __device__ explicit Random(std::int64_t seed)
        : state(static_cast<std::uint32_t>(seed) * 2654435761u) {
        state = (state ^ (state >> 15)) * 2246822519u;
        state ^= state >> 13;
    }
    __device__ std::uint32_t next() {
        state = state * 1664525u + 1013904223u;
        return state >> 8;
    }
    __device__ float unit() { return static_cast<float>(next()) * 0x1p-24f; }
    __device__ Vec3 in_cube() {
        const float x = unit(), y = unit();
        return {x, y, unit()};
    }
};

struct AnywhereInGrid {
    FieldGrid grid;

    __device__ Vec3 operator()(Random& random) const {
        const Vec3 u = random.in_cube();
        return {grid.origin.x + grid.spacing * static_cast<float>(grid.cells[0]) * u.x,
                grid.origin.y + grid.spacing * static_cast<float>(grid.cells[1]) * u.y,
                grid.origin.z + grid.spacing * static_cast<float>(grid.cells[2]) * u.z};
    }
};

// Draws points near the surface, as searches do.
struct InSomeBrick {
    FieldGrid grid;
    const std::int32_t* block_of_brick;
    std::uint32_t brick_count;

    __device__ Vec3 operator()(Random& random) const {
        const auto block = block_of_brick[random.next() % brick_count];
        const auto x_count = static_cast<std::int32_t>(block_count(grid, 0));
        const auto y_count = static_cast<std::int32_t>(block_count(grid, 1));
        const std::int32_t row = block / x_count, layer = row / y_count;
        const Vec3 first{static_cast<float>(block - row * x_count),
                         static_cast<float>(row - layer * y_count), static_cast<float>(layer)};
        return grid.origin + (first + random.in_cube()) * (grid.spacing * kBrickCells);
    }
};

struct ByTexture {
    FieldTextureView view;
    __device__ FieldValue operator()(const Vec3& point) const { return search_value(view, point); }
};
struct ByEvaluate {
    SampledFieldView field;
    __device__ FieldValue operator()(const Vec3& point) const { return evaluate(field, point); }
};

template <class DrawPoint, class LookUp>
struct SumLookUps {
    DrawPoint draw_point;
    LookUp look_up;
    float* sums;

    __device__ void operator()(std::int64_t i) const {
        Random random(i);
        float sum = 0;
        for (int n = 0; n < kLookUpsPerThread; ++n) {
            const FieldValue value = look_up(draw_point(random));
            sum += value.distance + value.gradient.x + value.gradient.y + value.gradient.z;
        }
        sums[i] = sum;
    }
};

// Returns look-ups a second. [G/s]
template <class DrawPoint, class LookUp>
double rate(CudaExecutor& executor, const DrawPoint& draw_point, const LookUp& look_up) {
    auto sums = executor.make_buffer<float>(kThreadCount);
    const SumLookUps<DrawPoint, LookUp> work{draw_point, look_up, sums.data()};
    const double milliseconds = median_milliseconds(
        executor, [&] { executor.for_each("bench: look up", kThreadCount, work); }, 21);
    return static_cast<double>(kThreadCount) * kLookUpsPerThread / milliseconds * 1e-6;
}

template <class DrawPoint>
void run(CudaExecutor& executor, const char* name, const DrawPoint& draw_point,
         const SampledField& field, const FieldTexture& texture) {
    const double by_texture = rate(executor, draw_point, ByTexture{texture.view()});
    const double by_evaluate = rate(executor, draw_point, ByEvaluate{field.view()});
    std::printf(
        "%-34s texture %6.2f G/s (%3.0f%% of %.0f)  evaluate %6.2f G/s  ratio %5.2f  "
        "samples %7.1f MB, texture %7.1f MB\n",
        name, by_texture, 100 * by_texture / kCeiling, kCeiling, by_evaluate,
        by_texture / by_evaluate, static_cast<double>(field.memory_bytes()) * 1e-6,
        static_cast<double>(texture.memory_bytes()) * 1e-6);
}

// Returns a cubic grid around the mesh with `side` samples along each axis.
FieldGrid cube_around(const Mesh& mesh, int side) {
    const Aabb box = bounds(mesh);
    const Vec3 size = extent(box);
    const float spacing = std::max({size.x, size.y, size.z}) / static_cast<float>(side - 6);
    const float half = 0.5f * spacing * static_cast<float>(side - 1);
    return {centre(box) - Vec3{half, half, half}, spacing, {side - 1, side - 1, side - 1}};
}

void run_all(const Mesh& mesh) {
    CudaExecutor executor;
    FieldOptions options{.device = Device::cuda()};
    options.grid = cube_around(mesh, 128);
    const Field dense = build_field(mesh, options);
    const SampledField dense_samples = upload_samples(executor, *samples_of(dense));
    const FieldTexture dense_texture(executor, dense_samples);
    run(executor, "dense 128^3", AnywhereInGrid{dense_samples.grid}, dense_samples, dense_texture);

    const Field sparse =
        build_field(mesh, {.resolution = 512, .sparse = true, .device = Device::cuda()});
    const SampledField samples = upload_samples(executor, *samples_of(sparse));
    const FieldTexture texture(executor, samples);
    const InSomeBrick near_surface{samples.grid, samples.block_of_brick.data(),
                                   static_cast<std::uint32_t>(samples.brick_count())};
    run(executor, "sparse 512^3, in bricks", near_surface, samples, texture);
    run(executor, "sparse 512^3, anywhere", AnywhereInGrid{samples.grid}, samples, texture);
}

}  // namespace
}  // namespace graze

int main() {
    const graze::BenchMesh bench = graze::load_bench_mesh("bunny_hr.obj", 60000);
    std::printf("%s, %zu triangles\n", bench.name.c_str(), bench.mesh.triangles.size());
    graze::run_all(bench.mesh);
    return 0;
}
