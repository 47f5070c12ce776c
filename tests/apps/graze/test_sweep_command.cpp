// Runs graze sweep: times and places that are known, its three kinds of output, its picture,
// messages and exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "graze/device.h"
#include "graze/generate_mesh.h"
#include "graze/image.h"
#include "graze/mesh_io.h"
#include "graze/shape.h"
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

// A cube of a metre falls 10 m onto, and through, the cube [-1, 1]^3: its lower face, at z = 4.5 in
// the beginning, is at z = 1 after 0.35 of the step, its upper face after 0.45.
constexpr const char* kFall =
    "cube.obj --from-pose '0.1 0.2 5  1 0 0 0  0.5' --to-pose '0.1 0.2 -5' --against cube.obj "
    "-r 48 ";
constexpr double kLower = 0.35, kUpper = 0.45, kWay = 10;

// How far off a time may be: by the field's error, a hundredth of a voxel, and rounding.
double time_slack(const json& report, double way) {
    return (report["pair"]["b"]["field_error"].get<double>() + 0.01 * 2.0 / 43) / way + 1e-6;
}

// A bar along x, from 0 to 2, of a tenth of a metre.
Mesh bar() {
    Mesh mesh = sample::cube();
    for (Vec3& p : mesh.positions)
        p = {1 + p.x, 0.05f * p.y, 0.05f * p.z};
    return mesh;
}

class SweepCommand : public ProgramTest {
protected:
    void SetUp() override {
        ProgramTest::SetUp();
        if (IsSkipped()) return;
        save_mesh(sample::cube(), folder_ / "cube.obj");
        save_mesh(bar(), folder_ / "bar.obj");
        save_mesh(make_sphere(0.5f, 3), folder_ / "ball.obj");
        write("empty.obj", "# nothing\n");
    }

    json sweep(const std::string& arguments) const {
        const Outcome outcome = graze("sweep --json " + arguments);
        EXPECT_EQ(outcome.exit_code, 0) << arguments << ": " << outcome.err;
        EXPECT_EQ(outcome.err, "") << arguments;
        return outcome.exit_code == 0 ? json::parse(outcome.out) : json{};
    }
};

TEST_F(SweepCommand, FindsWhenEachCornerArrives) {
    const json report = sweep(kFall);
    EXPECT_EQ(report["touching"], true);
    EXPECT_EQ(report["options"]["method"], "sweep");
    EXPECT_EQ(report["options"]["motion"], "rigid");
    EXPECT_EQ(report["pair"]["a"]["end"]["translation"][2], -5);
    EXPECT_FALSE(report["pair"]["b"].contains("end"));
    const double slack = time_slack(report, kWay);
    EXPECT_LT(slack, 0.01);
    // The corners of the lower cube pass beside the upper one.
    ASSERT_EQ(report["contact_count"], 8);
    std::vector<double> times;
    for (const json& contact : report["contacts"]) {
        EXPECT_EQ(keys(contact),
                  (std::set<std::string>{"body_a", "body_b", "position", "normal", "distance",
                                         "time", "feature_a", "feature_b"}));
        EXPECT_EQ(contact["body_a"], 0);
        EXPECT_EQ(contact["body_b"], 1);
        EXPECT_EQ(contact["feature_a"]["kind"], "vertex");
        EXPECT_EQ(contact["feature_b"]["kind"], "none");
        const Vec3 corner = sample::cube().positions.at(contact["feature_a"]["index"]);
        const double time = contact["time"];
        EXPECT_NEAR(time, corner.z < 0 ? kLower : kUpper, slack);
        times.push_back(time);
        EXPECT_NEAR(contact["position"][0].get<double>(), 0.1 + 0.5 * corner.x, 1e-5);
        EXPECT_NEAR(contact["position"][1].get<double>(), 0.2 + 0.5 * corner.y, 1e-5);
        EXPECT_NEAR(contact["position"][2].get<double>(), 1, kWay * slack);
        EXPECT_NEAR(contact["normal"][2].get<double>(), 1, 1e-2);
        // At the start, along the normal.
        EXPECT_NEAR(contact["distance"].get<double>(), corner.z < 0 ? 3.5 : 4.5, 0.05);
    }
    EXPECT_EQ(report["first"]["time"].get<double>(), *std::min_element(times.begin(), times.end()));
}

