// The main function of every test program: that of GoogleTest, but for what it says of tests that
// did not run. It ends with exit code 77 where all of its tests were skipped and none failed, and
// adds a line for each skipped test to the file that GRAZE_SKIPS names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

constexpr int kAllSkipped = 77;  // ctest's SKIP_RETURN_CODE, after automake's custom

class SkipListener : public testing::EmptyTestEventListener {
public:
    explicit SkipListener(std::string program) : program_(std::move(program)) {}

    void OnTestEnd(const testing::TestInfo& test) override {
        const testing::TestResult& result = *test.result();
        if (!result.Skipped()) return;
        std::string reason;
        for (int i = 0; i < result.total_part_count(); ++i)
            if (result.GetTestPartResult(i).skipped())
                reason = result.GetTestPartResult(i).message();
        std::replace(reason.begin(), reason.end(), '\n', ' ');
        const char* list = std::getenv("GRAZE_SKIPS");
        if (list == nullptr || *list == '\0') return;
        // One write of one line at the end of the file, so that programs at the same time do not
        // mix their lines.
        std::ofstream(list, std::ios::app)
            << program_ + '\t' + test.test_suite_name() + '.' + test.name() + '\t' + reason + '\n';
    }

private:
    std::string program_;
};

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleMock(&argc, argv);
    testing::UnitTest& tests = *testing::UnitTest::GetInstance();
    tests.listeners().Append(new SkipListener(std::filesystem::path(argv[0]).filename().string()));
    const int failed = RUN_ALL_TESTS();
    if (failed != 0) return failed;
    const bool none_ran = tests.skipped_test_count() > 0 && tests.successful_test_count() == 0;
    return none_ran ? kAllSkipped : 0;
}
