// cached_build_field keeps built fields in a cache: the second build of the same field loads it
// instead.
//
// Entries are .gfield files, named after a 128-bit hash of the mesh and of every option that
// changes the result, in $XDG_CACHE_HOME/graze, else ~/.cache/graze. An entry that does not verify
// is deleted and built again. Any number of processes may share the folder. Where it cannot be
// written, nothing is kept, which is no error.
//
// Environment: GRAZE_CACHE=off switches it off; GRAZE_CACHE_LIMIT, such as 500M or 10G, bounds it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "graze/build_field.h"

namespace graze {

struct FieldCacheOptions {
    bool is_on = true;  // GRAZE_CACHE=off has the last word
    // Where it is empty, the user's cache folder is used.
    std::filesystem::path folder{};
    // [bytes] All entries together take no more; those not used for longest go first. 0 stands for
    // GRAZE_CACHE_LIMIT, or for 4 GiB where that is not set.
    std::int64_t limit_bytes = 0;
};

enum class FieldCacheResult {
    off,         // switched off; built
    loaded,      // found, verified and not built
    stored,      // built and kept
    not_stored,  // built, but could not be kept
};

struct FieldCacheReport {
    FieldCacheResult result = FieldCacheResult::off;
    std::filesystem::path file;  // of the entry; empty where there is no cache
    // Says in plain words why nothing was stored, or what was wrong with the entry found.
    std::string reason;
};

// Does what build_field does. The device and the number of threads do not change the result, nor
// the name of an entry. A report that is loaded is that of the build.
Field cached_build_field(const Mesh& mesh, const FieldOptions& options = {},
                         FieldReport* report = nullptr, const FieldCacheOptions& cache = {},
                         FieldCacheReport* cache_report = nullptr);

// Returns $XDG_CACHE_HOME/graze, else ~/.cache/graze; it is empty where the environment names
// neither.
std::filesystem::path default_cache_folder();

}  // namespace graze
