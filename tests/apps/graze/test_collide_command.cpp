// Runs graze collide: its contacts, its three kinds of output, its picture, messages and exit
// codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "graze/generate_mesh.h"
#include "graze/image.h"
#include "graze/mesh_io.h"
#include "tests/apps/graze/program_output.h"
#include "tests/apps/graze/program_test.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// The cubes [-1, 1]^3, B moved by 1.8 along x: they share a slab that is 0.2 thick.
constexpr const char* kOverlap = "cube.obj cube.obj -r 48 --pose-b '1.8 0.2 0.1' ";
constexpr double kThickness = 0.2;
// How far off distances may be: both fields' errors and the tolerance, a tenth of a voxel.
double slack_of(const json& report) {
    return report["pair"]["a"]["field_error"].get<double>() +
           report["pair"]["b"]["field_error"].get<double>() + 0.1 * 2.0 / 43;
}

class CollideCommand : public ProgramTest {
protected:
    void SetUp() override {
        ProgramTest::SetUp();
        if (IsSkipped()) return;
        save_mesh(sample::cube(), folder_ / "cube.obj");
        save_mesh(sample::torus(48, 24), folder_ / "torus.obj");
        write("empty.obj", "# nothing\n");
    }

    json collide(const std::string& arguments) const {
        const Outcome outcome = graze("collide --json " + arguments);
        EXPECT_EQ(outcome.exit_code, 0) << arguments << ": " << outcome.err;
        EXPECT_EQ(outcome.err, "") << arguments;
        return outcome.exit_code == 0 ? json::parse(outcome.out) : json{};
    }
    bool exists(const std::string& name) const { return fs::exists(folder_ / name); }
};

TEST_F(CollideCommand, SaysWhereTheyTouch) {
    const Outcome outcome = graze(std::string("collide ") + kOverlap);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_THAT(outcome.out,
                AllOf(StartsWith("cube.obj and cube.obj touch\n"), HasSubstr("\n  contacts  "),
                      HasSubstr("\n  deepest                 -0."), HasSubstr("\n  normal "),
                      HasSubstr("the deepest 5:\n"), HasSubstr("distance [m]"),
                      Not(HasSubstr("\033")), Not(HasSubstr("nan"))));
}

// A ball with a stick of 4 mm, which no voxel of 18 mm holds: that the stick's half a metre in a
// box is not found comes with the reason.
TEST_F(CollideCommand, SaysWhatFallsThroughTheGrid) {
    Mesh ball = make_sphere(0.5f, 4);
    Mesh stick = sample::cube();
    for (Vec3& p : stick.positions)
        p = {(p.x + 1) * 0.75f, p.y * 0.002f + 0.008f, p.z * 0.002f + 0.008f};
    const auto first = static_cast<std::uint32_t>(ball.positions.size());
    ball.positions.insert(ball.positions.end(), stick.positions.begin(), stick.positions.end());
    for (const Triangle& t : stick.triangles)
        ball.triangles.push_back({{t[0] + first, t[1] + first, t[2] + first}});
    save_mesh(ball, folder_ / "stick.obj");
    Mesh box = sample::cube();
    for (Vec3& p : box.positions)
        p = p * 0.5f + Vec3{1.5f, 0, 0};
    save_mesh(box, folder_ / "box.obj");
    const json report = collide("stick.obj box.obj -r 116");
    EXPECT_EQ(report["touching"], false);
    EXPECT_THAT(report["pair"]["a"]["findings"].dump(),
                AllOf(HasSubstr("fall through the grid"), HasSubstr("a resolution of")));
    const Outcome told = graze("collide stick.obj box.obj -r 116");
    EXPECT_THAT(told.out, HasSubstr("do not touch"));
    EXPECT_THAT(told.out, HasSubstr("fall through the grid"));
}

