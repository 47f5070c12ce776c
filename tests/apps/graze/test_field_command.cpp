// Runs graze field, slice and mesh, and graze info on fields: their files, messages and exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>

#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>
#include <set>

#include "graze/generate_mesh.h"
#include "graze/image.h"
#include "graze/mesh_io.h"
#include "graze/mesh_report.h"
#include "tests/apps/graze/program_output.h"
#include "tests/apps/graze/program_test.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Of radius 1 around the origin, closed and outward.
Mesh sphere(int rings, int segments) {
    Mesh mesh;
    const auto vertex = [&](int ring, int segment) {
        const double a = M_PI * ring / rings, b = 2 * M_PI * segment / segments;
        return Vec3{static_cast<float>(std::sin(a) * std::cos(b)),
                    static_cast<float>(std::sin(a) * std::sin(b)), static_cast<float>(std::cos(a))};
    };
    mesh.positions = {{0, 0, 1}, {0, 0, -1}};
    for (int ring = 1; ring < rings; ++ring) {
        for (int segment = 0; segment < segments; ++segment)
            mesh.positions.push_back(vertex(ring, segment));
    }
    const auto id = [&](int ring, int segment) {
        return static_cast<std::uint32_t>(2 + (ring - 1) * segments + segment % segments);
    };
    for (int s = 0; s < segments; ++s) {
        mesh.triangles.push_back({{0, id(1, s), id(1, s + 1)}});
        for (int ring = 1; ring + 1 < rings; ++ring) {
            mesh.triangles.push_back({{id(ring, s), id(ring + 1, s), id(ring + 1, s + 1)}});
            mesh.triangles.push_back({{id(ring, s), id(ring + 1, s + 1), id(ring, s + 1)}});
        }
        mesh.triangles.push_back({{id(rings - 1, s), 1, id(rings - 1, s + 1)}});
    }
    return mesh;
}

constexpr double kSphereVolume = 4 * M_PI / 3;

class FieldCommand : public ProgramTest {
protected:
    void SetUp() override {
        ProgramTest::SetUp();
        if (IsSkipped()) return;
        save_mesh(sphere(40, 80), folder_ / "sphere.obj");
        save_mesh(sample::single_triangle(), folder_ / "triangle.obj");
        write("flat.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n");
        write("empty.obj", "# nothing\n");
        write("nan.obj", "v 0 0 0\nv 1 0 nan\nv 0 1 0\nf 1 2 3\n");
    }

    bool exists(const std::string& name) const { return fs::exists(folder_ / name); }
    // Nothing but what the test put there: no half-written file.
    std::set<std::string> files() const {
        std::set<std::string> names;
        for (const auto& entry : fs::directory_iterator(folder_))
            names.insert(entry.path().filename().string());
        for (const char* known : {"out.txt", "err.txt", "cache"})
            names.erase(known);
        return names;
    }
};

const std::set<std::string> kInfoKeys{
    "file",         "file_bytes",   "size",         "spacing",
    "min",          "max",          "order",        "sparse",
    "band",         "brick_count",  "sample_count", "memory_bytes",
    "error",        "sign",         "seconds",      "doubtful_sample_count",
    "doubtful_min", "doubtful_max", "findings",     "error_bound"};

TEST_F(FieldCommand, BuildsAndDescribes) {
    const Outcome built = graze("field sphere.obj -r 32 -o a.gfield");
    EXPECT_EQ(built.exit_code, 0) << built.err;
    EXPECT_EQ(built.err, "");  // no progress bar in a file
    EXPECT_THAT(built.out,
                AllOf(StartsWith("a.gfield\n"), HasSubstr("\n  grid                    32 x 32 x "),
                      HasSubstr("\n  kind                    dense, order 1\n"),
                      HasSubstr("voxels"), Not(HasSubstr("\033"))));
    EXPECT_TRUE(exists("a.gfield"));
    const Outcome told = graze("info a.gfield");
    EXPECT_EQ(told.exit_code, 0) << told.err;
    EXPECT_THAT(told.out, AllOf(StartsWith("a.gfield\n"), HasSubstr("dense, order 1")));
}

