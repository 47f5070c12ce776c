// Runs graze simulate: its files and their agreement, the same state from run to run, runs that are
// ended and killed, messages and exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "graze/mesh_io.h"
#include "graze/recording.h"
#include "tests/apps/graze/program_output.h"
#include "tests/apps/graze/program_test.h"

namespace graze {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Rows = std::vector<std::vector<std::string>>;

// The header first. A last line without its end is left out.
Rows read_rows(const std::string& text) {
    Rows rows;
    for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != text.npos;
         begin = end + 1) {
        rows.emplace_back();
        std::istringstream line(text.substr(begin, end - begin));
        for (std::string cell; std::getline(line, cell, ',');)
            rows.back().push_back(cell);
    }
    return rows;
}

class SimulateCommand : public ProgramTest {
protected:
    void SetUp() override {
        ProgramTest::SetUp();
        if (IsSkipped()) return;
        const json scene = json::parse(R"({
            "name": "tiny",
            "shapes": {
                "ground": {"formula": {"plane": {}}},
                "ball": {"formula": {"sphere": {"radius": 0.2}}},
                "ring": {"generated": {"torus": {"radius": 0.3, "tube_radius": 0.12, "segments": 24, "sides": 12}},
                         "field": {"resolution": 24}}
            },
            "bodies": [
                {"shape": "ground", "motion": "fixed"},
                {"name": "ring", "shape": "ring", "pose": {"position": [0, 0, 0.13]}},
                {"shape": "ball", "grid": {"counts": [2, 2, 2], "spacing": 0.39, "jitter": 0.01}, "pose": {"position": [0, 0, 0.9]}},
                {"name": "late", "shape": "ball", "pose": {"position": [0, 0, 3]}, "start_time": 0.1}
            ],
            "time_step": 0.01, "duration": 0.3, "frame_steps": 5})");
        write("tiny.json", scene.dump());
        json endless = scene;
        endless["duration"] = 1e6;
        endless["solver"]["sleeps"] = false;
        write("endless.json", endless.dump());
        is_able_ = graze("simulate tiny.json --frames 1 -o able").err.find("without Bullet") ==
                   std::string::npos;
    }

    json simulate(const std::string& arguments) const {
        const Outcome outcome = graze("simulate --json " + arguments);
        EXPECT_EQ(outcome.exit_code, 0) << arguments << ": " << outcome.err;
        EXPECT_EQ(outcome.err, "") << arguments;
        return outcome.exit_code == 0 ? json::parse(outcome.out) : json{};
    }
    bool exists(const std::string& name) const { return fs::exists(folder_ / name); }
    void wait_for_rows(const std::string& file, std::size_t count) const {
        // As long as it takes; the test's own limit ends a run that never gets there.
        while (read_rows(read(file)).size() < count)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    // Starts a run that never ends by itself, and sends it a signal when some steps are done, after
    // what else is to happen then; what the shell says of its end.
    int run_and_signal(
        const std::string& signal, const std::function<void()>& before = [] {}) const {
        std::thread sender([&] {
            wait_for_rows("endless.run/steps.csv", 12);
            before();
            const std::string command =
                "kill -" + signal + " $(cat '" + folder_.string() + "/pid')";
            EXPECT_EQ(std::system(command.c_str()), 0);
        });
        const Outcome outcome = shell("sh -c 'echo $$ >pid; exec \"" + program_ +
                                      "\" simulate endless.json' >out.txt 2>err.txt");
        sender.join();
        return outcome.exit_code;
    }

    bool is_able_ = false;  // built with a solver
};

#define NEEDS_SOLVER() \
    if (!is_able_) GTEST_SKIP() << "built without Bullet"

