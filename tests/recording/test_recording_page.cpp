// docs/formats/recording.md says enough: the reader that it prints, and nothing else, reads a
// recording.
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "graze/recording.h"
#include "tests/recording/recording_cases.h"
#include "tests/temporary_folder.h"

namespace graze {
namespace {

// The page's Python program.
std::string reader_of_the_page() {
    const std::string page =
        testing::read_bytes(std::filesystem::path(GRAZE_SOURCE_DIR) / "docs/formats/recording.md");
    const std::string fence = "```python\n";
    const std::size_t begin = page.find(fence), end = page.find("\n```\n", begin);
    if (begin == std::string::npos || end == std::string::npos) return {};
    return page.substr(begin + fence.size(), end + 1 - begin - fence.size());
}

TEST(RecordingPage, ItsReaderReads) {
    if (std::system("python3 -c 'import zlib' 2>/dev/null") != 0) GTEST_SKIP() << "no python3";
    constexpr std::uint32_t kBodies = 9;
    constexpr std::int64_t kFrames = 130;
    const testing::TemporaryFolder folder;
    testing::record_made_up(folder / "run.grec", kBodies, kFrames);
    testing::write_bytes(folder / "reader.py", reader_of_the_page());
    const std::string command =
        "cd '" + folder.path().string() + "' && python3 reader.py run.grec >out.txt 2>err.txt";
    ASSERT_EQ(std::system(command.c_str()), 0) << testing::read_bytes(folder / "err.txt");

    std::istringstream out(testing::read_bytes(folder / "out.txt"));
    std::string word;
    const Recording recording(folder / "run.grec");
    for (std::int64_t i = 0; i < kFrames; ++i) {
        const RecordingFrame frame = recording.frame(i);
        std::int64_t index = -1;
        for (std::uint32_t body = 0; body < kBodies; ++body) {
            const BodyState& state = frame.states[body];
            if (!state.is_present) continue;
            double time = 0, numbers[8] = {};
            std::uint32_t which = 0, asleep = 0;
            ASSERT_TRUE(out >> word >> index >> time >> which >> asleep);
            for (double& number : numbers)
                out >> number;
            ASSERT_EQ(word, "pose");
            ASSERT_EQ(index, i);
            ASSERT_EQ(time, frame.time);
            ASSERT_EQ(which, body);
            ASSERT_EQ(asleep, state.is_asleep ? 1u : 0u);
            const auto& [t, q, scale] = state.pose;
            const float expected[8] = {t.x, t.y, t.z, q.w, q.x, q.y, q.z, scale};
            for (int k = 0; k < 8; ++k)
                ASSERT_EQ(numbers[k], double{expected[k]}) << "frame " << i << ", body " << body;
        }
        for (const Contact& contact : frame.contacts) {
            std::uint32_t a = 0, b = 0;
            double numbers[7] = {};
            ASSERT_TRUE(out >> word >> index >> a >> b);
            for (double& number : numbers)
                out >> number;
            ASSERT_EQ(word, "contact");
            ASSERT_EQ(index, i);
            ASSERT_EQ(a, contact.body_a);
            ASSERT_EQ(b, contact.body_b);
            const Vec3 &p = contact.position, &n = contact.normal;
            const float expected[7] = {p.x, p.y, p.z, contact.distance, n.x, n.y, n.z};
            for (int k = 0; k < 7; ++k)
                ASSERT_NEAR(numbers[k], expected[k], 1e-6);
        }
    }
    EXPECT_FALSE(out >> word);
}

}  // namespace
}  // namespace graze
