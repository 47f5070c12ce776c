// Runs graze intersect: its pairs and segments, its kinds of output, messages and exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "graze/mesh_io.h"
#include "tests/apps/graze/program_output.h"
#include "tests/apps/graze/program_test.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A triangle through another from x = 1 to x = 3, and one that lies in the first one's plane.
constexpr const char* kCrossing =
    "v 0 0 0\nv 4 0 0\nv 0 4 0\nv 1 1 -1\nv 1 1 1\nv 9 1 0\n"
    "v 0.5 0.25 0\nv 5 0 0\nv 5 0.5 0\n"
    "f 1 2 3\nf 4 5 6\nf 7 8 9\n";

class IntersectCommand : public ProgramTest {
protected:
    void SetUp() override {
        ProgramTest::SetUp();
        if (IsSkipped()) return;
        save_mesh(sample::cube(), folder_ / "cube.obj");
        write("crossing.obj", kCrossing);
        write("bad.obj", "v 0 0 0\nf 1 2 3\n");
    }
    json intersect(const std::string& arguments) const {
        const Outcome outcome = graze("intersect --json " + arguments);
        EXPECT_EQ(outcome.exit_code, 0) << arguments << ": " << outcome.err;
        EXPECT_EQ(outcome.err, "") << arguments;
        return outcome.exit_code == 0 ? json::parse(outcome.out) : json{};
    }
};

TEST_F(IntersectCommand, JsonHasTheDocumentedKeys) {
    const json report = intersect("crossing.obj");
    EXPECT_EQ(keys(report), (std::set<std::string>{"file", "vertex_count", "triangle_count",
                                                   "pair_count", "flat_pair_count", "face_count",
                                                   "options", "seconds", "pairs", "segments"}));
    EXPECT_EQ(keys(report["options"]),
              (std::set<std::string>{"device", "threads", "search", "positions"}));
    EXPECT_EQ(keys(report["seconds"]), (std::set<std::string>{"load", "detect"}));
    EXPECT_EQ(report["file"], "crossing.obj");
    EXPECT_EQ(report["vertex_count"], 9);
    EXPECT_EQ(report["triangle_count"], 3);
    EXPECT_EQ(report["options"]["device"], "cpu");
    EXPECT_EQ(report["options"]["positions"], "float");
}

// Triangles around one vertex, each of which crosses all others in a segment.
std::string crossing_fan(int count) {
    std::string text = "v 0 0 0\n";
    for (int i = 0; i < count; ++i) {
        const double angle = 3.141592653589793 * i / count;
        const double x = std::cos(angle), y = std::sin(angle);
        text += "v " + std::to_string(x) + " " + std::to_string(y) + " 1\n";
        text += "v " + std::to_string(-x) + " " + std::to_string(-y) + " 1\n";
        text += "f 1 -2 -1\n";
    }
    return text;
}

// Rows are written as they are made: the answer takes little beside the pairs.
TEST_F(IntersectCommand, ManyPairsFitIntoLittleMemory) {
    constexpr int kCount = GRAZE_SANITIZED != 0 ? 100 : 1500;
    write("fan.obj", crossing_fan(kCount));
    const std::string limit = GRAZE_SANITIZED != 0 ? "" : "ulimit -v 1500000; ";
    const Outcome outcome =
        shell(limit + "'" + program_ + "' intersect --json fan.obj >out.txt 2>err.txt");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(json::parse(outcome.out)["pairs"].size(), std::size_t{kCount} * (kCount - 1) / 2);
}

// Where even that does not fit, it is said in a line.
TEST_F(IntersectCommand, TooLittleMemoryIsSaid) {
    if (GRAZE_SANITIZED != 0) GTEST_SKIP() << "takes too long under a sanitizer";
    write("fan.obj", crossing_fan(2500));
    const Outcome outcome = shell("ulimit -v 400000; '" + program_ +
                                  "' intersect --json --threads 1 fan.obj >out.txt 2>err.txt");
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.err, AllOf(StartsWith("graze: "), HasSubstr("memory")));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
}

// The signal comes after two seconds, when the program surely waits for it. It is killed three
// seconds later, with another exit code.
TEST_F(IntersectCommand, AnInterruptionIsAnsweredSoon) {
    write("fan.obj", crossing_fan(3000));
    const Outcome outcome = shell("timeout --preserve-status -s INT -k 3 2 '" + program_ +
                                  "' intersect --threads 1 fan.obj -o a.json >out.txt 2>err.txt");
    EXPECT_EQ(outcome.exit_code, 130);
    EXPECT_EQ(outcome.err, "graze: interrupted; a.json was not written\n");
}

TEST_F(IntersectCommand, ListsPairsAndSegments) {
    const json report = intersect("crossing.obj");
    EXPECT_EQ(report["pair_count"], 2);
    EXPECT_EQ(report["flat_pair_count"], 1);
    EXPECT_EQ(report["face_count"], 3);
    EXPECT_EQ(report["pairs"], json::parse("[[0, 1], [0, 2]]"));
    ASSERT_EQ(report["segments"].size(), 2u);
    std::set<double> ends;
    for (const json& end : report["segments"][0]) {
        ends.insert(end[0].get<double>());
        EXPECT_EQ(end[1], 1.0);
        EXPECT_EQ(end[2], 0.0);
    }
    EXPECT_EQ(ends, (std::set<double>{1, 3}));
    EXPECT_TRUE(report["segments"][1].is_null());
}

