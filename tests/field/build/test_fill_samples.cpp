// What is compiled for AVX-512 gives the bits of what is compiled for every machine.
#include "field/build/fill_samples_cpu.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "field/build/build_samples_impl.h"
#include "tests/field/build/grid_around.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {
namespace {

template <class T>
std::vector<std::uint8_t> bytes_of(const Buffer<T>& buffer) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(buffer.data());
    return {first, first + static_cast<std::size_t>(buffer.size()) * sizeof(T)};
}

class FillSamples : public testing::TestWithParam<FieldOrder> {
protected:
    // The mesh is a torus and a needle, whose distances are computed by other code.
    FillSamples() : executor_(2), source_(executor_.memory()) {
        mesh_ = sample::torus(40, 24);
        const Vec3 tip = mesh_.positions[0];
        const auto first = static_cast<std::uint32_t>(mesh_.positions.size());
        for (const Vec3& offset : {Vec3{0, 0, 0.1f}, Vec3{0.3f, 0, 0.1f}, Vec3{0.3f, 1e-4f, 0.1f}})
            mesh_.positions.push_back(tip + offset);
        mesh_.triangles.push_back({{first, first + 1, first + 2}});
        prepare_mesh(executor_, mesh_, source_);
        grid_ = grid_around(mesh_, {40, 32, 24});
        slack_ = distance_slack(grid_.box());
    }

    SampledField make_field(std::int64_t sample_count) const {
        SampledField field(host_memory());
        field.grid = grid_;
        field.order = GetParam();
        field.values.resize(field.order == FieldOrder::zero ? sample_count : 0);
        field.samples.resize(field.order == FieldOrder::one ? sample_count : 0);
        return field;
    }
    StoreSample make_store(const SampleSign& sign, SampledField& field) const {
        StoreSample store{};
        store.triangles = source_.prepared.data();
        store.sign = sign;
        store.spacing = grid_.spacing;
        store.values = field.order == FieldOrder::zero ? field.values.data() : nullptr;
        store.samples = field.order == FieldOrder::one ? field.samples.data() : nullptr;
        return store;
    }

    void fill_dense(const SampleFillers& fillers, SampledField& field) {
        build_detail::SignTables tables(host_memory()), of_centres(host_memory());
        StoreSample store = make_store(make_sign(grid_, tables), field);
        store.row = grid_.samples(0);
        store.plane = grid_.samples(0) * grid_.samples(1);
        const SampleCubes cubes = cubes_of(grid_);
        fillers.fill_cubes(executor_, source_, slack_, cubes, 0, cubes.count, store);
        field.errors.resize(block_count(grid_));
        fillers.measure_errors(executor_, source_, slack_, field,
                               make_sign(grid_of_centres(grid_), of_centres), 0,
                               field.errors.data());
    }

    void fill_sparse(const SampleFillers& fillers, SampledField& field) {
        build_detail::SignTables tables(host_memory()), of_centres(host_memory());
        const StoreSample store = make_store(make_sign(grid_, tables), field);
        SampleCubes cubes{
            grid_, kBrickSamples, {}, field.block_of_brick.data(), field.brick_count()};
        for (int axis = 0; axis < 3; ++axis)
            cubes.counts[axis] = static_cast<std::int32_t>(block_count(grid_, axis));
        cubes.index_of_cube = field.brick_of_block.data();
        field.errors.resize(cubes.count);
        std::vector<std::uint8_t> is_filled(static_cast<std::size_t>(cubes.count), 0);
        fillers.fill_bricks(
            executor_, source_, slack_, cubes, 0, cubes.count, store,
            {field.view(), make_sign(grid_of_centres(grid_), of_centres), field.errors.data()},
            is_filled.data());
    }

    static void expect_same(const SampledField& a, const SampledField& b) {
        EXPECT_EQ(bytes_of(a.values), bytes_of(b.values));
        EXPECT_EQ(bytes_of(a.samples), bytes_of(b.samples));
        EXPECT_EQ(bytes_of(a.errors), bytes_of(b.errors));
    }

    CpuExecutor executor_;
    MeshSource source_;
    Mesh mesh_;
    FieldGrid grid_{};
    float slack_ = 0;

private:
    SampleSign make_sign(const FieldGrid& grid, build_detail::SignTables& tables) {
        return build_detail::make_sign(executor_, source_, FieldSign::crossings, grid, tables);
    }
};

TEST_P(FillSamples, DenseFieldsHaveTheSameBits) {
    if (!avx512_fillers()) GTEST_SKIP() << "no AVX-512 here, or built for it, or without AVX2";
    SampledField common = make_field(grid_.sample_count());
    SampledField wide = make_field(grid_.sample_count());
    fill_dense(common_fillers(), common);
    fill_dense(*avx512_fillers(), wide);
    expect_same(common, wide);
}

TEST_P(FillSamples, SparseFieldsHaveTheSameBits) {
    if (!avx512_fillers()) GTEST_SKIP() << "no AVX-512 here, or built for it, or without AVX2";
    SampledField common = make_field(0), wide = make_field(0);
    for (SampledField* field : {&common, &wide}) {
        field->is_sparse = true;
        field->band = grid_.spacing;
        mark_bricks(executor_, source_, 0, *field);
        ASSERT_GT(field->brick_count(), 20);
        if (field->order == FieldOrder::zero) {
            field->values.resize(field->brick_count() * kBrickSize);
        } else {
            field->samples.resize(field->brick_count() * kBrickSize);
        }
    }
    fill_sparse(common_fillers(), common);
    fill_sparse(*avx512_fillers(), wide);
    expect_same(common, wide);
}

INSTANTIATE_TEST_SUITE_P(Orders, FillSamples, testing::Values(FieldOrder::zero, FieldOrder::one));

}  // namespace
}  // namespace graze
