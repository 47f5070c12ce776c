// graze slice: a picture of a distance field on a plane. docs/commands/field.md describes it.
#include <CLI/CLI.hpp>
#include <memory>

#include "command.h"
#include "field_request.h"
#include "graze/draw_slice.h"
#include "interrupt.h"
#include "number_between.h"
#include "terminal.h"

namespace graze::app {

namespace {

struct SliceRequest {
    std::string input, output, axis = "z";
    FieldRequest field;
    SliceOptions options;
    bool is_bare = false;
};

int run_slice(const SliceRequest& request) {
    return run_interruptible(request.output, [&](const Interrupt& interrupt) {
        check_output(request.output);
        const OpenedField opened = open_field(request.input, request.field, interrupt);
        SliceOptions options = request.options;
        options.title = std::filesystem::path(request.input).filename().string();
        options.axis = request.axis[0] - 'x';
        options.legend = !request.is_bare;
        options.device = Device::cpu(request.field.threads);
        const Image image = draw_slice(opened.field, options);
        interrupt.check();
        save_png(image, request.output);
        print(printable(request.output) + ": " + std::to_string(image.width) + " x " +
              std::to_string(image.height) + " pixels\n");
    });
}

}  // namespace

void add_command_slice(CLI::App& parent, Action& chosen) {
    CLI::App* command =
        parent.add_subcommand("slice", "Draw a distance field on a plane as a picture");
    const auto request = std::make_shared<SliceRequest>();
    command
        ->add_option("INPUT", request->input,
                     "A field (.gfield, .vdb), or a mesh (.obj, .ply, .stl, .off) to build it from")
        ->required()
        ->option_text(" ");
    command->add_option("-o,--output", request->output, "The picture, .png")
        ->required()
        ->option_text("FILE");
    command->add_option("--axis", request->axis, "That the plane cuts across; z by default")
        ->check(CLI::IsMember({"x", "y", "z"}))
        ->option_text("x|y|z");
    CLI::Option* at =
        command
            ->add_option("--at", request->options.fraction,
                         "Where along the axis, from 0 to 1 of the box; 0.5 by default")
            ->check(number_between(0, 1))
            ->option_text("PART");
    command
        ->add_option("--coordinate", request->options.coordinate,
                     "Where along the axis, in metres, instead of --at")
        ->check(number_between(-1e30, 1e30))
        ->excludes(at)
        ->option_text("X");
    command
        ->add_option("--width", request->options.width,
                     "Of the picture, in pixels; 1024 by default")
        ->check(CLI::Range(16, 16384))
        ->option_text("N");
    command
        ->add_option("--spacing", request->options.spacing,
                     "Between lines, in metres; by default a round number")
        ->check(number_between(0, 1e30))
        ->option_text("S");
    command->add_flag("--bare", request->is_bare, "The slice alone, without title, axes and key");
    add_field_options(*command, request->field);
    command->footer(
        "Blue is inside, orange outside, the thick line is the surface. Pale: beyond the band of "
        "a\n"
        "sparse field, which only knows that the surface is at least so far.\n"
        "\n"
        "Examples:\n"
        "  graze slice bunny.gfield -o slice.png\n"
        "  graze slice bunny.gfield --axis x --at 0.3 --width 2048 -o slice.png\n"
        "  graze slice bunny.obj -r 256 -o slice.png");
    command->callback([&chosen, request] { chosen = [request] { return run_slice(*request); }; });
}

}  // namespace graze::app
