#include "core/half.h"
#include "tests/cuda_test.h"
#include "tests/parallel/executor_cases.h"

namespace graze {
namespace {

class CudaExecutorSizes : public CudaTest, public testing::WithParamInterface<std::int64_t> {};

TEST_P(CudaExecutorSizes, for_each) {
    check_for_each(executor(), GetParam());
}
TEST_P(CudaExecutorSizes, reduce) {
    check_reduce(executor(), GetParam());
}
TEST_P(CudaExecutorSizes, exclusive_scan) {
    check_exclusive_scan(executor(), GetParam());
}
TEST_P(CudaExecutorSizes, segmented_scan) {
    check_segmented_scan(executor(), GetParam());
}
TEST_P(CudaExecutorSizes, sort_by_key) {
    check_sort_by_key(executor(), GetParam());
}
TEST_P(CudaExecutorSizes, compact) {
    check_compact(executor(), GetParam());
}
TEST_P(CudaExecutorSizes, copy) {
    check_copy(executor(), GetParam());
}
INSTANTIATE_TEST_SUITE_P(AllSizes, CudaExecutorSizes, testing::ValuesIn(kSizes));

class CudaExecutorTest : public CudaTest {};

TEST_F(CudaExecutorTest, RepeatedStepAllocatesNothing) {
    RepeatedStep step(executor());
    step.run(300'000);
    const std::int64_t before =
        executor().memory().allocation_count() + pinned_memory().allocation_count();
    for (const std::int64_t count : {300'000, 299'000, 1000, 300'000})
        step.run(count);
    EXPECT_EQ(executor().memory().allocation_count() + pinned_memory().allocation_count(), before);
    EXPECT_EQ(step.last(), 300u * 499'500u);
    step.run(600'000);
    EXPECT_GT(executor().memory().allocation_count(), before) << "the counter must be able to move";
}

TEST_F(CudaExecutorTest, TraceNamesWhatRan) {
    Trace trace;
    executor().set_trace(&trace);
    RepeatedStep step(executor());
    step.run(1000);
    ASSERT_EQ(trace.entries().size(), 8u);
    EXPECT_STREQ(trace.entries()[5].name, "test: sort");
    EXPECT_GT(trace.seconds("test: sort"), 0.0);
}

TEST_F(CudaExecutorTest, OutOfMemoryIsAnError) {
    EXPECT_THROW(executor().make_buffer<double>(std::int64_t{1} << 45), Error);
    auto buffer = executor().make_buffer<double>(10);
    EXPECT_NE(buffer.data(), nullptr);
}

// Conversions of half on the device give the bits of the host's portable code.
struct ConvertHalves {
    float* floats;
    std::uint16_t* halves;
    GRAZE_HD void operator()(std::int64_t i) const {
        floats[i] = float_from_half(Half{static_cast<std::uint16_t>(i & 0xffff)});
        // Every pattern of the upper 24 bits of a float, with the rest mixed.
        const auto bits =
            static_cast<std::uint32_t>(i) << 8 | (static_cast<std::uint32_t>(i) * 37u & 0xffu);
        halves[i] = half_from_float(std::bit_cast<float>(bits)).bits;
    }
};
TEST_F(CudaExecutorTest, HalfConversionsAgreeWithTheHost) {
    const std::int64_t count = 1 << 24;
    auto floats = executor().make_buffer<float>(count);
    auto halves = executor().make_buffer<std::uint16_t>(count);
    executor().for_each("test: halves", count, ConvertHalves{floats.data(), halves.data()});
    const auto device_floats = download(executor(), floats);
    const auto device_halves = download(executor(), halves);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const auto k = static_cast<std::size_t>(i);
        const float expected =
            portable::float_from_half(Half{static_cast<std::uint16_t>(i & 0xffff)});
        const bool both_nan = std::isnan(expected) && std::isnan(device_floats[k]);
        wrong += !both_nan && expected != device_floats[k];
        const auto bits =
            static_cast<std::uint32_t>(i) << 8 | (static_cast<std::uint32_t>(i) * 37u & 0xffu);
        const float value = std::bit_cast<float>(bits);
        // A NaN stays a NaN; which one is not promised between machines.
        const bool nan_kept = std::isnan(value) && (device_halves[k] & 0x7fff) > 0x7c00;
        wrong += !nan_kept && portable::half_from_float(value).bits != device_halves[k];
    }
    EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace graze
