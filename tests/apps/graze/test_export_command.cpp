// graze export and graze info on recordings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/apps/graze/page_parts.h"
#include "tests/apps/graze/program_test.h"
#include "tests/recording/glb_file.h"
#include "tests/recording/recording_cases.h"

namespace graze {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::uint32_t kBodies = 4;
constexpr std::int64_t kFrames = 20;

class Export : public ProgramTest {
protected:
    void SetUp() override {
        ProgramTest::SetUp();
        if (IsSkipped()) return;
        testing::record_made_up(folder_ / "run.grec", kBodies, kFrames);
        testing::record_made_up(folder_ / "cut.grec", kBodies, kFrames, /*finishes=*/false);
    }
    std::vector<std::vector<std::string>> rows(const std::string& name) const {
        std::vector<std::vector<std::string>> result;
        std::istringstream text(read(name));
        for (std::string line; std::getline(text, line);) {
            result.emplace_back();
            std::istringstream cells(line);
            for (std::string cell; std::getline(cells, cell, ',');)
                result.back().push_back(cell);
        }
        return result;
    }
};

TEST_F(Export, WritesGlb) {
    const Outcome outcome = graze("export run.grec -o run.glb");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_THAT(outcome.out, StartsWith("run.glb: 20 frames of 4 bodies, "));
    EXPECT_EQ(testing::GlbFile(folder_ / "run.glb").json["nodes"].size(), kBodies + 1);
}

TEST_F(Export, WritesWhatThereIsOfAnIncompleteRecording) {
    const Outcome outcome = graze("export cut.grec -o cut.glb");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.err, AllOf(StartsWith("graze: cut.grec: the recording is not complete: "),
                                   HasSubstr("no end mark after its 20 frames")));
    EXPECT_EQ(testing::GlbFile(folder_ / "cut.glb").json["nodes"].size(), kBodies + 1);
}

TEST_F(Export, WritesPosesAsATable) {
    ASSERT_EQ(graze("export run.grec -o run.csv").exit_code, 0);
    const auto table = rows("run.csv");
    EXPECT_EQ(table[0][4], "x");
    std::size_t row = 1;
    for (std::int64_t i = 0; i < kFrames; ++i) {
        const RecordingFrame frame = testing::made_up_frame(kBodies, i);
        for (std::uint32_t body = 0; body < kBodies; ++body) {
            const BodyState& state = frame.states[body];
            if (!state.is_present) continue;
            ASSERT_LT(row, table.size());
            const auto& cells = table[row++];
            ASSERT_EQ(cells.size(), table[0].size());
            EXPECT_EQ(cells[0], std::to_string(i));
            EXPECT_EQ(std::stod(cells[1]), frame.time);
            EXPECT_EQ(cells[2], std::to_string(body));
            EXPECT_EQ(cells[3], "\"body " + std::to_string(body) + "\"");
            const auto& [t, q, scale] = state.pose;
            const float numbers[8] = {t.x, t.y, t.z, q.w, q.x, q.y, q.z, scale};
            for (std::size_t k = 0; k < 8; ++k)
                EXPECT_EQ(std::stof(cells[4 + k]), numbers[k]);
            EXPECT_EQ(cells[12], state.is_asleep ? "1" : "0");
        }
    }
    EXPECT_EQ(row, table.size());
}

TEST_F(Export, WritesContactsAsATable) {
    ASSERT_EQ(graze("export run.grec -o touch.csv --contacts").exit_code, 0);
    const auto table = rows("touch.csv");
    std::size_t row = 1;
    for (std::int64_t i = 0; i < kFrames; ++i) {
        for (const Contact& contact : testing::made_up_frame(kBodies, i).contacts) {
            ASSERT_LT(row, table.size());
            const auto& cells = table[row++];
            ASSERT_EQ(cells.size(), 11u);
            EXPECT_EQ(cells[0], std::to_string(i));
            EXPECT_EQ(cells[2], std::to_string(contact.body_a));
            EXPECT_EQ(cells[3], std::to_string(contact.body_b));
            EXPECT_NEAR(std::stof(cells[6]), contact.position.z, 1e-5);
            EXPECT_NEAR(std::stof(cells[9]), contact.normal.z, 1e-4);
            EXPECT_NEAR(std::stof(cells[10]), contact.distance, 1e-5);
        }
    }
    EXPECT_EQ(row, table.size());
}

