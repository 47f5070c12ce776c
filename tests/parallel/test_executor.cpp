#include <atomic>
#include <cstdlib>
#include <new>

#include "graze/error.h"
#include "parallel/cpu_executor.h"
#include "parallel/run_on_threads.h"
#include "tests/parallel/executor_cases.h"

namespace {
std::atomic<std::int64_t> allocation_count{0};
}
#if !GRAZE_THREAD_SANITIZER
// Counts every allocation of this program, whoever makes it. (GCC inlines one half of the pair and
// then warns.) Not under the thread sanitizer, whose runtime has these functions itself and whose
// builds start threads for each verb: only the blocks of host_memory() are counted there.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(std::size_t size) {
    allocation_count.fetch_add(1, std::memory_order_relaxed);
    if (void* block = std::malloc(size ? size : 1)) return block;
    throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    allocation_count.fetch_add(1, std::memory_order_relaxed);
    return std::malloc(size ? size : 1);
}
void operator delete(void* block) noexcept {
    std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
    std::free(block);
}
#endif

namespace graze {
namespace {

class CpuExecutorSizes : public testing::TestWithParam<std::int64_t> {
protected:
    CpuExecutor executor{3};
};

TEST_P(CpuExecutorSizes, for_each) {
    check_for_each(executor, GetParam());
}
TEST_P(CpuExecutorSizes, reduce) {
    check_reduce(executor, GetParam());
}
TEST_P(CpuExecutorSizes, exclusive_scan) {
    check_exclusive_scan(executor, GetParam());
}
TEST_P(CpuExecutorSizes, segmented_scan) {
    check_segmented_scan(executor, GetParam());
}
TEST_P(CpuExecutorSizes, sort_by_key) {
    check_sort_by_key(executor, GetParam());
}
TEST_P(CpuExecutorSizes, compact) {
    check_compact(executor, GetParam());
}
TEST_P(CpuExecutorSizes, copy) {
    check_copy(executor, GetParam());
}
INSTANTIATE_TEST_SUITE_P(AllSizes, CpuExecutorSizes, testing::ValuesIn(kSizes));

// Sums of floats depend on their grouping: it must not depend on the number of threads.
TEST(CpuExecutor, FloatSumsAreTheSameForAnyThreadCount) {
    const std::int64_t count = 1'000'003;
    std::mt19937 random(5);
    std::uniform_real_distribution<float> spread(-1e6f, 1e6f);
    std::vector<float> values(static_cast<std::size_t>(count));
    std::vector<std::uint32_t> keys(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = spread(random);
        keys[i] = static_cast<std::uint32_t>(i / 70'000);
    }
    struct Get {
        const float* values;
        float operator()(std::int64_t i) const { return values[i]; }
    };
    std::vector<float> scans[3], segments[3];
    float sums[3];
    const int thread_counts[3] = {1, 2, 5};
    for (int k = 0; k < 3; ++k) {
        CpuExecutor executor(thread_counts[k]);
        scans[k].resize(values.size() + 1);
        segments[k].resize(values.size());
        executor.reduce("sum", count, Get{values.data()}, AddValues{}, 0.0f, &sums[k]);
        executor.exclusive_scan("scan", values.data(), scans[k].data(), count);
        executor.segmented_scan("segments", keys.data(), values.data(), segments[k].data(), count);
    }
    for (int k = 1; k < 3; ++k) {
        EXPECT_EQ(sums[0], sums[k]);
        EXPECT_TRUE(scans[0] == scans[k]);
        EXPECT_TRUE(segments[0] == segments[k]);
    }
}

TEST(CpuExecutor, RepeatedStepAllocatesNothing) {
    CpuExecutor executor(2);
    RepeatedStep step(executor);
    step.run(300'000);
    // By now threads are started, and every scratch memory has its size.
    step.run(300'000);
    const std::int64_t before = allocation_count.load();
    const std::int64_t blocks_before = host_memory().allocation_count();
    for (const std::int64_t count : {300'000, 299'000, 1000, 300'000})
        step.run(count);
    EXPECT_EQ(allocation_count.load(), before);
    EXPECT_EQ(host_memory().allocation_count(), blocks_before);
    EXPECT_EQ(step.last(), 300u * 499'500u);
    step.run(600'000);
    EXPECT_GT(host_memory().allocation_count(), blocks_before)
        << "the counter must be able to move";
}

TEST(CpuExecutor, TraceNamesWhatRan) {
    CpuExecutor executor(2);
    Trace trace;
    executor.set_trace(&trace);
    RepeatedStep step(executor);
    step.run(1000);
    ASSERT_EQ(trace.entries().size(), 8u);
    EXPECT_STREQ(trace.entries()[5].name, "test: sort");
    EXPECT_GT(trace.seconds("test: sort"), 0.0);
    executor.set_trace(nullptr);
    step.run(1000);
    EXPECT_EQ(trace.entries().size(), 8u);
}

TEST(Buffer, GrowsAndKeepsItsBlock) {
    Buffer<int> buffer(host_memory());
    EXPECT_EQ(buffer.data(), nullptr);
    buffer.resize(100);
    const int* block = buffer.data();
    buffer.resize(10);
    buffer.resize(100);
    EXPECT_EQ(buffer.data(), block);
    Buffer<int> other(std::move(buffer));
    EXPECT_EQ(other.data(), block);
    EXPECT_EQ(other.size(), 100);
}

TEST(Buffer, RefusesWhatCannotBe) {
    Buffer<double> buffer(host_memory());
    EXPECT_THROW(buffer.resize(std::int64_t{1} << 62), Error);
    EXPECT_THROW(buffer.resize(std::int64_t{1} << 50), Error);
    buffer.resize(5);
    EXPECT_EQ(buffer.size(), 5);
}

}  // namespace
}  // namespace graze
