// The GPU's min/max tree is the CPU's, bit by bit.
#include <cstring>

#include "parallel/cpu_executor.h"
#include "parallel/upload.h"
#include "tests/cuda_test.h"
#include "tests/field/sampled/min_max_cases.h"

namespace graze {
namespace {

class MinMaxTreeCuda : public CudaTest {
protected:
    template <class T>
    void upload(const Buffer<T>& from, Buffer<T>& to) {
        graze::upload(executor(), "test: upload", from, to);
    }
    SampledField to_gpu(const SampledField& field) {
        SampledField result(executor().memory());
        result.grid = field.grid;
        result.order = field.order;
        result.is_sparse = field.is_sparse;
        result.is_surface_inside = field.is_surface_inside;
        result.band = field.band;
        upload(field.values, result.values);
        upload(field.samples, result.samples);
        upload(field.coarse, result.coarse);
        upload(field.brick_of_block, result.brick_of_block);
        upload(field.block_of_brick, result.block_of_brick);
        upload(field.errors, result.errors);
        return result;
    }
};

TEST_F(MinMaxTreeCuda, SameBitsAsTheCpu) {
    CpuExecutor cpu;
    for (MinMaxCase& c : min_max_cases()) {
        SCOPED_TRACE(c.name);
        build_min_max_tree(cpu, c.field);
        SampledField on_gpu = to_gpu(c.field);
        build_min_max_tree(executor(), on_gpu);
        const std::vector<MinMax> a = download(cpu, c.field.tree.nodes);
        const std::vector<MinMax> b = download(executor(), on_gpu.tree.nodes);
        ASSERT_EQ(a.size(), b.size());
        EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(MinMax)), 0);
        EXPECT_EQ(c.field.tree.level_count, on_gpu.tree.level_count);
    }
}

TEST_F(MinMaxTreeCuda, BuildingAgainAllocatesNothing) {
    SampledField field = to_gpu(oracle::fill_field(
        oracle::ExactSphere{{0, 0, 0}, 0.6}, oracle::cube_grid(64, 1), FieldOrder::one, true));
    build_min_max_tree(executor(), field);
    const std::int64_t before = executor().memory().allocation_count();
    build_min_max_tree(executor(), field);
    EXPECT_EQ(executor().memory().allocation_count(), before);
    executor().wait();
}

}  // namespace
}  // namespace graze
