// A cache of built fields: the second build of the same field loads it instead.
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
    // Empty: the user's cache folder.
    std::filesystem::path folder{};
    // [bytes] All entries together; those not used for longest go first. 0: GRAZE_CACHE_LIMIT, or 4
    // GiB where that is not set.
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
    // In plain words: why nothing was stored, or what was wrong with the entry found.
    std::string reason;
};

// As build_field. The device and the number of threads do not change the result and are no part of
// an entry's name. A report that is loaded is that of the build.
Field cached_build_field(const Mesh& mesh, const FieldOptions& options = {},
                         FieldReport* report = nullptr, const FieldCacheOptions& cache = {},
                         FieldCacheReport* cache_report = nullptr);

// $XDG_CACHE_HOME/graze, else ~/.cache/graze; empty where the environment names neither.
std::filesystem::path default_cache_folder();

}  // namespace graze