TEST_F(CollideCommand, JsonHasTheDocumentedKeys) {
    const json report = collide(kOverlap);
    EXPECT_EQ(keys(report),
              (std::set<std::string>{"pair", "touching", "contact_count", "found_count",
                                     "particle_count", "figures", "boxes_overlap", "deepest",
                                     "first", "options", "seconds", "contacts"}));
    EXPECT_EQ(keys(report["pair"]), (std::set<std::string>{"a", "b"}));
    EXPECT_EQ(keys(report["pair"]["b"]),
              (std::set<std::string>{"file", "translation", "rotation", "scale", "field_error",
                                     "cached", "findings"}));
    EXPECT_EQ(report["pair"]["b"]["file"], "cube.obj");
    EXPECT_NEAR(report["pair"]["b"]["translation"][0].get<double>(), 1.8, 1e-6);
    EXPECT_EQ(report["pair"]["b"]["rotation"], json::array({1.0, 0.0, 0.0, 0.0}));
    EXPECT_EQ(report["touching"], true);
    EXPECT_EQ(report["boxes_overlap"], true);
    EXPECT_EQ(keys(report["options"]),
              (std::set<std::string>{"method", "device", "threads", "particles", "sampling", "step",
                                     "tolerance", "motion", "roles", "spacing", "faces",
                                     "face_tolerance", "cast", "response", "confirm", "gap", "cell",
                                     "deepest", "manifold"}));
    EXPECT_EQ(report["options"]["method"], "particles");
    EXPECT_EQ(report["options"]["device"], "cpu");
    EXPECT_EQ(report["options"]["sampling"], "adaptive");
    EXPECT_EQ(report["options"]["particles"], 10);
    EXPECT_EQ(keys(report["seconds"]),
              (std::set<std::string>{"open_a", "open_b", "detect", "stages"}));
    ASSERT_GT(report["contacts"].size(), 0u);
    EXPECT_EQ(report["contact_count"], report["contacts"].size());
    EXPECT_EQ(report["found_count"], report["contacts"].size());
    for (const json& contact : report["contacts"]) {
        EXPECT_EQ(keys(contact), (std::set<std::string>{"body_a", "body_b", "position", "normal",
                                                        "distance", "time"}));
    }
}

// Contacts lie in the slab that the cubes share; the shortest direction out of it is x.
TEST_F(CollideCommand, ContactsAreWhereTheBodiesOverlap) {
    const json report = collide(kOverlap);
    const double slack = slack_of(report);
    EXPECT_LT(slack, kThickness);
    double least = 0;
    for (const json& contact : report["contacts"]) {
        EXPECT_EQ(contact["body_a"], 0);
        EXPECT_EQ(contact["body_b"], 1);
        EXPECT_EQ(contact["time"], 0);
        const auto position = contact["position"].get<std::array<double, 3>>();
        const auto normal = contact["normal"].get<std::array<double, 3>>();
        const double distance = contact["distance"];
        EXPECT_GE(position[0], 0.8 - slack);
        EXPECT_LE(position[0], 1 + slack);
        EXPECT_GE(position[1], -0.8 - slack);
        EXPECT_LE(position[1], 1 + slack);
        EXPECT_GE(distance, -kThickness - slack);
        EXPECT_LE(distance, slack);
        EXPECT_NEAR(std::hypot(normal[0], normal[1], normal[2]), 1, 1e-5);
        least = std::min(least, distance);
    }
    EXPECT_LT(least, -kThickness / 2);
    EXPECT_EQ(report["deepest"]["distance"].get<double>(), least);
    // A is left of B and leaves to the left.
    EXPECT_NEAR(report["deepest"]["normal"][0].get<double>(), -1, 1e-2);
}