TEST_F(FieldCommand, JsonHasTheDocumentedKeys) {
    const Outcome built = graze("field --json sphere.obj -r 40 --order 0 -o a.gfield");
    ASSERT_EQ(built.exit_code, 0) << built.err;
    const json report = json::parse(built.out);
    std::set<std::string> expected = kInfoKeys;
    expected.insert({"mesh", "cached", "volume", "centre", "inertia"});
    EXPECT_EQ(keys(report), expected);
    EXPECT_EQ(report["file"], "a.gfield");
    EXPECT_EQ(report["mesh"], "sphere.obj");
    EXPECT_EQ(report["size"], json::array({40, 40, 40}));
    EXPECT_EQ(report["order"], 0);
    EXPECT_EQ(report["sparse"], false);
    EXPECT_EQ(report["band"], nullptr);
    EXPECT_EQ(report["sample_count"], 40 * 40 * 40);
    EXPECT_EQ(report["sign"], "crossings");
    EXPECT_EQ(report["doubtful_sample_count"], 0);
    EXPECT_EQ(report["doubtful_min"], nullptr);
    EXPECT_EQ(report["file_bytes"], fs::file_size(folder_ / "a.gfield"));
    EXPECT_GT(report["error"], 0);
    EXPECT_GT(report["error_bound"], report["spacing"].get<double>() * 0.8);
    EXPECT_LT(report["error_bound"], report["spacing"].get<double>() * 1.5);
    EXPECT_LT(report["error"], 2 * report["spacing"].get<double>());
    EXPECT_NEAR(report["volume"].get<double>(), kSphereVolume, 0.05);

    const json told = json::parse(graze("info --json a.gfield").out);
    EXPECT_EQ(keys(told), kInfoKeys);
    for (const std::string& key : kInfoKeys)
        EXPECT_EQ(told[key], report[key]) << key;
}

TEST_F(FieldCommand, Sparse) {
    const Outcome built =
        graze("field --json sphere.obj -r 128 --sparse --band 2 --threads 1 -o a.gfield");
    ASSERT_EQ(built.exit_code, 0) << built.err;
    const json report = json::parse(built.out);
    EXPECT_EQ(report["sparse"], true);
    EXPECT_GT(report["brick_count"], 0);
    EXPECT_LT(report["sample_count"], 128 * 128 * 128);
    EXPECT_NEAR(report["band"].get<double>(), 2 * report["spacing"].get<double>(), 1e-3);
    const json told = json::parse(graze("info --json a.gfield").out);
    for (const std::string& key : kInfoKeys)
        EXPECT_EQ(told[key], report[key]) << key;
    EXPECT_EQ(graze("field sphere.obj -r 128 --sparse --band 2 --no-cache -o b.gfield").exit_code,
              0);
    // Apart from how long it took, the number of threads does not matter.
    EXPECT_EQ(graze("mesh a.gfield -o a.obj").exit_code, 0);
    EXPECT_EQ(graze("mesh b.gfield -o b.obj").exit_code, 0);
    EXPECT_TRUE(read("a.obj") == read("b.obj"));
}

// Asked to, a build goes on to what holds thin parts, and the cache keeps that apart.
TEST_F(FieldCommand, TheResolutionRisesForThinParts) {
    Mesh mesh = sphere(20, 40), thread = sphere(20, 40);
    const auto first = static_cast<std::uint32_t>(mesh.positions.size());
    for (const Vec3& p : thread.positions)
        mesh.positions.push_back({1.8f + p.x, 0.02f + 0.01f * p.y, 0.02f + 0.01f * p.z});
    for (const Triangle& t : thread.triangles)
        mesh.triangles.push_back({{t[0] + first, t[1] + first, t[2] + first}});
    save_mesh(mesh, folder_ / "thread.obj");
    const auto built = [&](const std::string& options) {
        return json::parse(
            graze("field thread.obj -r 48 --sparse --json -o t.gfield " + options).out);
    };
    const json plain = built(""), fine = built("--finest 2000"), again = built("--finest 2000");
    EXPECT_THAT(plain["findings"].dump(), HasSubstr("fall through the grid"));
    EXPECT_THAT(fine["findings"].dump(), AllOf(HasSubstr("parts too thin for a resolution of 48"),
                                               Not(HasSubstr("fall through the grid"))));
    EXPECT_LT(fine["spacing"], plain["spacing"].get<double>() / 2);
    EXPECT_TRUE(again["cached"]);
    EXPECT_EQ(again["findings"], fine["findings"]);
    EXPECT_EQ(again["spacing"], fine["spacing"]);
    EXPECT_THAT(graze("info t.gfield").out, HasSubstr("the field was built at one of"));
}

