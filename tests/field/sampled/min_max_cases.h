// The fields that min/max trees are tested on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/oracle/fill_field.h"

namespace graze {

// Noise that is a function of the position, so that the samples that bricks share agree: values of
// some voxels, slopes of any direction and up to 1, zeros of both signs now and then.
struct Noise {
    double amplitude;
    double number(const Vec3d& p, unsigned salt) const {
        std::uint64_t bits = salt;
        for (int axis = 0; axis < 3; ++axis) {
            bits = (bits ^ static_cast<std::uint64_t>(static_cast<std::int64_t>(p[axis] * 4096))) *
                   0x9e3779b97f4a7c15u;
            bits ^= bits >> 29;
        }
        const auto top = static_cast<double>(bits >> 32) * 0x1p-31 - 1;
        if ((bits & 15) == 0) return (bits & 16) ? 0.0 : -0.0;
        return top;
    }
    oracle::ExactValue operator()(const Vec3d& p) const {
        return {number(p, 1) * amplitude, {number(p, 2) * 2, number(p, 3) * 2, number(p, 4) * 2}};
    }
};

// Slopes along one axis alone: between two samples the value reaches a quarter of their difference.
struct Ridges {
    int axis;
    oracle::ExactValue operator()(const Vec3d& p) const {
        oracle::ExactValue result{0};
        result.gradient[axis] = Noise{1}.number(p, 5);
        return result;
    }
};

struct MinMaxCase {
    std::string name;
    SampledField field;
};

inline SampledField noise_field(const FieldGrid& grid, FieldOrder order, bool is_sparse,
                                double amplitude) {
    const Noise noise{amplitude};
    if (!is_sparse) return oracle::fill_dense(noise, grid, order);
    return oracle::fill_sparse(noise, grid, order, 0.3f * grid.spacing,
                               [](std::int64_t x, std::int64_t y, std::int64_t z) {
                                   return (x * 7 + y * 5 + z * 3) % 4 == 0;
                               });
}

// The tree of these is not built.
inline std::vector<MinMaxCase> min_max_cases() {
    std::vector<MinMaxCase> cases;
    for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
        const std::string suffix = order == FieldOrder::zero ? ", order 0" : ", order 1";
        const Vec3 origin{-1.5f, 0.25f, 3};
        for (const FieldGrid& grid :
             {FieldGrid{origin, 0.25f, {1, 1, 1}}, FieldGrid{origin, 0.3f, {1, 17, 4}},
              FieldGrid{origin, 0.7f, {13, 7, 22}}}) {
            cases.push_back({"noise" + suffix, noise_field(grid, order, false, 5 * grid.spacing)});
        }
        const FieldGrid blocks{origin, 0.3f, {16, 24, 40}};
        // Values are beyond what a half holds; a sample of order 1 is a half itself.
        const double far = order == FieldOrder::zero ? 1e6 : 65504;
        cases.push_back({"far noise" + suffix, noise_field(blocks, order, false, far * 0.3)});
        // A block of 8 voxels has coarse corners of one sign or of both.
        cases.push_back({"sparse noise" + suffix, noise_field(blocks, order, true, 5)});
        for (int axis = 0; axis < 3 && order == FieldOrder::one; ++axis) {
            const FieldGrid grid{origin, 0.5f, {5, 6, 7}};
            cases.push_back({"noise of ridges", oracle::fill_dense(Ridges{axis}, grid, order)});
        }
        const FieldGrid cube = oracle::cube_grid(48, 1.3f);
        const oracle::ExactSphere sphere{{0.02, -0.03, 0.01}, 0.6};
        const oracle::ExactBox box{{0.7, 0.4, 0.03}};
        for (const bool is_sparse : {false, true}) {
            const std::string kind = is_sparse ? "sparse " : "dense ";
            cases.push_back({kind + "sphere" + suffix, fill_field(sphere, cube, order, is_sparse)});
            cases.push_back({kind + "plate" + suffix, fill_field(box, cube, order, is_sparse)});
        }
    }
    return cases;
}

}  // namespace graze