TEST_F(SweepCommand, ABallArrivesWhereItsLowestVertexDoes) {
    const json report =
        sweep("ball.obj --from-pose '0 0 3' --to-pose '0 0 -1' --against cube.obj -r 64");
    float lowest = 0;
    for (const Vec3& p : load_mesh(folder_ / "ball.obj").positions)
        lowest = std::min(lowest, p.z);
    EXPECT_NEAR(report["first"]["time"].get<double>(), (3 + lowest - 1) / 4.0,
                time_slack(report, 4));
    EXPECT_NEAR(report["first"]["normal"][2].get<double>(), 1, 1e-2);
}

TEST_F(SweepCommand, WhoeverMovesTheTimesAreTheSame) {
    const json one = sweep(kFall);
    const json both = sweep(
        "cube.obj --from-pose '0.1 0.2 5  1 0 0 0  0.5' --to-pose '0.1 0.2 0' --against cube.obj "
        "--against-from '0 0 0' --against-to '0 0 5' -r 48");
    const json other = sweep(
        "cube.obj --from-pose '0.1 0.2 5  1 0 0 0  0.5' --against cube.obj --against-to '0 0 10' "
        "-r 48");
    for (const json* report : {&both, &other}) {
        ASSERT_EQ((*report)["contact_count"], one["contact_count"]);
        for (std::size_t i = 0; i < one["contacts"].size(); ++i) {
            EXPECT_NEAR((*report)["contacts"][i]["time"].get<double>(),
                        one["contacts"][i]["time"].get<double>(), 1e-4);
            EXPECT_NEAR((*report)["contacts"][i]["distance"].get<double>(),
                        one["contacts"][i]["distance"].get<double>(), 1e-3);
        }
    }
    // Without any motion it is where they are that counts.
    EXPECT_EQ(sweep("cube.obj --from-pose '0 0 5' --against cube.obj -r 24")["contact_count"], 0);
    const json inside =
        sweep("cube.obj --from-pose '0 0 0  1 0 0 0  0.5' --against cube.obj -r 24");
    ASSERT_EQ(inside["contact_count"], 8);
    EXPECT_EQ(inside["first"]["time"], 0);
    EXPECT_NEAR(inside["first"]["distance"].get<double>(), -0.5, 0.05);
}

// A bar that turns by a quarter hits a post, which straight ways cut off.
TEST_F(SweepCommand, PointsOfATurningBodyMoveOnArcs) {
    // A post with sides of 0.6 m, on the arc of the bar's end.
    const double middle = std::sqrt(2.0), half = 0.3;
    const std::string turn =
        "bar.obj --to-pose '0 0 0  1 0 0 1' --against cube.obj --against-from '" +
        std::to_string(middle) + " " + std::to_string(middle) +
        " 0  1 0 0 0  0.3' -r 48 --roles points_of_a ";
    double expected = 1;
    for (const Vec3& p : bar().positions) {
        for (int i = 0; i <= 100'000; ++i) {
            const double time = i * 1e-5, angle = time * 1.5707963267948966;
            const double x = p.x * std::cos(angle) - p.y * std::sin(angle) - middle,
                         y = p.x * std::sin(angle) + p.y * std::cos(angle) - middle;
            if (std::max(std::fabs(x), std::fabs(y)) > half) continue;
            expected = std::min(expected, time);
            break;
        }
    }
    ASSERT_LT(expected, 0.5);
    const json arcs = sweep(turn);
    ASSERT_GT(arcs["contact_count"], 0);
    // The end of the bar goes 3.14 m, at 45 degrees to the post's side at least.
    EXPECT_NEAR(arcs["first"]["time"].get<double>(), expected, 2 * time_slack(arcs, 3.1) + 1e-5);
    const json straight = sweep(turn + "--motion straight");
    EXPECT_EQ(straight["options"]["motion"], "straight");
    EXPECT_EQ(straight["contact_count"], 0);
}

