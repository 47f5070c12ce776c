// Tests of each outcome, for test_skips.sh to choose from; ctest does not know this program.
#include "tests/needs_data.h"

namespace {

TEST(Outcome, Passes) {}

TEST(Outcome, Fails) {
    FAIL() << "as it must";
}

TEST(Outcome, SkipsForAGpu) {
    GTEST_SKIP() << "no GPU";
}

TEST(Outcome, SkipsForNoReasonThatIsKnown) {
    GTEST_SKIP() << "not today";
}

TEST(Outcome, TakesData) {
    GRAZE_NEEDS_DATA("models");
}

}  // namespace
