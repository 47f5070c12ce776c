// Runs graze impacts on one step and on a folder of frames: what it finds, its kinds of output,
// messages and exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "graze/generate_mesh.h"
#include "graze/mesh_io.h"
#include "tests/apps/graze/program_output.h"
#include "tests/apps/graze/program_test.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A triangle that lies still, and the tip (vertex 3) of another one above it at this height.
MeshD tip_at(double height) {
    return {{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {1, 1, height}, {1, 1.5, 3}, {1.5, 1, 3}},
            {{{0, 1, 2}}, {{3, 4, 5}}}};
}

// Two triangles that stand across each other, the upper one so high that its lower edge is there.
MeshD blade_at(double height) {
    return {
        {{-1, 0, 0}, {1, 0, 0}, {0, 0, -5}, {0, -1, height}, {0, 1, height}, {0, 0, height + 5}},
        {{{0, 1, 2}}, {{3, 4, 5}}}};
}

class ImpactsCommand : public ProgramTest {
protected:
    void SetUp() override {
        ProgramTest::SetUp();
        if (IsSkipped()) return;
        save_mesh(tip_at(1), folder_ / "tip0.obj");
        save_mesh(tip_at(-1), folder_ / "tip1.obj");
        save_mesh(blade_at(1), folder_ / "blade0.ply");
        save_mesh(blade_at(-1), folder_ / "blade1.ply");
    }
    json impacts(const std::string& arguments) const {
        const Outcome outcome = graze("impacts --json " + arguments);
        EXPECT_EQ(outcome.exit_code, 0) << arguments << ": " << outcome.err;
        EXPECT_EQ(outcome.err, "") << arguments;
        return outcome.exit_code == 0 ? json::parse(outcome.out) : json{};
    }
};

// Never late, and no earlier than it has to be.
void expect_half(double time) {
    EXPECT_LE(time, 0.5);
    EXPECT_GE(time, 0.499);
}

TEST_F(ImpactsCommand, JsonHasTheDocumentedKeys) {
    const json report = impacts("tip0.obj tip1.obj");
    EXPECT_EQ(keys(report),
              (std::set<std::string>{"t0", "t1", "vertex_count", "triangle_count", "earliest_time",
                                     "crossed_count", "crossed", "impact_count",
                                     "vertex_face_count", "edge_edge_count", "options", "report",
                                     "seconds", "vertex_face", "edge_edge"}));
    EXPECT_EQ(keys(report["options"]),
              (std::set<std::string>{"device", "threads", "search", "solver", "min_separation",
                                     "positions"}));
    EXPECT_EQ(
        keys(report["report"]),
        (std::set<std::string>{"search", "element_pair_count", "vertex_face_candidate_count",
                               "edge_edge_candidate_count", "exhausted_count", "slice_count"}));
    EXPECT_EQ(keys(report["seconds"]), (std::set<std::string>{"load", "detect", "stages"}));
    EXPECT_EQ(report["t1"], "tip1.obj");
    EXPECT_EQ(report["vertex_count"], 6);
    EXPECT_EQ(report["triangle_count"], 2);
}

TEST_F(ImpactsCommand, FindsTheVertexThatMeetsAFace) {
    const json report = impacts("tip0.obj tip1.obj");
    EXPECT_EQ(report["impact_count"], 1);
    EXPECT_EQ(report["vertex_face_count"], 1);
    EXPECT_EQ(report["edge_edge_count"], 0);
    ASSERT_EQ(report["vertex_face"].size(), 1u);
    EXPECT_EQ(report["vertex_face"][0][0], 3);
    EXPECT_EQ(report["vertex_face"][0][1], 0);
    expect_half(report["vertex_face"][0][2]);
    EXPECT_EQ(report["earliest_time"], report["vertex_face"][0][2]);
    EXPECT_EQ(report["edge_edge"], json::array());
}

TEST_F(ImpactsCommand, FindsTheEdgesThatMeet) {
    const json report = impacts("blade0.ply blade1.ply");
    EXPECT_EQ(report["vertex_face"], json::array());
    ASSERT_EQ(report["edge_edge"].size(), 1u);
    const json& found = report["edge_edge"][0];
    EXPECT_EQ((std::vector<int>{found[0], found[1], found[2], found[3]}),
              (std::vector<int>{0, 1, 3, 4}));
    expect_half(found[4]);
}

