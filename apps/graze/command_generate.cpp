// graze generate: meshes made by formula. docs/commands/generate.md describes it.
#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <memory>
#include <numbers>

#include "command.h"
#include "field_request.h"
#include "graze/error.h"
#include "graze/mesh_generators.h"
#include "graze/mesh_io.h"
#include "graze/mesh_report.h"
#include "interrupt.h"
#include "number_between.h"
#include "terminal.h"

namespace graze::app {

namespace {

constexpr float kDegree = std::numbers::pi_v<float> / 180;  // [rad]

// Reads "x y z, x y z, ...".
std::vector<Vec3> parse_path(const std::string& text) {
    std::vector<float> numbers;
    const char *at = text.data(), *end = at + text.size();
    const auto is_separator = [](char c) { return c == ' ' || c == ',' || c == '\t'; };
    while (true) {
        while (at < end && is_separator(*at))
            ++at;
        if (at == end) break;
        float value = 0;
        const auto [next, fault] = std::from_chars(at, end, value);
        if (fault != std::errc() || (next < end && !is_separator(*next)))
            throw Error("--path: write the points as numbers, \"x y z, x y z, ...\"");
        numbers.push_back(value);
        at = next;
    }
    if (numbers.size() % 3 != 0)
        throw Error("--path: " + std::to_string(numbers.size()) +
                    " numbers are no whole points; write \"x y z, x y z, ...\"");
    std::vector<Vec3> path;
    for (std::size_t i = 0; i < numbers.size(); i += 3)
        path.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
    return path;
}

// Returns what --help says of an option: its meaning, its range but where that is any length, its
// unit, and its default.
std::string with_range(const GeneratorOption& option, const std::string& standard) {
    std::string text = option.meaning;
    const auto [least, most] = option.shown_range();
    const bool is_seed = std::holds_alternative<std::uint32_t*>(option.value);
    const std::string range = with_digits(least) + " to " + with_digits(most);
    switch (option.unit) {
        case GeneratorOption::Unit::metre:
            text += ", in metres";
            break;
        case GeneratorOption::Unit::radian:
            text += ", " + range + " in degrees";
            break;
        case GeneratorOption::Unit::none:
            if (!is_seed) text += ", " + range;
            break;
    }
    if (option.factor > 1) text += ", a multiple of " + std::to_string(option.factor);
    return text + (standard.empty() ? "" : "; " + standard + " by default");
}

// Adds one option of a generator to its command. The checks are broad: the generator itself refuses
// what is out of its range.
class OptionAdder {
public:
    OptionAdder(CLI::App& command, const GeneratorOption& option, std::string& path_text)
        : command_(command), option_(option), path_text_(path_text) {}

    void operator()(float* value) const {
        if (option_.unit == GeneratorOption::Unit::radian) return add_angle(*value);
        add(*value, with_digits(*value), option_.unit == GeneratorOption::Unit::metre ? "L" : "N")
            ->check(number_between(-1e9, 1e9));
    }
    void operator()(int* value) const {
        add(*value, std::to_string(*value), "N")->check(number_between(0, 1 << 24));
    }
    void operator()(std::uint32_t* value) const {
        add(*value, std::to_string(*value), "N")->check(CLI::Range(0.0, 4294967295.0));
    }
    void operator()(std::vector<Vec3>*) const { add(path_text_, "", "POINTS")->required(); }

private:
    // The value at hand is the default.
    template <class Value>
    CLI::Option* add(Value& value, const std::string& standard, const char* form) const {
        return command_.add_option(option_.command_flag(), value, with_range(option_, standard))
            ->option_text(form);
    }
    // The option is in degrees, the value in radians.
    void add_angle(float& radians) const {
        command_
            .add_option_function<float>(
                option_.command_flag(), [&radians](float degrees) { radians = degrees * kDegree; },
                with_range(option_, with_digits(radians / kDegree, 3)))
            ->check(number_between(-360, 360))
            ->option_text("A");
    }

