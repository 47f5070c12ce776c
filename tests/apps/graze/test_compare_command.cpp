// Runs graze compare: its table, JSON and page, messages and exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "graze/generate_mesh.h"
#include "graze/mesh_io.h"
#include "tests/apps/graze/program_output.h"
#include "tests/apps/graze/program_test.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class CompareCommand : public ProgramTest {
protected:
    void SetUp() override {
        ProgramTest::SetUp();
        if (IsSkipped()) return;
        save_mesh(make_sphere(0.5f, 2), folder_ / "ball.obj");
        save_mesh(make_torus({.segments = 24, .sides = 12}), folder_ / "ring.obj");
        save_mesh(make_sheet({.columns = 6, .rows = 6}), folder_ / "sheet.obj");
        write("bad.obj", "v 0 0 0\nf 1 2 3\n");
        write("nan.obj", "v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
        write("empty.obj", "v 0 0 0\n");
    }
    json compare(const std::string& arguments) const {
        const Outcome outcome =
            graze("compare --json -r 24 " + arguments +
                  (arguments.find("--poses") == arguments.npos ? " --poses 4" : ""));
        EXPECT_EQ(outcome.exit_code, 0) << arguments << ": " << outcome.err;
        EXPECT_EQ(outcome.err, "") << arguments;
        return outcome.exit_code == 0 ? json::parse(outcome.out) : json{};
    }
};

TEST_F(CompareCommand, JsonHasTheDocumentedKeys) {
    const json report = compare("ball.obj ring.obj");
    EXPECT_EQ(keys(report), (std::set<std::string>{"a", "b", "recommendation", "options", "seconds",
                                                   "methods", "poses"}));
    EXPECT_EQ(keys(report["a"]),
              (std::set<std::string>{"file", "triangle_count", "size", "has_inside", "whole_share",
                                     "field_error"}));
    EXPECT_EQ(keys(report["recommendation"]),
              (std::set<std::string>{"name", "method", "hint", "meets_all", "summary", "reasons",
                                     "options"}));
    EXPECT_EQ(
        keys(report["options"]),
        (std::set<std::string>{"poses", "seed", "touching", "placing", "motion", "travel", "use",
                               "accuracy", "patience", "device", "threads", "resolution"}));
    ASSERT_EQ(report["poses"].size(), 4u);
    EXPECT_EQ(keys(report["poses"][0]),
              (std::set<std::string>{"b", "b_end", "touches", "must_be_found", "contained",
                                     "part_count", "depth", "time"}));
    ASSERT_EQ(report["methods"].size(), 6u);
    for (const json& method : report["methods"]) {
        EXPECT_EQ(keys(method), (std::set<std::string>{"name",
                                                       "method",
                                                       "hint",
                                                       "applies",
                                                       "reason",
                                                       "pair_recall",
                                                       "must_count",
                                                       "missed_count",
                                                       "graze_count",
                                                       "found_graze_count",
                                                       "apart_count",
                                                       "false_pair_count",
                                                       "part_recall",
                                                       "part_count",
                                                       "found_part_count",
                                                       "judged_count",
                                                       "false_count",
                                                       "depth_error",
                                                       "normal_error",
                                                       "time_error",
                                                       "seconds",
                                                       "prepare_seconds",
                                                       "memory_bytes",
                                                       "worst_pose",
                                                       "poses"}));
        EXPECT_TRUE(method["applies"]);
        EXPECT_EQ(method["poses"].size(), 4u);
    }
    EXPECT_EQ(report["a"]["file"], "ball.obj");
    EXPECT_EQ(report["a"]["has_inside"], true);
    EXPECT_EQ(report["options"]["resolution"], 24);
}

// What it recommends can be typed as it is.
TEST_F(CompareCommand, TheHintIsACommandLine) {
    const json report = compare("ball.obj ring.obj");
    for (const json& method : report["methods"]) {
        const Outcome outcome =
            graze("collide ball.obj ring.obj -r 32 " + method["hint"].get<std::string>());
        EXPECT_EQ(outcome.exit_code, 0) << method["hint"] << outcome.err;
    }
}

TEST_F(CompareCommand, PrintsATableAndARecommendation) {
    const Outcome outcome = graze("compare ball.obj ring.obj -r 32 --poses 4");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_THAT(outcome.out,
                AllOf(StartsWith("Which method for ball.obj and ring.obj?\n"),
                      HasSubstr("4 poses, of which 3 touch"), HasSubstr("depth off"),
                      HasSubstr("(--method "), HasSubstr("\n  - "), Not(HasSubstr("\033"))));
}

TEST_F(CompareCommand, SeedsAndSharesChangeThePoses) {
    const json one = compare("ball.obj ring.obj"), again = compare("ball.obj ring.obj");
    EXPECT_EQ(one["poses"], again["poses"]);
    EXPECT_NE(one["poses"], compare("ball.obj ring.obj --seed 2")["poses"]);
    const json apart = compare("ball.obj ring.obj --touching 0");
    for (const json& pose : apart["poses"])
        EXPECT_EQ(pose["touches"], false);
    const json given = compare("ball.obj ball.obj --placing as_given");
    EXPECT_EQ(given["poses"][0]["b"]["translation"], json::parse("[0, 0, 0]"));
}