TEST_F(SweepCommand, RolesAndTheGap) {
    EXPECT_EQ(sweep(std::string(kFall) + "--roles points-of-a")["contact_count"], 8);
    const json none = sweep(std::string(kFall) + "--roles points_of_b");
    EXPECT_EQ(none["options"]["roles"], "points_of_b");
    EXPECT_EQ(none["contact_count"], 0);
    EXPECT_EQ(none["touching"], false);
    EXPECT_EQ(none["first"], nullptr);
    // The field is exact so near to the surface, within its grid.
    const json near = sweep(std::string(kFall) + "--gap 0.05");
    EXPECT_NEAR(near["first"]["time"].get<double>(), kLower - 0.05 / kWay, time_slack(near, kWay));
}

// The corners go in at z = 1 and out at z = -1, a fifth of the step later.
TEST_F(SweepCommand, IntervalsLastUntilTheCornersLeave) {
    const json report = sweep(std::string(kFall) + "--intervals"), plain = sweep(kFall);
    ASSERT_EQ(report["contact_count"], 8);
    const double slack = time_slack(report, kWay);
    for (std::size_t i = 0; i < 8; ++i) {
        const json& contact = report["contacts"][i];
        EXPECT_EQ(contact["time"], plain["contacts"][i]["time"]);
        EXPECT_FALSE(plain["contacts"][i].contains("intervals"));
        ASSERT_EQ(contact["intervals"].size(), 1u);
        const double begin = contact["intervals"][0][0], end = contact["intervals"][0][1];
        EXPECT_NEAR(begin, contact["time"].get<double>(), 1e-5);
        EXPECT_NEAR(end, begin + 0.2, 2 * slack);
        // The nearest way out is through a side of the lower cube.
        const Vec3 corner = sample::cube().positions.at(contact["feature_a"]["index"]);
        const double depth =
            1 - std::max(std::fabs(0.1 + 0.5 * corner.x), std::fabs(0.2 + 0.5 * corner.y));
        EXPECT_NEAR(contact["deepest"]["distance"].get<double>(), -depth,
                    report["pair"]["b"]["field_error"].get<double>() + 1e-3);
        EXPECT_GT(contact["deepest"]["time"].get<double>(), begin);
        EXPECT_LT(contact["deepest"]["time"].get<double>(), end);
        EXPECT_LE(std::fabs(contact["deepest"]["position"][2].get<double>()), 1);
    }
    EXPECT_THAT(graze(std::string("sweep --csv --intervals ") + kFall).out,
                HasSubstr(",index_b,end,deepest_time,deepest_distance\n"));
    EXPECT_THAT(graze(std::string("sweep --intervals ") + kFall).out,
                HasSubstr("\n  deepest in the step"));
}

TEST_F(SweepCommand, AFieldHasASurfaceAndNoPoints) {
    EXPECT_EQ(graze("field cube.obj -r 48 -o cube.gfield").exit_code, 0);
    const json report = sweep(
        "cube.obj --from-pose '0.1 0.2 5  1 0 0 0  0.5' --to-pose '0.1 0.2 -5' --against "
        "cube.gfield -r 48");
    EXPECT_EQ(report["contacts"], sweep(std::string(kFall) + "--roles points_of_a")["contacts"]);
    for (const char* arguments :
         {"cube.gfield --against cube.gfield", "cube.gfield --against cube.obj --roles points_of_a",
          "cube.obj --against cube.gfield --roles points_of_b"}) {
        const Outcome outcome = graze(std::string("sweep -r 16 ") + arguments);
        EXPECT_EQ(outcome.exit_code, 1) << arguments;
        EXPECT_THAT(outcome.err, AllOf(StartsWith("graze: cube.gfield"), HasSubstr("no points")))
            << arguments;
        EXPECT_EQ(line_count(outcome.err), 1) << outcome.err;
    }
}

TEST_F(SweepCommand, IsTheMethodOfCollide) {
    const json report = sweep(kFall);
    for (const char* motion : {"--motion-a", "--end-a"}) {
        const Outcome outcome = graze(
            std::string("collide --json cube.obj cube.obj --method sweep -r 48 --pose-a '0.1 0.2 5 "
                        "1 0 0 0 0.5' ") +
            motion + " '0.1 0.2 -5'");
        ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
        EXPECT_EQ(json::parse(outcome.out)["contacts"], report["contacts"]);
    }
}