TEST_F(CollideCommand, CsvHasTheSameNumbers) {
    const json report = collide(kOverlap);
    const Outcome outcome = graze(std::string("collide --csv ") + kOverlap);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    std::istringstream lines(outcome.out);
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "body_a,body_b,x,y,z,normal_x,normal_y,normal_z,distance,time");
    std::size_t row = 0;
    for (; std::getline(lines, line); ++row) {
        ASSERT_LT(row, report["contacts"].size());
        const json& contact = report["contacts"][row];
        const json expected = json::array(
            {contact["body_a"], contact["body_b"], contact["position"][0], contact["position"][1],
             contact["position"][2], contact["normal"][0], contact["normal"][1],
             contact["normal"][2], contact["distance"], contact["time"]});
        const json cells = json::parse("[" + line + "]");
        ASSERT_EQ(cells.size(), expected.size());
        for (std::size_t i = 0; i < cells.size(); ++i)
            EXPECT_EQ(cells[i].get<float>(), expected[i].get<float>()) << row << " " << i;
    }
    EXPECT_EQ(row, report["contacts"].size());
}

TEST_F(CollideCommand, ApartIsNoError) {
    const json report = collide("cube.obj torus.obj -r 24 --pose-b '9 0 0'");
    EXPECT_EQ(report["touching"], false);
    EXPECT_EQ(report["boxes_overlap"], false);
    EXPECT_EQ(report["deepest"], nullptr);
    EXPECT_EQ(report["contact_count"], 0);
    EXPECT_EQ(report["contacts"], json::array());
    const Outcome text = graze("collide cube.obj torus.obj -r 24 --pose-b '9 0 0'");
    EXPECT_EQ(text.exit_code, 0);
    EXPECT_THAT(text.out, AllOf(StartsWith("cube.obj and torus.obj do not touch\n"),
                                Not(HasSubstr("normal"))));
    const Outcome csv = graze("collide --csv cube.obj torus.obj -r 24 --pose-b '9 0 0'");
    EXPECT_EQ(csv.exit_code, 0);
    EXPECT_EQ(line_count(csv.out), 1);
}

TEST_F(CollideCommand, AGapFindsWhatIsNear) {
    const std::string near = "cube.obj cube.obj -r 48 --pose-b '2.06 0 0'";
    EXPECT_EQ(collide(near)["contact_count"], 0);
    EXPECT_EQ(collide(near + " --gap 0.02")["contact_count"], 0);
    const json report = collide(near + " --gap 0.1");
    EXPECT_GT(report["contact_count"], 0);
    EXPECT_EQ(report["touching"], false);
    EXPECT_GT(report["deepest"]["distance"].get<double>(), 0);
    EXPECT_LT(report["deepest"]["distance"].get<double>(), 0.1 + slack_of(report));
    EXPECT_THAT(graze("collide " + near + " --gap 0.1").out,
                HasSubstr("do not touch, but come within 0.1 m"));
}

TEST_F(CollideCommand, PosesInAllForms) {
    const json plain = collide(kOverlap)["contacts"];
    for (const char* pose : {"1.8,0.2,0.1", "  1.8 0.2 0.1  1 0 0 0 ", "1.8 0.2 0.1  -3 0 0 0",
                             "1.8 .2 +1e-1 1 0 0 0 1", "1.8, 0.2, 0.1,  2, 0, 0, 0,  1"}) {
        EXPECT_EQ(
            collide(std::string("cube.obj cube.obj -r 48 --pose-b '") + pose + "'")["contacts"],
            plain)
            << pose;
    }
    // B turned and scaled: a cube of twice the size on its edge, reaching to x = 3 - 2 sqrt(2).
    const json turned =
        collide("cube.obj cube.obj -r 32 --pose-b '3.7 0 0  0.92387953 0 0 0.38268343  2' -n 16");
    EXPECT_EQ(turned["pair"]["b"]["scale"], 2.0);
    EXPECT_NEAR(turned["pair"]["b"]["rotation"][3].get<double>(), 0.38268343, 1e-6);
    ASSERT_GT(turned["contact_count"], 0);
    for (const json& contact : turned["contacts"]) {
        EXPECT_GE(contact["position"][0].get<double>(), 3.7 - 2 * std::sqrt(2) - 0.02);
        EXPECT_NEAR(contact["position"][1].get<double>(), 0, 0.2);
    }
    // Both moved alike: the contacts move with them.
    const json moved = collide("cube.obj cube.obj -r 24 --pose-a '0 0 5' --pose-b '1.8 0.2 5.1'");
    EXPECT_NEAR(moved["deepest"]["distance"].get<double>(), -kThickness, 0.05);
    EXPECT_NEAR(moved["deepest"]["position"][2].get<double>(), 5, 1.1);
}