TEST_F(FieldCommand, OtherFormats) {
    EXPECT_EQ(graze("field sphere.obj -r 16 -o a.npy").exit_code, 0);
    EXPECT_THAT(read("a.npy"), StartsWith("\x93NUMPY"));
    const Outcome vdb = graze("field sphere.obj -r 16 -o a.vdb");
    if (vdb.exit_code == 0) {
        EXPECT_EQ(graze("info a.vdb").exit_code, 0);
    } else {  // built without OpenVDB
        EXPECT_THAT(vdb.err, HasSubstr("OpenVDB"));
        EXPECT_FALSE(exists("a.vdb"));
    }
    const Outcome other = graze("field sphere.obj -o a.txt");
    EXPECT_EQ(other.exit_code, 1);
    EXPECT_THAT(other.err, AllOf(HasSubstr("a.txt"), HasSubstr(".gfield")));
    EXPECT_EQ(line_count(other.err), 1);
}

TEST_F(FieldCommand, TheSecondRunLoads) {
    EXPECT_EQ(json::parse(graze("field --json sphere.obj -r 32 -o a.gfield").out)["cached"], false);
    const json again = json::parse(graze("field --json sphere.obj -r 32 -o b.gfield").out);
    EXPECT_EQ(again["cached"], true);
    EXPECT_EQ(again["sign"], "crossings");
    EXPECT_TRUE(read("a.gfield") == read("b.gfield"));
    EXPECT_EQ(json::parse(graze("field --json sphere.obj -r 33 -o b.gfield").out)["cached"], false);
    EXPECT_EQ(
        json::parse(graze("field --json --no-cache sphere.obj -r 32 -o b.gfield").out)["cached"],
        false);
}

TEST_F(FieldCommand, WrongCommandLines) {
    for (const char* arguments : {"field",
                                  "field sphere.obj",
                                  "field -o a.gfield",
                                  "field sphere.obj -r 0 -o a.gfield",
                                  "field sphere.obj -r -5 -o a.gfield",
                                  "field sphere.obj -r 1 -o a.gfield",
                                  "field sphere.obj -r 2.5 -o a.gfield",
                                  "field sphere.obj -r many -o a.gfield",
                                  "field sphere.obj -r 99999999999999999999 -o a.gfield",
                                  "field sphere.obj --order 2 -o a.gfield",
                                  "field sphere.obj --band 3 -o a.gfield",
                                  "field sphere.obj --sparse --band -1 -o a.gfield",
                                  "field sphere.obj --sparse --band nan -o a.gfield",
                                  "field sphere.obj --sign guess -o a.gfield",
                                  "field sphere.obj --padding -1 -o a.gfield",
                                  "field sphere.obj --device tpu -o a.gfield",
                                  "field sphere.obj --threads -1 -o a.gfield",
                                  "field sphere.obj --thickness 0.1 -o a.gfield",
                                  "field sphere.obj --memory-limit lots -o a.gfield",
                                  "slice sphere.obj",
                                  "slice sphere.obj --axis w -o a.png",
                                  "slice sphere.obj --at 1.5 -o a.png",
                                  "slice sphere.obj --width 0 -o a.png",
                                  "slice sphere.obj --width x -o a.png",
                                  "slice sphere.obj --at 0.5 --coordinate 0 -o a.png",
                                  "field sphere.obj --memory-limit -1 -o a.gfield",
                                  "mesh sphere.obj",
                                  "mesh sphere.obj --level x -o a.obj"}) {
        const Outcome outcome = graze(arguments);
        EXPECT_EQ(outcome.exit_code, 2) << arguments;
        EXPECT_EQ(outcome.out, "") << arguments;
        EXPECT_THAT(outcome.err, AllOf(StartsWith("graze: "), HasSubstr("--help"))) << arguments;
        EXPECT_EQ(line_count(outcome.err), 1) << outcome.err;
    }
}

TEST_F(FieldCommand, WhatOnlyABuildHeedsIsRefusedForAField) {
    ASSERT_EQ(graze("field sphere.obj -r 16 -o a.gfield").exit_code, 0);
    for (const char* arguments :
         {"slice a.gfield -r 64 -o a.png", "mesh a.gfield --sparse -o b.obj",
          "collide a.gfield a.gfield -r 50"}) {
        const Outcome outcome = graze(arguments);
        EXPECT_EQ(outcome.exit_code, 1) << arguments;
        EXPECT_THAT(outcome.err, HasSubstr("a.gfield: it is a field already, and --")) << arguments;
    }
    // It is for the mesh here.
    EXPECT_EQ(graze("collide sphere.obj a.gfield -r 16").exit_code, 0);
}

