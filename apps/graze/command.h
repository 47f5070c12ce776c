// A command of the program: each adds itself to the parser and leaves behind what to run.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace graze::app {

enum ExitCode {
    kOk = 0,
    kFailed = 1,  // an Error: a bad file, no memory, no device
    kUsage = 2,   // the command line is wrong
    // 130 and 143: ended by Ctrl-C or SIGTERM, see interrupt.h
};

// Called after parsing where the user named the command; returns the exit code.
using Action = std::function<int()>;

// Each adds a subcommand to `parent` whose use sets `chosen`.
void add_command_info(CLI::App& parent, Action& chosen);
void add_command_field(CLI::App& parent, Action& chosen);
void add_command_slice(CLI::App& parent, Action& chosen);
void add_command_mesh(CLI::App& parent, Action& chosen);
void add_command_query(CLI::App& parent, Action& chosen);
void add_command_generate(CLI::App& parent, Action& chosen);
void add_command_collide(CLI::App& parent, Action& chosen);
void add_command_compare(CLI::App& parent, Action& chosen);
void add_command_sweep(CLI::App& parent, Action& chosen);
void add_command_intersect(CLI::App& parent, Action& chosen);
void add_command_impacts(CLI::App& parent, Action& chosen);
void add_command_simulate(CLI::App& parent, Action& chosen);
void add_command_stability(CLI::App& parent, Action& chosen);
void add_command_export(CLI::App& parent, Action& chosen);
void add_command_view(CLI::App& parent, Action& chosen);
void add_command_devices(CLI::App& parent, Action& chosen);

}  // namespace graze::app