// The cube of a metre is the second body here, and its corners are what meets the first.
TEST_F(SweepCommand, TheSecondBodyOfCollideMovesToo) {
    for (const char* motion : {"--motion-b", "--end-b"}) {
        const Outcome outcome =
            graze(std::string("collide --json cube.obj cube.obj --method sweep -r 48 --pose-b "
                              "'0.1 0.2 5  1 0 0 0  0.5' ") +
                  motion + " '0.1 0.2 -5'");
        ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
        const json report = json::parse(outcome.out);
        EXPECT_EQ(report["pair"]["b"]["end"]["translation"][2], -5);
        EXPECT_FALSE(report["pair"]["a"].contains("end"));
        const double slack =
            (report["pair"]["a"]["field_error"].get<double>() + 0.01 * 2.0 / 43) / kWay + 1e-6;
        ASSERT_EQ(report["contact_count"], 8) << motion;
        for (const json& contact : report["contacts"]) {
            EXPECT_EQ(contact["feature_a"]["kind"], "none");
            EXPECT_EQ(contact["feature_b"]["kind"], "vertex");
            const Vec3 corner = sample::cube().positions.at(contact["feature_b"]["index"]);
            EXPECT_NEAR(contact["time"].get<double>(), corner.z < 0 ? kLower : kUpper, slack);
            EXPECT_NEAR(contact["position"][2].get<double>(), 1, kWay * slack);
            EXPECT_NEAR(contact["normal"][2].get<double>(), -1, 1e-2) << "it leads from b to a";
        }
    }
}

// Two bars cross in their middles, far from the ends where all of their vertices are.
TEST_F(SweepCommand, FacesMeetBetweenVertices) {
    const std::string cross =
        "bar.obj --from-pose '0 0 0.5' --to-pose '0 0 -0.5' --against bar.obj --against-from "
        "'1 -1 0  0.70710678 0 0 0.70710678' -r 160 ";
    EXPECT_EQ(sweep(cross)["contact_count"], 0);
    const double tolerance = 0.005;
    const json report = sweep(cross + "--faces --face-tolerance 0.005");
    EXPECT_EQ(report["options"]["faces"], true);
    ASSERT_GT(report["contact_count"], 0);
    for (const json& contact : report["contacts"]) {
        const std::string a = contact["feature_a"]["kind"], b = contact["feature_b"]["kind"];
        EXPECT_TRUE((a == "face" && b == "none") || (a == "none" && b == "face")) << a << " " << b;
    }
    // The lower side of the one is at z = 0.45 in the beginning, the upper of the other at 0.05.
    const double off = report["pair"]["b"]["field_error"].get<double>() + 1e-3;
    const double first = report["first"]["time"];
    EXPECT_GE(first, 0.4 - tolerance - off);
    EXPECT_LE(first, 0.4 + off);
    EXPECT_NEAR(report["first"]["position"][2].get<double>(), 0.05, tolerance + off);
}

// Points that are spread over the surface arrive when their height says.
TEST_F(SweepCommand, PointsThatAreSpreadArriveOneByOne) {
    const json report = sweep(std::string(kFall) + "--spacing 0.3 --roles points_of_a");
    EXPECT_NEAR(report["options"]["spacing"].get<double>(), 0.3, 1e-6);
    const Shape shape =
        Shape::from_mesh(sample::cube(), Field::box({1, 1, 1}), PointOptions{.spacing = 0.3f});
    const std::vector<Vec3>& points = shape.points().positions;
    EXPECT_GT(points.size(), 200u);
    ASSERT_EQ(report["contact_count"], points.size());
    const double slack = time_slack(report, kWay);
    std::set<int> seen;
    for (const json& contact : report["contacts"]) {
        const int index = contact["feature_a"]["index"];
        EXPECT_TRUE(seen.insert(index).second) << index;
        const Vec3 p = points.at(static_cast<std::size_t>(index));
        const auto height = static_cast<double>(p.z);
        EXPECT_NEAR(contact["time"].get<double>(), 0.4 + 0.05 * height, slack);
        EXPECT_NEAR(contact["position"][0].get<double>(), 0.1 + 0.5 * static_cast<double>(p.x),
                    1e-5);
        EXPECT_NEAR(contact["position"][1].get<double>(), 0.2 + 0.5 * static_cast<double>(p.y),
                    1e-5);
    }
}

