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

// What the reader prints of a recording, word by word.
class PageReader {
public:
    PageReader(const testing::TemporaryFolder& folder, const std::string& file) {
        testing::write_bytes(folder / "reader.py", reader_of_the_page());
        const std::string command = "cd '" + folder.path().string() + "' && python3 reader.py " +
                                    file + " >out.txt 2>err.txt";
        EXPECT_EQ(std::system(command.c_str()), 0) << testing::read_bytes(folder / "err.txt");
        out_.str(testing::read_bytes(folder / "out.txt"));
    }

    void expect_pose(std::int64_t frame, double time, std::uint32_t body, const BodyState& state) {
        expect_line("pose", frame);
        const auto& [t, q, scale] = state.pose;
        expect_numbers({time, double(body), state.is_asleep ? 1.0 : 0.0}, 0);
        expect_numbers({t.x, t.y, t.z, q.w, q.x, q.y, q.z, scale}, 0);
    }
    void expect_contact(std::int64_t frame, const Contact& contact) {
        expect_line("contact", frame);
        expect_numbers({double(contact.body_a), double(contact.body_b)}, 0);
        const Vec3 &p = contact.position, &n = contact.normal;
        expect_numbers({p.x, p.y, p.z, contact.distance, n.x, n.y, n.z}, 1e-6);
    }
    void expect_vertex(std::int64_t frame, std::uint32_t body, const Vec3& position) {
        expect_line("vertex", frame);
        expect_numbers({double(body), position.x, position.y, position.z}, 0);
    }
    void expect_end() {
        std::string word;
        EXPECT_FALSE(out_ >> word);
    }

private:
    void expect_line(const std::string& kind, std::int64_t frame) {
        std::string word;
        std::int64_t index = -1;
        EXPECT_TRUE(out_ >> word >> index);
        ASSERT_EQ(word, kind);
        ASSERT_EQ(index, frame);
    }
    void expect_numbers(std::initializer_list<double> expected, double tolerance) {
        for (const double number : expected) {
            double read = 0;
            EXPECT_TRUE(out_ >> read);
            ASSERT_NEAR(read, number, tolerance);
        }
    }
    std::istringstream out_;
};

void expect_page_reads(const testing::TemporaryFolder& folder, const std::string& file) {
    PageReader page(folder, file);
    const Recording recording(folder / file);
    const auto body_count = static_cast<std::uint32_t>(recording.setup().bodies.size());
    for (std::int64_t i = 0; i < recording.frame_count() && !::testing::Test::HasFailure(); ++i) {
        const RecordingFrame frame = recording.frame(i);
        for (std::uint32_t body = 0; body < body_count; ++body)
            if (frame.states[body].is_present)
                page.expect_pose(i, frame.time, body, frame.states[body]);
        for (const Contact& contact : frame.contacts)
            page.expect_contact(i, contact);
        for (std::uint32_t body = 0; body < body_count; ++body)
            for (const Vec3& position : positions_of(recording.setup(), frame, body))
                page.expect_vertex(i, body, position);
    }
    page.expect_end();
}

TEST(RecordingPage, ItsReaderReads) {
    if (std::system("python3 -c 'import zlib' 2>/dev/null") != 0) GTEST_SKIP() << "no python3";
    const testing::TemporaryFolder folder;
    testing::record_made_up(folder / "run.grec", 9, 130);
    expect_page_reads(folder, "run.grec");
}

TEST(RecordingPage, ItsReaderReadsBodiesThatDeform) {
    if (std::system("python3 -c 'import zlib' 2>/dev/null") != 0) GTEST_SKIP() << "no python3";
    const testing::TemporaryFolder folder;
    testing::record_cloth(folder / "run.grec", 9, 130);
    expect_page_reads(folder, "run.grec");
}

}  // namespace
}  // namespace graze
