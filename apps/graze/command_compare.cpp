// graze compare: which method of detection suits two meshes. docs/commands/compare.md describes it.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "comparison_page.h"
#include "field_request.h"
#include "graze/error.h"
#include "graze/mesh_io.h"
#include "graze/stop.h"
#include "interrupt.h"
#include "named_option.h"
#include "number_between.h"
#include "progress_bar.h"
#include "stopwatch.h"
#include "terminal.h"

namespace graze::app {

namespace {

struct CompareRequest {
    std::string a, b;
    ComparisonOptions options;
    FieldRequest field;
    bool as_json = false;
    std::string page;  // empty: none
};

Mesh load_compared(const std::string& file) {
    if (is_field_file(file))
        throw Error(file +
                    ": methods are compared on triangles; give a mesh (graze mesh makes one "
                    "of a field)");
    Mesh mesh = load_mesh(file);
    if (mesh.triangles.empty())
        throw Error(file + ": it has no triangles; give a mesh with a surface");
    return mesh;
}

// Refuses before the long work what could go wrong after it.
void check_page(const std::string& file) {
    const std::string extension = std::filesystem::path(file).extension().string();
    if (extension != ".html" && extension != ".htm")
        throw Error(file + ": the page is an HTML file; give it a name that ends in .html");
    check_output(file);
}

void compare(const CompareRequest& request, const Interrupt& interrupt) {
    if (!request.page.empty()) check_page(request.page);
    const Stopwatch watch;
    const StopScope scope([&] { return interrupt.is_requested(); });
    Compared compared{request.a, request.b, request.options, {}};
    const Mesh a = load_compared(request.a);
    const Mesh b = request.b == request.a ? a : load_compared(request.b);
    compared.options.field = request.field.options;
    compared.options.device =
        Device::parse(request.field.device).with_threads(request.field.threads);
    {
        ProgressBar bar("comparing");
        compared.options.progress = [&](double fraction) {
            bar.show(fraction);
            return !interrupt.is_requested();
        };
        compared.found = compare_methods(a, b, compared.options);
        compared.seconds = watch.seconds();
    }
    compared.options.progress = nullptr;
    if (!request.page.empty()) {
        ProgressBar bar("drawing");
        write_comparison_page(compared, a, b, request.page, [&](double fraction) {
            interrupt.check();
            bar.show(fraction);
        });
    }
    interrupt.check();
    if (request.as_json) {
        // File names need not be UTF-8, JSON must be.
        print(to_json(compared).dump(2, ' ', false,
                                     nlohmann::ordered_json::error_handler_t::replace) +
              "\n");
        return;
    }
    print(to_text(compared));
    if (!request.page.empty())
        print("\n" + printable(request.page) + " shows it, with pictures of the worst cases\n");
}

int run_compare(const CompareRequest& request) {
    return run_interruptible(request.page.empty() ? "the answer" : request.page,
                             [&](const Interrupt& interrupt) { compare(request, interrupt); });
}

void add_pose_options(CLI::App& command, ComparisonOptions& options) {
    const auto add = [&](const char* name, auto& value, const char* form, const char* meaning) {
        return command.add_option(name, value, meaning)->option_text(form)->group("Poses");
    };
    add("--poses", options.pose_count, "N", "How many poses are compared; 24 by default")
        ->check(CLI::Range(1, 10'000));
    add("--seed", options.seed, "N", "Other poses for another number; 1 by default");
    add("--touching", options.touching_share, "F",
        "The fraction of them in which the bodies touch; 0.75 by default")
        ->check(number_between(0, 1));
    add_named_option(command, "--placing", options.placing, "Where the bodies are")->group("Poses");
    add_named_option(command, "--motion", options.motion, "What happens within a step")
        ->group("Poses");
    add("--travel", options.travel, "F",
        "How far B flies in a step, in sizes of the smaller body; 3 by default")
        ->check(number_between(1e-3, 1000));
}

}  // namespace

void add_command_compare(CLI::App& parent, Action& chosen) {
    CLI::App* command = parent.add_subcommand(
        "compare", "Measure which method suits two meshes, with an exact judge");
    const auto request = std::make_shared<CompareRequest>();
    command->add_option("A", request->a, "A mesh (.obj, .ply, .stl, .off)")
        ->required()
        ->option_text(" ");
    command->add_option("B", request->b, "The other; may be the same file")
        ->required()
        ->option_text(" ");
    add_named_option(*command, "--use", request->options.use, "What contacts are for");
    command
        ->add_option("--accuracy", request->options.accuracy,
                     "In metres: what is smaller does not matter. By default 0.005 of the\n"
                     "smaller body's size")
        ->check(number_between(0, 1e30))
        ->option_text("D");
    command
        ->add_option("--patience", request->options.patience,
                     "In seconds: a method that takes longer for a pair is given up; 5 by\ndefault")
        ->check(number_between(1e-9, 1e9))
        ->option_text("S");
    command->add_flag("--json", request->as_json, "Print everything as one JSON object")
        ->option_text(" ");
    command
        ->add_option("-o,--output", request->page,
                     "Write a page too (.html), with pictures of the worst cases")
        ->option_text("FILE");
    add_pose_options(*command, request->options);
    add_field_options(*command, request->field);
    // It measures what a build takes.
    command->remove_option(command->get_option("--no-cache"));
    for (const char* name : {"--device", "--threads"})
        command->get_option(name)->group("OPTIONS");
    command->footer(
        "Every method that applies to the two meshes answers at the same poses. The judge decides\n"
        "exactly which triangles intersect, tells by winding number what lies inside, and samples\n"
        "both surfaces densely for depths. The recommendation follows from what was measured, by\n"
        "the rules in docs/methods.md. Times are those of this machine, while it does nothing "
        "else.\n"
        "\n"
        "Examples:\n"
        "  graze compare bunny.obj torus.obj\n"
        "  graze compare bolt.obj nut.obj --placing as_given -r 256 -o which.html\n"
        "  graze compare wall.obj bullet.obj --motion straight --travel 20\n"
        "  graze compare a.obj b.obj --use check --json | jq -r .recommendation.hint");
    command->callback([&chosen, request] { chosen = [request] { return run_compare(*request); }; });
}

}  // namespace graze::app
