#include "io/fields/field_cache.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <new>
#include <optional>
#include <vector>

#include "graze/error.h"
#include "graze/version.h"
#include "io/atomic_file.h"
#include "io/fields/gfield.h"
#include "io/file_source.h"
#include "io/unavailable_error.h"
#include "parallel/out_of_memory.h"

namespace graze {
namespace io {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kDefaultLimit = std::int64_t{4} << 30;
constexpr std::string_view kExtension = ".gfield";
constexpr std::size_t kKeyDigits = 32;
// A temporary file of this age belongs to a process that crashed.
constexpr std::chrono::hours kAbandoned{24};

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

bool is_switched_off() {
    const std::string value = variable("GRAZE_CACHE");
    return value == "off" || value == "0" || value == "no" || value == "false";
}

std::int64_t limit_of(const FieldCacheOptions& options) {
    if (options.limit_bytes > 0) return options.limit_bytes;
    const std::string text = variable("GRAZE_CACHE_LIMIT");
    return text.empty() ? kDefaultLimit : parse_cache_limit(text);
}

// True where the name begins with "<32 hexadecimal digits>.gfield"; rest is what follows that.
bool is_entry_name(std::string_view name, std::string_view& rest) {
    if (name.size() < kKeyDigits + kExtension.size()) return false;
    const std::string_view digits = name.substr(0, kKeyDigits);
    if (digits.find_first_not_of("0123456789abcdef") != digits.npos) return false;
    if (!name.substr(kKeyDigits).starts_with(kExtension)) return false;
    rest = name.substr(kKeyDigits + kExtension.size());
    return true;
}

struct Entry {
    fs::path path;
    fs::file_time_type used;
    std::int64_t bytes;
};

// Returns the entries of the folder, and deletes abandoned temporary files. What another process
// deletes meanwhile is left out.
std::vector<Entry> list_entries(const fs::path& folder) {
    std::vector<Entry> entries;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        std::string_view rest;
        const std::string name = it->path().filename().string();
        std::error_code gone;
        if (!is_entry_name(name, rest) || it->symlink_status(gone).type() != fs::file_type::regular)
            continue;
        const auto used = it->last_write_time(gone);
        const auto bytes = gone ? 0 : it->file_size(gone);
        if (gone) continue;
        if (rest.empty())
            entries.push_back({it->path(), used, static_cast<std::int64_t>(bytes)});
        else if (rest.starts_with(".tmp") && used < fs::file_time_type::clock::now() - kAbandoned)
            fs::remove(it->path(), gone);
    }
    return entries;
}

// Returns the entry's content, or nothing where there is no such file. Throws Error where it does
// not verify.
std::optional<GfieldContent> load_entry(const fs::path& path, const ContentKey& key) {
    std::error_code error;
    if (!fs::exists(path, error)) return {};
    CpuExecutor executor;
    FileSource source(path);
    GfieldContent content = read_gfield(executor, source, path.string());
    if (content.extras.key != key)
        throw Error(path.string() + ": the field was made from something else than its name says");
    if (!content.extras.report) throw Error(path.string() + ": it has no report");
    // The time of the last use decides which entries are kept.
    fs::last_write_time(path, fs::file_time_type::clock::now(), error);
    return content;
}

// Throws Error where the folder cannot be written or the entry is larger than the limit.
void store_entry(const fs::path& path, const GfieldExtras& extras, const SampledField& field,
                 std::int64_t limit_bytes) {
    std::error_code error;
    // The folder is for this user alone, as the XDG specification has it.
    if (fs::create_directories(path.parent_path(), error))
        fs::permissions(path.parent_path(), fs::perms::owner_all, error);
    if (error) throw Error(path.parent_path().string() + ": cannot make it: " + error.message());
    AtomicFile file(path);
    CpuExecutor executor;
    write_gfield(executor, field, extras, path.string(), file);
    file.commit();
    const auto bytes = static_cast<std::int64_t>(fs::file_size(path, error));
    if (!error && bytes > limit_bytes) {
        fs::remove(path, error);
        throw Error(path.string() + ": its " + std::to_string(bytes) +
                    " bytes are more than the whole cache may take; raise GRAZE_CACHE_LIMIT");
    }
    trim_cache(path.parent_path(), limit_bytes);
}

// Returns nothing where there is no entry. One that does not verify is deleted; one that cannot be
// read now may be sound and is left.
std::optional<GfieldContent> try_to_load(const ContentKey& key, FieldCacheReport& outcome) {
    try {
        std::optional<GfieldContent> content = load_entry(outcome.file, key);
        if (content) outcome.result = FieldCacheResult::loaded;
        return content;
    } catch (const UnavailableError& error) {
        outcome.reason = error.what();
    } catch (const OutOfMemory& error) {
        outcome.reason = outcome.file.string() + ": " + error.what();
    } catch (const Error& error) {
        outcome.reason = error.what();
        std::error_code ignored;
        fs::remove(outcome.file, ignored);
    } catch (const std::bad_alloc&) {
        outcome.reason = outcome.file.string() + ": there was no memory left to load the field";
    }
    return {};
}

// Where the field cannot be stored, the outcome says why; the field itself is no worse for it.
void try_to_store(const ContentKey& key, const Field& field, const FieldReport& report,
                  std::int64_t limit_bytes, FieldCacheReport& outcome) {
    outcome.result = FieldCacheResult::not_stored;
    try {
        if (!field.is_sampled()) throw Error("the field is not sampled");
        store_entry(outcome.file, {report, key}, *samples_of(field), limit_bytes);
        outcome.result = FieldCacheResult::stored;
    } catch (const Error& error) {
        outcome.reason = error.what();
    } catch (const std::bad_alloc&) {
        outcome.reason = "there was no memory left to compress the field";
    }
}

}  // namespace