TEST_F(CollideCommand, WrongPosesAreExplained) {
    const std::vector<std::pair<const char*, const char*>> cases{
        {"", "qw qx qy qz"},
        {"1 2", "2 numbers"},
        {"1 2 3 4", "4 numbers"},
        {"0 0 0 1 0 0", "6 numbers"},
        {"0 0 0 1 0 0 0 1 1", "9 numbers"},
        {"a b c", "'a' is no finite number"},
        {"1 2 3x", "'3x' is no finite number"},
        {"nan 0 0", "'nan' is no finite number"},
        {"0 inf 0", "'inf' is no finite number"},
        {"1e999 0 0", "'1e999' is no finite number"},
        {"1e300 0 0", "'1e300' is no finite number"},
        {"0 0 0 0 0 0 0", "write 1 0 0 0"},
        {"0 0 0 nan 0 0 0", "'nan' is no finite number"},
        {"0 0 0 1 0 0 0 0", "above 0"},
        {"0 0 0 1 0 0 0 -2", "above 0"}};
    for (const auto& [pose, words] : cases) {
        for (const char* option : {"--pose-a", "--pose-b"}) {
            const Outcome outcome =
                graze(std::string("collide cube.obj cube.obj ") + option + " '" + pose + "'");
            EXPECT_EQ(outcome.exit_code, 2) << pose;
            EXPECT_EQ(outcome.out, "");
            EXPECT_THAT(outcome.err,
                        AllOf(StartsWith("graze: "), HasSubstr(option), HasSubstr(words)))
                << pose;
            EXPECT_EQ(line_count(outcome.err), 1) << outcome.err;
        }
    }
}

TEST_F(CollideCommand, FieldsInsteadOfMeshes) {
    EXPECT_EQ(graze("field torus.obj -r 32 -o torus.gfield").exit_code, 0);
    const std::string rest = " cube.obj -r 32 --pose-b '1.6 0 0.2'";
    const json from_field = collide("torus.gfield" + rest);
    const json from_mesh = collide("torus.obj" + rest);
    EXPECT_GT(from_field["contact_count"], 0);
    EXPECT_EQ(from_field["contacts"], from_mesh["contacts"]);
    EXPECT_EQ(from_mesh["pair"]["a"]["cached"], true);
    EXPECT_GT(from_mesh["pair"]["a"]["field_error"], 0);
}

TEST_F(CollideCommand, KeepsAsManyAsAsked) {
    const json all = collide(kOverlap);
    const json three = collide(std::string(kOverlap) + "--deepest 3");
    EXPECT_EQ(three["contact_count"], 3);
    EXPECT_EQ(three["contacts"].size(), 3u);
    EXPECT_EQ(three["found_count"], all["contact_count"]);
    EXPECT_EQ(three["deepest"]["distance"], all["deepest"]["distance"]);
    const json manifold = collide(std::string(kOverlap) + "--manifold 4");
    EXPECT_EQ(manifold["contact_count"], 4);
    const json cells = collide(std::string(kOverlap) + "--cell 0.5");
    EXPECT_GT(cells["contact_count"], 0);
    EXPECT_LE(cells["contact_count"], all["contact_count"]);
    EXPECT_EQ(cells["options"]["cell"], 0.5);
    EXPECT_THAT(graze(std::string("collide --deepest 3 ") + kOverlap).out,
                AllOf(HasSubstr("before the reduction"), HasSubstr("all 3:")));
}

TEST_F(CollideCommand, TheSameForAnyNumberOfThreads) {
    const std::string pair = "collide --csv torus.obj cube.obj -r 32 --pose-b '1.6 0 0.2' ";
    const std::string one = graze(pair + "--threads 1").out;
    EXPECT_GT(line_count(one), 1);
    EXPECT_EQ(graze(pair + "--threads 2").out, one);
    EXPECT_EQ(graze(pair).out, one);
}