TEST_F(ImpactsCommand, SaysWhereNothingMeets) {
    const json report = impacts("tip0.obj tip0.obj");
    EXPECT_EQ(report["impact_count"], 0);
    EXPECT_TRUE(report["earliest_time"].is_null());
    EXPECT_THAT(graze("impacts tip0.obj tip0.obj").out,
                AllOf(StartsWith("tip0.obj to tip0.obj: nothing meets\n"),
                      HasSubstr("\n  earliest time           none\n")));
    EXPECT_EQ(impacts("tip0.obj tip0.obj --min-separation 0.75")["impact_count"], 0);
    // Within the separation only what comes closer meets.
    EXPECT_EQ(impacts("tip0.obj tip0.obj --min-separation 1.01")["impact_count"], 0);
    EXPECT_EQ(impacts("tip1.obj tip0.obj --min-separation 0.5")["impact_count"], 1);
    EXPECT_EQ(impacts("tip0.obj tip1.obj --min-separation 1.01")["vertex_face"][0][2], 0.0);
}

// Each triangle passes through the other, without a vertex in a face or edges that meet.
MeshD crossed_faces() {
    return {{{-2, -1, 0}, {2, -1, 0}, {0, 2, 0}, {0, -0.5, -1}, {0, -0.5, 1}, {0, 1, 0.25}},
            {{{0, 1, 2}}, {{3, 4, 5}}}};
}

TEST_F(ImpactsCommand, SaysWhatStartsCrossed) {
    save_mesh(crossed_faces(), folder_ / "crossed.obj");
    const json report = impacts("crossed.obj crossed.obj");
    EXPECT_EQ(report["earliest_time"], 0.0);
    EXPECT_EQ(report["crossed_count"], 1);
    EXPECT_EQ(report["crossed"], json::parse("[[0, 1]]"));
    EXPECT_EQ(report["impact_count"], 0);
    EXPECT_EQ(impacts("crossed.obj crossed.obj --earliest")["earliest_time"], 0.0);
    EXPECT_EQ(impacts("crossed.obj crossed.obj --earliest")["crossed"], report["crossed"]);
    EXPECT_THAT(graze("impacts crossed.obj crossed.obj").out,
                AllOf(StartsWith("crossed.obj to crossed.obj: something meets\n"),
                      HasSubstr("\n  crossed at the start    1 pair of faces\n"),
                      HasSubstr("\n  earliest time           0\n"), HasSubstr("\n    0-1\n")));
    EXPECT_THAT(graze("impacts crossed.obj crossed.obj --csv").out,
                HasSubstr("\ncrossed,,,,,0,0,,,,,,,,1\n"));
    EXPECT_EQ(graze("impacts crossed.obj crossed.obj --csv --earliest").out, "earliest_time\n0\n");
    fs::create_directory(folder_ / "still");
    for (const char* name : {"still/1.obj", "still/2.obj"})
        save_mesh(crossed_faces(), folder_ / name);
    const json still = impacts("still");
    EXPECT_EQ(still["steps"][0]["earliest_time"], 0.0);
    EXPECT_EQ(still["steps"][0]["crossed"], report["crossed"]);
    EXPECT_EQ(still["last_frame"]["crossed"], report["crossed"]);
    EXPECT_THAT(graze("impacts still --csv").out,
                AllOf(HasSubstr(",0-1\n1,"), EndsWith("\n1,\"2.obj\",1,,,,,0-1\n")));
    const json apart = impacts("tip0.obj tip1.obj");
    EXPECT_EQ(apart["crossed_count"], 0);
    EXPECT_EQ(apart["crossed"], json::array());
}

// In a file a rope is a triangle that names a vertex twice.
TEST_F(ImpactsCommand, SaysWhichRopesStartThroughFaces) {
    const MeshD mesh{{{-2, -1, 0}, {2, -1, 0}, {0, 2, 0}, {0, 0, -1}, {0, 0, 1}},
                     {{{0, 1, 2}}, {{3, 4, 4}}}};
    save_mesh(mesh, folder_ / "rope.obj");
    const json report = impacts("rope.obj rope.obj");
    EXPECT_EQ(report["earliest_time"], 0.0);
    EXPECT_EQ(report["crossed"], json::parse("[[0, 1]]"));
    EXPECT_EQ(impacts("rope.obj rope.obj --earliest")["earliest_time"], 0.0);
}