std::int64_t parse_cache_limit(const std::string& text) {
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    const std::string unit(rest, end);
    const int shift = unit.empty()  ? 0
                      : unit == "K" ? 10
                      : unit == "M" ? 20
                      : unit == "G" ? 30
                                    : -1;
    if (error != std::errc() || value < 0 || shift < 0 || value > (INT64_MAX >> shift))
        throw Error("GRAZE_CACHE_LIMIT is '" + text +
                    "'; make it a number of bytes, or one with K, M or G, such as 500M");
    return value << shift;
}

void trim_cache(const fs::path& folder, std::int64_t limit_bytes) {
    std::vector<Entry> entries = list_entries(folder);
    std::sort(entries.begin(), entries.end(),
              [](const Entry& a, const Entry& b) { return a.used > b.used; });
    std::int64_t total = 0;
    for (const Entry& entry : entries) {
        total += entry.bytes;
        std::error_code ignored;
        if (total > limit_bytes) fs::remove(entry.path, ignored);
    }
}

Field fetch_field(const ContentKey& key, const FieldBuilder& build, FieldReport* report,
                  const FieldCacheOptions& options, FieldCacheReport* cache_report) {
    FieldCacheReport ignored_cache_report;
    FieldReport ignored_report;
    FieldCacheReport& outcome = cache_report ? *cache_report : ignored_cache_report;
    FieldReport& built = report ? *report : ignored_report;
    outcome = {};
    if (!options.is_on || is_switched_off()) return build(built);

    const std::int64_t limit_bytes = limit_of(options);
    const fs::path folder = options.folder.empty() ? default_cache_folder() : options.folder;
    if (folder.empty()) {
        outcome.result = FieldCacheResult::not_stored;
        outcome.reason = "there is no cache folder: neither XDG_CACHE_HOME nor HOME is set";
        return build(built);
    }
    outcome.file = folder / (key.text() + std::string(kExtension));
    if (auto content = try_to_load(key, outcome)) {
        built = std::move(*content->extras.report);
        return make_sampled_field(content->field);
    }
    Field field = build(built);
    try_to_store(key, field, built, limit_bytes, outcome);
    return field;
}

ContentKey key_of(const Mesh& mesh, const FieldOptions& options) {
    return key_of(mesh, options, options.device.kind());
}

ContentKey key_of(const Mesh& mesh, const FieldOptions& options, Device::Kind kind) {
    ContentHasher hasher;
    hasher.add("graze field ").add(version());
    hasher.add_value(kBuildVersion).add_value(kGfieldVersion);
    hasher.add_value(mesh.positions.size()).add_value(mesh.triangles.size());
    hasher.add({reinterpret_cast<const char*>(mesh.positions.data()),
                mesh.positions.size() * sizeof mesh.positions[0]});
    hasher.add({reinterpret_cast<const char*>(mesh.triangles.data()),
                mesh.triangles.size() * sizeof mesh.triangles[0]});
    // Machines give the same bits but for sides of open meshes where the winding number is 1/2 up
    // to rounding: functions such as the arc tangent are not the same on both.
    const bool is_by_winding =
        options.sign == FieldSign::automatic || options.sign == FieldSign::winding;
    hasher.add_value(is_by_winding && kind == Device::Kind::cuda);
    hasher.add_value(options.order).add_value(options.sign).add_value(options.measure_error);
    // An option that others leave without effect counts as zero.
    hasher.add_value(options.sparse).add_value(options.sparse ? options.band : 0);
    hasher.add_value(options.sign == FieldSign::shell ? options.thickness : 0);
    hasher.add_value(options.grid.has_value());
    if (options.grid) {
        for (int axis = 0; axis < 3; ++axis)
            hasher.add_value(options.grid->origin[axis]).add_value(options.grid->cells[axis]);
        hasher.add_value(options.grid->spacing);
    } else {
        hasher.add_value(options.resolution).add_value(options.padding);
    }
    hasher.add_value(options.reach);
    // How far a resolution rises depends on the memory that it may take.
    if (options.finest_resolution > options.resolution)
        hasher.add_value(options.finest_resolution).add_value(options.memory_limit);
    return hasher.key();
}

}  // namespace io

std::filesystem::path default_cache_folder() {
    // The XDG specification asks to ignore relative paths.
    const std::filesystem::path cache = io::variable("XDG_CACHE_HOME");
    if (cache.is_absolute()) return cache / "graze";
    const std::filesystem::path home = io::variable("HOME");
    return home.is_absolute() ? home / ".cache" / "graze" : std::filesystem::path();
}

}  // namespace graze