TEST_F(FieldCommand, AThicknessBeyondAllIsNotTooSmall) {
    const Outcome outcome =
        graze("field sphere.obj -r 16 --sign shell --thickness 1e30 -o a.gfield");
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("the shell's thickness is too large"));
}

TEST_F(FieldCommand, TooLargeIsSaidBeforeAndWhatWouldFit) {
    for (const char* arguments :
         {"-r 20000", "-r 60000", "-r 60000 --sparse", "-r 256 --memory-limit 10M"}) {
        const Outcome outcome =
            graze(std::string("field sphere.obj ") + arguments + " -o a.gfield");
        EXPECT_EQ(outcome.exit_code, 1) << arguments;
        EXPECT_EQ(line_count(outcome.err), 1) << outcome.err;
        EXPECT_THAT(outcome.err, AllOf(StartsWith("graze: "), ContainsRegex("[0-9] ?[kMGTPE]?i?B"),
                                       ContainsRegex("resolution")))
            << arguments;
        EXPECT_FALSE(exists("a.gfield"));
    }
    // Beyond any memory.
    EXPECT_THAT(graze("field sphere.obj -r 1000000 -o a.gfield").err, HasSubstr("EiB"));
}

TEST_F(FieldCommand, BadMeshesLeaveTheOutputAlone) {
    write("kept.gfield", "as it was");
    const std::set<std::string> before = files();
    for (const char* mesh :
         {"empty.obj", "nan.obj", "missing.obj", "notes.txt", ".", "kept.gfield"}) {
        const Outcome outcome = graze(std::string("field ") + mesh + " -r 16 -o kept.gfield");
        EXPECT_EQ(outcome.exit_code, 1) << mesh;
        EXPECT_EQ(outcome.out, "");
        EXPECT_THAT(outcome.err, AllOf(StartsWith("graze: "), HasSubstr(mesh))) << mesh;
        EXPECT_EQ(line_count(outcome.err), 1) << outcome.err;
    }
    EXPECT_EQ(read("kept.gfield"), "as it was");
    EXPECT_EQ(files(), before);
}

// The bound of a field is one figure, whether it comes from the build or from the file, and is
// called proven only where it is.
TEST_F(FieldCommand, TheBoundHasOneMeaning) {
    Mesh open = make_sphere(1, 3);
    open.triangles.erase(open.triangles.begin(), open.triangles.begin() + 200);
    save_mesh(open, folder_ / "open.obj");
    for (const char* sign : {"winding", "crossings"}) {
        const std::string build = std::string("field open.obj -r 32 -o o.gfield --sign ") + sign;
        const json built = json::parse(graze(build + " --json").out);
        const json told = json::parse(graze("info --json o.gfield").out);
        EXPECT_EQ(built["error_bound"], told["error_bound"]) << sign;
        EXPECT_GT(built["error_bound"], 2 * built["spacing"].get<double>()) << sign;
        for (const std::string& text : {graze(build).out, graze("info o.gfield").out}) {
            EXPECT_THAT(text, HasSubstr("error, as bounded")) << sign;
            EXPECT_THAT(text, HasSubstr("not proven")) << sign;
            EXPECT_THAT(text, ::testing::Not(HasSubstr("error, proven"))) << sign;
        }
    }
    const Outcome closed = graze("field sphere.obj -r 32 -o c.gfield");
    EXPECT_THAT(closed.out, HasSubstr("error, proven"));
    EXPECT_EQ(json::parse(graze("info --json c.gfield").out)["error_bound"],
              json::parse(graze("field sphere.obj -r 32 -o c.gfield --json").out)["error_bound"]);
}

TEST_F(FieldCommand, BadOutputsAreSaidBeforeBuilding) {
    for (const char* output : {"no/such/folder/a.gfield", "cache"}) {
        fs::create_directories(folder_ / "cache");
        const Outcome outcome = graze(std::string("field sphere.obj -r 16 -o ") + output);
        EXPECT_EQ(outcome.exit_code, 1) << output;
        EXPECT_THAT(outcome.err, HasSubstr(output));
    }
    fs::create_directories(folder_ / "folder.gfield");
    EXPECT_EQ(graze("field sphere.obj -r 16 -o folder.gfield").exit_code, 1);
    EXPECT_EQ(graze("slice sphere.obj -r 16 -o slice.jpg").exit_code, 1);
    EXPECT_EQ(graze("mesh sphere.obj -r 16 -o mesh.xyz").exit_code, 1);
}

