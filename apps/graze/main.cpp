// graze on the command line. Exit codes: 0 done, 1 an error (a bad file, say), 2 a wrong command
// line.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "command.h"
#include "graze/error.h"
#include "graze/names.h"
#include "graze/version.h"
#include "graze/write_file.h"
#include "terminal.h"

namespace graze::app {

namespace {

constexpr const char* kDescription =
    "graze finds where things touch: meshes and distance fields, rigid or deforming, now or\n"
    "anywhere inside a time step, on the CPU or on a CUDA GPU. The answer is always contacts:\n"
    "where, which way, how deep and when.\n";

constexpr const char* kExamples =
    "Examples:\n"
    "  graze info bunny.obj                           what the mesh is, and which methods can use "
    "it\n"
    "  graze info --json a.ply b.stl                  the same for programs\n"
    "  graze field bunny.obj -r 256 -o bunny.gfield   its signed distance field\n"
    "  graze slice bunny.gfield -o slice.png          a picture of the field\n"
    "  graze mesh bunny.gfield -o surface.obj         the field's surface\n"
    "  graze query bunny.obj --points p.csv --signed  distances of many points to a mesh\n"
    "  graze generate bolt -o bolt.obj                a mesh made by formula\n"
    "  graze collide a.obj b.obj --png touch.png      where two bodies touch, and a picture of it\n"
    "  graze compare a.obj b.obj -o which.html        which method suits these two, measured\n"
    "  graze sweep a.obj --to-pose \"0 0 1\" --against b.obj\n"
    "                                                 when one that moves meets another\n"
    "  graze intersect cow.obj                        which triangles of a mesh cross each other\n"
    "  graze impacts cloth_0.ply cloth_1.ply          when parts of a moving mesh meet\n"
    "  graze simulate scenes/pipe_small.json          bodies that move and touch, recorded\n"
    "  graze export run.grec -o run.glb               a recorded run for Blender or a browser\n"
    "  graze devices                                  the machines that can do the work\n"
    "\n"
    "`graze COMMAND --help` tells more about a command.\n"
    "Exit codes: 0 done, 1 an error such as a bad file, 2 a wrong command line, 130 interrupted.";

// What is wrong with the command's name, the first word; empty where it is one or there is none.
std::string check_command(CLI::App& parser, int argc, char** argv) {
    if (argc < 2) return "give a command, such as graze info bunny.obj";
    if (argv[1][0] == '-') return {};
    std::vector<std::string> names;
    for (const CLI::App* command : parser.get_subcommands(nullptr))
        names.push_back(command->get_name());
    if (std::find(names.begin(), names.end(), argv[1]) != names.end()) return {};
    try {
        refuse_name("command", argv[1], names);
    } catch (const Error& error) {
        return error.what();
    }
}

int run(int argc, char** argv) {
    CLI::App parser(kDescription, "graze");
    Action chosen;
    parser.footer(kExamples);
    parser.set_version_flag("--version", std::string("graze ") + version());
    parser.require_subcommand(1);
    add_command_info(parser, chosen);
    add_command_field(parser, chosen);
    add_command_slice(parser, chosen);
    add_command_mesh(parser, chosen);
    add_command_query(parser, chosen);
    add_command_generate(parser, chosen);
    add_command_collide(parser, chosen);
    add_command_compare(parser, chosen);
    add_command_sweep(parser, chosen);
    add_command_intersect(parser, chosen);
    add_command_impacts(parser, chosen);
    add_command_simulate(parser, chosen);
    add_command_stability(parser, chosen);
    add_command_export(parser, chosen);
    add_command_view(parser, chosen);
    add_command_devices(parser, chosen);
    try {
        parser.parse(argc, argv);
    } catch (const CLI::CallForVersion& request) {
        print(std::string(request.what()) + "\n");
        return kOk;
    } catch (const CLI::CallForHelp&) {
        print(parser.help());
        return kOk;
    } catch (const CLI::ParseError& error) {
        const std::string unknown = check_command(parser, argc, argv);
        print_error((unknown.empty() ? error.what() : unknown) + "; see graze --help");
        return kUsage;
    }
    return chosen();
}

// What takes less memory, by command.
const char* smaller_request(std::string_view command) {
    if (command == "generate") return "ask for fewer cells or subdivisions";
    if (command == "simulate" || command == "stability")
        return "give the scene fewer bodies, coarser meshes or fields of a smaller resolution";
    if (command == "export") return "export a recording with fewer frames or bodies";
    if (command == "info" || command == "intersect" || command == "impacts")
        return "give a mesh of fewer triangles";
    return "give a smaller --resolution or meshes of fewer triangles";
}

// Made before memory is short.
std::string out_of_memory;

void make_last_words(int argc, char** argv) {
    out_of_memory = std::string("out of memory; ") + smaller_request(argc > 1 ? argv[1] : "") +
                    ", or allow the program more memory";
}

// Some destructors allocate, those of JSON for one, so that running out of memory ends in
// std::terminate. What else ends there is a mistake of the program's own.
[[noreturn]] void end_at_once() {
    try {
        if (const std::exception_ptr error = std::current_exception())
            std::rethrow_exception(error);
    } catch (const std::bad_alloc&) {
        remove_unfinished_files();
        for (const std::string_view text :
             {std::string_view("graze: "), std::string_view(out_of_memory), std::string_view("\n")})
            if (::write(STDERR_FILENO, text.data(), text.size()) < 0) break;
        ::_exit(kFailed);
    } catch (...) {
    }
    std::abort();
}

// Threads need memory for their stacks.
bool is_about_threads(const std::exception& error) {
    return std::string_view(error.what()).find("pthread_create") != std::string_view::npos ||
           std::string_view(error.what()).find("temporarily unavailable") != std::string_view::npos;
}

}  // namespace

}  // namespace graze::app

int main(int argc, char** argv) {
    using namespace graze::app;
    prepare_streams();
    int exit_code = kFailed;
    make_last_words(argc, argv);
    std::set_terminate(end_at_once);
    try {
        exit_code = run(argc, argv);
    } catch (const std::bad_alloc&) {
        print_error(out_of_memory);
    } catch (const std::exception& error) {
        print_error(is_about_threads(error) ? out_of_memory + " (there is none for a thread)"
                                            : error.what());
    }
    return finish_output() ? exit_code : static_cast<int>(kFailed);
}
