// Fields of samples that are no distances, dense and sparse: noise, steep slopes, bumps; and sparse
// ones whose bricks do not fit together.
#pragma once

#include <string>
#include <vector>

#include "graze/build_field.h"
#include "tests/field/segments/segment_cases.h"

namespace graze {

// A number from -1 to 1 that a position decides, the same for all who ask.
inline double noise_at(const Vec3d& p) {
    const double mix = std::sin(p.x * 127.1 + p.y * 311.7 + p.z * 74.7) * 43758.5453;
    return 2 * (mix - std::floor(mix)) - 1;
}

// A ball with noise of a size in metres.
inline oracle::TrueField noisy_ball(double size) {
    return [size](const Vec3d& p) {
        const double norm = length(p);
        const Vec3d out = norm > 0 ? p / norm : Vec3d{0, 0, 1};
        const Vec3d off{noise_at(p + Vec3d{1, 0, 0}), noise_at(p + Vec3d{2, 0, 0}),
                        noise_at(p + Vec3d{3, 0, 0})};
        return oracle::Truth{norm - 0.6 + size * noise_at(p), normalized(out + off * (size * 8))};
    };
}

inline std::vector<SegmentCase> change_cases() {
    std::vector<SegmentCase> cases = segment_cases();
    for (const SegmentCase& c : steep_segment_cases())
        cases.push_back(c);
    const FieldGrid cube{{-1, -1, -1}, 0.0625f, {32, 32, 32}};
    // And what is a distance, of which more is known.
    for (const Field& formula : {Field::torus(0.5f, 0.2f), Field::box({0.6f, 0.3f, 0.15f})}) {
        for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
            for (const float band : {0.0f, 1.0f, 3.0f}) {
                const FieldOptions options{.order = order, .sparse = band > 0, .band = band};
                cases.push_back({"distance, band " + std::to_string(band),
                                 sample_field(formula, cube, options),
                                 cube,
                                 {0, 0.1f}});
            }
        }
    }
    for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
        const std::string of_order = order == FieldOrder::zero ? " order 0" : " order 1";
        for (const float size : {0.002f, 0.02f, 0.1f}) {
            const std::string noise = "noise " + std::to_string(size) + of_order;
            cases.push_back({"dense " + noise,
                             with_tree(oracle::fill_dense(cube, order, true, noisy_ball(size))),
                             cube,
                             {0, 0.1f}});
            // A band that holds the noise.
            cases.push_back(
                {"sparse " + noise,
                 with_tree(oracle::fill_sparse(cube, order, true, 0.3f, noisy_ball(size))),
                 cube,
                 {0, 0.1f}});
        }
        // The noise of each sample is its own, so that bricks differ where they meet.
        const auto broken = oracle::fill_sparse(cube, order, true, 0.2f, noisy_ball(0));
        for (std::int64_t i = 0; i < broken->values.size(); ++i)
            broken->values.data()[i] += 0.05f * std::sin(float(i));
        for (std::int64_t i = 0; i < broken->samples.size(); ++i) {
            Half& value = broken->samples.data()[i].value;
            value = half_from_float(float_from_half(value) + std::sin(float(i)));
        }
        cases.push_back({"broken" + of_order, with_tree(broken), cube, {0, 0.1f}});
    }
    return cases;
}

}  // namespace graze
