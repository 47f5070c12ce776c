#include "io/fields/field_cache.h"

namespace graze {

Field cached_build_field(const Mesh& mesh, const FieldOptions& options, FieldReport* report,
                         const FieldCacheOptions& cache, FieldCacheReport* cache_report) {
    const io::FieldBuilder build = [&](FieldReport& built) {
        return build_field(mesh, options, &built);
    };
    return io::fetch_field(io::key_of(mesh, options), build, report, cache, cache_report);
}

}  // namespace graze
