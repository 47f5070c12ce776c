// graze mesh: the surface of a distance field as triangles. docs/commands/field.md describes it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <memory>

#include "command.h"
#include "field_request.h"
#include "graze/error.h"
#include "graze/extract_surface.h"
#include "graze/field_summary.h"
#include "graze/mesh_io.h"
#include "graze/mesh_report.h"
#include "interrupt.h"
#include "number_between.h"
#include "terminal.h"

namespace graze::app {

namespace {

struct MeshRequest {
    std::string input, output;
    FieldRequest field;
    double level = 0;
    bool is_smooth = false;
};

// Says why the surface at a level above 0 is cut off, and what to do.
std::string describe_cut(const MeshRequest& request, const Field& field) {
    const FieldSummary summary = summarize(field);
    const double voxels = std::ceil(request.level / double(summary.grid.spacing)) + 2;
    return request.input + ": the surface at " + with_digits(request.level) +
           " leaves the field's grid, which does not reach so far beyond the solid: build the "
           "field with --padding " +
           with_separators(static_cast<std::int64_t>(voxels)) +
           (summary.is_sparse ? " and --band " + with_separators(static_cast<std::int64_t>(voxels))
                              : "") +
           " or more, or give graze mesh the mesh itself";
}

int run_mesh(const MeshRequest& request) {
    return run_interruptible(request.output, [&](const Interrupt& interrupt) {
        mesh_format(request.output);
        check_output(request.output);
        FieldRequest field = request.field;
        field.options.reach = static_cast<float>(std::max(request.level, 0.0));
        const OpenedField opened = open_field(request.input, field, interrupt);
        const Mesh mesh =
            extract_surface(opened.field, {.level = static_cast<float>(request.level),
                                           .sharp = !request.is_smooth,
                                           .device = Device::cpu(request.field.threads)});
        if (mesh.triangles.empty()) {
            throw Error(request.input + ": the field is nowhere " + with_digits(request.level) +
                        ": there is no surface to write");
        }
        const std::int64_t open_count = inspect(mesh, {.device = Device::cpu(request.field.threads),
                                                       .self_intersections = false,
                                                       .parts = false})
                                            .boundary_edge_count;
        if (open_count > 0 && request.level > 0) throw Error(describe_cut(request, opened.field));
        interrupt.check();
        save_mesh(mesh, request.output);
        print(printable(request.output) + ": " +
              with_separators(static_cast<std::int64_t>(mesh.positions.size())) + " vertices, " +
              with_separators(static_cast<std::int64_t>(mesh.triangles.size())) + " triangles" +
              (open_count > 0 ? ", open along " + with_separators(open_count) +
                                    " edges: there the surface leaves the grid or, in a sparse "
                                    "field, the band"
                              : "") +
              "\n");
    });
}

}  // namespace

void add_command_mesh(CLI::App& parent, Action& chosen) {
    CLI::App* command =
        parent.add_subcommand("mesh", "Extract the surface of a distance field as a closed mesh");
    const auto request = std::make_shared<MeshRequest>();
    command
        ->add_option("INPUT", request->input,
                     "A field (.gfield, .vdb), or a mesh (.obj, .ply, .stl, .off) to build it from")
        ->required()
        ->option_text(" ");
    command->add_option("-o,--output", request->output, "The mesh: .obj, .ply, .stl or .off")
        ->required()
        ->option_text("FILE");
    command
        ->add_option("--level", request->level,
                     "The distance of the surface, in metres: above 0 outside, below inside;\n"
                     "0 by default")
        ->check(number_between(-1e30, 1e30))
        ->option_text("L");
    command->add_flag(
        "--smooth", request->is_smooth,
        "Leave out the vertices on sharp edges and corners, which are added otherwise");
    add_field_options(*command, request->field);
    command->footer(
        "Examples:\n"
        "  graze mesh bunny.gfield -o surface.obj\n"
        "  graze mesh scan.ply -r 256 -o closed.ply          closes the holes of a scan\n"
        "  graze mesh part.stl -r 256 --level 0.002 -o thicker.stl");
    command->callback([&chosen, request] { chosen = [request] { return run_mesh(*request); }; });
}

}  // namespace graze::app