TEST_F(SimulateCommand, SaysWhatRunsAndWhatHappened) {
    NEEDS_SOLVER();
    const Outcome outcome = graze("simulate tiny.json");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    EXPECT_THAT(outcome.out,
                AllOf(StartsWith("tiny\n"), HasSubstr("  bodies                  11\n"),
                      HasSubstr("  steps                   30 of 10 ms\n"),
                      HasSubstr("formula, no mass"), HasSubstr("formula, mass from its field"),
                      HasSubstr("generated torus, mass from its mesh"),
                      HasSubstr("results in              tiny.run\n"), HasSubstr("steps a second"),
                      HasSubstr("deepest penetration")));
    const Outcome again = graze("simulate tiny.json");
    EXPECT_THAT(again.out, HasSubstr("tiny.run, in place of earlier ones\n"));
}

TEST_F(SimulateCommand, LeavesFilesThatAgree) {
    NEEDS_SOLVER();
    const json summary = simulate("tiny.json -o deep/er");
    EXPECT_EQ(keys(summary), (std::set<std::string>{"scene",
                                                    "name",
                                                    "version",
                                                    "is_complete",
                                                    "device",
                                                    "thread_count",
                                                    "bodies",
                                                    "steps",
                                                    "frames",
                                                    "time",
                                                    "load_seconds",
                                                    "seconds",
                                                    "steps_per_second",
                                                    "pairs_per_step",
                                                    "found_per_step",
                                                    "contacts_per_step",
                                                    "deepest_penetration",
                                                    "kinetic_energy_start",
                                                    "kinetic_energy_end",
                                                    "potential_energy_start",
                                                    "potential_energy_end",
                                                    "stage_seconds_per_step",
                                                    "mass_sources",
                                                    "state_hash"}));
    EXPECT_EQ(json::parse(read("deep/er/summary.json")), summary);
    EXPECT_EQ(summary["scene"], "tiny.json");
    EXPECT_EQ(summary["device"], "cpu");
    EXPECT_EQ(summary["is_complete"], true);
    EXPECT_EQ(summary["steps"], 30);
    EXPECT_EQ(summary["frames"], 7);
    EXPECT_EQ(summary["bodies"], 11);
    EXPECT_NEAR(summary["time"].get<double>(), 0.3, 1e-9);
    EXPECT_EQ(summary["mass_sources"],
              (json{{"ball", "field"}, {"ground", "none"}, {"ring", "mesh"}}));
    EXPECT_EQ(summary["state_hash"].get<std::string>().size(), 16u);
    EXPECT_EQ(summary["kinetic_energy_start"], 0);
    EXPECT_GT(summary["kinetic_energy_end"].get<double>(), 0);
    EXPECT_GT(summary["contacts_per_step"].get<double>(), 0);

    const Rows rows = read_rows(read("deep/er/steps.csv"));
    const json steps = json::parse(read("deep/er/steps.json"));
    ASSERT_EQ(rows.size(), 31u);
    ASSERT_EQ(steps.size(), 30u);
    EXPECT_THAT(read("deep/er/steps.csv"),
                StartsWith("step,time,seconds,bodies,awake,pairs,found,contacts,"
                           "deepest_penetration,kinetic_energy,potential_energy,"));
    double contacts = 0, deepest = 0;
    for (std::size_t i = 0; i < 30; ++i) {
        EXPECT_EQ(steps[i]["step"], i + 1);
        EXPECT_EQ(rows[i + 1].size(), rows[0].size());
        for (std::size_t column = 0; column < rows[0].size(); ++column) {
            EXPECT_EQ(steps[i][rows[0][column]].get<double>(), std::stod(rows[i + 1][column]));
        }
        contacts += steps[i]["contacts"].get<double>();
        deepest = std::max(deepest, steps[i]["deepest_penetration"].get<double>());
    }
    EXPECT_EQ(steps[0]["bodies"], 10) << "the last one comes later";
    EXPECT_EQ(steps[29]["bodies"], 11);
    EXPECT_DOUBLE_EQ(summary["contacts_per_step"].get<double>(), contacts / 30);
    EXPECT_NEAR(summary["deepest_penetration"].get<double>(), deepest, 1e-6);

    const Recording recording(folder_ / "deep/er/run.grec");
    EXPECT_TRUE(recording.is_complete());
    ASSERT_EQ(recording.frame_count(), 7);
    EXPECT_EQ(recording.setup().bodies.size(), 11u);
    EXPECT_NEAR(recording.frame(6).time, 0.3, 1e-9);
    EXPECT_EQ(static_cast<double>(recording.frame(6).contacts.size()),
              steps[29]["contacts"].get<double>());
    EXPECT_THAT(read("deep/er/run.glb"), StartsWith("glTF"));
}

