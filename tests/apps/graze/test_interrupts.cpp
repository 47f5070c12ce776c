// Every command that can take long answers Ctrl-C soon, with exit code 130 and one line, and leaves
// neither its output nor half of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "graze/write_file.h"
#include "tests/apps/graze/program_test.h"
#include "tests/recording/recording_cases.h"

namespace graze {
namespace {

class Interrupts : public ProgramTest {
protected:
    // Triangles around one vertex, each of which crosses all others: small, and it keeps every
    // command that takes meshes busy for long.
    void write_fan() const {
        constexpr int kCount = 4000;
        std::string text = "v 0 0 0\n";
        for (int i = 0; i < kCount; ++i) {
            const double angle = 3.141592653589793 * i / kCount;
            const double x = std::cos(angle), y = std::sin(angle);
            text += "v " + std::to_string(x) + " " + std::to_string(y) + " 1\n";
            text += "v " + std::to_string(-x) + " " + std::to_string(-y) + " 1\n";
            text += "f 1 -2 -1\n";
        }
        write("fan.obj", text);
    }

    // The signal comes after two seconds, when the program surely waits for it. It is killed three
    // seconds later, with another exit code.
    void expect_answer(const std::string& arguments, const std::string& what) const {
        const Outcome outcome = shell("timeout --preserve-status -s INT -k 3 2 '" + program_ +
                                      "' " + arguments + " --threads 1 >out.txt 2>err.txt");
        EXPECT_EQ(outcome.exit_code, 130) << arguments;
        EXPECT_EQ(outcome.err, "graze: interrupted" + what + "\n") << arguments;
        expect_no_halves();
    }
    void expect_no_halves() const {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
            const std::string name = entry.path().filename().string();
            EXPECT_EQ(name.find(".tmp"), std::string::npos) << entry.path();
        }
    }
};

TEST_F(Interrupts, CommandsOnMeshes) {
    write_fan();
    expect_answer("field fan.obj -r 64 -o a.gfield", "; a.gfield was not written");
    expect_answer("mesh fan.obj -r 64 -o a.obj", "; a.obj was not written");
    expect_answer("slice fan.obj -r 64 -o a.png", "; a.png was not written");
    expect_answer("collide fan.obj fan.obj -r 64 --png a.png", "; a.png was not written");
    expect_answer("sweep fan.obj --to-pose '0 0 1' --against fan.obj",
                  "; the answer was not written");
    expect_answer("intersect fan.obj -o a.json", "; a.json was not written");
    expect_answer("impacts fan.obj fan.obj -o a.csv", "; a.csv was not written");
}

TEST_F(Interrupts, CommandsOnScenes) {
    write_fan();
    write("load.json", R"({"shapes": {"fan": {"mesh": "fan.obj"}}, "bodies": [{"shape": "fan"}]})");
    expect_answer("simulate load.json", " before the first step");
    write("fall.json", R"({"shapes": {"ground": {"formula": {"plane": {}}},
            "ball": {"generated": {"sphere": {"radius": 0.1, "subdivisions": 1}},
                     "field": {"resolution": 16}}},
        "bodies": [{"shape": "ground", "motion": "fixed"},
                   {"shape": "ball", "pose": {"position": [0, 0, 0.2]}}],
        "time_step": 0.002, "duration": 0.4,
        "solver": {"kind": "penalty", "penalty": {"stiffness": 5000, "damping": 10}}})");
    expect_answer("stability fall.json --seconds 200", "; the answer was not written");
}

TEST_F(Interrupts, Export) {
    constexpr std::uint32_t kBodies = 3000;
    {
        RecordingWriter writer(folder_ / "run.grec", testing::made_up_setup(kBodies));
        const RecordingFrame frame = testing::made_up_frame(kBodies, 7);
        for (int i = 0; i < 4000; ++i)
            writer.add(i / 60.0, frame.states, {});
        writer.finish();
    }
    const Outcome outcome = shell("timeout --preserve-status -s INT -k 3 2 '" + program_ +
                                  "' export run.grec -o a.csv >out.txt 2>err.txt");
    EXPECT_EQ(outcome.exit_code, 130);
    EXPECT_EQ(outcome.err, "graze: interrupted; a.csv was not written\n");
    EXPECT_FALSE(std::filesystem::exists(folder_ / "a.csv"));
    expect_no_halves();
}

// What a killed run left is removed when its folder is written to again, whatever that writes; what
// another program writes at this moment stays.
TEST_F(Interrupts, ARunRemovesWhatAKilledOneLeft) {
    write("still.json", R"({"shapes": {"ground": {"formula": {"plane": {}}}},
        "bodies": [{"shape": "ground", "motion": "fixed"}], "time_step": 0.01, "duration": 0.02,
        "solver": {"kind": "penalty"}})");
    std::filesystem::create_directories(folder_ / "still.run/frames");
    for (const char* name : {"run.grec.tmp", "run.grec.tmp2", "run.glb.tmp", "summary.json.tmp1",
                             "steps.json.tmp", "frames/00003.ply.tmp", "frames/00100.ply.tmp1"})
        write(std::string("still.run/") + name, "half");
    for (const char* name : {"run.grec.tmpx", "other.tmp", "frames/mine.ply.tmp"})
        write(std::string("still.run/") + name, "somebody's");
    write_file(folder_ / "still.run/steps.json", [&](const WriteBytes& write_bytes) {
        write_bytes("half");
        const Outcome outcome = graze("simulate still.json --no-recording");
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        EXPECT_TRUE(std::filesystem::exists(folder_ / "still.run/steps.json.tmp"));
    });
    std::set<std::string> left;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "still.run"))
        if (entry.is_regular_file()) left.insert(entry.path().filename().string());
    EXPECT_EQ(left, (std::set<std::string>{"mine.ply.tmp", "other.tmp", "run.grec.tmpx",
                                           "steps.csv", "steps.json", "summary.json"}));
}

}  // namespace
}  // namespace graze
