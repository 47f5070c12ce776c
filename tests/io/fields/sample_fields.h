// Sampled fields of a sphere, for the tests of files.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "field/sampled/sampled_field.h"
#include "parallel/cpu_executor.h"
#include "tests/oracle/fill_field.h"

namespace graze::testing {

struct SphereCase {
    FieldOrder order = FieldOrder::zero;
    bool is_sparse = false;
    bool has_tree = true;
    FieldGrid grid{{-1.5f, 0.25f, 3}, 0.125f, {16, 24, 16}};
};

// Returns cases of every order, dense and sparse, with and without a tree.
inline std::vector<SphereCase> sphere_cases() {
    std::vector<SphereCase> cases;
    for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
        for (const bool has_tree : {true, false}) {
            cases.push_back({order, false, has_tree, {{-1.5f, 0.25f, 3}, 0.125f, {13, 11, 9}}});
            cases.push_back({order, true, has_tree});
        }
    }
    return cases;
}
inline std::string name_of(const SphereCase& c) {
    return std::string(c.is_sparse ? "sparse" : "dense") + " order " +
           (c.order == FieldOrder::zero ? "0" : "1") + (c.has_tree ? " with tree" : "");
}

// The sphere is in the middle of the grid; its diameter is 70% of the shortest side.
inline oracle::ExactSphere sphere_in(const FieldGrid& grid) {
    const std::int32_t side = *std::min_element(grid.cells, grid.cells + 3);
    return {static_cast<Vec3d>(centre(grid.box())), 0.35 * double(grid.spacing) * side};
}

// Sparse fields have a band of one cell.
inline std::shared_ptr<SampledField> make_sphere_field(const SphereCase& c) {
    const oracle::ExactSphere sphere = sphere_in(c.grid);
    auto field = std::make_shared<SampledField>(
        c.is_sparse ? oracle::fill_sparse(sphere, c.grid, c.order, c.grid.spacing)
                    : oracle::fill_dense(sphere, c.grid, c.order));
    for (std::int64_t i = 0; i < field->errors.size(); ++i)
        field->errors.data()[i] = c.grid.spacing * (0.01f + 0.001f * static_cast<float>(i % 7));
    field->error = c.grid.spacing * 0.017f;
    CpuExecutor executor;
    if (c.has_tree) build_min_max_tree(executor, *field);
    return field;
}

template <class T>
bool same_bits(const Buffer<T>& a, const Buffer<T>& b) {
    return a.size() == b.size() &&
           (a.is_empty() ||
            std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(T)) == 0);
}
inline bool same_bits(const SampledField& a, const SampledField& b) {
    return a.grid == b.grid && a.order == b.order && a.is_sparse == b.is_sparse &&
           a.is_surface_inside == b.is_surface_inside && a.band == b.band && a.error == b.error &&
           a.seam == b.seam && same_bits(a.values, b.values) && same_bits(a.samples, b.samples) &&
           same_bits(a.coarse, b.coarse) && same_bits(a.brick_of_block, b.brick_of_block) &&
           same_bits(a.block_of_brick, b.block_of_brick) && same_bits(a.errors, b.errors) &&
           a.tree.level_count == b.tree.level_count && same_bits(a.tree.nodes, b.tree.nodes) &&
           std::equal(a.tree.offsets, a.tree.offsets + a.tree.level_count, b.tree.offsets);
}

}  // namespace graze::testing
