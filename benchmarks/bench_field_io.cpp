// Saves and loads fields of order 1 as .gfield: a dense one of 256 x 256 x 256 samples, and a
// sparse one of 256 cells along the longest side.
//
// The field is that of armadillo_86k.obj in the data folder (GRAZE_DATA); where that is absent, it
// is that of a sphere, which the label then says and which compresses better. MB/s are of the field
// in memory.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <optional>
#include <string>

#include "graze/build_field.h"
#include "graze/field_io.h"
#include "graze/mesh_io.h"
#include "io/fields/gfield.h"
#include "tests/data_folder.h"

namespace {

namespace fs = std::filesystem;

struct Source {
    graze::Field field;
    std::string label;
};

// Returns a cubic grid, as long along all axes as the mesh's longest side.
graze::FieldGrid cube_around(const graze::Mesh& mesh, const graze::FieldOptions& options) {
    const graze::Aabb box = bounds(mesh);
    graze::FieldGrid grid = choose_grid(box, options);
    const float half = grid.spacing * 255 * 0.5f;
    grid.origin = centre(box) - graze::Vec3{half, half, half};
    for (std::int32_t& cells : grid.cells)
        cells = 255;
    return grid;
}

Source make_source(bool is_sparse) {
    graze::FieldOptions options;
    options.resolution = 256;
    options.sparse = is_sparse;
    const fs::path path = graze::data_folder() / "models/armadillo_86k.obj";
    if (fs::exists(path)) {
        const graze::Mesh mesh = graze::load_mesh(path);
        if (!is_sparse) options.grid = cube_around(mesh, options);
        return {graze::build_field(mesh, options), "armadillo"};
    }
    const std::int32_t cells = is_sparse ? 256 : 255;
    const graze::FieldGrid grid{{-1, -1, -1}, 2.0f / 256, {cells, cells, cells}};
    return {graze::sample_field(graze::Field::sphere({0, 0, 0}, 0.8f), grid, options), "sphere"};
}
const Source& source(bool is_sparse) {
    static std::optional<Source> sources[2];
    std::optional<Source>& chosen = sources[is_sparse ? 1 : 0];
    if (!chosen) chosen = make_source(is_sparse);
    return *chosen;
}

class CountingSink final : public graze::io::ByteSink {
public:
    void write(std::string_view bytes) override { size += bytes.size(); }
    std::size_t size = 0;
};

void report(benchmark::State& state, const Source& from, double file_bytes) {
    const std::int64_t bytes = samples_of(from.field)->memory_bytes();
    state.SetBytesProcessed(state.iterations() * bytes);
    state.counters["ratio"] = static_cast<double>(bytes) / file_bytes;
    state.SetLabel(from.label + ", " + std::to_string(bytes / 1000000) + " MB");
}

// Writes into a sink that only counts, so that the disk does not matter.
void encode(benchmark::State& state) {
    const Source& from = source(state.range(0) != 0);
    graze::CpuExecutor executor(static_cast<int>(state.range(1)));
    CountingSink sink;
    for (auto _ : state) {
        sink.size = 0;
        graze::io::write_gfield(executor, *samples_of(from.field), {}, "field", sink);
    }
    report(state, from, static_cast<double>(sink.size));
}

void save(benchmark::State& state) {
    const Source& from = source(state.range(0) != 0);
    const fs::path path = fs::temp_directory_path() / "bench_field_io.gfield";
    for (auto _ : state)
        graze::save_field(from.field, path);
    report(state, from, static_cast<double>(fs::file_size(path)));
    fs::remove(path);
}

// Loads from the file system's cache.
void load(benchmark::State& state) {
    const Source& from = source(state.range(0) != 0);
    const fs::path path = fs::temp_directory_path() / "bench_field_io.gfield";
    graze::save_field(from.field, path);
    for (auto _ : state)
        benchmark::DoNotOptimize(graze::load_field(path));
    report(state, from, static_cast<double>(fs::file_size(path)));
    fs::remove(path);
}

const auto kUnit = benchmark::kMillisecond;
BENCHMARK(encode)
    ->ArgsProduct({{0, 1}, {1, 2}})
    ->ArgNames({"sparse", "threads"})
    ->Unit(kUnit)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
void run_dense_and_sparse(benchmark::internal::Benchmark* bench) {
    bench->Arg(0)->Arg(1)->ArgName("sparse")->Unit(kUnit)->MeasureProcessCPUTime()->UseRealTime();
}
BENCHMARK(save)->Apply(run_dense_and_sparse);
BENCHMARK(load)->Apply(run_dense_and_sparse);

}  // namespace

BENCHMARK_MAIN();
