// StoreSample: what becomes of a sample whose closest triangle is known. The field stores a signed
// distance, with its gradient where the order asks for it.
#pragma once

#include "core/atomics.h"
#include "field/build/nearest_triangle.h"
#include "field/build/sample_cubes.h"
#include "field/build/sample_sign.h"
#include "field/sampled/sampled_field.h"

namespace graze {

struct StoreSample {
    const PreparedTriangle* triangles;  // by slot
    SampleSign sign;
    float offset;   // [m] taken off the distance: half the thickness of a shell
    float spacing;  // [m]
    // Samples are stored in the order of the grid, or brick by brick, where row is 0.
    std::int64_t row, plane;    // samples in a row and in a plane
    float* values;              // order 0; or null
    FirstOrderSample* samples;  // order 1
    std::uint32_t* doubts;      // how many samples of each cube are doubtful; or null

    GRAZE_HD void operator()(const FoundSample& found) const {
        const Side side = sign.side(found.sample, found.point);
        if (side.is_doubtful && doubts) atomic_fetch_add(doubts + found.cube, 1u);
        const float distance = std::sqrt(found.distance_sq);
        const float value = (side.is_inside ? -distance : distance) - offset;
        const std::int64_t index = index_of(found.cube, found.local, found.sample);
        if (values) {
            values[index] = value;
            return;
        }
        const Vec3 gradient =
            gradient_at(load_triangle(triangles + found.slot), found.point, side.is_inside);
        samples[index] = encode_sample(value / spacing, gradient);
    }

    GRAZE_INLINE std::int64_t index_of(std::int64_t cube, const Vec3i& local,
                                       const Vec3i& sample) const {
        return row > 0 ? sample.x + sample.y * row + sample.z * plane
                       : cube * kBrickSize + local.x +
                             kBrickSamples * (local.y + kBrickSamples * local.z);
    }
};

}  // namespace graze
