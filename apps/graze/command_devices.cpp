#include <CLI/CLI.hpp>

#include "command.h"
#include "graze/device.h"
#include "graze/version.h"
#include "terminal.h"

namespace graze::app {

namespace {

int run_devices() {
    for (const Device& device : Device::list()) {
        std::string name = device.name();
        name.resize(name.size() < 8 ? 8 : name.size(), ' ');
        print(styled(name, Style::heading) + "  " + device.description() + "\n");
    }
    if (!has_cuda()) print("\nThis build has no CUDA: configure with GRAZE_CUDA=ON to use GPUs.\n");
    return kOk;
}

}  // namespace

void add_command_devices(CLI::App& parent, Action& chosen) {
    CLI::App* command = parent.add_subcommand("devices", "List the machines that can do the work");
    command->callback([&chosen] { chosen = run_devices; });
}

}  // namespace graze::app