// On a machine without a GPU, as on one that has fewer.
TEST_F(SweepCommand, AGpuThatIsNotThereIsSaidInOneLine) {
    const bool has_gpu = Device::list().size() > 1;
    for (const std::string& command :
         {std::string("sweep cube.obj --against cube.obj -r 16 --device "),
          std::string("collide cube.obj cube.obj --method sweep -r 16 --device ")}) {
        for (const char* device : {"cuda", "cuda:99"}) {
            if (has_gpu && device == std::string("cuda")) continue;
            const Outcome outcome = graze(command + device);
            EXPECT_EQ(outcome.exit_code, 1) << command << device;
            EXPECT_EQ(outcome.out, "");
            EXPECT_THAT(outcome.err, AllOf(StartsWith("graze: "),
                                           HasSubstr(has_gpu ? "cuda" : "use the device cpu")));
            EXPECT_EQ(line_count(outcome.err), 1) << outcome.err;
        }
    }
}

TEST_F(SweepCommand, TextTellsTheFirst) {
    const Outcome text = graze(std::string("sweep ") + kFall);
    EXPECT_EQ(text.exit_code, 0);
    EXPECT_EQ(text.err, "");
    EXPECT_THAT(text.out,
                AllOf(StartsWith("cube.obj and cube.obj meet in the step\n"),
                      HasSubstr("\n  first time"), HasSubstr(" of the step\n"),
                      HasSubstr(" at the start, along the normal\n"), HasSubstr("the first 5:\n"),
                      HasSubstr("time"), Not(HasSubstr("nan")), Not(HasSubstr("deepest"))));
    const Outcome fewer = graze(std::string("sweep --deepest 3 ") + kFall);
    EXPECT_THAT(fewer.out, AllOf(HasSubstr("before the reduction"),
                                 HasSubstr(" of the step, of those kept\n"), HasSubstr("all 3:")));
    const Outcome apart =
        graze("sweep cube.obj --from-pose '0 0 5' --to-pose '0 9 5' --against cube.obj -r 24");
    EXPECT_EQ(apart.exit_code, 0);
    EXPECT_THAT(apart.out, StartsWith("cube.obj and cube.obj do not meet in the step\n"));
}

TEST_F(SweepCommand, CsvHasTheSameNumbers) {
    const json report = sweep(kFall);
    const Outcome outcome = graze(std::string("sweep --csv ") + kFall);
    EXPECT_EQ(outcome.exit_code, 0);
    std::istringstream lines(outcome.out);
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line,
              "body_a,body_b,x,y,z,normal_x,normal_y,normal_z,distance,time,kind_a,index_a,kind_b,"
              "index_b");
    std::size_t row = 0;
    for (; std::getline(lines, line); ++row) {
        ASSERT_LT(row, report["contacts"].size());
        std::vector<std::string> cells;
        std::istringstream text(line);
        for (std::string cell; std::getline(text, cell, ',');)
            cells.push_back(cell);
        ASSERT_EQ(cells.size(), 14u);
        const json& contact = report["contacts"][row];
        EXPECT_EQ(std::stof(cells[4]), contact["position"][2].get<float>());
        EXPECT_EQ(std::stof(cells[8]), contact["distance"].get<float>());
        EXPECT_EQ(std::stof(cells[9]), contact["time"].get<float>());
        EXPECT_EQ(cells[10], "vertex");
        EXPECT_EQ(std::stoi(cells[11]), contact["feature_a"]["index"].get<int>());
        EXPECT_EQ(cells[12], "none");
    }
    EXPECT_EQ(row, report["contacts"].size());
}

TEST_F(SweepCommand, TheSameForAnyNumberOfThreads) {
    const std::string fall =
        "sweep --csv ball.obj --from-pose '0 0 3' --to-pose '0 0.5 -3  1 1 0 0' --against bar.obj "
        "-r 32 ";
    const std::string one = graze(fall + "--threads 1").out;
    EXPECT_GT(line_count(one), 1);
    EXPECT_EQ(graze(fall + "--threads 2").out, one);
    EXPECT_EQ(graze(fall).out, one);
}

