// graze field: from a mesh to a distance field in a file. docs/commands/field.md describes it.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "describe_field.h"
#include "field_request.h"
#include "graze/error.h"
#include "graze/field_io.h"
#include "graze/mass_properties.h"
#include "interrupt.h"
#include "terminal.h"

namespace graze::app {

namespace {

struct BuildRequest {
    std::string mesh, output;
    FieldRequest field;
    bool as_json = false;
};

void check(const BuildRequest& request) {
    field_format(request.output);
    if (is_field_file(request.mesh)) {
        throw Error(request.mesh + ": it is a field already; give a mesh (.obj, .ply, .stl, .off)");
    }
    check_output(request.output);
}

void print_result(const BuildRequest& request, const OpenedField& opened) {
    FieldDescription description;
    description.file = request.output;
    description.file_bytes = static_cast<std::int64_t>(std::filesystem::file_size(request.output));
    description.summary = summarize(opened.field);
    description.report = opened.report;
    description.is_cached = opened.is_cached;
    description.mass =
        mass_properties(opened.field, {.device = Device::cpu(request.field.threads)});
    if (!request.as_json) {
        print(to_text(description));
        return;
    }
    nlohmann::ordered_json json = to_json(description);
    json["mesh"] = request.mesh;
    json["cached"] = opened.is_cached;
    print(json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

int run_field(const BuildRequest& request) {
    return run_interruptible(request.output, [&](const Interrupt& interrupt) {
        check(request);
        const OpenedField opened = open_field(request.mesh, request.field, interrupt);
        save_field(opened.field, request.output, &opened.report);
        print_result(request, opened);
    });
}

}  // namespace

void add_command_field(CLI::App& parent, Action& chosen) {
    CLI::App* command = parent.add_subcommand(
        "field",
        "Turn a mesh into a signed distance field: how far the surface is, negative inside");
    const auto request = std::make_shared<BuildRequest>();
    command->add_option("MESH", request->mesh, "OBJ, PLY, STL or OFF file")
        ->required()
        ->option_text(" ");
    command
        ->add_option("-o,--output", request->output,
                     "Where the field goes: .gfield (all of it), .vdb (OpenVDB) or .npy\n"
                     "(NumPy, distances alone)")
        ->required()
        ->option_text("FILE");
    command->add_flag("--json", request->as_json, "Print JSON");
    add_field_options(*command, request->field);
    command->footer(
        "Every sample is exact. Holes and other defects of the mesh are dealt with and reported.\n"
        "\n"
        "Examples:\n"
        "  graze field bunny.obj -r 256 -o bunny.gfield\n"
        "  graze field bunny.obj -r 1024 --sparse --band 4 -o bunny.vdb\n"
        "  graze field cloth.obj --sign shell --thickness 0.01 -o cloth.gfield\n"
        "  graze field scan.ply -r 512 --device best --json -o scan.gfield | jq .findings\n"
        "Then: graze info bunny.gfield, graze slice bunny.gfield -o slice.png");
    command->callback([&chosen, request] { chosen = [request] { return run_field(*request); }; });
}

}  // namespace graze::app