// Nothing is inside of a sheet, so it is all outside, or a shell around it.
TEST_F(FieldCommand, FlatMeshesAndSingleTriangles) {
    for (const char* mesh : {"flat.obj", "triangle.obj"}) {
        for (const char* sign : {"", " --sign auto", " --sign automatic"}) {
            const Outcome open =
                graze(std::string("field --json ") + mesh + sign + " -r 24 -o a.gfield");
            EXPECT_EQ(open.exit_code, 0) << open.err;
            const json report = json::parse(open.out);
            EXPECT_EQ(report["sign"], "winding") << mesh;
            EXPECT_FALSE(report["findings"].empty()) << mesh;
        }

        const Outcome shell = graze(std::string("field --json ") + mesh +
                                    " -r 48 --sign shell --thickness 0.1 -o b.gfield");
        EXPECT_EQ(shell.exit_code, 0) << shell.err;
        EXPECT_EQ(json::parse(shell.out)["sign"], "shell");
        EXPECT_EQ(graze("mesh b.gfield -o b.obj").exit_code, 0);
        EXPECT_TRUE(inspect(load_mesh(folder_ / "b.obj")).is_closed()) << mesh;
    }
}

TEST_F(FieldCommand, AlteredFieldsAreRefused) {
    ASSERT_EQ(graze("field sphere.obj -r 16 -o a.gfield").exit_code, 0);
    std::string bytes = read("a.gfield");
    write("cut.gfield", bytes.substr(0, bytes.size() / 2));
    bytes[bytes.size() / 2] ^= 1;
    write("altered.gfield", bytes);
    write("other.gfield", "not a field");
    for (const char* file : {"cut.gfield", "altered.gfield", "other.gfield"}) {
        const Outcome outcome = graze(std::string("slice ") + file + " -o a.png");
        EXPECT_EQ(outcome.exit_code, 1) << file;
        EXPECT_THAT(outcome.err, AllOf(StartsWith("graze: "), HasSubstr(file)));
        EXPECT_EQ(line_count(outcome.err), 1) << outcome.err;
        EXPECT_FALSE(exists("a.png"));
    }
    EXPECT_EQ(graze("info other.gfield a.gfield").exit_code, 1);
    EXPECT_THAT(graze("info other.gfield a.gfield").out, StartsWith("a.gfield\n"));
}

TEST_F(FieldCommand, TheSliceShowsTheSphere) {
    ASSERT_EQ(graze("field sphere.obj -r 64 -o a.gfield").exit_code, 0);
    const json report = json::parse(graze("info --json a.gfield").out);
    const Outcome outcome =
        graze("slice a.gfield --axis z --coordinate 0.6 --bare --width 300 -o slice.png");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("300 x 300"));
    const Image image = read_png(folder_ / "slice.png");
    ASSERT_EQ(image.width, 300);
    ASSERT_EQ(image.height, 300);
    // Along the middle row the thick line is where the plane cuts the sphere, 0.8 from its axis.
    const double left = report["min"][0], right = report["max"][0];
    std::vector<double> dark;
    for (int x = 0; x < 300; ++x) {
        const Colour& pixel = image.at(x, 150);
        if (pixel.red + pixel.green + pixel.blue < 200)
            dark.push_back(left + (x + 0.5) * (right - left) / 300);
    }
    ASSERT_GE(dark.size(), 2u);
    EXPECT_NEAR(dark.front(), -0.8, 0.02);
    EXPECT_NEAR(dark.back(), 0.8, 0.02);
    EXPECT_GT(image.at(150, 150).blue, image.at(150, 150).red);
    EXPECT_GT(image.at(5, 5).red, image.at(5, 5).blue);
}

TEST_F(FieldCommand, SlicesOfMeshesAndOfEveryAxis) {
    for (const char* arguments : {"--axis x --at 0", "--axis y --at 1 --sparse", "--order 0"}) {
        const Outcome outcome =
            graze("slice sphere.obj -r 24 --width 400 -o slice.png " + std::string(arguments));
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        EXPECT_EQ(read_png(folder_ / "slice.png").width, 400);
    }
}

