// graze collide: where two bodies touch. docs/commands/collide.md describes it.
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.h"
#include "describe_contacts.h"
#include "field_request.h"
#include "graze/draw_contacts.h"
#include "graze/error.h"
#include "graze/mesh_io.h"
#include "interrupt.h"
#include "named_option.h"
#include "number_between.h"
#include "parse_pose.h"
#include "stopwatch.h"
#include "terminal.h"

namespace graze::app {

namespace {

struct CollideRequest {
    std::string file_a, file_b;
    std::string pose_a = "0 0 0", pose_b = "0 0 0";
    std::string end_a, end_b;  // empty: the body does not move
    Method method = Method::particles;
    FieldRequest field;
    DetectorOptions options;
    bool as_json = false, as_csv = false;
    std::string picture;  // empty: none
    int width = 1024;
    bool is_close_up = false;
};

// Opens the shape of a file, and fills in what the answer says of the body.
Shape open_shape(const std::string& file, const CollideRequest& request, const Interrupt& interrupt,
                 CollidedBody& body) {
    const Stopwatch watch;
    if (request.method == Method::features) {
        if (is_field_file(file)) {
            throw Error(file +
                        ": the method features needs triangles; give a mesh (graze mesh makes "
                        "one of a field)");
        }
        const Mesh mesh = load_mesh(file);
        try {
            const Shape shape = Shape::from_mesh(mesh, {.field = request.field.options});
            body.open_seconds = watch.seconds();
            return shape;
        } catch (const Error& error) {
            // The library does not know where the mesh comes from.
            throw Error(file + ": " + error.what());
        }
    }
    const OpenedField opened = open_field(file, request.field, interrupt);
    body.is_cached = opened.is_cached;
    body.field_error = opened.field.error() * body.pose.scale;
    body.open_seconds = watch.seconds();
    body.findings = opened.report.findings;
    return Shape::from_field(opened.field);
}

// Returns the box of the contacts and of what is next to them.
Aabb close_up_box(const Scene& scene, std::span<const Contact> contacts) {
    Aabb box = Aabb::empty();
    for (const Contact& contact : contacts)
        box = merge(box, contact.position);
    float smaller = std::numeric_limits<float>::infinity();
    for (const Body& body : scene.bodies())
        smaller = std::min(smaller, length(extent(body.shape.bounds())) * body.pose.scale);
    return inflate(box, std::max(0.35f * length(extent(box)), 0.05f * smaller));
}

void save_picture(const CollideRequest& request, const Scene& scene,
                  std::span<const Contact> contacts) {
    ContactPictureOptions options;
    options.width = request.width;
    for (const std::string& file : {request.file_a, request.file_b})
        options.names.push_back(std::filesystem::path(file).filename().string());
    if (request.is_close_up && !contacts.empty()) options.box = close_up_box(scene, contacts);
    options.device = Device::cpu(request.field.threads);
    const Image image = draw_contacts(scene, contacts, options);
    save_png(image, request.picture);
}

// Refuses before the long work what could go wrong after it.
void check_picture(const std::string& file) {
    if (std::filesystem::path(file).extension() != ".png")
        throw Error(file + ": the picture is a PNG file; give it a name that ends in .png");
    check_output(file);
}

void print_collision(const CollideRequest& request, const Collision& collision) {
    if (request.as_csv) return print(to_csv(collision));
    if (!request.as_json) {
        print(to_text(collision));
        if (!request.picture.empty()) print("\n" + printable(request.picture) + " shows them\n");
        return;
    }
    // File names need not be UTF-8, JSON must be.
    print(to_json(collision).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
          "\n");
}

// Where the bodies are at the end of the step.
void read_ends(const CollideRequest& request, Collision& collision) {
    if (request.end_a.empty() && request.end_b.empty()) return;
    if (request.method != Method::features) {
        throw Error(std::string("--end-a and --end-b: the method ") + name_of(request.method) +
                    " looks at an instant; say --method features, or leave them out");
    }
    if (!request.end_a.empty()) collision.a.end = parse_pose(request.end_a);
    if (!request.end_b.empty()) collision.b.end = parse_pose(request.end_b);
    // Bodies do not grow within a step; an end without a scale has that of the start.
    for (CollidedBody* body : {&collision.a, &collision.b}) {
        if (body->end && body->end->scale == 1) body->end->scale = body->pose.scale;
    }
}

void collide(const CollideRequest& request, const Interrupt& interrupt) {
    if (!request.picture.empty()) check_picture(request.picture);
    Collision collision;
    collision.a = {request.file_a, parse_pose(request.pose_a)};
    collision.b = {request.file_b, parse_pose(request.pose_b)};
    read_ends(request, collision);
    collision.method = request.method;
    collision.options = request.options;
    collision.device = Device::parse(request.field.device).with_threads(request.field.threads);

    Scene scene;
    const Shape a = open_shape(request.file_a, request, interrupt, collision.a);
    scene.add(a, collision.a.pose);
    const bool is_same = request.file_a == request.file_b;
    if (is_same) {
        collision.b.is_cached = collision.a.is_cached;
        collision.b.findings = collision.a.findings;
        if (request.method == Method::particles)
            collision.b.field_error = a.field().error() * collision.b.pose.scale;
    }
    scene.add(is_same ? a : open_shape(request.file_b, request, interrupt, collision.b),
              collision.b.pose);
    for (const std::uint32_t i : {0u, 1u}) {
        const CollidedBody& body = i == 0 ? collision.a : collision.b;
        if (body.end) scene.set_motion(i, body.pose, *body.end);
    }

    Detector detector(request.method, collision.device, collision.options);
    detector.prepare(scene, [&](double) { return !interrupt.is_requested(); });
    // The time does not include what is done once for a shape.
    detector.detect(scene);
    detector.set_timing(true);
    const Stopwatch watch;
    collision.contacts = detector.detect(scene);
    collision.detect_seconds = watch.seconds();
    collision.report = detector.report();
    interrupt.check();
    if (!request.picture.empty()) save_picture(request, scene, collision.contacts);
    print_collision(request, collision);
}

int run_collide(const CollideRequest& request) {
    return run_interruptible(request.picture.empty() ? "the answer" : request.picture,
                             [&](const Interrupt& interrupt) { collide(request, interrupt); });
}

// A check of the command line: says what is wrong with a pose; empty where nothing is.
std::string check_pose(const std::string& text) {
    try {
        parse_pose(text);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

void add_input_options(CLI::App& command, CollideRequest& request) {
    command
        .add_option("A", request.file_a,
                    "A mesh (.obj, .ply, .stl, .off) or a field (.gfield, .vdb)")
        ->required()
        ->option_text(" ");
    command.add_option("B", request.file_b, "The other; may be the same file")
        ->required()
        ->option_text(" ");
    for (const bool is_a : {true, false}) {
        command
            .add_option(is_a ? "--pose-a" : "--pose-b", is_a ? request.pose_a : request.pose_b,
                        is_a ? "Where A is, in quotes: \"x y z\", \"x y z  qw qx qy qz\" (a\n"
                               "quaternion, its real part first, of any length), or those seven\n"
                               "and a scale. By default as in its file"
                             : "The same for B")
            ->check(CLI::Validator(check_pose, ""))
            ->option_text("POSE");
    }
    for (const bool is_a : {true, false}) {
        command
            .add_option(is_a ? "--end-a" : "--end-b", is_a ? request.end_a : request.end_b,
                        is_a ? "Where A is at the end of the step, for --method features: what\n"
                               "meets on the way is found, with its time. By default A stays"
                             : "The same for B")
            ->check(CLI::Validator(check_pose, ""))
            ->option_text("POSE");
    }
}

void add_detection_options(CLI::App& command, CollideRequest& request) {
    DetectorOptions& options = request.options;
    const auto add = [&](const char* name, auto& value, const char* form, const char* meaning) {
        return command.add_option(name, value, meaning)->option_text(form)->group("Detection");
    };
    add_named_option(command, "--method", request.method, "How contacts are found")
        ->group("Detection");
    add("-n,--particles", options.particles.resolution, "N",
        "About N x N x N points; 10 by default. More find smaller\nintersections")
        ->check(CLI::Range(1, 128));
    add_named_option(command, "--sampling", options.particles.sampling, "Where points begin")
        ->group("Detection");
    add_named_option(command, "--step", options.particles.step, "How they move")
        ->group("Detection");
    add("--gap", options.gap, "D",
        "Bodies up to D metres apart have contacts too, with a distance above\n0; 0 by default")
        ->check(number_between(0, 1e30));
    add("--tolerance", options.particles.tolerance, "D",
        "How near to both bodies, in metres, a point must come; by default a\ntenth of a voxel")
        ->check(number_between(0, 1e30));
    add("--cell", options.reduction.cell_size, "D",
        "Keep the deepest contact of each cell of a grid of D metres")
        ->check(number_between(0, 1e30));
    add("--deepest", options.reduction.deepest_count, "K", "Keep the K deepest")
        ->check(CLI::Range(1, 1'000'000));
    add("--manifold", options.reduction.manifold_count, "K",
        "Keep K for a solver: the deepest, then each as far as can be from\nthose before it")
        ->check(CLI::Range(1, 1024));
}

void add_output_options(CLI::App& command, CollideRequest& request) {
    // The space stands for what CLI11 would say about options that exclude or need each other.
    CLI::Option* json =
        command.add_flag("--json", request.as_json, "Print everything as one JSON object")
            ->option_text(" ");
    command
        .add_flag("--csv", request.as_csv,
                  "Print a header and a row for each contact: bodies, position, normal,\n"
                  "distance and time")
        ->excludes(json)
        ->option_text(" ");
    CLI::Option* picture = command
                               .add_option("--png", request.picture,
                                           "Draw the bodies and where they touch, as a picture")
                               ->option_text("FILE");
    command.add_option("--width", request.width, "Of the picture, in pixels; 1024 by default")
        ->check(CLI::Range(64, 8192))
        ->needs(picture)
        ->option_text("N");
    command
        .add_flag("--close-up", request.is_close_up,
                  "The picture shows what is around the contacts, not all")
        ->needs(picture)
        ->option_text(" ");
}

}  // namespace

void add_command_collide(CLI::App& parent, Action& chosen) {
    CLI::App* command = parent.add_subcommand(
        "collide", "Find where two bodies touch: contact points, normals and depths");
    const auto request = std::make_shared<CollideRequest>();
    add_input_options(*command, *request);
    add_output_options(*command, *request);
    add_detection_options(*command, *request);
    add_field_options(*command, request->field);
    // These are for all the work, not for fields alone.
    for (const char* name : {"--device", "--threads"})
        command->get_option(name)->group("Detection");
    command->footer(
        "A contact is a point where the bodies touch: its distance is below 0 where they\n"
        "interpenetrate, and its normal is the way that A should go. Meshes become distance "
        "fields\n"
        "first, which are kept for the next time; -r says how fine.\n"
        "Exit code 0 whether they touch or not: ask for --json and look at \"touching\".\n"
        "\n"
        "Examples:\n"
        "  graze collide bunny.obj torus.obj --pose-b \"0.5 0 0\" --png contacts.png\n"
        "  graze collide a.gfield b.gfield --pose-b \"0 0 1  0.7071 0 0 0.7071\"   a quarter turn\n"
        "                                                                      around z\n"
        "  graze collide bolt.stl nut.stl -r 256 -n 20 --manifold 4 --csv\n"
        "  graze collide a.obj b.obj --gap 0.01 --json | jq .deepest.distance\n"
        "  graze collide wall.obj bullet.obj --method features --pose-b \"0 0 9\" --end-b \"0 0 "
        "-9\"");
    command->callback([&chosen, request] { chosen = [request] { return run_collide(*request); }; });
}

}  // namespace graze::app
