// graze generate as a user calls it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "graze/generate_mesh.h"
#include "graze/mesh_io.h"
#include "graze/mesh_report.h"
#include "tests/apps/graze/program_test.h"

namespace graze {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class GenerateCommand : public ProgramTest {
protected:
    void expect_error(const std::string& arguments, int exit_code, const char* words) const {
        const Outcome outcome = graze("generate " + arguments);
        EXPECT_EQ(outcome.exit_code, exit_code) << arguments;
        EXPECT_EQ(outcome.out, "");
        EXPECT_THAT(outcome.err, AllOf(StartsWith("graze: "), HasSubstr(words))) << arguments;
    }
};

TEST_F(GenerateCommand, EveryKindByItsDefaults) {
    for (const char* kind : {"torus", "knot", "sphere", "gear", "bolt", "nut", "pipe", "bowl",
                             "funnel", "terrain", "statue", "tube --path '0 0 0, 0 0 1, 1 0 1'"}) {
        const Outcome outcome = graze(std::string("generate ") + kind + " -o mesh.ply");
        EXPECT_EQ(outcome.exit_code, 0) << kind << outcome.err;
        EXPECT_THAT(outcome.out, AllOf(StartsWith("mesh.ply: "), HasSubstr(" triangles, ")));
        EXPECT_TRUE(
            inspect(load_mesh(folder_ / "mesh.ply"), {.self_intersections = false}).is_closed())
            << kind;
    }
}

TEST_F(GenerateCommand, ClothIsOpen) {
    for (const char* kind : {"sheet", "skirt --pleats 8 --pleat-depth 0.05"}) {
        const Outcome outcome = graze(std::string("generate ") + kind + " -o cloth.ply");
        EXPECT_EQ(outcome.exit_code, 0) << kind << outcome.err;
        EXPECT_THAT(outcome.out, AllOf(HasSubstr(" triangles, "), HasSubstr(" m2\n")));
        EXPECT_FALSE(
            inspect(load_mesh(folder_ / "cloth.ply"), {.self_intersections = false}).is_closed());
    }
}

TEST_F(GenerateCommand, OptionsArriveInTheirUnits) {
    EXPECT_EQ(graze("generate bowl --radius 1 --wall 0.2 --opening 90 -o bowl.ply").exit_code, 0);
    const Aabb bowl = bounds(load_mesh(folder_ / "bowl.ply"));
    EXPECT_NEAR(bowl.max.x, 1.2, 1e-5);
    EXPECT_NEAR(bowl.max.z, 1.2, 1e-5);
    EXPECT_EQ(graze("generate bolt --length 3 --pitch 0.4 --flank-angle 20 --segments 48 "
                    "--thread-radius 0.6 --depth 0.2 --head-radius 1 --head-height 0.3 -o bolt.ply")
                  .exit_code,
              0);
    const Mesh bolt = load_mesh(folder_ / "bolt.ply");
    const Mesh same = make_bolt({.thread = {.radius = 0.6f,
                                            .pitch = 0.4f,
                                            .depth = 0.2f,
                                            .flank_angle = 20 * 3.14159265f / 180,
                                            .segments = 48},
                                 .length = 3,
                                 .head_radius = 1,
                                 .head_height = 0.3f});
    EXPECT_EQ(bolt.positions.size(), same.positions.size());
    EXPECT_NEAR(inspect(bolt).volume, inspect(same).volume, 1e-6);
    EXPECT_EQ(graze("generate terrain --seed 9 --cells 8 -o a.ply").exit_code, 0);
    EXPECT_EQ(load_mesh(folder_ / "a.ply").positions,
              make_terrain({.cells = 8, .seed = 9}).positions);
}

TEST_F(GenerateCommand, HelpTeaches) {
    const Outcome all = graze("generate --help");
    EXPECT_EQ(all.exit_code, 0);
    EXPECT_THAT(all.out, AllOf(HasSubstr("torus"), HasSubstr("statue"), HasSubstr("Examples:")));
    const Outcome bolt = graze("generate bolt --help");
    EXPECT_EQ(bolt.exit_code, 0);
    EXPECT_THAT(bolt.out, AllOf(HasSubstr("--pitch"), HasSubstr("in metres; 0.3 by default"),
                                HasSubstr("in degrees; 30 by default")));
}

TEST_F(GenerateCommand, WrongUseIsExplained) {
    expect_error("", 2, "which kind: torus, ");
    expect_error("ring -o a.obj", 2, "no kind 'ring'; there are torus, ");
    expect_error("torus", 2, "--output");
    expect_error("torus -o a.obj more", 2, "more");
    expect_error("torus -o a.obj --teeth 3", 2, "--teeth");
    expect_error("torus --radius nan -o a.obj", 2, "--radius");
    expect_error("torus --tube-radius 2 -o a.obj", 1, "tube_radius is 2; it must be below radius");
    expect_error("torus -o a.xyz", 1, "a.xyz");
    expect_error("torus -o no/such/a.obj", 1, "no/such");
    expect_error("tube --path '0 0 0 1' -o a.obj", 1, "4 numbers");
    expect_error("tube --path '0 0 x' -o a.obj", 1, "x y z");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "a.obj"));
}

// The signal comes after two seconds, when the program surely waits for it. It is killed five
// seconds later, with another exit code.
TEST_F(GenerateCommand, AnInterruptionIsAnsweredSoon) {
    const Outcome outcome = shell("timeout --preserve-status -s INT -k 5 2 '" + program_ +
                                  "' generate terrain --cells 4096 -o t.obj >out.txt 2>err.txt");
    EXPECT_EQ(outcome.exit_code, 130);
    EXPECT_EQ(outcome.err, "graze: interrupted; t.obj was not written\n");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "t.obj"));
}

// As `timeout` does, which signals the process and then its group.
TEST_F(GenerateCommand, TwoSignalsAtOnceAreOneRequest) {
    const Outcome outcome = shell("exec '" + program_ +
                                  "' generate terrain --cells 4096 -o t.obj >out.txt 2>err.txt & "
                                  "sleep 1; kill -TERM $!; kill -TERM $!; wait $!");
    EXPECT_EQ(outcome.exit_code, 143);
    EXPECT_EQ(outcome.err, "graze: interrupted; t.obj was not written\n");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "t.obj"));
}

}  // namespace
}  // namespace graze
