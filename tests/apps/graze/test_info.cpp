// Runs the program itself: its output, its messages and its exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/apps/graze/program_test.h"
#include "tests/needs_data.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kCube =
    "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 2 2 0\nv 0 0 2\nv 2 0 2\nv 0 2 2\nv 2 2 2\n"
    "f 1 5 7 3\nf 2 4 8 6\nf 1 2 6 5\nf 3 7 8 4\nf 1 3 4 2\nf 5 6 8 7\n";

class Info : public ProgramTest {
protected:
    void SetUp() override {
        ProgramTest::SetUp();
        if (IsSkipped()) return;
        write("cube.obj", kCube);
        write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
        write("bad.obj", "v 0 0 0\nf 1 2 3\n");
    }
};

TEST_F(Info, HumanOutput) {
    const Outcome outcome = graze("info cube.obj");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_THAT(outcome.out,
                AllOf(StartsWith("cube.obj\n"), HasSubstr("\n  vertices                8\n"),
                      HasSubstr("\n  triangles               12\n"),
                      HasSubstr("\n  volume                  8\n"),
                      HasSubstr("all methods (particles, features, sweep, rays) work on it")));
    EXPECT_THAT(outcome.out, Not(HasSubstr("\033")));  // no colours in a file
}

TEST_F(Info, JsonOfACube) {
    const Outcome outcome = graze("info --json cube.obj");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    json report = json::parse(outcome.out);
    EXPECT_THAT(report["findings"], ElementsAre(HasSubstr("all methods")));
    report.erase("findings");
    EXPECT_EQ(report, json::parse(R"({
        "file": "cube.obj", "vertex_count": 8, "triangle_count": 12, "edge_count": 18,
        "component_count": 1, "euler_characteristic": 2, "boundary_edge_count": 0,
        "non_manifold_edge_count": 0, "inconsistent_edge_count": 0,
        "duplicate_triangle_count": 0, "degenerate_triangle_count": 0,
        "isolated_vertex_count": 0, "self_intersection_count": 0, "closed": true,
        "volume": 8.0, "area": 24.0, "min": [0, 0, 0], "max": [2, 2, 2],
        "part_count": 1, "turned_part_count": 0, "inward_part_count": 0, "inward_parts": [],
        "repeated_vertex_count": 0, "joined": null})"));
}

// What the builder of its field turns around, the report names.
TEST_F(Info, PartsThatAreInsideOut) {
    GRAZE_NEEDS_DATA("broken/inverted_part.obj");
    const std::string file = (data_folder() / "broken/inverted_part.obj").string();
    const std::string text = graze("info '" + file + "'").out;
    EXPECT_THAT(text, AllOf(HasSubstr("\n  parts turned around     1\n"),
                            HasSubstr("1 of the mesh's 2 parts is inside out"),
                            HasSubstr("12 triangles between (2, 0, 0) and (2.5, 0.5, 0.5)"),
                            HasSubstr("turn it around")));
    EXPECT_THAT(text, Not(HasSubstr("all methods")));
    const json report = json::parse(graze("info --json '" + file + "'").out);
    EXPECT_EQ(report["part_count"], 2);
    EXPECT_EQ(report["turned_part_count"], 1);
    EXPECT_EQ(report["inward_parts"], json::parse(R"([{"triangle_count": 12, "closed": true,
        "turned": true, "min": [2, 0, 0], "max": [2.5, 0.5, 0.5]}])"));
}