TEST_F(Export, SaysWhatIsWrong) {
    const auto message = [&](const std::string& arguments) {
        const Outcome outcome = graze("export " + arguments);
        EXPECT_EQ(outcome.exit_code, 1) << arguments;
        EXPECT_EQ(outcome.out, "") << arguments;
        return outcome.err;
    };
    EXPECT_THAT(message("run.grec -o run.obj"), HasSubstr("end its name in .glb, .csv or .html"));
    EXPECT_THAT(message("run.grec -o run.glb --contacts"), HasSubstr("to a .csv"));
    EXPECT_THAT(message("run.grec -o none/run.glb"), HasSubstr("there is no folder"));
    EXPECT_THAT(message("none.grec -o run.glb"), HasSubstr("none.grec: cannot read"));
    write("text.grec", "v 0 0 0\n");
    EXPECT_THAT(message("text.grec -o run.glb"), HasSubstr("this is no recording"));
    EXPECT_EQ(graze("export run.grec").exit_code, 2);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "run.glb"));
}

TEST_F(Export, InfoDescribesRecordings) {
    const Outcome text = graze("info run.grec cut.grec");
    EXPECT_EQ(text.exit_code, 0);
    EXPECT_THAT(text.out, AllOf(StartsWith("run.grec\n"), HasSubstr("bodies"), HasSubstr("made up"),
                                HasSubstr("still at work")));
    const Outcome outcome = graze("info --json run.grec cut.grec");
    EXPECT_EQ(outcome.exit_code, 0);
    json reports = json::parse(outcome.out);
    EXPECT_GT(reports[0]["file_bytes"], 1000);
    reports[0].erase("file_bytes");
    EXPECT_NEAR(reports[0]["duration"], 19.0 / 60, 1e-12);
    reports[0].erase("duration");
    EXPECT_EQ(reports[0], json::parse(R"({"file": "run.grec", "scene": "made up", "body_count": 4,
        "shape_count": 2, "triangle_count": 8, "frame_count": 20,
        "frame_time": 0.016666666666666666, "complete": true, "why_incomplete": null})"));
    EXPECT_EQ(reports[1]["complete"], false);
    EXPECT_THAT(reports[1]["why_incomplete"], HasSubstr("20 frames"));
}

#ifdef GRAZE_HAS_PAGE

using testing::PageParts;
using testing::part_of;

TEST_F(Export, WritesAPageThatCarriesTheRecording) {
    const Outcome outcome = graze("export run.grec -o run.html");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_THAT(outcome.out, StartsWith("run.html: 20 frames of 4 bodies, "));
    const std::string page = read("run.html");
    testing::write_as_recording(PageParts(page).raw, 1, folder_ / "again.grec");
    const Recording carried(folder_ / "again.grec");
    ASSERT_EQ(carried.frame_count(), kFrames);
    for (std::int64_t i = 0; i < kFrames; ++i)
        EXPECT_TRUE(testing::is_recorded(carried.frame(i), testing::made_up_frame(kBodies, i)));
    EXPECT_EQ(part_of(page, "steps"), "");
    EXPECT_LT(page.size() - part_of(page, "run").size(), 900'000u);
    EXPECT_EQ(page.find("src=\"http"), std::string::npos);
}

TEST_F(Export, APageCarriesWhatTheStepsDid) {
    write("steps.csv", "step,time,pairs,detect_seconds\n1,0.5,3,0.25\n2,1,5,0.125\n3,1.5,9");
    ASSERT_EQ(graze("export run.grec -o run.html").exit_code, 0);
    const json steps = json::parse(part_of(read("run.html"), "steps"));
    EXPECT_EQ(steps["time"], json({0.5, 1}));
    EXPECT_EQ(steps["pairs"], json({3, 5}));
    EXPECT_EQ(steps["detect_seconds"], json({0.25, 0.125}));
    // Another table of that name is none of the run's.
    write("steps.csv", "time,</script><script>\n1,2\n");
    ASSERT_EQ(graze("export run.grec -o run.html").exit_code, 0);
    EXPECT_EQ(part_of(read("run.html"), "steps"), "");
}

#else

TEST_F(Export, WithoutThePageItSaysHowToGetIt) {
    for (const char* command : {"export run.grec -o run.html", "view run.grec --no-open",
                                "view run.grec --serve --no-open"}) {
        const Outcome outcome = graze(command);
        EXPECT_EQ(outcome.exit_code, 1);
        EXPECT_THAT(outcome.err, HasSubstr("built without the page"));
    }
    EXPECT_FALSE(std::filesystem::exists(folder_ / "run.html"));
}

#endif

}  // namespace
}  // namespace graze