TEST_F(SweepCommand, DrawsPathsAndHits) {
    const Outcome text = graze(std::string("sweep --png hits.png --width 400 ") + kFall);
    EXPECT_EQ(text.exit_code, 0) << text.err;
    EXPECT_THAT(text.out, HasSubstr("hits.png"));
    const Image hits = read_png(folder_ / "hits.png");
    EXPECT_EQ(hits.width, 400);
    sweep(std::string("--png near.png --close-up --width 400 ") + kFall);
    EXPECT_FALSE(read_png(folder_ / "near.png").pixels == hits.pixels);
    // Bodies that do not meet are a picture too.
    sweep(
        "cube.obj --from-pose '0 0 5' --to-pose '0 9 5' --against cube.obj -r 16 --png apart.png "
        "--width 200");
    EXPECT_TRUE(fs::exists(folder_ / "apart.png"));
}

TEST_F(SweepCommand, InterruptedItLeavesNoFile) {
    write("kept.png", "as it was");
    // So large that it cannot be done by then.
    const Outcome outcome = shell("timeout --preserve-status -s INT 0.5 '" + program_ +
                                  "' sweep ball.obj --to-pose '0 0 1' --against cube.obj -r 500 "
                                  "--order 0 --no-cache --png kept.png >out.txt 2>err.txt");
    EXPECT_EQ(outcome.exit_code, 130) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(read("kept.png"), "as it was");
}

TEST_F(SweepCommand, BadFilesAndOutputs) {
    for (const char* arguments :
         {"missing.obj --against cube.obj", "cube.obj --against missing.obj",
          "empty.obj --against cube.obj", "cube.obj --against notes.txt",
          "cube.obj --against missing.gfield",
          "cube.obj --against cube.obj --png no/such/folder.png",
          "cube.obj --against cube.obj --png picture.jpg"}) {
        const Outcome outcome = graze(std::string("sweep --json -r 16 ") + arguments);
        EXPECT_EQ(outcome.exit_code, 1) << arguments;
        EXPECT_EQ(outcome.out, "") << arguments;
        EXPECT_THAT(outcome.err, StartsWith("graze: ")) << arguments;
        EXPECT_EQ(line_count(outcome.err), 1) << outcome.err;
    }
}

TEST_F(SweepCommand, WrongCommandLines) {
    const std::string right = "cube.obj --against cube.obj ";
    for (const std::string& arguments : {std::string(),
                                         std::string("cube.obj"),
                                         std::string("--against cube.obj"),
                                         right + "cube.obj",
                                         right + "--json --csv",
                                         right + "--method particles",
                                         right + "--motion curved",
                                         right + "--roles none",
                                         right + "--gap -1",
                                         right + "--gap nan",
                                         right + "--tolerance x",
                                         right + "--spacing -1",
                                         right + "--face-tolerance 0.1",
                                         right + "--faces --face-tolerance -1",
                                         right + "--device tpu",
                                         right + "--width 300",
                                         right + "--close-up",
                                         right + "--to-pose '1 2'",
                                         right + "--from-pose 'a b c'",
                                         right + "--against-to ''",
                                         right + "--against-from '0 0 0 0 0 0 0'",
                                         right + "--pose-a '0 0 0'",
                                         right + "-n 10"}) {
        const Outcome outcome = graze("sweep " + arguments);
        EXPECT_EQ(outcome.exit_code, 2) << arguments;
        EXPECT_EQ(outcome.out, "") << arguments;
        EXPECT_THAT(outcome.err, AllOf(StartsWith("graze: "), HasSubstr("--help"))) << arguments;
        EXPECT_EQ(line_count(outcome.err), 1) << outcome.err;
    }
}

TEST_F(SweepCommand, HelpHasExamples) {
    const Outcome help = graze("sweep --help");
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_THAT(help.out, AllOf(HasSubstr("--from-pose"), HasSubstr("qw qx qy qz"),
                                HasSubstr("Examples:"), HasSubstr("--against")));
    EXPECT_THAT(graze("--help").out, HasSubstr("graze sweep"));
}

}  // namespace
}  // namespace graze