// Every triangle has corners of its own, as along the seams of exported files.
TEST_F(Info, VerticesAtTheSamePositionAreJoined) {
    std::string text;
    const Mesh cube = sample::cube();
    for (const Triangle& t : cube.triangles) {
        for (const std::uint32_t v : t.v) {
            const Vec3& p = cube.positions[v];
            text += "v " + std::to_string(p.x) + " " + std::to_string(p.y) + " " +
                    std::to_string(p.z) + "\n";
        }
        text += "f -3 -2 -1\n";
    }
    write("loose.obj", text);
    const json report = json::parse(graze("info --json loose.obj").out);
    EXPECT_EQ(report["vertex_count"], 36);
    EXPECT_EQ(report["boundary_edge_count"], 36);
    EXPECT_EQ(report["repeated_vertex_count"], 28);
    EXPECT_EQ(report["joined"]["vertex_count"], 8);
    EXPECT_EQ(report["joined"]["boundary_edge_count"], 0);
    EXPECT_EQ(report["joined"]["self_intersection_count"], 0);
    EXPECT_EQ(report["joined"]["closed"], true);
    ASSERT_EQ(report["findings"].size(), 2u);
    EXPECT_THAT(std::string(report["findings"][0]), HasSubstr("closed and consistently oriented"));
    EXPECT_THAT(std::string(report["findings"][1]),
                HasSubstr("28 vertices are at the position of another"));
    const std::string human = graze("info loose.obj").out;
    EXPECT_THAT(human, HasSubstr("0  (as given: 36)"));
    EXPECT_TRUE(json::parse(graze("info --json cube.obj").out)["joined"].is_null());
}

TEST_F(Info, SelfIntersectionsNotCountedAreNull) {
    const json report = json::parse(graze("info --json --no-self-intersections cube.obj").out);
    EXPECT_TRUE(report["self_intersection_count"].is_null());
    EXPECT_THAT(graze("info --no-self-intersections cube.obj").out, HasSubstr("not counted"));
}

TEST_F(Info, TheNumberOfThreadsDoesNotMatter) {
    EXPECT_EQ(graze("info --json cube.obj --threads 1").out,
              graze("info --threads 2 --json cube.obj").out);
}

TEST_F(Info, SeveralFilesGiveAnArray) {
    const Outcome outcome = graze("info --json cube.obj open.obj");
    EXPECT_EQ(outcome.exit_code, 0);
    const json reports = json::parse(outcome.out);
    ASSERT_EQ(reports.size(), 2u);
    EXPECT_EQ(reports[0]["file"], "cube.obj");
    EXPECT_EQ(reports[1]["file"], "open.obj");
    EXPECT_EQ(reports[1]["boundary_edge_count"], 3);
    EXPECT_EQ(reports[1]["closed"], false);
}

TEST_F(Info, ABadFileDoesNotStopTheOthers) {
    const Outcome text = graze("info bad.obj cube.obj missing.ply open.obj");
    EXPECT_EQ(text.exit_code, 1);
    EXPECT_THAT(text.out, AllOf(StartsWith("cube.obj\n"), HasSubstr("\n\nopen.obj\n")));
    EXPECT_THAT(text.err, AllOf(StartsWith("graze: "), HasSubstr("bad.obj"), HasSubstr("\ngraze: "),
                                HasSubstr("missing.ply")));
    EXPECT_EQ(std::count(text.err.begin(), text.err.end(), '\n'), 2);

    const Outcome outcome = graze("info --json bad.obj cube.obj");
    EXPECT_EQ(outcome.exit_code, 1);
    const json reports = json::parse(outcome.out);
    ASSERT_EQ(reports.size(), 2u);
    EXPECT_EQ(reports[0].size(), 2u);
    EXPECT_EQ(reports[0]["file"], "bad.obj");
    EXPECT_THAT(reports[0]["error"].get<std::string>(), HasSubstr("bad.obj"));
    EXPECT_EQ(reports[1]["vertex_count"], 8);
}

TEST_F(Info, AMissingFile) {
    const Outcome outcome = graze("info --json missing.obj");
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(json::parse(outcome.out)["file"], "missing.obj");
    EXPECT_THAT(outcome.err, StartsWith("graze: "));
    EXPECT_EQ(graze("info missing.obj").exit_code, 1);
    EXPECT_EQ(graze("info notes.txt").exit_code, 1);
    EXPECT_EQ(graze("info .").exit_code, 1);
}

TEST_F(Info, WrongCommandLines) {
    for (const char* arguments : {"", "info", "info --unknown cube.obj", "unknown",
                                  "info --threads x cube.obj", "info --threads -1 cube.obj"}) {
        const Outcome outcome = graze(arguments);
        EXPECT_EQ(outcome.exit_code, 2) << arguments;
        EXPECT_EQ(outcome.out, "") << arguments;
        EXPECT_THAT(outcome.err, AllOf(StartsWith("graze: "), HasSubstr("--help"))) << arguments;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    }
}