TEST_F(FieldCommand, TheSurfaceIsClosed) {
    ASSERT_EQ(graze("field sphere.obj -r 48 -o a.gfield").exit_code, 0);
    const Outcome outcome = graze("mesh a.gfield -o surface.ply");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, AllOf(StartsWith("surface.ply: "), HasSubstr(" triangles\n")));
    const MeshReport report = inspect(load_mesh(folder_ / "surface.ply"));
    EXPECT_TRUE(report.is_closed());
    EXPECT_EQ(report.euler_characteristic, 2);
    EXPECT_NEAR(report.volume, kSphereVolume, 0.05);

    EXPECT_EQ(graze("mesh a.gfield --level -0.5 -o inner.ply").exit_code, 0);
    EXPECT_NEAR(inspect(load_mesh(folder_ / "inner.ply")).volume, kSphereVolume / 8, 0.02);
    const Outcome none = graze("mesh a.gfield --level -5 -o none.ply");
    EXPECT_EQ(none.exit_code, 1);
    EXPECT_FALSE(exists("none.ply"));
}

// A surface far beyond the padding is whole where the field is built for it, and refused where a
// field as it is would cut it off.
TEST_F(FieldCommand, TheSurfaceFarOutsideIsWholeOrRefused) {
    for (const char* kind : {"", " --sparse", " --order 0", " --sparse --sign shell"}) {
        SCOPED_TRACE(kind);
        const Outcome outcome =
            graze("mesh sphere.obj -r 48 --level 0.4 -o thick.ply" + std::string(kind));
        ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
        const MeshReport report = inspect(load_mesh(folder_ / "thick.ply"));
        EXPECT_EQ(report.boundary_edge_count, 0);
        EXPECT_GE(report.max.x, 1.39);
    }
    ASSERT_EQ(graze("field sphere.obj -r 48 -o a.gfield").exit_code, 0);
    const Outcome cut = graze("mesh a.gfield --level 0.4 -o cut.ply");
    EXPECT_EQ(cut.exit_code, 1);
    EXPECT_THAT(cut.err, AllOf(HasSubstr("leaves the field's grid"), HasSubstr("--padding")));
    EXPECT_FALSE(exists("cut.ply"));
    const std::string padding = cut.err.substr(cut.err.find("--padding"), 12);
    ASSERT_EQ(graze("field sphere.obj -r 48 -o b.gfield " + padding).exit_code, 0);
    EXPECT_EQ(graze("mesh b.gfield --level 0.4 -o whole.ply").exit_code, 0);
}

TEST_F(FieldCommand, HelpTeaches) {
    for (const char* command : {"field", "slice", "mesh"}) {
        const Outcome outcome = graze(std::string(command) + " --help");
        EXPECT_EQ(outcome.exit_code, 0);
        EXPECT_THAT(outcome.out, AllOf(HasSubstr("Examples:"), HasSubstr("--resolution"),
                                       HasSubstr(std::string("graze ") + command)));
    }
}

TEST_F(FieldCommand, StrangeFileNames) {
    save_mesh(sample::cube(), folder_ / "two\nlines \xff.obj");
    const Outcome outcome =
        graze("field --json \"$(printf 'two\\nlines \\377.obj')\" -r 16 -o a.gfield");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(json::parse(outcome.out)["size"], json::array({16, 16, 16}));
}

// Reads what the child prints on its terminal until it holds `text` or ends.
bool read_until(int terminal, const std::string& text, std::string& seen) {
    char bytes[512];
    while (seen.find(text) == std::string::npos) {
        const ssize_t count = ::read(terminal, bytes, sizeof(bytes));
        if (count <= 0) return false;
        seen.append(bytes, static_cast<std::size_t>(count));
    }
    return true;
}

TEST_F(FieldCommand, ProgressOnATerminalUntilInterrupted) {
    write("kept.gfield", "as it was");
    const std::set<std::string> before = files();
    int terminal = -1;
    const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
    ASSERT_GE(child, 0);
    if (child == 0) {
        setenv("TERM", "xterm", 1);
        if (chdir(folder_.c_str()) != 0) _exit(99);
        // So large that it cannot be done before the bar appears.
        execl(program_.c_str(), "graze", "field", "sphere.obj", "-r", "500", "--order", "0",
              "--no-cache", "-o", "kept.gfield", static_cast<char*>(nullptr));
        _exit(99);
    }
    std::string seen;
    EXPECT_TRUE(read_until(terminal, "%", seen)) << seen;
    kill(child, SIGINT);
    EXPECT_TRUE(read_until(terminal, "interrupted", seen)) << seen;
    read_until(terminal, "until it ends", seen);
    int status = 0;
    waitpid(child, &status, 0);
    close(terminal);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 130) << seen;
    EXPECT_THAT(seen, HasSubstr("building"));
    EXPECT_EQ(read("kept.gfield"), "as it was");
    EXPECT_EQ(files(), before);
}

}  // namespace
}  // namespace graze
