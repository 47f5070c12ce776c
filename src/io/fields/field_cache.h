// The cache behind cached_build_field.
#pragma once

#include <functional>

#include "graze/field_cache.h"
#include "io/content_hash.h"

namespace graze::io {

// It must be raised whenever build_field gives other samples or another report for the same input;
// test_build_version.cpp tells when.
constexpr std::uint32_t kBuildVersion = 5;

// Returns the key of the mesh and of all options that change the field.
ContentKey key_of(const Mesh& mesh, const FieldOptions& options);
// The same for a machine of that kind, whatever device the options name.
ContentKey key_of(const Mesh& mesh, const FieldOptions& options, Device::Kind kind);

// Builds the field where the cache does not have it, and reports on that.
using FieldBuilder = std::function<Field(FieldReport& report)>;

// Returns the field from the cache; where it is not there, builds it and stores it.
Field fetch_field(const ContentKey& key, const FieldBuilder& build, FieldReport* report,
                  const FieldCacheOptions& options, FieldCacheReport* cache_report);

// Deletes entries of the folder, those not used for longest first, until the rest takes no more
// than limit_bytes, and what crashed processes left behind. Other files are not touched.
void trim_cache(const std::filesystem::path& folder, std::int64_t limit_bytes);

// Returns the bytes that "123", "64K", "500M" or "10G" stands for; throws Error for any other text.
std::int64_t parse_cache_limit(const std::string& text);

}  // namespace graze::io