TEST_F(CollideCommand, EverySamplingAndStep) {
    for (const char* sampling : {"grid", "quasi_random", "adaptive"}) {
        for (const char* step : {"project", "over_relax", "tangent"}) {
            const json report =
                collide(std::string(kOverlap) + "-n 8 --sampling " + sampling + " --step " + step);
            EXPECT_EQ(report["options"]["sampling"], sampling);
            EXPECT_EQ(report["options"]["step"], step);
            EXPECT_GT(report["contact_count"], 0) << sampling << " " << step;
        }
    }
    // With hyphens, too, and told with underscores.
    const json hyphens =
        collide(std::string(kOverlap) + "-n 8 --sampling quasi-random --step over-relax");
    EXPECT_EQ(hyphens["options"]["sampling"], "quasi_random");
    EXPECT_EQ(hyphens["options"]["step"], "over_relax");
    const Outcome wrong = graze(std::string("collide ") + kOverlap + "--step over-relaxed");
    EXPECT_EQ(wrong.exit_code, 2);
    EXPECT_THAT(wrong.err, HasSubstr("--step: no step is called 'over_relaxed'; did you mean "
                                     "'over_relax'?; there are: project, over_relax, tangent"));
}

TEST_F(CollideCommand, DrawsAPicture) {
    const Outcome text = graze(std::string("collide --png all.png --width 400 ") + kOverlap);
    EXPECT_EQ(text.exit_code, 0) << text.err;
    EXPECT_THAT(text.out, HasSubstr("all.png"));
    const Image all = read_png(folder_ / "all.png");
    EXPECT_EQ(all.width, 400);
    EXPECT_GT(all.height, 200);
    const std::set<int> greens = [&] {
        std::set<int> found;
        for (const Colour& c : all.pixels)
            found.insert(c.green);
        return found;
    }();
    EXPECT_GT(greens.size(), 50u);
    // Nothing else on standard output beside JSON.
    collide(std::string("--png near.png --close-up --width 400 ") + kOverlap);
    EXPECT_FALSE(read_png(folder_ / "near.png").pixels == all.pixels);
    // Bodies apart are a picture too.
    collide("cube.obj cube.obj -r 16 --pose-b '5 0 0' --png apart.png --close-up --width 200");
    EXPECT_TRUE(exists("apart.png"));
}

TEST_F(CollideCommand, BadFilesAndOutputs) {
    for (const char* arguments :
         {"missing.obj cube.obj", "cube.obj missing.obj", "empty.obj cube.obj",
          "cube.obj notes.txt", "cube.obj missing.gfield",
          "cube.obj cube.obj --png no/such/folder.png", "cube.obj cube.obj --png picture.jpg"}) {
        const Outcome outcome = graze(std::string("collide --json -r 16 ") + arguments);
        EXPECT_EQ(outcome.exit_code, 1) << arguments;
        EXPECT_EQ(outcome.out, "") << arguments;
        EXPECT_THAT(outcome.err, StartsWith("graze: ")) << arguments;
        EXPECT_EQ(line_count(outcome.err), 1) << outcome.err;
    }
    EXPECT_THAT(graze("collide cube.obj missing.obj").err, HasSubstr("missing.obj"));
}

