// graze generate: meshes made by formula. docs/commands/generate.md describes it.
#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <functional>
#include <memory>
#include <numbers>

#include "command.h"
#include "field_request.h"
#include "graze/error.h"
#include "graze/generate_mesh.h"
#include "graze/mesh_io.h"
#include "graze/mesh_report.h"
#include "interrupt.h"
#include "number_between.h"
#include "terminal.h"

namespace graze::app {

namespace {

// A kind of mesh as a command of its own: its options, and in the end its maker.
class KindCommand {
public:
    KindCommand(CLI::App& generate, Action& chosen, const char* name, const char* meaning)
        : command_(generate.add_subcommand(name, meaning)), chosen_(chosen) {
        command_->add_option("-o,--output", *output_, "The mesh: .obj, .ply, .stl or .off")
            ->required()
            ->option_text("FILE");
        command_->footer("`graze generate --help` tells of the other kinds.");
    }

    // The value at hand is the default.
    void length(const char* name, float& value, const char* meaning) const {
        number(name, value, std::string(meaning) + ", in metres", "L");
    }
    void count(const char* name, int& value, const char* meaning) const {
        describe(name, value, meaning, std::to_string(value), "N")
            ->check(number_between(0, 1 << 24));
    }
    void seed(std::uint32_t& value) const {
        describe("--seed", value, "Another number, another one of them", std::to_string(value), "N")
            ->check(CLI::Range(0.0, 4294967295.0));
    }
    void number(const char* name, float& value, const std::string& meaning,
                const char* text) const {
        describe(name, value, meaning, with_digits(value), text)->check(number_between(-1e9, 1e9));
    }
    // In degrees here, in radians there.
    void angle(const char* name, float& radians, const char* meaning) const {
        const float degree = std::numbers::pi_v<float> / 180;
        command_
            ->add_option_function<float>(
                name, [&radians, degree](float degrees) { radians = degrees * degree; },
                std::string(meaning) + ", in degrees; " + with_digits(radians / degree, 3) +
                    " by default")
            ->check(number_between(-360, 360))
            ->option_text("A");
    }
    CLI::App& command() const { return *command_; }

    void makes(std::function<Mesh()> make) const {
        command_->callback([&chosen = chosen_, output = output_, make = std::move(make)] {
            chosen = [output, make] { return run(*output, make); };
        });
    }

private:
    template <class Value>
    CLI::Option* describe(const char* name, Value& value, const std::string& meaning,
                          const std::string& standard, const char* text) const {
        return command_->add_option(name, value, meaning + "; " + standard + " by default")
            ->option_text(text);
    }

    static int run(const std::string& output, const std::function<Mesh()>& make) {
        return run_interruptible(output, [&](const Interrupt& interrupt) {
            mesh_format(output);
            check_output(output);
            const Mesh mesh = make();
            interrupt.check();
            save_mesh(mesh, output);
            const MeshReport report = inspect(mesh, {.self_intersections = false});
            const std::string size = report.is_closed() ? with_digits(report.volume, 4) + " m3"
                                                        : with_digits(report.area, 4) + " m2";
            print(printable(output) + ": " + with_separators(report.vertex_count) + " vertices, " +
                  with_separators(report.triangle_count) + " triangles, " + size + "\n");
        });
    }

