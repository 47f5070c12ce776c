#include "field/build/check_memory.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>

#include "field/build/build_samples.h"
#include "graze/error.h"
#include "parallel/available_memory.h"

namespace graze {

namespace {

std::string in_units(double bytes) {
    const char* units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    int unit = 0;
    for (bytes /= 1024; bytes >= 1024 && unit < 5; ++unit)
        bytes /= 1024;
    char text[32];
    std::snprintf(text, sizeof text, "%.3g %s", bytes, units[unit]);
    return text;
}

// Returns the largest resolution whose dense grid, or coarse level, fits; 0 where none does.
int resolution_that_fits(const Aabb& box, FieldOptions options, std::int64_t limit) {
    int low = 2, high = options.resolution;
    while (low + 1 < high) {
        options.resolution = low + (high - low) / 2;
        bool fits = false;
        try {
            fits = memory_needed(choose_grid(box, options), options) <= limit;
        } catch (const Error&) {
            fits = options.resolution < 64;  // too coarse for its padding, or too fine for floats
        }
        (fits ? low : high) = options.resolution;
    }
    options.resolution = low;
    try {
        return memory_needed(choose_grid(box, options), options) <= limit ? low : 0;
    } catch (const Error&) {
        return 0;
    }
}

}  // namespace

std::int64_t check_memory(const FieldGrid& grid, const FieldOptions& options,
                          std::int64_t other_bytes, const Aabb* box) {
    std::int64_t limit = options.memory_limit;
    if (limit <= 0) {
        limit = available_memory(Device::cpu());
        if (options.device.is_cuda()) limit = std::min(limit, available_memory(options.device));
    }
    const std::int64_t left = limit - other_bytes;
    const std::int64_t needed = memory_needed(grid, options);
    if (needed > left) {
        std::string message =
            "a field of " + std::to_string(grid.samples(0)) + " x " +
            std::to_string(grid.samples(1)) + " x " + std::to_string(grid.samples(2)) +
            " samples takes " + in_units(static_cast<double>(needed)) + " and " +
            in_units(static_cast<double>(std::max<std::int64_t>(left, 0))) + " are free: ";
        const int fitting = box && !options.grid ? resolution_that_fits(*box, options, left) : 0;
        if (fitting > 0) {
            message += "a resolution of " + std::to_string(fitting) + " fits";
            if (!options.sparse) message += ", or try a sparse field";
        } else {
            message +=
                box && !options.grid ? "the mesh alone takes too much" : "use a coarser grid";
        }
        throw GridTooFine(message);
    }
    // Bricks name their blocks by 32-bit indices.
    if (options.sparse && block_count(grid) > std::numeric_limits<std::int32_t>::max()) {
        throw GridTooFine(
            "a sparse field has at most 2,147,483,647 blocks of 8 x 8 x 8 cells, not " +
            std::to_string(block_count(grid)) + ": use a lower resolution");
    }
    return left - needed;
}

}  // namespace graze
