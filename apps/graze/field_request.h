// What a user says about a field to build, and how commands get their fields: from a file, from the
// cache, or built from a mesh.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "graze/build_field.h"

namespace CLI {
class App;
}

namespace graze::app {

class Interrupt;

struct FieldRequest {
    FieldOptions options;
    std::string device = "cpu";  // may not be there
    int threads = 0;             // of the CPU; 0 means all cores
    bool skips_cache = false;
    // The options that were given and that only a build heeds.
    std::vector<std::string> build_options;
    // True where other files of the command are meshes, for which these options are.
    bool has_meshes = false;
};

// A check of the command line: says what is wrong where the name is that of no device, whether this
// computer has it or not; empty where nothing is.
std::string check_device_name(const std::string& name);
// Adds the options of a build to a command.
void add_field_options(CLI::App& command, FieldRequest& request);

// A field and where it comes from.
struct OpenedField {
    Field field;
    FieldReport report;
    bool is_cached = false;                   // it was loaded, not built
    std::optional<Mesh> mesh = std::nullopt;  // of which it was built
};

// Tells by the extension: .gfield, .vdb, .npy.
bool is_field_file(const std::filesystem::path& path);
// Loads a field, or builds one from a mesh with a progress bar. Throws Error, also where the user
// interrupts.
OpenedField open_field(const std::filesystem::path& path, const FieldRequest& request,
                       const Interrupt& interrupt);
// Throws Error where a file could not be written there, so that no long work comes before that.
void check_output(const std::filesystem::path& path);

}  // namespace graze::app
