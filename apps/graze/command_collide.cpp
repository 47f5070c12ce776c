// graze collide: where two bodies touch. docs/commands/collide.md describes it.
#include <CLI/CLI.hpp>
#include <memory>

#include "collision_request.h"
#include "command.h"
#include "named_option.h"
#include "number_between.h"

namespace graze::app {

namespace {

void add_pair_options(CLI::App& command, CollisionRequest& request) {
    command
        .add_option("A", request.a.file,
                    "A mesh (.obj, .ply, .stl, .off) or a field (.gfield, .vdb)")
        ->required()
        ->option_text(" ");
    command.add_option("B", request.b.file, "The other; may be the same file")
        ->required()
        ->option_text(" ");
    add_pose_option(command, "--pose-a", request.a.pose,
                    "Where A is, in quotes: \"x y z\", \"x y z  qw qx qy qz\" (a\n"
                    "quaternion, its real part first, of any length), or those seven\n"
                    "and a scale. By default as in its file");
    add_pose_option(command, "--pose-b", request.b.pose, "The same for B");
    add_pose_option(command, "--motion-a,--end-a", request.a.end,
                    "Where A is at the end of the step, for --method sweep or features:\n"
                    "what meets on the way is found, with its time. By default A stays");
    add_pose_option(command, "--motion-b,--end-b", request.b.end, "The same for B");
}

void add_detection_options(CLI::App& command, CollisionRequest& request) {
    ParticleOptions& particles = request.options.particles;
    add_named_option(command, "--method", request.method, "How contacts are found")
        ->group("Detection");
    command
        .add_option("-n,--particles", particles.resolution,
                    "About N x N x N points; 10 by default. More find smaller\nintersections")
        ->option_text("N")
        ->group("Detection")
        ->check(CLI::Range(1, 128));
    add_named_option(command, "--sampling", particles.sampling, "Where points begin")
        ->group("Detection");
    add_named_option(command, "--step", particles.step, "How they move")->group("Detection");
    command
        .add_option("--tolerance", request.tolerance,
                    "How near to both bodies, in metres, a point must come; by default a\n"
                    "tenth of a voxel. With --method sweep: how far its path may be off;\n"
                    "by default a hundredth of a voxel")
        ->option_text("D")
        ->group("Detection")
        ->check(number_between(0, 1e30));
    add_contact_options(command, request);
}

}  // namespace

void add_command_collide(CLI::App& parent, Action& chosen) {
    CLI::App* command = parent.add_subcommand(
        "collide", "Find where two bodies touch: contact points, normals and depths");
    const auto request = std::make_shared<CollisionRequest>();
    add_pair_options(*command, *request);
    add_answer_options(*command, *request);
    add_detection_options(*command, *request);
    add_sweep_options(*command, *request, "With --method sweep");
    add_rays_options(*command, *request, "With --method rays");
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
        "  graze collide wall.obj bullet.obj --method sweep --pose-b \"0 0 9\" --motion-b \"0 0 "
        "-9\"");
    command->callback([command, &chosen, request] {
        check_collision(*command, *request);
        chosen = [request] { return run_collision(*request); };
    });
}

}  // namespace graze::app
