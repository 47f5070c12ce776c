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
};

// Called after parsing where the user named the command; returns the exit code.
using Action = std::function<int()>;

// Both add a subcommand to `parent` whose use sets `chosen`.
void add_command_info(CLI::App& parent, Action& chosen);
void add_command_devices(CLI::App& parent, Action& chosen);

}  // namespace graze::app
