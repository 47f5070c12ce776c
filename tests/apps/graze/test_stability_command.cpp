// Runs graze stability: its figures on a small scene, its messages and exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/apps/graze/program_output.h"
#include "tests/apps/graze/program_test.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class StabilityCommand : public ProgramTest {
protected:
    void SetUp() override {
        ProgramTest::SetUp();
        if (IsSkipped()) return;
        write("drop.json", R"({
            "shapes": {"ground": {"formula": {"plane": {}}},
                       "ball": {"generated": {"sphere": {"radius": 0.1, "subdivisions": 1}},
                                "field": {"resolution": 16}}},
            "bodies": [{"shape": "ground", "motion": "fixed"},
                       {"shape": "ball", "pose": {"position": [0, 0, 0.2]}}],
            "duration": 0.4, "time_step": 0.002,
            "solver": {"kind": "penalty", "penalty": {"stiffness": 5000, "damping": 10}}})");
        write("other.json", R"({"shapes": {"ground": {"formula": {"plane": {}}}},
            "bodies": [{"shape": "ground", "motion": "fixed"}]})");
        write("still.json", R"({"shapes": {"ground": {"formula": {"plane": {}}}},
            "bodies": [{"shape": "ground", "motion": "fixed"}], "solver": {"kind": "penalty"}})");
    }
};

TEST_F(StabilityCommand, FindsTheLongestStepsOfBothMethods) {
    if (GRAZE_SANITIZED != 0) GTEST_SKIP() << "takes too long under a sanitizer";
    const Outcome outcome = graze("stability drop.json --threads 1 --json");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    const json found = json::parse(outcome.out);
    EXPECT_EQ(keys(found),
              (std::set<std::string>{
                  "scene", "stiffness", "damping_time", "seconds", "interpolation",
                  "limits_damping", "energy_fraction", "continuous", "discrete", "softer_discrete",
                  "continuous_step_at_equal_penetration", "ratios", "paper", "run_count"}));
    EXPECT_EQ(found["limits_damping"], true);
    EXPECT_EQ(found["energy_fraction"], 0.05);
    EXPECT_EQ(found["stiffness"], 5000);
    EXPECT_DOUBLE_EQ(found["damping_time"], 0.002);
    const double continuous = found["continuous"]["largest_step"];
    const double discrete = found["discrete"]["largest_step"];
    EXPECT_GT(continuous, 1e-4);
    EXPECT_LT(continuous, 0.2);
    EXPECT_GT(discrete, 1e-4);
    EXPECT_NEAR(found["ratios"]["step"], continuous / discrete, 1e-9);
    EXPECT_GT(found["continuous"]["deepest_penetration"], 0);
    EXPECT_EQ(found["paper"]["step"], 3);
    const Outcome text = graze("stability drop.json --threads 1 --seconds 0.2");
    EXPECT_THAT(text.out, HasSubstr("the paper's is 2.75x"));
}

// What may gain more energy bears longer steps.
TEST_F(StabilityCommand, SaysWhatCountsAsStable) {
    if (GRAZE_SANITIZED != 0) GTEST_SKIP() << "takes too long under a sanitizer";
    const auto longest = [&](const std::string& options) {
        const Outcome outcome =
            graze("stability drop.json --threads 1 --json --free-damping " + options);
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        const json found = json::parse(outcome.out);
        EXPECT_EQ(found["limits_damping"], false);
        return found["discrete"]["largest_step"].get<double>();
    };
    EXPECT_GT(longest("--energy 20"), 1.1 * longest(""));
}

TEST_F(StabilityCommand, RefusesWhatItCannotMeasure) {
    const auto expect = [&](const char* arguments, int code, const char* message) {
        const Outcome outcome = graze(std::string("stability ") + arguments);
        EXPECT_EQ(outcome.exit_code, code) << arguments;
        EXPECT_THAT(outcome.err, HasSubstr(message)) << arguments;
        EXPECT_EQ(outcome.out, "") << arguments;
    };
    expect("other.json", 1, "its solver is bullet; give a scene of the solver penalty");
    expect("still.json", 1, "no body falls");
    expect("absent.json", 1, "absent.json");
    expect("", 2, "SCENE");
    expect("drop.json --stiffness -1", 2, "--stiffness");
    expect("drop.json --interpolation cubic", 2, "cubic");
    expect("drop.json --energy -1", 2, "--energy");
}

}  // namespace
}  // namespace graze