TEST_F(SimulateCommand, TheStateDoesNotDependOnThreadsOrRun) {
    NEEDS_SOLVER();
    const json one = simulate("tiny.json --threads 1");
    const json two = simulate("tiny.json --threads 2");
    const json again = simulate("tiny.json --threads 2");
    EXPECT_EQ(one["thread_count"], 1);
    EXPECT_EQ(two["thread_count"], 2);
    EXPECT_EQ(one["state_hash"], two["state_hash"]);
    EXPECT_EQ(two["state_hash"], again["state_hash"]);
    const json shorter = simulate("tiny.json --frames 5");
    EXPECT_EQ(shorter["steps"], 25);
    EXPECT_NE(shorter["state_hash"], one["state_hash"]);
}

TEST_F(SimulateCommand, LeavesOutWhatIsNotWanted) {
    NEEDS_SOLVER();
    simulate("tiny.json -o a --no-glb --frames 1");
    EXPECT_TRUE(exists("a/run.grec"));
    EXPECT_FALSE(exists("a/run.glb"));
    simulate("tiny.json -o b --no-recording --frames 1 --method particles --device cpu");
    EXPECT_FALSE(exists("b/run.grec"));
    EXPECT_FALSE(exists("b/run.glb"));
    // A later run does not leave files of an earlier one.
    simulate("tiny.json -o a --no-recording --frames 1");
    EXPECT_FALSE(exists("a/run.grec"));
}

TEST_F(SimulateCommand, EndsInGoodOrderWhenInterrupted) {
    NEEDS_SOLVER();
    EXPECT_EQ(run_and_signal("INT"), 130);
    EXPECT_THAT(read("err.txt"), AllOf(StartsWith("graze: interrupted; "), EndsWith("\n")));
    const json summary = json::parse(read("endless.run/summary.json"));
    EXPECT_EQ(summary["is_complete"], false);
    EXPECT_GE(summary["steps"].get<int>(), 11);
    EXPECT_EQ(json::parse(read("endless.run/steps.json")).size(), summary["steps"]);
    const Recording recording(folder_ / "endless.run/run.grec");
    EXPECT_FALSE(recording.is_complete());
    EXPECT_EQ(recording.frame_count(), summary["frames"]);
    EXPECT_THAT(read("endless.run/run.glb"), StartsWith("glTF"));
}

// A step that takes long is left where it is: what was whole before it is kept.
TEST_F(SimulateCommand, AStepThatTakesLongIsNotWaitedFor) {
    // Cells much smaller than the thickness: very many features are near each other.
    write("slow.json", R"({"shapes": {"sheet": {"generated": {"sheet": {"width": 0.6, "depth": 0.6,
            "columns": 1200, "rows": 120}}}},
        "bodies": [{"shape": "sheet", "motion": "cloth"}], "time_step": 0.01, "duration": 10,
        "solver": {"kind": "cloth"}})");
    std::thread sender([&] {
        while (!exists("slow.run/run.grec.tmp") && !exists("slow.run/run.grec"))
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        std::this_thread::sleep_for(std::chrono::seconds(1));
        const std::string kill = "kill -INT $(cat '" + folder_.string() + "/pid')";
        EXPECT_EQ(std::system(kill.c_str()), 0);
    });
    // Where it waits for the step it is killed, with another exit code.
    const Outcome outcome = shell("timeout -s KILL 20 sh -c 'echo $$ >pid; exec \"" + program_ +
                                  "\" simulate slow.json --threads 1' >out.txt 2>err.txt");
    sender.join();
    EXPECT_EQ(outcome.exit_code, 130);
    EXPECT_EQ(outcome.err, "graze: interrupted; what was simulated until then is kept\n");
    const json summary = json::parse(read("slow.run/summary.json"));
    EXPECT_EQ(summary["is_complete"], false);
    EXPECT_EQ(summary["frames"].get<int>(), summary["steps"].get<int>() + 1);
    const Recording recording(folder_ / "slow.run/run.grec");
    EXPECT_FALSE(recording.is_complete());
    EXPECT_EQ(recording.frame_count(), summary["frames"]);
    EXPECT_TRUE(exists("slow.run/frames/00000.ply"));
}

