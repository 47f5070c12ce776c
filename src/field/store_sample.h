// What becomes of a sample whose closest triangle is known: a signed distance, with its gradient
// where the order asks for it, in the place where the field keeps it.
#pragma once

#include "core/atomics.h"
#include "field/nearest_triangle.h"
#include "field/sample_cubes.h"
#include "field/sample_sign.h"
#include "field/sampled_field.h"

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
        const std::int64_t place =
            row > 0 ? found.sample.x + found.sample.y * row + found.sample.z * plane
                    : found.cube * kBrickSize + found.local.x +
                          kBrickSamples * (found.local.y + kBrickSamples * found.local.z);
        if (values) {
            values[place] = value;
            return;
        }
        const Vec3 away = direction_from(load_triangle(triangles + found.slot), found.point);
        // On the surface the normal itself is the gradient; elsewhere it points away outside and
        // towards the surface inside.
        const float half = found.distance_sq > 0 && side.is_inside ? -0.5f : 0.5f;
        FirstOrderSample sample;
        sample.slope[0] = half_from_float(away.x * half);
        sample.slope[1] = half_from_float(away.y * half);
        sample.slope[2] = half_from_float(away.z * half);
        sample.value = half_from_float(value / spacing);
        samples[place] = sample;
    }
};

}  // namespace graze
