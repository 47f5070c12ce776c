// What becomes of a sample whose closest triangle is known: a signed distance, with its gradient
// where the order asks for it, in the place where the field keeps it.
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
    // Where: by sample of the grid, or by brick (rows are 0).
    std::int64_t row, plane;  // samples in a row and in a plane
    float* values;            // order 0, or null
    FirstOrderSample* samples;
    std::uint32_t* doubts;  // by cube: how many samples are doubtful; or null

    GRAZE_HD void operator()(const FoundSample& found) const {
        const Side side = sign.side(found.sample, found.point);
        if (side.is_doubtful && doubts) atomic_fetch_add(doubts + found.cube, 1u);
        const float distance = std::sqrt(found.distance_sq);
        const float value = (side.is_inside ? -distance : distance) - offset;
        const std::int64_t place = place_of(found.cube, found.local, found.sample);
        if (values) {
            values[place] = value;
            return;
        }
        const Vec3 gradient =
            gradient_at(load_triangle(triangles + found.slot), found.point, side.is_inside);
        samples[place] = encode_sample(value / spacing, gradient);
    }

    GRAZE_INLINE std::int64_t place_of(std::int64_t cube, const Vec3i& local,
                                       const Vec3i& sample) const {
        return row > 0 ? sample.x + sample.y * row + sample.z * plane
                       : cube * kBrickSize + local.x +
                             kBrickSamples * (local.y + kBrickSamples * local.z);
    }
};

}  // namespace graze