TEST_F(Info, AnUnknownCommandIsAnsweredWithTheNearest) {
    const Outcome outcome = graze("colide cube.obj cube.obj");
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, StartsWith("graze: no command is called 'colide'; did you mean "
                                        "'collide'?; there are: info, field, "));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_THAT(graze("bogus").err, StartsWith("graze: no command is called 'bogus'; there are: "));
    EXPECT_THAT(graze("").err, StartsWith("graze: give a command, such as "));
    // A command that is one has its own messages.
    EXPECT_THAT(graze("info --bogus").err, Not(HasSubstr("no command")));
}

TEST_F(Info, HelpTeaches) {
    for (const char* arguments : {"--help", "info --help", "-h"}) {
        const Outcome outcome = graze(arguments);
        EXPECT_EQ(outcome.exit_code, 0);
        EXPECT_THAT(outcome.out, AllOf(HasSubstr("Examples:"), HasSubstr("graze info ")));
    }
    EXPECT_THAT(graze("--version").out, StartsWith("graze 0."));
    EXPECT_THAT(graze("devices").out, StartsWith("cpu "));
}

TEST_F(Info, AReaderThatGoesAwayIsNoError) {
    std::string many;
    for (int i = 0; i < 200; ++i)
        many += " cube.obj";
    const Outcome outcome = shell("{ '" + program_ + "' info" + many +
                                  " 2>err.txt; echo $? >code.txt; } | head -n 1 >out.txt; true");
    EXPECT_EQ(outcome.out, "cube.obj\n");
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(read("code.txt"), "0\n");
}

TEST_F(Info, ClosedOrFullOutput) {
    EXPECT_EQ(shell("'" + program_ + "' info cube.obj >&- 2>err.txt").exit_code, 0);
    ASSERT_TRUE(fs::exists("/dev/full"));
    const Outcome outcome = shell("'" + program_ + "' info cube.obj >/dev/full 2>err.txt");
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.err, StartsWith("graze: cannot write the output"));
}

TEST_F(Info, StrangeFileNames) {
    write("two\nlines \xff.obj", kCube);
    const Outcome outcome = graze("info --json \"$(printf 'two\\nlines \\377.obj')\"");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(json::parse(outcome.out)["vertex_count"], 8);
    const Outcome missing = graze("info \"$(printf 'no\\nsuch.obj')\"");
    EXPECT_EQ(std::count(missing.err.begin(), missing.err.end(), '\n'), 1);
}

// A bolt as exported, with vertices doubled along its seams: what is said is about the bolt.
TEST_F(Info, JoinsTheSeamsOfAnExport) {
    GRAZE_NEEDS_DATA("assemblies");
    const fs::path bolt = data_folder() / "assemblies" / "factory_bolt_m20_loose.obj";
    const json report = json::parse(graze("info --json '" + bolt.string() + "'").out);
    EXPECT_EQ(report["vertex_count"], 31830);
    EXPECT_EQ(report["boundary_edge_count"], 26892);
    EXPECT_EQ(report["self_intersection_count"], 91705);
    EXPECT_EQ(report["repeated_vertex_count"], 13449);
    const json& joined = report["joined"];
    EXPECT_EQ(joined["vertex_count"], 18381);
    EXPECT_EQ(joined["triangle_count"], 36758);
    EXPECT_EQ(joined["component_count"], 1);
    EXPECT_EQ(joined["euler_characteristic"], 2);
    EXPECT_EQ(joined["boundary_edge_count"], 0);
    EXPECT_EQ(joined["self_intersection_count"], 0);
    EXPECT_THAT(graze("info '" + bolt.string() + "'").out,
                AllOf(HasSubstr("boundary edges          0  (as given: 26,892)"),
                      HasSubstr("13,449 vertices are at the position of another"),
                      HasSubstr("The mesh is closed")));
}

}  // namespace
}  // namespace graze