TEST_F(IntersectCommand, FindsNothingInACube) {
    const json report = intersect("cube.obj");
    EXPECT_EQ(report["pair_count"], 0);
    EXPECT_EQ(report["pairs"], json::array());
    EXPECT_EQ(report["segments"], json::array());
    const Outcome outcome = graze("intersect cube.obj");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.out, StartsWith("cube.obj does not intersect itself\n"));
}

TEST_F(IntersectCommand, PrintsASummary) {
    const Outcome brief = graze("intersect crossing.obj");
    EXPECT_EQ(brief.exit_code, 0) << brief.err;
    EXPECT_EQ(brief.err, "");
    EXPECT_THAT(brief.out,
                AllOf(StartsWith("crossing.obj intersects itself\n"),
                      HasSubstr("\n  intersecting pairs      2\n"), HasSubstr("all 2:\n"),
                      Not(HasSubstr("start x")), Not(HasSubstr("\033"))));
    EXPECT_THAT(graze("intersect --segments crossing.obj").out,
                AllOf(HasSubstr("start x"), HasSubstr("flat\n")));
}

TEST_F(IntersectCommand, WritesCsv) {
    const Outcome outcome = graze("intersect --csv crossing.obj");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out,
                AllOf(StartsWith("a,b,flat,start_x,start_y,start_z,end_x,end_y,end_z\n0,1,0,"),
                      HasSubstr("\n0,2,1,,,,,,\n")));
}

TEST_F(IntersectCommand, WritesFilesByExtensionOrFlag) {
    for (const char* arguments : {"-o found.json", "--json -o found.txt"}) {
        const Outcome outcome = graze(std::string("intersect crossing.obj ") + arguments);
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        EXPECT_THAT(outcome.out, StartsWith("crossing.obj intersects itself\n"));
        const char* name = std::string(arguments).ends_with("json") ? "found.json" : "found.txt";
        EXPECT_EQ(json::parse(read(name))["pair_count"], 2) << arguments;
    }
    EXPECT_EQ(graze("intersect crossing.obj -o found.csv").exit_code, 0);
    EXPECT_THAT(read("found.csv"), StartsWith("a,b,flat,"));
}

// The pairs are the same however they are found.
TEST_F(IntersectCommand, DoesNotDependOnHowItSearches) {
    save_mesh(sample::random_soup(60, 150, 2), folder_ / "soup.ply");
    const json expected = intersect("soup.ply");
    EXPECT_GT(expected["pair_count"], 100);
    for (const char* arguments : {"--threads 1", "--threads 2", "--search tree",
                                  "--search one_level_grid", "--search two-level-grid"}) {
        const json report = intersect(std::string("soup.ply ") + arguments);
        EXPECT_EQ(report["pairs"], expected["pairs"]) << arguments;
        EXPECT_EQ(report["segments"], expected["segments"]) << arguments;
    }
}

// Two parallel triangles that only doubles can tell apart.
TEST_F(IntersectCommand, UsesEveryDigit) {
    MeshD mesh{
        {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {0, 0, 1 + 1e-12}, {1, 0, 1 + 1e-12}, {0, 1, 1 + 1e-12}},
        {{{0, 1, 2}}, {{3, 4, 5}}}};
    save_mesh(mesh, folder_ / "near.ply", MeshEncoding::binary_little_endian);
    const json apart = intersect("near.ply");
    EXPECT_EQ(apart["options"]["positions"], "double");
    EXPECT_EQ(apart["pair_count"], 0);
    for (int i = 3; i < 6; ++i)
        mesh.positions[static_cast<std::size_t>(i)].z = 1;
    save_mesh(mesh, folder_ / "near.ply", MeshEncoding::binary_little_endian);
    const json touching = intersect("near.ply");
    EXPECT_EQ(touching["options"]["positions"], "float");
    EXPECT_EQ(touching["pair_count"], 1);
}

TEST_F(IntersectCommand, SaysWhatIsWrong) {
    const auto expect_error = [&](const std::string& arguments, int exit_code, const char* what) {
        const Outcome outcome = graze("intersect " + arguments);
        EXPECT_EQ(outcome.exit_code, exit_code) << arguments;
        EXPECT_EQ(outcome.out, "") << arguments;
        EXPECT_THAT(outcome.err, AllOf(StartsWith("graze: "), HasSubstr(what))) << arguments;
    };
    expect_error("", 2, "MESH");
    expect_error("nowhere.obj", 1, "nowhere.obj");
    expect_error("bad.obj", 1, "bad.obj");
    expect_error("cube.txt", 1, "cube.txt");
    expect_error("cube.obj --search magic", 2, "magic");
    expect_error("cube.obj --json --csv", 2, "--csv");
    expect_error("cube.obj -o out.png", 1, "out.png: no such format");
    expect_error("cube.obj -o nowhere/out.json", 1, "no folder nowhere");
}

TEST_F(IntersectCommand, HelpTeaches) {
    const Outcome outcome = graze("intersect --help");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("Examples:"), HasSubstr("--segments"),
                                   HasSubstr("pair_count"), Not(HasSubstr("--solver"))));
}

}  // namespace
}  // namespace graze