TEST_F(SimulateCommand, EndsInGoodOrderWhenTerminated) {
    NEEDS_SOLVER();
    EXPECT_EQ(run_and_signal("TERM"), 143);
    EXPECT_THAT(read("err.txt"), StartsWith("graze: interrupted; "));
    EXPECT_EQ(json::parse(read("endless.run/summary.json"))["is_complete"], false);
}

TEST_F(SimulateCommand, WhatCannotBeWrittenIsToldAfterAnInterruptToo) {
    NEEDS_SOLVER();
    // A folder with its name stands for a file that cannot be written.
    const auto block = [&] { fs::create_directories(folder_ / "endless.run/summary.json/x"); };
    EXPECT_EQ(run_and_signal("INT", block), 1);
    EXPECT_EQ(line_count(read("err.txt")), 1) << read("err.txt");
    EXPECT_THAT(read("err.txt"), StartsWith("graze: endless.run/summary.json: "));
}

TEST_F(SimulateCommand, RowsThatCannotBeReadAreNoEmptyJson) {
    NEEDS_SOLVER();
    const auto take_away = [&] { fs::remove(folder_ / "endless.run/steps.csv"); };
    EXPECT_EQ(run_and_signal("INT", take_away), 1);
    EXPECT_THAT(read("err.txt"), StartsWith("graze: endless.run/steps.csv: cannot read"));
    EXPECT_FALSE(exists("endless.run/steps.json"));
}

TEST_F(SimulateCommand, TheFirstErrorIsToldFirst) {
    NEEDS_SOLVER();
    // As on a full disk: no file may have more than so many blocks. The rows are the first to be
    // stopped by it; as JSON they are longer still.
    const Outcome outcome = shell("sh -c 'trap \"\" XFSZ; ulimit -f 8; exec \"" + program_ +
                                  "\" simulate endless.json --no-recording --no-cache' "
                                  ">out.txt 2>err.txt");
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(line_count(outcome.err), 1) << outcome.err;
    EXPECT_THAT(outcome.err,
                AllOf(StartsWith("graze: endless.run/steps.csv: cannot write: "),
                      HasSubstr("; what came before it was not all kept: endless.run/steps.json")));
}

TEST_F(SimulateCommand, WhatWasDoneIsThereAfterAKill) {
    NEEDS_SOLVER();
    EXPECT_EQ(run_and_signal("KILL"), 128 + SIGKILL);
    EXPECT_FALSE(exists("endless.run/summary.json"));
    const Rows rows = read_rows(read("endless.run/steps.csv"));
    ASSERT_GE(rows.size(), 12u);
    for (std::size_t i = 1; i < rows.size(); ++i) {
        EXPECT_EQ(rows[i].size(), rows[0].size());
        EXPECT_EQ(rows[i][0], std::to_string(i));
    }
    const Recording recording(folder_ / "endless.run/run.grec");
    EXPECT_FALSE(recording.is_complete());
    EXPECT_NE(recording.why_incomplete(), "");
    // Every fifth step, and the beginning; a frame is written before its step's row.
    const auto steps = static_cast<std::int64_t>(rows.size()) - 1;
    EXPECT_GE(recording.frame_count(), steps / 5 + 1);
    EXPECT_LE(recording.frame_count(), (steps + 1) / 5 + 1);
}

