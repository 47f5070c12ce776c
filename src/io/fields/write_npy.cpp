#include "io/fields/write_npy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <string>
#include <vector>

#include "field/sampled/evaluate_sampled.h"
#include "graze/error.h"
#include "io/atomic_file.h"
#include "io/fields/check_sampled_field.h"
#include "io/fields/stored_distance.h"
#include "io/npy_header.h"

namespace graze::io {
namespace {

// Returns the shortest text that reads back as the same number.
std::string text(float value) {
    char digits[32];
    return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

constexpr std::string_view kJsonBegin = "{\n  \"origin\": [";

// The file beside the array has the array's name, and may be someone else's.
void check_json_beside(const std::filesystem::path& json_path, const std::filesystem::path& path) {
    std::error_code ignored;
    if (!std::filesystem::exists(json_path, ignored)) return;
    std::string begin(kJsonBegin.size(), '\0');
    std::ifstream(json_path, std::ios::binary)
        .read(begin.data(), static_cast<std::streamsize>(begin.size()));
    if (begin == kJsonBegin) return;
    throw Error(path.string() + ": cannot write: its description would replace " +
                json_path.string() + ", which describes no array; use another name");
}

std::string json_beside(const SampledField& field) {
    const FieldGrid& grid = field.grid;
    const auto size = [&](int axis) { return std::to_string(grid.samples(axis)); };
    return std::string(kJsonBegin) + text(grid.origin.x) + ", " + text(grid.origin.y) + ", " +
           text(grid.origin.z) + "],\n  \"spacing\": " + text(grid.spacing) + ",\n  \"shape\": [" +
           size(2) + ", " + size(1) + ", " + size(0) +
           "],\n  \"axes\": [\"z\", \"y\", \"x\"],\n  \"unit\": \"m\",\n  \"order\": " +
           (field.order == FieldOrder::zero ? "0" : "1") +
           ",\n  \"sparse\": " + (field.is_sparse ? "true" : "false") +
           ",\n  \"band\": " + text(field.band) + "\n}\n";
}

// FillRow fills one row of samples along x.
struct FillRow {
    SampledFieldView field;
    std::int64_t plane;
    float* out;
    void operator()(std::int64_t row) const {
        const std::int64_t size = field.grid.samples(0);
        for (std::int64_t i = 0; i < size; ++i) {
            const std::int64_t index[3] = {i, row, plane};
            float& distance = out[row * size + i];
            if (!find_stored_distance(field, index, distance))
                distance = evaluate(field, field.grid.position(i, row, plane)).distance;
        }
    }
};

void check_disk_space(const SampledField& field, const std::filesystem::path& path) {
    const std::int64_t bytes = field.grid.sample_count() * 4;
    const auto fail = [&](const std::string& cause) {
        throw Error(path.string() + ": cannot write: the array would take " +
                    std::to_string(bytes >> 20) + " MiB, " + cause +
                    "; use a lower resolution, or .gfield");
    };
    if (bytes > kNpyMaxBytes)
        fail("more than the " + std::to_string(kNpyMaxBytes >> 20) + " that are written as .npy");
    std::error_code unknown;
    const auto folder = std::filesystem::absolute(path, unknown).parent_path();
    const auto space = std::filesystem::space(folder, unknown);
    if (!unknown && static_cast<std::uint64_t>(bytes) > space.available)
        fail("and " + std::to_string(space.available >> 20) + " are free on the disk");
}

}  // namespace

void write_npy(CpuExecutor& executor, const SampledField& field,
               const std::filesystem::path& path) {
    check_sampled_field(executor, field, path.string() + ": cannot write");
    check_disk_space(field, path);
    std::filesystem::path json_path = path;
    json_path.replace_extension(".json");
    check_json_beside(json_path, path);
    AtomicFile array(path), json(json_path);
    json.write(json_beside(field));
    const FieldGrid& grid = field.grid;
    array.write(npy_header(std::array{grid.samples(2), grid.samples(1), grid.samples(0)}));
    std::vector<float> plane(static_cast<std::size_t>(grid.samples(0) * grid.samples(1)));
    for (std::int64_t k = 0; k < grid.samples(2); ++k) {
        executor.for_each("fill plane", grid.samples(1), FillRow{field.view(), k, plane.data()},
                          16);
        array.write({reinterpret_cast<const char*>(plane.data()), plane.size() * sizeof(float)});
    }
    array.commit();
    json.commit();
}

}  // namespace graze::io
