// Offsets are the sums of the counts before them, with the total at their end, for stages that grow
// and shrink.
#include "parallel/counted_stage.h"

#include <gtest/gtest.h>

#include <vector>

#include "parallel/cpu_executor.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

TEST(CountedStage, OffsetsAreTheSumsOfCounts) {
    CpuExecutor executor;
    CountedStage stage(executor.memory());
    oracle::RandomPoints<float> random(1);
    for (const int item_count : {5, 100'000, 1, 0, 3000}) {
        stage.resize(item_count);
        ASSERT_EQ(stage.counts.size(), item_count);
        std::vector<std::uint64_t> expected{0};
        for (int i = 0; i < item_count; ++i) {
            // Some are so large that their sums need more than 32 bits.
            const auto count = static_cast<std::uint64_t>(random.integer(0, 1 << 20));
            stage.counts.data()[i] = count;
            expected.push_back(expected.back() + count);
        }
        stage.scan(executor, "test: scan");
        const std::uint64_t* offsets = stage.offsets.data();
        EXPECT_EQ(std::vector<std::uint64_t>(offsets, offsets + item_count + 1), expected);
        EXPECT_EQ(executor.read(stage.total()), expected.back());
    }
}

TEST(CountedStage, StartsAtNoneWithoutItems) {
    CpuExecutor executor;
    CountedStage stage(executor.memory());
    stage.resize(0);
    stage.scan(executor, "test: scan");
    EXPECT_EQ(executor.read(stage.total()), 0u);
}

}  // namespace
}  // namespace graze