TEST_F(SimulateCommand, MistakesGetOneClearLine) {
    NEEDS_SOLVER();
    write("wrong.json", R"({"shapes": {}, "bodies": [{"shape": "tors"}]})");
    write("file", "");
    const struct {
        const char* arguments;
        int exit_code;
        const char* message;
    } cases[] = {
        {"", 2, "SCENE is required"},
        {"nowhere.json", 1, "nowhere.json: "},
        {"wrong.json", 1, "wrong.json: bodies[0].shape: no shape is called 'tors'"},
        {"tiny.json --frames 0", 2, "--frames"},
        {"tiny.json --method mirrors", 2, "no method is called 'mirrors'; there are: particles"},
        {"tiny.json --device gpu", 2, "'gpu' is no device"},
        {"tiny.json --device cuda:99", 1, "graze: "},
        {"tiny.json --threads -1", 2, "--threads"},
        {"tiny.json --out file", 1, "file: is not a folder"},
        {"tiny.json --out file/below", 1, "file/below: cannot make the folder"},
        {"tiny.json --frame 3", 2, "--frame"},
    };
    for (const auto& [arguments, exit_code, message] : cases) {
        const Outcome outcome = graze(std::string("simulate ") + arguments);
        EXPECT_EQ(outcome.exit_code, exit_code) << arguments;
        EXPECT_EQ(line_count(outcome.err), 1) << arguments << ": " << outcome.err;
        EXPECT_THAT(outcome.err, AllOf(StartsWith("graze: "), HasSubstr(message))) << arguments;
        EXPECT_EQ(outcome.out, "") << arguments;
    }
}

TEST_F(SimulateCommand, AMistakeInTheSceneLeavesEarlierResults) {
    NEEDS_SOLVER();
    simulate("tiny.json -o kept --frames 1");
    const std::string summary = read("kept/summary.json");
    write("wrong.json", R"({"shapes": {}, "bodies": [{"shape": "tors"}]})");
    EXPECT_EQ(graze("simulate wrong.json -o kept").exit_code, 1);
    EXPECT_EQ(read("kept/summary.json"), summary);
    // A formula has no triangles, which shows before the first step.
    const Outcome formula = graze("simulate tiny.json -o kept --method features");
    EXPECT_EQ(formula.exit_code, 1);
    EXPECT_THAT(formula.err, AllOf(StartsWith("graze: shape "), HasSubstr("needs triangles")));
    EXPECT_EQ(read("kept/summary.json"), summary);
    EXPECT_EQ(graze("simulate wrong.json").exit_code, 1);
    EXPECT_FALSE(exists("wrong.run"));
}