TEST_F(CollideCommand, WrongCommandLines) {
    for (const char* arguments :
         {"",
          "cube.obj",
          "cube.obj cube.obj cube.obj",
          "cube.obj cube.obj --json --csv",
          "cube.obj cube.obj --method magic",
          "cube.obj cube.obj -n 0",
          "cube.obj cube.obj -n 129",
          "cube.obj cube.obj --sampling some",
          "cube.obj cube.obj --step back",
          "cube.obj cube.obj --gap -1",
          "cube.obj cube.obj --gap nan",
          "cube.obj cube.obj --tolerance x",
          "cube.obj cube.obj --deepest 0",
          "cube.obj cube.obj --manifold -1",
          "cube.obj cube.obj --cell inf",
          "cube.obj cube.obj --device tpu",
          "cube.obj cube.obj --width 300",
          "cube.obj cube.obj --close-up",
          "cube.obj cube.obj --pose-c '0 0 0'",
          "cube.obj cube.obj --end-b '1 0 0'",
          "cube.obj cube.obj --motion-a '1 0 0'",
          "cube.obj cube.obj --method sweep --motion-a '1 0'",
          "cube.obj cube.obj --method sweep --motion-a '1 0 0' --end-a '1 0 0'",
          "cube.obj cube.obj --roles both",
          "cube.obj cube.obj --method features --faces",
          "cube.obj cube.obj --method sweep --face-tolerance 1"}) {
        const Outcome outcome = graze(std::string("collide ") + arguments);
        EXPECT_EQ(outcome.exit_code, 2) << arguments;
        EXPECT_EQ(outcome.out, "") << arguments;
        EXPECT_THAT(outcome.err, AllOf(StartsWith("graze: "), HasSubstr("--help"))) << arguments;
        EXPECT_EQ(line_count(outcome.err), 1) << outcome.err;
    }
}

TEST_F(CollideCommand, ComparesMeshesExactlyByFeatures) {
    const json crossing = collide("cube.obj cube.obj --method features --pose-b '1.5 0.1 0.2'");
    EXPECT_EQ(crossing["options"]["method"], "features");
    EXPECT_EQ(crossing["touching"], true);
    EXPECT_EQ(crossing["figures"]["feature_pairs"], crossing["contact_count"]);
    EXPECT_EQ(crossing["contacts"][0]["feature_a"]["kind"], "face");
    EXPECT_LT(crossing["contacts"][0]["feature_b"]["index"], 12);
    // Two metres wide, they are a hundredth apart.
    const std::string near = "cube.obj cube.obj --method features --pose-b '2.01 0 0'";
    EXPECT_EQ(collide(near.c_str())["contact_count"], 0);
    const json within = collide((near + " --gap 0.02").c_str());
    EXPECT_EQ(within["touching"], false);
    EXPECT_NEAR(within["deepest"]["distance"].get<double>(), 0.01, 1e-6);
    EXPECT_THAT(graze("collide " + near + " --gap 0.02 --csv").out,
                AllOf(HasSubstr(",time,kind_a,index_a,kind_b,index_b\n"), HasSubstr(",vertex,")));
}

TEST_F(CollideCommand, CastsRaysFromVertices) {
    const json report = collide("cube.obj torus.obj --method rays --pose-b '0.013 0.007 0.9'");
    EXPECT_EQ(report["options"]["method"], "rays");
    EXPECT_EQ(report["options"]["response"], "reprojected");
    EXPECT_GT(report["figures"]["rays"], 0);
    EXPECT_EQ(report["figures"]["rays"], report["figures"]["cast_rays"]);
    ASSERT_FALSE(report["contacts"].empty());
    for (const json& contact : report["contacts"]) {
        EXPECT_LE(contact["distance"], 0);
        const std::string a = contact["feature_a"]["kind"], b = contact["feature_b"]["kind"];
        EXPECT_TRUE((a == "vertex" && b == "face") || (a == "face" && b == "vertex"));
    }
    for (const char* option : {"--cast stackless", "--cast every_triangle", "--confirm"}) {
        EXPECT_EQ(
            collide(std::string("cube.obj torus.obj --method rays --pose-b '0.013 0.007 0.9' ") +
                    option)["contacts"],
            report["contacts"])
            << option;
    }
    const json along_rays =
        collide("cube.obj torus.obj --method rays --pose-b '0.013 0.007 0.9' --response ray");
    EXPECT_EQ(along_rays["contacts"].size(), report["contacts"].size());
    EXPECT_NE(along_rays["contacts"], report["contacts"]);
    EXPECT_THAT(graze("collide cube.obj torus.obj --method rays").out,
                AllOf(HasSubstr("\n  cast rays "), Not(HasSubstr("field errors"))));
    EXPECT_THAT(graze("collide cube.obj torus.obj --confirm").err,
                HasSubstr("it is for --method rays, not particles"));
    EXPECT_THAT(graze("collide cube.obj torus.obj --method rays --motion-a '0 0 1'").err,
                HasSubstr("the method rays looks at an instant"));
}