TEST_F(ImpactsCommand, PrintsASummary) {
    const Outcome outcome = graze("impacts tip0.obj tip1.obj");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_THAT(outcome.out,
                AllOf(StartsWith("tip0.obj to tip1.obj: something meets\n"),
                      HasSubstr("\n  impacts                 1\n"), HasSubstr("vertex-face"),
                      HasSubstr("face 0"), Not(HasSubstr("\033")), Not(HasSubstr("nan"))));
}

TEST_F(ImpactsCommand, GivesOnlyTheEarliestTime) {
    const json report = impacts("tip0.obj tip1.obj --earliest");
    expect_half(report["earliest_time"]);
    EXPECT_FALSE(report.contains("impact_count"));
    EXPECT_FALSE(report.contains("vertex_face"));
    EXPECT_THAT(graze("impacts tip0.obj tip1.obj --earliest --csv").out,
                StartsWith("earliest_time\n0."));
    EXPECT_EQ(graze("impacts tip0.obj tip0.obj --earliest --csv").out, "earliest_time\n\n");
}

TEST_F(ImpactsCommand, WritesCsv) {
    const Outcome outcome = graze("impacts --csv blade0.ply blade1.ply");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, StartsWith("kind,v0,v1,v2,v3,face,time,normal_x,normal_y,normal_z,"
                                        "weight_0,weight_1,weight_2,weight_3,other_face\n"
                                        "edge-edge,0,1,3,4,,0."));
    EXPECT_EQ(line_count(outcome.out), 2);
    EXPECT_THAT(graze("impacts --csv tip0.obj tip1.obj").out,
                HasSubstr("\nvertex-face,3,0,1,2,0,0."));
}

TEST_F(ImpactsCommand, WritesFilesByExtensionOrFlag) {
    const Outcome outcome = graze("impacts tip0.obj tip1.obj -o found.json");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, StartsWith("tip0.obj to tip1.obj"));
    EXPECT_EQ(json::parse(read("found.json"))["impact_count"], 1);
    EXPECT_EQ(graze("impacts tip0.obj tip1.obj --csv -o found.txt").exit_code, 0);
    EXPECT_THAT(read("found.txt"), StartsWith("kind,"));
}

// A gap that floats do not have.
TEST_F(ImpactsCommand, UsesEveryDigit) {
    MeshD t0 = tip_at(1e-12), t1 = t0;
    for (MeshD* mesh : {&t0, &t1})
        for (Vec3d& p : mesh->positions)
            p.z += 1;
    save_mesh(t0, folder_ / "near0.ply", MeshEncoding::binary_little_endian);
    save_mesh(t1, folder_ / "near1.ply", MeshEncoding::binary_big_endian);
    const json apart = impacts("near0.ply near1.ply");
    EXPECT_EQ(apart["options"]["positions"], "double");
    EXPECT_EQ(apart["impact_count"], 0);
    t1.positions[3].z = 1;
    save_mesh(t1, folder_ / "near1.ply", MeshEncoding::binary_little_endian);
    EXPECT_EQ(impacts("near0.ply near1.ply")["impact_count"], 1);
}

TEST_F(ImpactsCommand, DoesNotDependOnHowItSearches) {
    for (const char* files : {"tip0.obj tip1.obj ", "blade0.ply blade1.ply "}) {
        const json expected = impacts(files);
        for (const char* arguments : {"--threads 1", "--threads 2", "--search tree",
                                      "--search one_level_grid", "--search two-level-grid"}) {
            const json report = impacts(files + std::string(arguments));
            EXPECT_EQ(report["vertex_face"], expected["vertex_face"]) << files << arguments;
            EXPECT_EQ(report["edge_edge"], expected["edge_edge"]) << files << arguments;
        }
        const json cubic = impacts(files + std::string("--solver cubic"));
        EXPECT_EQ(cubic["impact_count"], 1) << files;
        EXPECT_NEAR(cubic["earliest_time"].get<double>(), 0.5, 1e-6) << files;
    }
}