    CLI::App& command_;
    const GeneratorOption& option_;
    std::string& path_text_;
};

// A generator as a command of its own.
struct GenerateRequest {
    MeshRecipe recipe;
    std::string output;
    std::string path_text;  // of a tube
};

Mesh make(const GenerateRequest& request) {
    for (const GeneratorOption& option : request.recipe.options) {
        if (const auto* path = std::get_if<std::vector<Vec3>*>(&option.value))
            **path = parse_path(request.path_text);
    }
    return request.recipe.make();
}

int run_generate(const GenerateRequest& request) {
    const std::string& output = request.output;
    return run_interruptible(output, [&](const Interrupt& interrupt) {
        mesh_format(output);
        check_output(output);
        const Mesh mesh = make(request);
        interrupt.check();
        // It takes memory too: where there is none, no file is left.
        const MeshReport report = inspect(mesh, {.self_intersections = false, .parts = false});
        save_mesh(mesh, output);
        const std::string size = report.is_closed() ? with_digits(report.volume, 4) + " m3"
                                                    : with_digits(report.area, 4) + " m2";
        print(printable(output) + ": " + with_separators(report.vertex_count) + " vertices, " +
              with_separators(report.triangle_count) + " triangles, " + size + "\n");
    });
}

void add_generator(CLI::App& generate, Action& chosen, const MeshRecipe& recipe) {
    const auto request = std::make_shared<GenerateRequest>(GenerateRequest{recipe, {}, {}});
    CLI::App* command = generate.add_subcommand(recipe.name, recipe.meaning);
    command->add_option("-o,--output", request->output, "The mesh: .obj, .ply, .stl or .off")
        ->required()
        ->option_text("FILE");
    // Its own options come first, those of a group, as a thread, behind them.
    for (const bool is_grouped : {false, true}) {
        for (const GeneratorOption& option : request->recipe.options) {
            if ((*option.group != '\0') != is_grouped) continue;
            std::visit(OptionAdder(*command, option, request->path_text), option.value);
        }
    }
    command->footer("`graze generate --help` tells of the other kinds.");
    command->callback(
        [&chosen, request] { chosen = [request] { return run_generate(*request); }; });
}

}  // namespace

void add_command_generate(CLI::App& parent, Action& chosen) {
    CLI::App* command = parent.add_subcommand(
        "generate", "Make a mesh by formula: rings, gears, bolts, nuts, pipes, terrain and more");
    for (const MeshRecipe& recipe : mesh_recipes())
        add_generator(*command, chosen, recipe);
    // What is no kind is left to the callback, which knows what to say.
    command->allow_extras();
    command->callback([command] {
        const std::vector<std::string> rest = command->remaining();
        if (!command->get_subcommands().empty()) {
            if (!rest.empty()) throw CLI::ExtrasError(rest);
            return;
        }
        std::string names;
        for (const CLI::App* kind : command->get_subcommands(nullptr))
            names += (names.empty() ? "" : ", ") + kind->get_name();
        throw CLI::ValidationError("generate", rest.empty() ? "say which kind: " + names
                                                            : "there is no kind '" + rest.front() +
                                                                  "'; there are " + names);
    });
    command->footer(
        "All meshes are closed and face outwards, but for sheet and skirt, which are cloth; none\n"
        "runs through itself. z is up, and the axis of what turns. `graze generate KIND --help` "
        "tells the options of a kind.\n"
        "\n"
        "Examples:\n"
        "  graze generate torus --radius 1 --tube-radius 0.2 -o ring.obj\n"
        "  graze generate bolt -o bolt.stl && graze generate nut -o nut.stl      a pair that fits\n"
        "  graze generate terrain --size 50 --seed 7 -o hills.ply\n"
        "  graze generate tube --path \"0 0 2, 0 0 0, 1 0 0\" --radius 0.1 -o hook.off");
}

}  // namespace graze::app
