// Measures how exact the mass properties of distance fields are, by comparing both rules with the
// integrals over the mesh, on every closed model of the data folder.
//
//     bench_mass_properties [RESOLUTION] [MODEL ...]
//
// Errors are in percent: of the volume; of the centre, as a fraction of the volume's cube root; of
// the inertia, as the Frobenius norm of the difference. Times are in milliseconds.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "benchmarks/bench_meshes.h"
#include "benchmarks/call_times.h"
#include "graze/build_field.h"
#include "graze/error.h"
#include "graze/mass_properties.h"
#include "graze/mesh_io.h"
#include "graze/mesh_report.h"

namespace graze {
namespace {

double norm(const Mat3d& m) {
    return std::sqrt(length_sq(m.columns[0]) + length_sq(m.columns[1]) + length_sq(m.columns[2]));
}

struct Errors {
    double volume, centre, inertia;  // [%]
};
Errors compare(const MassProperties& found, const MassProperties& exact) {
    return {100 * (found.volume / exact.volume - 1),
            100 * length(found.centre - exact.centre) / std::cbrt(exact.volume),
            100 * norm(found.inertia - exact.inertia) / norm(exact.inertia)};
}

// Returns the fastest of three runs. [ms]
template <class Work>
double time_of(const Work& work) {
    return time_calls(0, 3, work).fastest().wall;
}

struct Kind {
    const char* name;
    bool is_sparse;
    FieldOrder order;
};

void print_row(const std::string& model, const Mesh& mesh, int resolution, const Kind& kind) {
    const MassProperties exact = mass_properties(mesh);
    FieldOptions options;
    options.resolution = resolution;
    options.sparse = kind.is_sparse;
    options.order = kind.order;
    options.measure_error = false;
    const Field field = build_field(mesh, options);
    MassProperties whole, partial;
    const double whole_ms =
        time_of([&] { whole = mass_properties(field, {.rule = VoxelRule::whole}); });
    const double partial_ms = time_of([&] { partial = mass_properties(field); });
    const Errors a = compare(whole, exact), b = compare(partial, exact);
    std::printf("%-18s %-14s %+9.4f %8.4f %8.4f %6.1f   %+9.5f %8.5f %8.5f %6.1f\n", model.c_str(),
                kind.name, a.volume, a.centre, a.inertia, whole_ms, b.volume, b.centre, b.inertia,
                partial_ms);
    std::fflush(stdout);
}

int run(int argc, char** argv) {
    const int resolution = argc > 1 ? std::atoi(argv[1]) : 128;
    const std::filesystem::path folder = data_folder() / "models";
    std::vector<std::string> models(argv + std::min(argc, 2), argv + argc);
    if (models.empty()) {
        for (const std::filesystem::path& file : model_files())
            models.push_back(file.filename().string());
    }
    if (models.empty()) {
        std::printf("no models at %s; GRAZE_DATA names the folder\n", folder.c_str());
        return 1;
    }
    const Kind kinds[] = {{"dense order 0", false, FieldOrder::zero},
                          {"dense order 1", false, FieldOrder::one},
                          {"sparse order 0", true, FieldOrder::zero},
                          {"sparse order 1", true, FieldOrder::one}};
    std::printf("resolution %d\n%-18s %-14s %35s   %35s\n%-18s %-14s", resolution, "", "",
                "whole voxels ", "partial voxels ", "model", "field");
    for (int rule = 0; rule < 2; ++rule)
        std::printf("%s %9s %8s %8s %6s", rule ? "  " : "", "volume", "centre", "inertia", "ms");
    std::printf("\n");
    for (const std::string& model : models) {
        const Mesh mesh = load_mesh(folder / model);
        if (!inspect(mesh, {.self_intersections = false}).is_closed()) continue;
        for (const Kind& kind : kinds)
            print_row(model, mesh, resolution, kind);
    }
    return 0;
}

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
    try {
        return graze::run(argc, argv);
    } catch (const graze::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