    CLI::App* command_;
    Action& chosen_;
    std::shared_ptr<std::string> output_ = std::make_shared<std::string>();
};

void add_torus(CLI::App& generate, Action& chosen) {
    const KindCommand kind(generate, chosen, "torus", "A ring around the z axis");
    const auto options = std::make_shared<TorusMeshOptions>();
    kind.length("--radius", options->radius, "Of the circle in the middle of the tube");
    kind.length("--tube-radius", options->tube_radius, "Of the tube, below the radius");
    kind.count("--segments", options->segments, "Parts around the axis");
    kind.count("--sides", options->sides, "Parts around the tube");
    kind.makes([options] { return make_torus(*options); });
}

void add_knot(CLI::App& generate, Action& chosen) {
    const KindCommand kind(generate, chosen, "knot", "A tube along a torus knot");
    const auto options = std::make_shared<KnotMeshOptions>();
    kind.count("-p", options->p, "Turns around the axis");
    kind.count("-q", options->q, "Turns around the torus's tube");
    kind.length("--radius", options->radius, "Of the torus");
    kind.length("--winding-radius", options->winding_radius,
                "Of the torus's tube, on which the knot lies");
    kind.length("--tube-radius", options->tube_radius, "Of the knot's own tube");
    kind.count("--segments", options->segments, "Parts along the knot");
    kind.count("--sides", options->sides, "Parts around its tube");
    kind.makes([options] { return make_knot(*options); });
}

void add_sphere(CLI::App& generate, Action& chosen) {
    const KindCommand kind(generate, chosen, "sphere", "A ball of 20 * 4^N triangles");
    const auto radius = std::make_shared<float>(0.5f);
    const auto subdivisions = std::make_shared<int>(4);
    kind.length("--radius", *radius, "Of the ball");
    kind.count("--subdivisions", *subdivisions, "How often each triangle becomes four");
    kind.makes([radius, subdivisions] { return make_sphere(*radius, *subdivisions); });
}

// "x y z, x y z, ..."
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

void add_tube(CLI::App& generate, Action& chosen) {
    const KindCommand kind(generate, chosen, "tube", "A bar along points, with flat ends");
    const auto path = std::make_shared<std::string>();
    const auto radius = std::make_shared<float>(0.1f);
    const auto sides = std::make_shared<int>(24);
    kind.command()
        .add_option("--path", *path, "The points, \"x y z, x y z, ...\", in metres")
        ->required()
        ->option_text("POINTS");
    kind.length("--radius", *radius, "Of the bar");
    kind.count("--sides", *sides, "Parts around it");
    kind.makes([=] { return make_tube(parse_path(*path), *radius, *sides); });
}

void add_gear(CLI::App& generate, Action& chosen) {
    const KindCommand kind(generate, chosen, "gear", "A spur gear around the z axis");
    const auto options = std::make_shared<GearMeshOptions>();
    kind.count("--teeth", options->teeth, "How many");
    kind.length("--radius", options->radius, "To the middle of the teeth");
    kind.length("--tooth-height", options->tooth_height, "From root to tip");
    kind.length("--thickness", options->thickness, "Along z");
    kind.length("--bore-radius", options->bore_radius, "0 for none");
    kind.makes([options] { return make_gear(*options); });
}

void add_thread_options(const KindCommand& kind, ThreadOptions& thread) {
    kind.length("--thread-radius", thread.radius, "Of the bolt at the crest");
    kind.length("--pitch", thread.pitch, "Along the axis in one turn");
    kind.length("--depth", thread.depth, "From crest to root");
    kind.angle("--flank-angle", thread.flank_angle, "Of a flank to the plane across the axis");
    kind.count("--segments", thread.segments, "Parts around the axis, a multiple of 6");
}

void add_bolt(CLI::App& generate, Action& chosen) {
    const KindCommand kind(generate, chosen, "bolt", "A right-handed bolt, its shaft upwards");
    const auto options = std::make_shared<BoltMeshOptions>();
    kind.length("--length", options->length, "Of the shaft");
    kind.length("--head-radius", options->head_radius, "Of the head, to its corners");
    kind.length("--head-height", options->head_height, "Of the head");
    add_thread_options(kind, options->thread);
    kind.makes([options] { return make_bolt(*options); });
}

void add_nut(CLI::App& generate, Action& chosen) {
    const KindCommand kind(generate, chosen, "nut",
                           "The nut of a bolt; it fits the bolt with the same options of a thread");
    const auto options = std::make_shared<NutMeshOptions>();
    kind.length("--clearance", options->clearance, "Between nut and bolt");
    kind.length("--height", options->height, "Along the axis");
    kind.length("--radius", options->radius, "To the corners");
    add_thread_options(kind, options->thread);
    kind.makes([options] { return make_nut(*options); });
}

void add_pipe(CLI::App& generate, Action& chosen) {
    const KindCommand kind(generate, chosen, "pipe", "A tube with a wall along a helix");
    const auto options = std::make_shared<PipeMeshOptions>();
    kind.length("--coil-radius", options->coil_radius, "Of the helix");
    kind.length("--rise", options->rise, "Of the helix in one turn");
    kind.number("--turns", options->turns, "Of the helix", "N");
    kind.length("--inner-radius", options->inner_radius, "Of the tube");
    kind.length("--wall", options->wall, "Thickness of the wall");
    kind.length("--mouth-radius", options->mouth_radius, "Of the funnel on top; 0 for none");
    kind.count("--segments", options->segments, "Parts along the helix");
    kind.count("--sides", options->sides, "Parts around the tube");
    kind.makes([options] { return make_pipe(*options); });
}

void add_bowl(CLI::App& generate, Action& chosen) {
    const KindCommand kind(generate, chosen, "bowl",
                           "A part of a sphere with a wall, open upwards");
    const auto options = std::make_shared<BowlMeshOptions>();
    kind.length("--radius", options->radius, "Inside");
    kind.length("--wall", options->wall, "Thickness of the wall");
    kind.angle("--opening", options->opening, "Of the rim from the downward axis, below 180");
    kind.count("--segments", options->segments, "Parts around the axis");
    kind.count("--rings", options->rings, "Parts from the bottom to the rim");
    kind.makes([options] { return make_bowl(*options); });
}

void add_funnel(CLI::App& generate, Action& chosen) {
    const KindCommand kind(generate, chosen, "funnel", "A cone over a tube, open at both ends");
    const auto options = std::make_shared<FunnelMeshOptions>();
    kind.length("--mouth-radius", options->mouth_radius, "Of the mouth on top, inside");
    kind.length("--throat-radius", options->throat_radius, "Of the tube, inside");
    kind.length("--cone-height", options->cone_height, "From the throat to the mouth");
    kind.length("--throat-length", options->throat_length, "Of the tube");
    kind.length("--wall", options->wall, "Thickness of the wall");
    kind.count("--segments", options->segments, "Parts around the axis");
    kind.count("--rings", options->rings, "Parts along the cone");
    kind.makes([options] { return make_funnel(*options); });
}

void add_sheet(CLI::App& generate, Action& chosen) {
    const KindCommand kind(generate, chosen, "sheet", "Cloth: a flat rectangle, open");
    const auto options = std::make_shared<SheetMeshOptions>();
    kind.length("--width", options->width, "Along x");
    kind.length("--depth", options->depth, "Along y");
    kind.count("--columns", options->columns, "Cells along x");
    kind.count("--rows", options->rows, "Cells along y");
    kind.makes([options] { return make_sheet(*options); });
}

void add_skirt(CLI::App& generate, Action& chosen) {
    const KindCommand kind(generate, chosen, "skirt", "Cloth: a layer around the z axis, open");
    const auto options = std::make_shared<SkirtMeshOptions>();
    kind.length("--waist-radius", options->waist_radius, "On top");
    kind.length("--hem-radius", options->hem_radius, "Below");
    kind.length("--length", options->length, "From waist to hem along z");
    kind.count("--pleats", options->pleats, "Waves around the hem");
    kind.length("--pleat-depth", options->pleat_depth, "Of the waves, to either side");
    kind.count("--segments", options->segments, "Parts around the axis");
    kind.count("--rings", options->rings, "Parts from waist to hem");
    kind.makes([options] { return make_skirt(*options); });
}

void add_terrain(CLI::App& generate, Action& chosen) {
    const KindCommand kind(generate, chosen, "terrain", "Hills over a square, solid below");
    const auto options = std::make_shared<TerrainMeshOptions>();
    kind.length("--size", options->size, "Of a side of the square");
    kind.length("--height", options->height, "That hills stay below and hollows above minus it");
    kind.length("--wavelength", options->wavelength, "Of the largest hills");
    kind.length("--rim-height", options->rim_height, "Of a bank along the border; 0 for none");
    kind.length("--depth", options->depth, "Of the floor below z = 0");
    kind.count("--cells", options->cells, "Along a side");
    kind.seed(options->seed);
    kind.makes([options] { return make_terrain(*options); });
}

void add_statue(CLI::App& generate, Action& chosen) {
    const KindCommand kind(generate, chosen, "statue", "A standing figure, 1 m high");
    const auto seed = std::make_shared<std::uint32_t>(1);
    const auto resolution = std::make_shared<int>(96);
    kind.seed(*seed);
    kind.count("--resolution", *resolution, "Cells along its height, 48 to 512");
    kind.makes([seed, resolution] { return make_statue(*seed, *resolution); });
}

}  // namespace

void add_command_generate(CLI::App& parent, Action& chosen) {
    CLI::App* command = parent.add_subcommand(
        "generate", "Make a mesh by formula: rings, gears, bolts, nuts, pipes, terrain and more");
    for (const auto add :
         {add_torus, add_knot, add_sphere, add_tube, add_gear, add_bolt, add_nut, add_pipe,
          add_bowl, add_funnel, add_sheet, add_skirt, add_terrain, add_statue})
        add(*command, chosen);
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
