// The GPU finds the same intervals and first times as the CPU, bit by bit.
#include <algorithm>
#include <vector>

#include "graze/segment_search.h"
#include "tests/cuda_test.h"
#include "tests/field/segments/segment_cases.h"

namespace graze {
namespace {

class SegmentSearchCuda : public CudaTest {};

void expect_same(const Field& field, const std::vector<Segment>& segments,
                 const SegmentOptions& options) {
    SegmentSearch cpu(field, Device::cpu()), gpu(field, Device::cuda());
    const SegmentIntervals a = cpu.find_intervals(segments, options);
    const SegmentIntervals b = gpu.find_intervals(segments, options);
    ASSERT_EQ(a.offsets.size(), b.offsets.size());
    EXPECT_TRUE(std::equal(a.offsets.begin(), a.offsets.end(), b.offsets.begin()));
    ASSERT_EQ(a.intervals.size(), b.intervals.size());
    EXPECT_TRUE(std::equal(a.intervals.begin(), a.intervals.end(), b.intervals.begin()));
    const std::span<const float> first_a = cpu.find_first_times(segments, options);
    const std::span<const float> first_b = gpu.find_first_times(segments, options);
    EXPECT_TRUE(std::equal(first_a.begin(), first_a.end(), first_b.begin()));
}

TEST_F(SegmentSearchCuda, SameBitsAsTheCpuInSamples) {
    for (const SegmentCase& c : segment_cases()) {
        SCOPED_TRACE(c.name);
        const std::vector<Segment> segments = segments_around(c.grid, 4000, 37);
        for (const float level : c.levels) {
            for (const SegmentWalk walk :
                 {SegmentWalk::cells, SegmentWalk::tree, SegmentWalk::distance}) {
                for (const CellRule rule : {CellRule::exact, CellRule::single})
                    expect_same(c.field, segments, {level, walk, rule});
            }
        }
    }
}

// Formulas without trigonometric functions are plain arithmetic too.
TEST_F(SegmentSearchCuda, SameBitsAsTheCpuInFormulasAndCombinations) {
    const FieldGrid around{{-2, -2, -2}, 0.25f, {16, 16, 16}};
    const std::vector<Segment> segments = segments_around(around, 1000, 38);
    for (const FieldCase& c : field_cases()) {
        SCOPED_TRACE(c.name);
        expect_same(c.field, segments, {.level = 0.1f});
    }
}

TEST_F(SegmentSearchCuda, SearchingAgainAllocatesNothing) {
    const SegmentCase c = segment_cases()[1];
    const std::vector<Segment> segments = segments_around(c.grid, 4000, 39);
    SegmentSearch search(c.field, Device::cuda());
    search.find_intervals(segments);
    const std::int64_t before = executor().memory().allocation_count();
    search.find_intervals(segments);
    EXPECT_EQ(executor().memory().allocation_count(), before);
}

}  // namespace
}  // namespace graze
