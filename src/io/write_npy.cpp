#include "io/write_npy.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "field/evaluate_sampled.h"
#include "graze/error.h"
#include "io/atomic_file.h"
#include "io/check_sampled_field.h"

namespace graze::io {
namespace {

// The first bytes of the file (format 1.0): padded so that the array begins at a multiple of 64.
std::string npy_header(const FieldGrid& grid) {
    std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                       std::to_string(grid.samples(2)) + ", " + std::to_string(grid.samples(1)) +
                       ", " + std::to_string(grid.samples(0)) + "), }";
    constexpr std::size_t kStart = 10;  // magic, version and the size of the text
    text.resize((kStart + text.size() + 1 + 63) / 64 * 64 - kStart - 1, ' ');
    text += '\n';
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(text.size() & 255);
    bytes += static_cast<char>(text.size() >> 8);
    return bytes + text;
}

// The shortest text that reads back as the same number.
std::string text(float value) {
    char digits[32];
    return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

std::string json_beside(const SampledField& field) {
    const FieldGrid& grid = field.grid;
    const auto size = [&](int axis) { return std::to_string(grid.samples(axis)); };
    return "{\n  \"origin\": [" + text(grid.origin.x) + ", " + text(grid.origin.y) + ", " +
           text(grid.origin.z) + "],\n  \"spacing\": " + text(grid.spacing) + ",\n  \"shape\": [" +
           size(2) + ", " + size(1) + ", " + size(0) +
           "],\n  \"axes\": [\"z\", \"y\", \"x\"],\n  \"unit\": \"m\",\n  \"order\": " +
           (field.order == FieldOrder::zero ? "0" : "1") +
           ",\n  \"sparse\": " + (field.is_sparse ? "true" : "false") +
           ",\n  \"band\": " + text(field.band) + "\n}\n";
}

// A stored distance.
GRAZE_INLINE float distance_at(const SampledFieldView& field, std::int64_t place) {
    return field.order == FieldOrder::zero
               ? field.values[place]
               : float_from_half(field.samples[place].value) * field.grid.spacing;
}

// The distance at a sample of a sparse field's grid: stored, where one of the up to eight blocks
// around it has a brick, else what the coarse level gives.
float sparse_distance(const SampledFieldView& field, const std::int64_t (&index)[3]) {
    for (int side = 0; side < 8; ++side) {
        std::int64_t block[3], local[3];
        bool exists = true;
        for (int axis = 0; axis < 3; ++axis) {
            block[axis] = index[axis] / kBrickCells - (side >> axis & 1);
            local[axis] = index[axis] - block[axis] * kBrickCells;
            exists = exists && block[axis] >= 0 && block[axis] < block_count(field.grid, axis) &&
                     local[axis] < kBrickSamples;
        }
        if (!exists) continue;
        const std::int32_t brick =
            field.brick_of_block[block[0] + block_count(field.grid, 0) *
                                                (block[1] + block_count(field.grid, 1) * block[2])];
        if (brick >= 0) {
            return distance_at(field, std::int64_t{brick} * kBrickSize + local[0] +
                                          kBrickSamples * (local[1] + kBrickSamples * local[2]));
        }
    }
    return evaluate(field, field.grid.position(index[0], index[1], index[2])).distance;
}

// One row of samples along x.
struct FillRow {
    SampledFieldView field;
    std::int64_t plane;
    float* out;
    void operator()(std::int64_t row) const {
        const std::int64_t size = field.grid.samples(0);
        const std::int64_t first = (plane * field.grid.samples(1) + row) * size;
        for (std::int64_t i = 0; i < size; ++i) {
            const std::int64_t index[3] = {i, row, plane};
            out[row * size + i] =
                field.is_sparse ? sparse_distance(field, index) : distance_at(field, first + i);
        }
    }
};

void check_room(const SampledField& field, const std::filesystem::path& path) {
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
    check_room(field, path);
    std::filesystem::path json_path = path;
    AtomicFile array(path), json(json_path.replace_extension(".json"));
    json.write(json_beside(field));
    array.write(npy_header(field.grid));
    const FieldGrid& grid = field.grid;
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