TEST_F(CollideCommand, FindsWhatMeetsInAStep) {
    const std::string request = "cube.obj cube.obj --method features --pose-b '5 0 0' --end-b ";
    const json hit = collide((request + "'-5 0 0'").c_str());
    EXPECT_EQ(hit["touching"], true);
    double first = 1;
    for (const json& contact : hit["contacts"])
        first = std::min(first, contact["time"].get<double>());
    EXPECT_NEAR(first, 0.3, 1e-6);
    EXPECT_EQ(hit["pair"]["b"]["end"]["translation"][0], -5);
    EXPECT_THAT(graze("collide " + request + "'-5 0 0'").out,
                AllOf(HasSubstr("meet in the step\n"), HasSubstr("\n  first time  ")));
    EXPECT_EQ(collide((request + "'5 9 0'").c_str())["contact_count"], 0);

    // What is kept of a reduction has a first time, too.
    EXPECT_THAT(graze("collide " + request + "'-5 0 0' --deepest 1").out,
                HasSubstr(" of the step, of those kept\n"));
    const json again =
        collide("cube.obj cube.obj --method features --pose-b '5 0 0' --motion-b '-5 0 0'");
    EXPECT_EQ(again["contacts"], hit["contacts"]);
    EXPECT_EQ(hit["first"]["time"].get<double>(), first);
}

// The picture of meshes takes their fields, which are kept for the next time.
TEST_F(CollideCommand, APictureByFeaturesKeepsTheFields) {
    const std::string request =
        "cube.obj torus.obj -r 24 --method features --pose-b '1.6 0 0.2' --width 200 --png ";
    const json first = collide(request + "first.png"), again = collide(request + "again.png");
    EXPECT_EQ(first["pair"]["a"]["cached"], false);
    EXPECT_EQ(again["pair"]["a"]["cached"], true);
    EXPECT_EQ(again["pair"]["b"]["cached"], true);
    EXPECT_EQ(first["contacts"], again["contacts"]);
    EXPECT_EQ(first["pair"]["a"]["field_error"], 0);
    EXPECT_TRUE(read_png(folder_ / "first.png").pixels == read_png(folder_ / "again.png").pixels);
}

// That of rays cuts the meshes, and builds no field.
TEST_F(CollideCommand, APictureOfRaysBuildsNoField) {
    const std::string request = "cube.obj torus.obj -r 24 --method rays --pose-b '1.6 0 0.2'";
    const json drawn = collide(request + " --png rays.png --width 400");
    EXPECT_FALSE(drawn["contacts"].empty());
    EXPECT_EQ(drawn["contacts"], collide(request)["contacts"]);
    EXPECT_EQ(drawn["pair"]["a"]["cached"], false);
    EXPECT_EQ(read_png(folder_ / "rays.png").width, 400);
    // A field would be in the cache, for the next one who asks.
    EXPECT_EQ(collide("cube.obj torus.obj -r 24 --pose-b '1.6 0 0.2'")["pair"]["a"]["cached"],
              false);
    collide("cube.obj cube.obj --method rays --pose-b '5 0 0' --png apart.png --width 200");
    EXPECT_TRUE(exists("apart.png"));
}

TEST_F(CollideCommand, HelpHasExamples) {
    const Outcome help = graze("collide --help");
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_THAT(help.out, AllOf(HasSubstr("--pose-b"), HasSubstr("qw qx qy qz"),
                                HasSubstr("Examples:"), HasSubstr("--png")));
    EXPECT_THAT(graze("--help").out, HasSubstr("graze collide"));
}

}  // namespace
}  // namespace graze
