#include "collision_request.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "describe_contacts.h"
#include "graze/draw_contacts.h"
#include "graze/draw_rays.h"
#include "graze/error.h"
#include "graze/mesh_io.h"
#include "interrupt.h"
#include "named_option.h"
#include "number_between.h"
#include "page_of_contacts.h"
#include "parse_pose.h"
#include "run_page.h"
#include "stopwatch.h"
#include "terminal.h"

namespace graze::app {

namespace {

// Methods on triangles alone.
bool needs_no_field(Method method) {
    return method == Method::features || method == Method::rays;
}

// Opens a mesh without its field.
Shape open_mesh_shape(const std::string& file, const CollisionRequest& request) {
    const Mesh mesh = load_mesh(file);
    try {
        return Shape::from_mesh(mesh, {.field = request.field.options});
    } catch (const Error& error) {
        // The library does not know where the mesh comes from.
        throw Error(file + ": " + error.what());
    }
}

// Opens the shape of a file, and fills in what the answer says of the body.
Shape open_shape(const std::string& file, const CollisionRequest& request,
                 const Interrupt& interrupt, CollidedBody& body) {
    const Stopwatch watch;
    const bool needs_no_field = app::needs_no_field(request.method);
    if (needs_no_field && is_field_file(file)) {
        throw Error(file + ": the method " + name_of(request.method) +
                    " needs triangles; give a mesh (graze mesh makes one of a field)");
    }
    // The picture of features takes fields; that of rays cuts the meshes.
    const bool has_field_picture = !request.picture.empty() && request.method != Method::rays;
    if (needs_no_field && !has_field_picture) {
        const Shape shape = open_mesh_shape(file, request);
        body.open_seconds = watch.seconds();
        return shape;
    }
    FieldRequest field = request.field;
    field.has_meshes = !is_field_file(request.a.file) || !is_field_file(request.b.file);
    OpenedField opened = open_field(file, field, interrupt);
    body.open_seconds = watch.seconds();
    body.is_cached = opened.is_cached;
    body.findings = opened.report.findings;
    if (!needs_no_field) body.field_error = opened.field.error() * body.pose.scale;
    const bool needs_mesh = request.method != Method::particles && opened.mesh;
    if (!needs_mesh) return Shape::from_field(std::move(opened.field));
    return Shape::from_mesh(std::move(*opened.mesh), std::move(opened.field), request.points);
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

void save_picture(const CollisionRequest& request, const Scene& scene,
                  std::span<const Contact> contacts) {
    ContactPictureOptions options;
    options.width = request.width;
    for (const std::string& file : {request.a.file, request.b.file})
        options.names.push_back(std::filesystem::path(file).filename().string());
    if (request.is_close_up && !contacts.empty()) options.box = close_up_box(scene, contacts);
    if (request.method == Method::sweep) options.motion = request.options.sweep.motion;
    options.device = Device::cpu(request.field.threads);
    const Image image = request.method == Method::rays
                            ? draw_rays(scene, contacts, request.options.gap, options)
                            : draw_contacts(scene, contacts, options);
    save_png(image, request.picture);
}

// Refuses before the long work what could go wrong after it.
void check_picture(const std::string& file) {
    if (std::filesystem::path(file).extension() != ".png")
        throw Error(file + ": the picture is a PNG file; give it a name that ends in .png");
    check_output(file);
}

void print_collision(const CollisionRequest& request, const Collision& collision) {
    if (request.as_csv) return print(to_csv(collision));
    if (!request.as_json) {
        print(to_text(collision));
        for (const std::string& file : {request.picture, request.page})
            if (!file.empty()) print("\n" + printable(file) + " shows them\n");
        return;
    }
    // File names need not be UTF-8, JSON must be.
    print(to_json(collision).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
          "\n");
}

CollidedBody place(const CollisionRequest::Body& request) {
    CollidedBody body{request.file, parse_pose(request.pose)};
    if (request.end.empty()) return body;
    body.end = parse_pose(request.end);
    // Bodies do not grow within a step; an end without a scale has that of the start.
    if (body.end->scale == 1) body.end->scale = body.pose.scale;
    return body;
}

DetectorOptions detector_options(const CollisionRequest& request) {
    DetectorOptions options = request.options;
    options.particles.tolerance = request.tolerance;
    options.sweep.tolerance = request.tolerance;
    // There is no step before this one.
    options.rays.is_iterative = false;
    return options;
}

Scene open_scene(const CollisionRequest& request, const Interrupt& interrupt,
                 Collision& collision) {
    Scene scene;
    const Shape a = open_shape(request.a.file, request, interrupt, collision.a);
    scene.add(a, collision.a.pose);
    const bool is_same = request.a.file == request.b.file;
    if (is_same) {
        collision.b.is_cached = collision.a.is_cached;
        collision.b.findings = collision.a.findings;
        if (!needs_no_field(request.method))
            collision.b.field_error = a.field().error() * collision.b.pose.scale;
    }
    scene.add(is_same ? a : open_shape(request.b.file, request, interrupt, collision.b),
              collision.b.pose);
    for (const std::uint32_t i : {0u, 1u}) {
        const CollidedBody& body = i == 0 ? collision.a : collision.b;
        if (body.end) scene.set_motion(i, body.pose, *body.end);
    }
    return scene;
}

// Refuses what has no answer: a field alone has no points to follow.
void check_points(const CollisionRequest& request) {
    if (request.method != Method::sweep) return;
    const SweepRoles roles = request.options.sweep.roles;
    const bool has_a = roles != SweepRoles::points_of_b && !is_field_file(request.a.file);
    const bool has_b = roles != SweepRoles::points_of_a && !is_field_file(request.b.file);
    if (has_a || has_b) return;
    const std::string& file = roles == SweepRoles::points_of_b ? request.b.file : request.a.file;
    throw Error(file + ": a field has no points to follow; give a mesh, or other --roles");
}

void answer(const CollisionRequest& request, const Interrupt& interrupt) {
    if (!request.picture.empty()) check_picture(request.picture);
    if (!request.page.empty()) check_page_file(request.page);
    check_points(request);
    Collision collision;
    collision.a = place(request.a);
    collision.b = place(request.b);
    collision.method = request.method;
    collision.options = detector_options(request);
    collision.points = request.points;
    collision.device = Device::parse(request.field.device).with_threads(request.field.threads);
    const Scene scene = open_scene(request, interrupt, collision);

    Detector detector(request.method, collision.device, collision.options);
    detector.prepare(scene, [&](double) { return !interrupt.is_requested(); });
    // The time does not include what is done once for a shape.
    detector.detect(scene);
    detector.set_timing(true);
    const Stopwatch watch;
    collision.contacts = detector.detect(scene);
    collision.detect_seconds = watch.seconds();
    collision.report = detector.report();
    collision.has_tracks = request.has_intervals;
    if (request.has_intervals) {
        collision.tracks =
            track_contacts(scene, collision.contacts, collision.options, collision.device);
    }
    interrupt.check();
    if (!request.picture.empty()) save_picture(request, scene, collision.contacts);
    if (!request.page.empty()) write_collision_page(collision, scene, request.page);
    print_collision(request, collision);
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

constexpr const char* kSweepOptions[] = {"--motion", "--roles",          "--spacing",
                                         "--faces",  "--face-tolerance", "--intervals"};
constexpr const char* kRaysOptions[] = {"--cast", "--response", "--confirm"};

// Refuses options of another method than the one asked for.
template <std::size_t Count>
void refuse_options(const CLI::App& command, const char* const (&names)[Count], Method theirs,
                    Method method) {
    if (theirs == method) return;
    for (const char* name : names) {
        if (command.get_option_no_throw(name) && command.count(name) > 0) {
            throw CLI::ValidationError(name, std::string("it is for --method ") + name_of(theirs) +
                                                 ", not " + name_of(method));
        }
    }
}

}  // namespace

CLI::Option* add_pose_option(CLI::App& command, const char* names, std::string& pose,
                             const std::string& meaning) {
    return command.add_option(names, pose, meaning)
        ->check(CLI::Validator(check_pose, ""))
        ->option_text("POSE");
}

void add_answer_options(CLI::App& command, CollisionRequest& request) {
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
    command
        .add_option("--page", request.page,
                    "Write a page that shows the bodies and where they touch in any browser")
        ->option_text("FILE");
}

void add_contact_options(CLI::App& command, CollisionRequest& request) {
    DetectorOptions& options = request.options;
    const auto add = [&](const char* name, auto& value, const char* form, const char* meaning) {
        return command.add_option(name, value, meaning)->option_text(form)->group("Detection");
    };
    add("--gap", options.gap, "D",
        "Bodies up to D metres apart have contacts too, with a distance above\n0; 0 by default")
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

void add_sweep_options(CLI::App& command, CollisionRequest& request, const char* group) {
    SweepOptions& options = request.options.sweep;
    const auto add_length = [&](const char* name, float& value, const char* meaning) {
        return command.add_option(name, value, meaning)
            ->check(number_between(0, 1e30))
            ->option_text("D")
            ->group(group);
    };
    add_named_option(command, "--motion", options.motion, "How points move within the step")
        ->group(group);
    add_named_option(command, "--roles", options.roles, "Whose points are followed")->group(group);
    add_length("--spacing", request.points.spacing,
               "Spread points D metres apart over the surface; by default they are\n"
               "the mesh's vertices");
    CLI::Option* faces =
        command
            .add_flag("--faces", options.has_faces,
                      "Follow triangles as well, so that no corner slips between points")
            ->group(group);
    add_length("--face-tolerance", options.face_tolerance,
               "How small the parts of triangles become, in metres; by default a voxel")
        ->needs(faces);
    command
        .add_flag("--intervals", request.has_intervals,
                  "Say from when to when each point is inside, and where it is deepest")
        ->group(group);
}

void add_rays_options(CLI::App& command, CollisionRequest& request, const char* group) {
    RaysOptions& options = request.options.rays;
    add_named_option(command, "--cast", options.cast, "How rays find what they meet")->group(group);
    add_named_option(command, "--response", options.response, "Depth and direction of a contact")
        ->group(group);
    command
        .add_flag("--confirm", options.confirms_inside,
                  "Keep only vertices that the winding number takes for inside, too")
        ->group(group);
}

void check_collision(const CLI::App& command, const CollisionRequest& request) {
    const bool has_end = !request.a.end.empty() || !request.b.end.empty();
    if ((request.method == Method::particles || request.method == Method::rays) && has_end) {
        throw CLI::ValidationError(
            request.a.end.empty() ? "--motion-b" : "--motion-a",
            std::string("the method ") + name_of(request.method) +
                " looks at an instant; say --method sweep or features, or leave it out");
    }
    refuse_options(command, kSweepOptions, Method::sweep, request.method);
    refuse_options(command, kRaysOptions, Method::rays, request.method);
}

int run_collision(const CollisionRequest& request) {
    return run_interruptible(request.picture.empty() ? "the answer" : request.picture,
                             [&](const Interrupt& interrupt) { answer(request, interrupt); });
}

}  // namespace graze::app