// A scene with cloth needs no Bullet, and leaves its frames as meshes besides.
TEST_F(SimulateCommand, ClothLeavesAMeshForEachFrame) {
    write("cloth.json", R"({
        "shapes": {"sheet": {"generated": {"sheet": {"columns": 6, "rows": 6}}},
                   "ball": {"generated": {"sphere": {"radius": 0.2, "subdivisions": 1}}}},
        "bodies": [{"shape": "ball", "motion": "fixed"},
                   {"shape": "sheet", "motion": "cloth", "pose": {"position": [0, 0, 0.25]}}],
        "duration": 0.2, "frame_steps": 2,
        "solver": {"kind": "cloth", "cloth": {"checks_intersections": true}}})");
    const json summary = simulate("cloth.json --threads 1");
    EXPECT_EQ(summary["steps"], 12);
    EXPECT_EQ(summary["frames"], 7);
    EXPECT_EQ(summary["figures"]["intersections"]["most"], 0);
    EXPECT_EQ(summary["figures"]["script_part"]["least"], 1);
    EXPECT_GE(summary["figures"]["stretch_most"]["most"], 1);
    EXPECT_FALSE(exists("cloth.run/frames/00007.ply"));
    const Mesh first = load_mesh(folder_ / "cloth.run/frames/00000.ply");
    const Mesh last = load_mesh(folder_ / "cloth.run/frames/00006.ply");
    EXPECT_EQ(first.triangles.size(), 80u + 72u);
    EXPECT_EQ(first.triangles, last.triangles);
    EXPECT_EQ(first.positions[0], last.positions[0]) << "the ball is fixed";
    EXPECT_EQ(first.positions.back().z, 0.25f);
    EXPECT_LT(last.positions.back().z, 0.24f);
    const Recording recording(folder_ / "cloth.run/run.grec");
    EXPECT_TRUE(recording.is_complete());
    ASSERT_EQ(recording.frame_count(), 7);
    EXPECT_EQ(recording.setup().bodies[1].motion, BodyMotion::cloth);
    const RecordingFrame end = recording.frame(6);
    const std::vector<Vec3> sheet(last.positions.end() - 49, last.positions.end());
    EXPECT_EQ(end.positions, sheet) << "the very floats of the simulation";
    EXPECT_THAT(read("cloth.run/run.glb"), AllOf(StartsWith("glTF"), HasSubstr("weights")));
    EXPECT_EQ(graze("export cloth.run/run.grec -o cloth.csv").exit_code, 0);
    EXPECT_EQ(read_rows(read("cloth.csv")).size(), 1u + 7 * 2);
    EXPECT_EQ(graze("export cloth.run/run.grec -o touch.csv --contacts").exit_code, 0);
    EXPECT_GT(read_rows(read("touch.csv")).size(), 7u);
    EXPECT_THAT(graze("info cloth.run/run.grec").out, HasSubstr("  frames "));
    const Rows rows = read_rows(read("cloth.run/steps.csv"));
    ASSERT_EQ(rows.size(), 13u);
    EXPECT_THAT(
        read("cloth.run/steps.csv"),
        HasSubstr(",impacts,rounds,parts,cut,script_part,script_work,elastic_energy,stretch_least,"
                  "stretch_p1,stretch_p99,stretch_most,intersections,predict_seconds,"));

    // Frames have the contacts of their steps. The coarse sheet hops off the ball for a moment.
    const auto column = static_cast<std::size_t>(
        std::find(rows[0].begin(), rows[0].end(), "contacts") - rows[0].begin());
    for (std::int64_t i = 1; i < recording.frame_count(); ++i) {
        const std::string& count = rows[static_cast<std::size_t>(2 * i)].at(column);
        EXPECT_EQ(std::to_string(recording.frame(i).contacts.size()), count) << "frame " << i;
    }
    EXPECT_FALSE(recording.frame(4).contacts.empty());

    EXPECT_EQ(simulate("cloth.json --threads 2 -o two")["state_hash"], summary["state_hash"]);
    // Frames of a longer run before it do not stay.
    simulate("cloth.json --frames 1");
    EXPECT_TRUE(exists("cloth.run/frames/00001.ply"));
    EXPECT_FALSE(exists("cloth.run/frames/00002.ply"));
    simulate("cloth.json --no-recording -o none");
    EXPECT_FALSE(exists("none/frames"));
    EXPECT_FALSE(exists("none/run.grec"));
    write("crossing.json", R"({
        "shapes": {"sheet": {"generated": {"sheet": {}}}, "ball": {"generated": {"sphere": {"radius": 0.2}}}},
        "bodies": [{"shape": "ball", "motion": "fixed"}, {"shape": "sheet", "motion": "cloth"}],
        "solver": {"kind": "cloth"}})");
    const Outcome outcome = graze("simulate crossing.json");
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("intersect at the beginning"));
}

TEST_F(SimulateCommand, WithoutASolverItSaysSo) {
    if (is_able_) GTEST_SKIP() << "built with Bullet";
    const Outcome outcome = graze("simulate tiny.json");
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(line_count(outcome.err), 1);
    EXPECT_THAT(outcome.err, HasSubstr("built without Bullet"));
    EXPECT_FALSE(exists("tiny.run"));
}

}  // namespace
}  // namespace graze
