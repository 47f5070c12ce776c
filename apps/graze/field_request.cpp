#include "field_request.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>

#include "graze/error.h"
#include "graze/field_cache.h"
#include "graze/field_io.h"
#include "graze/mesh_io.h"
#include "interrupt.h"
#include "named_option.h"
#include "number_between.h"
#include "progress_bar.h"

namespace graze::app {

namespace {

constexpr int kMaxResolution = 1'000'000;

std::string extension_of(const std::filesystem::path& path) {
    std::string extension = path.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return extension;
}

// CLI11 takes a negative size for a huge one.
std::string check_size(const std::string& text) {
    const bool is_negative = text.find('-') != std::string::npos;
    return is_negative ? "'" + text + "' is no size, such as 500M or 2G" : std::string();
}

void check_options(const FieldRequest& request) {
    if (request.options.thickness > 0 && request.options.sign != FieldSign::shell)
        throw CLI::ValidationError("--thickness", "it is for --sign shell");
}

Mesh load_field_mesh(const std::filesystem::path& path) {
    try {
        return load_mesh(path);
    } catch (const Error&) {
        // The reader knows meshes only; here a field would do as well.
        const std::string extension = extension_of(path);
        for (const char* known : {".obj", ".ply", ".stl", ".off"}) {
            if (extension == known) throw;
        }
        throw Error(path.string() +
                    ": give a mesh (.obj, .ply, .stl, .off) or a field (.gfield, .vdb)");
    }
}

}  // namespace

std::string check_device_name(const std::string& name) {
    const bool is_known = name == "cpu" || name == "best" || name == "cuda" ||
                          (name.rfind("cuda:", 0) == 0 && name.size() > 5 &&
                           name.find_first_not_of("0123456789", 5) == std::string::npos);
    return is_known ? std::string() : "'" + name + "' is no device: use cpu, cuda, cuda:N or best";
}

void add_field_options(CLI::App& command, FieldRequest& request) {
    FieldOptions& options = request.options;
    // They are in a section of their own, since some commands take fields from files as well.
    const auto add = [&](const char* name, auto& value, const char* form, const char* meaning) {
        return command.add_option(name, value, meaning)
            ->option_text(form)
            ->group("Building from a mesh");
    };
    const auto add_flag = [&](const char* name, bool& value, const char* meaning) {
        return command.add_flag(name, value, meaning)->group("Building from a mesh");
    };
    add("-r,--resolution", options.resolution, "N",
        "Samples along the longest side of the box; 128 by default")
        ->check(CLI::Range(2, kMaxResolution));
    add("--finest", options.finest_resolution, "N",
        "Build finer, up to N samples, where parts are too thin for -r; off by default")
        ->check(CLI::Range(2, kMaxResolution));
    add_named_option(command, "--order", options.order, "What a sample holds")
        ->group("Building from a mesh");
    CLI::Option* sparse =
        add_flag("--sparse", options.sparse, "Keep samples only near the surface");
    add("--band", options.band, "V", "How near, in voxels, for --sparse; 3 by default")
        ->check(number_between(1, 1000))
        ->needs(sparse);
    // The short form is for the command line alone.
    const auto spell_out = [](std::string& text) {
        if (text == "auto") text = name_of(FieldSign::automatic);
        return std::string();
    };
    add_named_option(command, "--sign", options.sign, "How inside is told from outside")
        ->transform(CLI::Validator(spell_out, ""))
        ->group("Building from a mesh");
    add("--thickness", options.thickness, "T", "Of the shell, in metres; by default three voxels")
        ->check(number_between(0, 1e30));
    add("--padding", options.padding, "V",
        "Voxels between the mesh's box and the grid's; 2 by default")
        ->check(number_between(1, 1e6));
    add("--device", request.device, "NAME", "cpu (default), cuda, cuda:N, or best")
        ->check(CLI::Validator(check_device_name, ""));
    add("--threads", request.threads, "N", "Threads to use; 0 (default): all cores")
        ->check(CLI::Range(0, 1024));
    add("--memory-limit", options.memory_limit, "SIZE",
        "What the build may take, such as 2G; by default what is free")
        ->check(CLI::Validator(check_size, ""))
        ->transform(CLI::AsSizeValue(false).description(""));
    add_flag("--no-cache", request.skips_cache, "Build even where the same field was built before");
    command.parse_complete_callback([&command, &request] {
        check_options(request);
        for (const char* name : {"--resolution", "--finest", "--order", "--sparse", "--band",
                                 "--sign", "--thickness", "--padding", "--memory-limit"}) {
            if (command.get_option(name)->count() > 0) request.build_options.emplace_back(name);
        }
    });
}

bool is_field_file(const std::filesystem::path& path) {
    const std::string extension = extension_of(path);
    return extension == ".gfield" || extension == ".vdb" || extension == ".npy";
}

OpenedField open_field(const std::filesystem::path& path, const FieldRequest& request,
                       const Interrupt& interrupt) {
    FieldReport report;
    if (is_field_file(path)) {
        if (!request.build_options.empty() && !request.has_meshes) {
            throw Error(path.string() + ": it is a field already, and " +
                        request.build_options.front() +
                        " is for building one from a mesh; leave it out, or give the mesh");
        }
        Field field = load_field(path, &report);
        interrupt.check();
        return {std::move(field), std::move(report), false};
    }
    Mesh mesh = load_field_mesh(path);
    FieldOptions options = request.options;
    options.device = Device::parse(request.device).with_threads(request.threads);
    ProgressBar bar("building");
    options.progress = [&](double fraction) {
        bar.show(fraction);
        return !interrupt.is_requested();
    };
    FieldCacheOptions cache;
    cache.is_on = !request.skips_cache;
    FieldCacheReport cached;
    try {
        Field field = cached_build_field(mesh, options, &report, cache, &cached);
        interrupt.check();
        return {std::move(field), std::move(report), cached.result == FieldCacheResult::loaded,
                std::move(mesh)};
    } catch (const Error& error) {
        // The library does not know where the mesh comes from.
        throw Error(path.string() + ": " + error.what());
    }
}

void check_output(const std::filesystem::path& path) {
    std::filesystem::path folder = path.parent_path();
    if (folder.empty()) folder = ".";
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored)) {
        throw Error(path.string() + ": cannot write: there is no folder " + folder.string());
    }
    if (std::filesystem::is_directory(path, ignored))
        throw Error(path.string() + ": cannot write: it is a folder");
    if (::access(folder.c_str(), W_OK) != 0)
        throw Error(path.string() + ": cannot write: no permission for the folder");
}

}  // namespace graze::app