// A quad that turns concave would be cut along its other diagonal, were it on its own.
TEST_F(ImpactsCommand, CutsPolygonsByTheFirstFrame) {
    const std::string tip = "v 1 1 1\nv 1 1.5 3\nv 1.5 1 3\n",
                      down = "v 1 1 -1\nv 1 1.5 3\nv 1.5 1 3\n";
    const std::string faces = "f 2 3 4 1\nf 5 6 7\n";
    write("convex.obj", "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\n" + tip + faces);
    write("concave.obj", "v 0 0 0\nv 4 0 0\nv 1 1 0\nv 0 4 0\n" + down + faces);
    const json report = impacts("convex.obj concave.obj");
    EXPECT_EQ(report["triangle_count"], 3);
    EXPECT_GE(report["impact_count"], 1);
    EXPECT_EQ(impacts("concave.obj convex.obj")["triangle_count"], 3);
    fs::create_directory(folder_ / "quads");
    fs::copy(folder_ / "convex.obj", folder_ / "quads/1.obj");
    fs::copy(folder_ / "concave.obj", folder_ / "quads/2.obj");
    fs::copy(folder_ / "convex.obj", folder_ / "quads/3.obj");
    EXPECT_EQ(impacts("quads")["steps"].size(), 2u);
    write("other.obj", "v 0 0 0\nv 4 0 0\nv 4 4 0\nv 0 4 0\n" + tip + "f 1 2 3 4\nf 5 6 7\n");
    EXPECT_THAT(graze("impacts convex.obj other.obj").err, HasSubstr("differ in triangle 0"));
}

// Copies of a sphere in nearly the same place, which all run through each other.
MeshD copies_of_a_sphere(int count, double motion) {
    const Mesh sphere = make_sphere(1, 3);
    MeshD mesh;
    for (int i = 0; i < count; ++i) {
        const auto base = static_cast<std::uint32_t>(mesh.positions.size());
        const Vec3d offset{std::sin(i), std::sin(2.3 * i), std::sin(3.7 * i)};
        const Vec3d direction{std::cos(5.1 * i), std::cos(1.7 * i), std::cos(4.3 * i)};
        const Vec3d shift = offset * 0.002 + direction * motion;
        for (const Vec3& p : sphere.positions)
            mesh.positions.push_back(static_cast<Vec3d>(p) + shift);
        for (const Triangle& t : sphere.triangles)
            mesh.triangles.push_back({{t[0] + base, t[1] + base, t[2] + base}});
    }
    return mesh;
}

// Neither what is found nor what is written of it is held at once.
TEST_F(ImpactsCommand, ManyImpactsFitIntoLittleMemory) {
    const int count = GRAZE_SANITIZED != 0 ? 4 : 64;
    save_mesh(copies_of_a_sphere(count, 0), folder_ / "a.ply");
    save_mesh(copies_of_a_sphere(count, 0.004), folder_ / "b.ply");
    const std::string limit = GRAZE_SANITIZED != 0 ? "" : "ulimit -v 900000; ";
    const Outcome rows =
        shell(limit + "'" + program_ + "' impacts a.ply b.ply --csv >rows.txt 2>err.txt");
    EXPECT_EQ(rows.exit_code, 0) << rows.err;
    // The text names the first of them, so all are looked at.
    const Outcome text =
        shell(limit + "'" + program_ + "' impacts a.ply b.ply >text.txt 2>err.txt");
    EXPECT_EQ(text.exit_code, 0) << text.err;
    EXPECT_THAT(read("text.txt"), HasSubstr("the earliest 5:"));
}

TEST_F(ImpactsCommand, FollowsAFolderOfFrames) {
    fs::create_directory(folder_ / "frames");
    // In the order of their numbers, not of their letters.
    save_mesh(tip_at(1), folder_ / "frames/f1.obj");
    save_mesh(tip_at(-1), folder_ / "frames/f2.obj");
    save_mesh(tip_at(-1), folder_ / "frames/f010.obj");
    write("frames/notes.txt", "no frame\n");
    write("frames/.f3.obj", "no frame either\n");
    write("frames/._f1.obj", "what a file manager leaves\n");
    const json report = impacts("frames");
    EXPECT_EQ(keys(report),
              (std::set<std::string>{"folder", "frame_count", "vertex_count", "triangle_count",
                                     "options", "last_frame", "steps"}));
    EXPECT_EQ(report["frame_count"], 3);
    ASSERT_EQ(report["steps"].size(), 2u);
    const json& first = report["steps"][0];
    EXPECT_EQ(keys(first),
              (std::set<std::string>{"frame", "t0", "t1", "impact_count", "vertex_face_count",
                                     "edge_edge_count", "earliest_time", "intersecting_pair_count",
                                     "milliseconds", "intersect_milliseconds", "crossed"}));
    EXPECT_EQ(first["t0"], "frames/f1.obj");
    EXPECT_EQ(first["t1"], "frames/f2.obj");
    EXPECT_EQ(first["impact_count"], 1);
    EXPECT_EQ(first["intersecting_pair_count"], 0);
    EXPECT_EQ(first["crossed"], json::array());
    expect_half(first["earliest_time"]);
    EXPECT_EQ(report["steps"][1]["t1"], "frames/f010.obj");
    EXPECT_EQ(report["steps"][1]["intersecting_pair_count"], 1);
    EXPECT_EQ(report["last_frame"]["intersecting_pair_count"], 1);

    const Outcome csv = graze("impacts frames --csv");
    EXPECT_EQ(csv.exit_code, 0) << csv.err;
    EXPECT_EQ(line_count(csv.out), 4);
    EXPECT_THAT(csv.out,
                AllOf(StartsWith("frame,file,intersecting_pairs,vertex_face,edge_edge,"
                                 "earliest_time,milliseconds,crossed\n0,\"f1.obj\",0,1,0,0."),
                      HasSubstr("\n2,\"f010.obj\",1,,,,,0-1\n")));
    const Outcome text = graze("impacts frames");
    EXPECT_EQ(text.exit_code, 0) << text.err;
    EXPECT_EQ(text.err, "");
    EXPECT_THAT(text.out,
                AllOf(StartsWith("frames\n"), HasSubstr("intersecting"), HasSubstr("f010.obj")));
    EXPECT_FALSE(impacts("frames --earliest")["steps"][0].contains("impact_count"));
}

