// choose_grid and memory_needed: a grid from a user's wishes, and what it costs.
#include <algorithm>
#include <cmath>
#include <string>

#include "field/sampled/sampled_field.h"
#include "graze/build_field.h"
#include "graze/error.h"

namespace graze {

namespace {

// With so many cells at most, twice a sample's index along an axis fits 32 bits.
constexpr double kMaxCells = 1 << 24;

void check_ranges(const FieldOptions& options) {
    if (options.resolution < 2) {
        throw Error("a field needs a resolution of at least 2, not " +
                    std::to_string(options.resolution));
    }
    if (!(options.padding >= 1) || options.padding > 1e6f) {
        throw Error("the padding must be between 1 and a million voxels");
    }
    if (!(options.reach >= 0) || !std::isfinite(options.reach))
        throw Error("the reach beyond the mesh must be a number that is not negative");
    if (options.sparse && (!(options.band >= 1) || options.band > 1000)) {
        throw Error("the band must be between 1 and 1,000 voxels to each side of the surface");
    }
    if (!(options.thickness >= 0) || !std::isfinite(options.thickness)) {
        throw Error("a shell's thickness cannot be negative");
    }
}

// Beyond these the squares of lengths overflow, or lose their digits.
constexpr float kLeastExtent = 1e-10f, kMostExtent = 1e15f;  // [m]

float farthest_of(const Aabb& box) {
    const Vec3 far = max_of(max_of(box.max, -box.max), max_of(box.min, -box.min));
    return max_of(far.x, max_of(far.y, far.z));
}

// Checks a grid as the user gave it.
void check_grid(const FieldGrid& grid, const Aabb& box, const FieldOptions& options) {
    const bool is_finite = std::isfinite(grid.origin.x) && std::isfinite(grid.origin.y) &&
                           std::isfinite(grid.origin.z) && std::isfinite(grid.spacing);
    if (!is_finite || !(grid.spacing > 0))
        throw Error("the grid's origin and spacing must be finite, and the spacing above 0");
    for (const std::int32_t cells : grid.cells) {
        if (cells < 1 || cells > kMaxCells)
            throw Error("a grid has between 1 and 16,777,216 cells along each axis");
        if (options.sparse && cells % kBrickCells != 0)
            throw Error("the grid of a sparse field has a multiple of 8 cells along each axis");
    }
    const Vec3 size = extent(grid.box());
    if (!(max_of(size.x, max_of(size.y, size.z)) > kLeastExtent) ||
        !(farthest_of(grid.box()) <= kMostExtent)) {
        throw Error(
            "the grid is too small or too large for float: take another unit, so that its size is "
            "between 1e-10 and 1e15 m");
    }
    // A shell's surface is half its thickness away from the mesh.
    float margin = 0;
    if (options.sign == FieldSign::shell)
        margin = options.thickness > 0 ? options.thickness * 0.5f : grid.spacing * 1.5f;
    const Aabb solid = box.is_empty() ? box : inflate(box, margin);
    const Aabb both = merge(grid.box(), solid);
    if (both.min != grid.box().min || both.max != grid.box().max) {
        throw Error(std::string("the grid does not contain the ") +
                    (margin > 0 ? "shell" : "mesh") + ": make it larger, or leave it out");
    }
}

std::int64_t up_to_multiple(double value, std::int64_t step) {
    return (static_cast<std::int64_t>(std::ceil(value)) + step - 1) / step * step;
}

}  // namespace

FieldGrid choose_grid(const Aabb& box, const FieldOptions& options) {
    check_ranges(options);
    if (options.grid) {
        check_grid(*options.grid, box, options);
        return *options.grid;
    }
    const Vec3 size = extent(box);
    const float longest = max_of(size.x, max_of(size.y, size.z));
    if (!(longest > 0)) throw Error("all vertices are at one position: there is no size to go by");
    if (!(longest > kLeastExtent) || !(farthest_of(box) <= kMostExtent)) {
        throw Error(
            "the mesh is too small or too large for float: scale it, so that its size is "
            "between 1e-10 and 1e15 m");
    }
    if (options.sign == FieldSign::shell && !(farthest_of(box) + options.thickness <= kMostExtent))
        throw Error("the shell's thickness is too large for float: give at most 1e15 m");
    const std::int64_t step = options.sparse ? kBrickCells : 1;
    const std::int64_t most = options.sparse ? up_to_multiple(options.resolution, kBrickCells)
                                             : std::int64_t{options.resolution} - 1;
    // The padding grows by the reach and by what a shell adds to the mesh; that is in metres, as
    // the size of a voxel is not yet known.
    const float extra =
        options.reach + (options.sign == FieldSign::shell ? options.thickness * 0.5f : 0.0f);
    const double padding = double(options.padding) +
                           (options.sign == FieldSign::shell && options.thickness == 0 ? 1.5 : 0.0);
    const double voxels_across = double(most) - 2 * padding;
    if (!(voxels_across >= 1)) {
        throw Error("a resolution of " + std::to_string(options.resolution) +
                    " leaves no voxel beside the padding: use a higher resolution or less padding");
    }
    FieldGrid grid{};
    grid.spacing = static_cast<float>((double(longest) + 2 * double(extra)) / voxels_across);
    if (most > kMaxCells) {
        throw Error("a resolution of " + std::to_string(options.resolution) +
                    " is beyond any memory: use at most 16,777,216");
    }
    const Vec3 middle = box.min + size * 0.5f;
    for (int axis = 0; axis < 3; ++axis) {
        const double cells =
            (double(size[axis]) + 2 * double(extra)) / double(grid.spacing) + 2 * padding;
        grid.cells[axis] = static_cast<std::int32_t>(
            std::clamp<std::int64_t>(up_to_multiple(cells - 1e-4, step), step, most));
        grid.origin[axis] =
            middle[axis] - grid.spacing * (static_cast<float>(grid.cells[axis]) * 0.5f);
    }
    return grid;
}

std::int64_t memory_needed(const FieldGrid& grid, const FieldOptions& options) {
    double samples = 1, blocks = 1, rows = 0;
    for (int axis = 0; axis < 3; ++axis) {
        samples *= static_cast<double>(grid.samples(axis));
        blocks *= static_cast<double>(block_count(grid, axis));
        rows = std::max(rows, static_cast<double>(grid.samples(axis)));
    }
    // Beside the samples there are errors by block, the min/max tree, and the tables that tell
    // sides.
    const double by_sample = options.order == FieldOrder::zero ? 4 : 8;
    const double by_block = options.sparse ? 4 + 8 + 4 * 8.0 / 7 : 4 + 4 * 8 * 8.0 / 7;
    const double tables = rows * rows * 12;
    const double bytes = (options.sparse ? 0 : samples * by_sample) + blocks * by_block + tables;
    return static_cast<std::int64_t>(std::min(bytes, 9e18));
}

}  // namespace graze
