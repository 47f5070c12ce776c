// What cached_build_field is made of.
#pragma once

#include <functional>

#include "graze/field_cache.h"
#include "io/content_hash.h"

namespace graze::io {

// Of the mesh and of what in the options changes the field.
ContentKey key_of(const Mesh& mesh, const FieldOptions& options);

// Makes the field where the cache does not have it, and what there is to report.
using FieldBuilder = std::function<Field(FieldReport& report)>;

Field fetch_field(const ContentKey& key, const FieldBuilder& build, FieldReport* report,
                  const FieldCacheOptions& options, FieldCacheReport* cache_report);

// Deletes entries of the folder, those not used for longest first, until the rest takes no more
// than limit_bytes, and what crashed processes left behind. Other files are not touched.
void trim_cache(const std::filesystem::path& folder, std::int64_t limit_bytes);

// "123", "64K", "500M" or "10G" [bytes]; throws Error for anything else.
std::int64_t parse_cache_limit(const std::string& text);

}  // namespace graze::io