TEST_F(ImpactsCommand, SaysWhatIsWrong) {
    fs::create_directory(folder_ / "empty");
    fs::create_directory(folder_ / "one");
    save_mesh(tip_at(1), folder_ / "one/f.obj");
    fs::create_directory(folder_ / "mixed");
    save_mesh(tip_at(1), folder_ / "mixed/f1.obj");
    save_mesh(blade_at(1), folder_ / "mixed/f2.obj");
    MeshD fewer = tip_at(1);
    fewer.triangles.pop_back();
    save_mesh(fewer, folder_ / "mixed/f3.obj");
    save_mesh(fewer, folder_ / "fewer.obj");
    MeshD turned = tip_at(1);
    turned.triangles[1] = {{4, 3, 5}};
    save_mesh(turned, folder_ / "turned.obj");
    MeshD more = tip_at(1);
    more.positions.push_back({9, 9, 9});
    save_mesh(more, folder_ / "more.obj");
    write("bad.ply", "ply\nformat ascii 1.0\nelement vertex 1\n");
    const auto expect_error = [&](const std::string& arguments, int exit_code, const char* what) {
        const Outcome outcome = graze("impacts " + arguments);
        EXPECT_EQ(outcome.exit_code, exit_code) << arguments;
        EXPECT_EQ(outcome.out, "") << arguments;
        EXPECT_THAT(outcome.err, AllOf(StartsWith("graze: "), HasSubstr(what))) << arguments;
        EXPECT_EQ(line_count(outcome.err), 1) << arguments;
    };
    expect_error("", 2, "T0");
    expect_error("tip0.obj", 1, "give a second file");
    expect_error("one tip0.obj", 1, "folder of frames");
    expect_error("tip0.obj nowhere.obj", 1, "nowhere.obj");
    expect_error("tip0.obj bad.ply", 1, "bad.ply");
    expect_error("tip0.obj more.obj", 1, "have 6 and 7 vertices");
    expect_error("tip0.obj fewer.obj", 1, "have 2 and 1 triangles");
    expect_error("tip0.obj turned.obj", 1, "differ in triangle 1");
    expect_error("mixed", 1, "f3.obj have 2 and 1 triangles");
    expect_error("empty", 1, "no mesh in it");
    expect_error("one", 1, "only one mesh");
    expect_error("tip0.obj tip1.obj --solver magic", 2, "magic");
    expect_error("tip0.obj tip1.obj --min-separation nan", 2, "nan");
    expect_error("tip0.obj tip1.obj --min-separation -1", 2, "-1");
    expect_error("tip0.obj tip1.obj --json --csv", 2, "--csv");
    expect_error("tip0.obj tip1.obj -o out.png", 1, "no such format");
    EXPECT_FALSE(fs::exists(folder_ / "out.png"));
}

TEST_F(ImpactsCommand, HelpTeaches) {
    const Outcome outcome = graze("impacts --help");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("Examples:"), HasSubstr("--min-separation"),
                                   HasSubstr("--earliest"), HasSubstr("certified")));
}

}  // namespace
}  // namespace graze