TEST_F(CompareCommand, MotionsLookIntoTheStep) {
    for (const char* motion : {"straight", "rigid"}) {
        const json report =
            compare(std::string("ring.obj ball.obj --poses 2 --travel 8 --motion ") + motion);
        for (const json& pose : report["poses"])
            EXPECT_FALSE(pose["b_end"].is_null());
        for (const json& method : report["methods"]) {
            if (method["method"] == "features") {
                EXPECT_FALSE(method["time_error"].is_null());
            }
        }
    }
    EXPECT_THAT(graze("compare ring.obj ball.obj -r 16 --poses 2 --motion straight").out,
                AllOf(HasSubstr("off [m]"), Not(HasSubstr("depth off  "))));
}

TEST_F(CompareCommand, OpenMeshesSayWhatDoesNotApply) {
    const Outcome outcome = graze("compare sheet.obj sheet.obj -r 32 --poses 3");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("does not apply"),
                                   HasSubstr("sheet.obj does not tell inside from outside"),
                                   HasSubstr("--method features"), HasSubstr("--sign shell")));
    // A shell makes a solid of it.
    const json shell = compare("sheet.obj sheet.obj --sign shell --thickness 0.1");
    for (const json& method : shell["methods"]) {
        if (method["method"] == "particles") {
            EXPECT_EQ(method["applies"], true);
        }
    }
}

// The page needs nothing beside it, and its pictures are PNG files.
TEST_F(CompareCommand, WritesAPageWithPictures) {
    write("<b>&.obj", read("ball.obj"));
    const Outcome outcome = graze("compare '<b>&.obj' ring.obj -r 24 --poses 4 -o which.html");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("which.html shows it"));
    const std::string page = read("which.html");
    EXPECT_THAT(page,
                AllOf(StartsWith("<!DOCTYPE html>"), HasSubstr("&lt;b&gt;&amp;.obj"),
                      HasSubstr("src=\"data:image/png;base64,iVBORw0KGgo"),
                      HasSubstr("tr class=\"best\""), HasSubstr("</html>"), Not(HasSubstr("<b>")),
                      Not(HasSubstr("http")), Not(HasSubstr("There is no picture"))));
}

TEST_F(CompareCommand, SaysWhatIsWrong) {
    const auto expect_error = [&](const std::string& arguments, int exit_code, const char* what) {
        const Outcome outcome = graze("compare " + arguments);
        EXPECT_EQ(outcome.exit_code, exit_code) << arguments;
        EXPECT_EQ(outcome.out, "") << arguments;
        EXPECT_THAT(outcome.err, AllOf(StartsWith("graze: "), HasSubstr(what))) << arguments;
        EXPECT_EQ(line_count(outcome.err), 1) << outcome.err;
    };
    expect_error("", 2, "A is required");
    expect_error("ball.obj", 2, "B is required");
    expect_error("ball.obj nowhere.obj", 1, "nowhere.obj");
    expect_error("ball.obj bad.obj", 1, "bad.obj");
    expect_error("nan.obj ball.obj", 1, "nan.obj");
    expect_error("ball.obj empty.obj", 1, "empty.obj: it has no triangles");
    expect_error("ball.obj field.gfield", 1, "field.gfield: methods are compared on triangles");
    expect_error("ball.obj ball.obj --poses 0", 2, "--poses");
    expect_error("ball.obj ball.obj --touching 1.5", 2, "--touching");
    expect_error("ball.obj ball.obj --travel 0", 2, "--travel");
    expect_error("ball.obj ball.obj --accuracy nan", 2, "--accuracy");
    expect_error("ball.obj ball.obj --patience 0", 2, "--patience");
    expect_error("ball.obj ball.obj --motion magic", 2, "magic");
    expect_error("ball.obj ball.obj --no-cache", 2, "--no-cache");
    expect_error("ball.obj ball.obj -o which.png", 1, "ends in .html");
    expect_error("ball.obj ball.obj -o nowhere/which.html", 1, "no folder nowhere");
}

// The signal comes while it compares; it is killed three seconds later, with another exit code.
TEST_F(CompareCommand, AnInterruptionIsAnsweredSoonAndLeavesNoPage) {
    save_mesh(make_torus({.segments = 256, .sides = 64}), folder_ / "large.obj");
    const Outcome outcome =
        shell("timeout --preserve-status -s INT -k 3 1 '" + program_ +
              "' compare large.obj large.obj --poses 5000 -o a.html >out.txt 2>err.txt");
    EXPECT_EQ(outcome.exit_code, 130);
    EXPECT_EQ(outcome.err, "graze: interrupted; a.html was not written\n");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "a.html"));
}

TEST_F(CompareCommand, HelpTeaches) {
    const Outcome outcome = graze("compare --help");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("Examples:"), HasSubstr("--placing"),
                                   HasSubstr("--motion"), HasSubstr("docs/methods.md")));
    EXPECT_THAT(graze("--help").out, HasSubstr("graze compare a.obj b.obj"));
}

}  // namespace
}  // namespace graze
