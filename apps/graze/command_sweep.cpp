// graze sweep: when a body that moves meets another. docs/commands/sweep.md describes it.
#include <CLI/CLI.hpp>
#include <memory>

#include "collision_request.h"
#include "command.h"
#include "number_between.h"

namespace graze::app {

namespace {

void add_step_options(CLI::App& command, CollisionRequest& request) {
    command.add_option("MESH", request.a.file, "The body that moves: .obj, .ply, .stl, .off")
        ->required()
        ->option_text(" ");
    add_pose_option(command, "--from-pose", request.a.pose,
                    "Where it is at the start of the step, in quotes: \"x y z\",\n"
                    "\"x y z  qw qx qy qz\" (a quaternion, its real part first, of any\n"
                    "length), or those seven and a scale. By default as in its file");
    add_pose_option(command, "--to-pose", request.a.end,
                    "Where it is at the end of the step. By default it stays");
    command
        .add_option("--against", request.b.file,
                    "The other body: a field (.gfield, .vdb) or a mesh, of which a field is\n"
                    "built; may be the same file")
        ->required()
        ->option_text("FILE");
    add_pose_option(command, "--against-from", request.b.pose,
                    "Where that is at the start of the step; by default as in its file");
    add_pose_option(command, "--against-to", request.b.end,
                    "Where that is at the end of the step. By default it stays");
}

}  // namespace

void add_command_sweep(CLI::App& parent, Action& chosen) {
    CLI::App* command = parent.add_subcommand(
        "sweep", "Find when, within a step, a moving body meets another: times, points, normals");
    const auto request = std::make_shared<CollisionRequest>();
    request->method = Method::sweep;
    add_step_options(*command, *request);
    add_answer_options(*command, *request);
    add_contact_options(*command, *request);
    command
        ->add_option("--tolerance", request->tolerance,
                     "How far, in metres, the path that is searched may be from the true\n"
                     "one; by default a hundredth of a voxel")
        ->option_text("D")
        ->group("Detection")
        ->check(number_between(0, 1e30));
    add_sweep_options(*command, *request, "Detection");
    add_field_options(*command, request->field);
    // These are for all the work, not for fields alone.
    for (const char* name : {"--device", "--threads"})
        command->get_option(name)->group("Detection");
    command->footer(
        "Points of each body are followed through the distance field of the other from the start\n"
        "of the step to its end, and none that passes through is missed, however fast. A contact\n"
        "is a point that comes to the other's surface: its time, from 0 to 1 in the step, its\n"
        "position then, the normal there, and how far it was away at the start, along that "
        "normal.\n"
        "A field from a file has no points, only surface. a is MESH, b is the other.\n"
        "Exit code 0 whether they meet or not: ask for --json and look at \"touching\".\n"
        "\n"
        "Examples:\n"
        "  graze sweep bullet.obj --from-pose \"0 0 9\" --to-pose \"0 0 -9\" --against wall.obj\n"
        "  graze sweep blade.obj --to-pose \"0 0 0  0.7071 0 0 0.7071\" --against post.gfield "
        "--png "
        "hits.png\n"
        "                                                           a quarter turn around z\n"
        "  graze sweep a.obj --to-pose \"1 0 0\" --against b.obj --against-to \"-1 0 0\" --json |\n"
        "      jq .first.time\n"
        "  graze sweep dragon.obj --to-pose \"0 -1 0\" --against floor.obj --roles points_of_a "
        "--csv");
    command->callback([command, &chosen, request] {
        check_collision(*command, *request);
        chosen = [request] { return run_collision(*request); };
    });
}

}  // namespace graze::app
