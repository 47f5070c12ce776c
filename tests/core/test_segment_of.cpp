#include "core/segment_of.h"

#include <gtest/gtest.h>

#include <vector>

namespace graze {
namespace {

TEST(SegmentOf, FindsTheLastThatBeginsAtOrBefore) {
    const std::vector<std::uint64_t> begins = {0, 0, 3, 3,
                                               3, 4, 10};  // six segments, which end at 10
    const std::int64_t expected[] = {1, 1, 1, 4, 5, 5, 5, 5, 5, 5};
    for (std::uint64_t item = 0; item < 10; ++item)
        EXPECT_EQ(segment_of(begins.data(), 6, item), expected[item]);
}

}  // namespace
}  // namespace graze
