// Commands that run out of memory say so in one line, with exit code 1, and leave neither
// their output nor half of it, wherever they run out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "graze/generate_mesh.h"
#include "graze/mesh_io.h"
#include "tests/apps/graze/program_output.h"
#include "tests/apps/graze/program_test.h"
#include "tests/oracle/case_count.h"
#include "tests/recording/recording_cases.h"

namespace graze {
namespace {

namespace fs = std::filesystem;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class MemoryLimits : public ProgramTest {
protected:
    void SetUp() override {
        if (GRAZE_SANITIZED != 0)
            GTEST_SKIP() << "takes too long under a sanitizer";  // which needs terabytes, too
        ProgramTest::SetUp();
        if (IsSkipped()) return;
        base_ = least_limit();
        save_mesh(make_sphere(1, 5), folder_ / "ball.ply");
        save_mesh(copies(12, 0), folder_ / "copies0.ply");
        save_mesh(copies(12, 0.01f), folder_ / "copies1.ply");
    }

    static Mesh copies(int count, float motion) {
        const Mesh ball = make_sphere(1, 4);
        Mesh mesh;
        for (int i = 0; i < count; ++i) {
            const auto first = static_cast<std::uint32_t>(mesh.positions.size());
            const auto shift = static_cast<float>(std::sin(i));
            for (const Vec3& p : ball.positions)
                mesh.positions.push_back(p + Vec3{0.01f + motion, motion, 0.01f} * shift);
            for (const Triangle& t : ball.triangles)
                mesh.triangles.push_back({{t[0] + first, t[1] + first, t[2] + first}});
        }
        return mesh;
    }

    // [MiB] What it takes to start.
    int least_limit() const {
        int limit = 64;
        while (with_limit(limit, "--version").exit_code != 0 && limit < 4096)
            limit += 8;
        return limit;
    }
    Outcome with_limit(int mebibytes, const std::string& arguments) const {
        return shell("ulimit -c 0; ulimit -v " + std::to_string(mebibytes * 1024) + "; '" +
                     program_ + "' " + arguments + " >out.txt 2>err.txt");
    }

    // Under limits from nothing to spare to all that is needed. Returns how many of them were too
    // low.
    int expect_words(const std::string& arguments, const std::string& output) const {
        int failure_count = 0;
        for (int more = 0; more < 4096; more += 2 + more / 4) {
            if (!output.empty()) fs::remove_all(folder_ / output);
            const Outcome outcome = with_limit(base_ + more, arguments);
            if (outcome.exit_code == 0) break;
            ++failure_count;
            const std::string where = arguments + " with " + std::to_string(more) + " MiB more";
            EXPECT_EQ(outcome.exit_code, 1) << where;
            EXPECT_EQ(line_count(outcome.err), 1) << where << ": " << outcome.err;
            EXPECT_THAT(outcome.err, StartsWith("graze: ")) << where;
            EXPECT_THAT(outcome.err, AnyOf(HasSubstr("memory"), HasSubstr(" are free"))) << where;
            EXPECT_THAT(outcome.err, AnyOf(HasSubstr("give"), HasSubstr("use"), HasSubstr("ask"),
                                           HasSubstr("fits"), HasSubstr("export"),
                                           HasSubstr("the mesh alone takes too much")))
                << where;
            EXPECT_TRUE(output.empty() || !fs::is_regular_file(folder_ / output)) << where;
            for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
                if (entry.path().filename() == "run.grec.tmp") continue;
                EXPECT_EQ(entry.path().string().find(".tmp"), std::string::npos) << where;
            }
        }
        return failure_count;
    }

    int base_ = 0;  // [MiB]
};

TEST_F(MemoryLimits, CommandsOnMeshes) {
    EXPECT_GT(expect_words("info ball.ply", ""), 0);
    EXPECT_GT(expect_words("field ball.ply -r 120 --no-cache -o a.gfield", "a.gfield"), 0);
    EXPECT_GT(expect_words("mesh ball.ply -r 120 -o a.obj", "a.obj"), 0);
    EXPECT_GT(expect_words("slice ball.ply -r 120 -o a.png", "a.png"), 0);
    EXPECT_GT(expect_words("generate sheet --columns 700 --rows 700 -o a.ply", "a.ply"), 0);
}

TEST_F(MemoryLimits, CommandsOnContacts) {
    EXPECT_GT(expect_words("collide ball.ply ball.ply -r 80 --png a.png", "a.png"), 0);
    EXPECT_GT(expect_words("collide ball.ply ball.ply --method features --json", ""), 0);
    EXPECT_GT(expect_words("sweep ball.ply --to-pose '0 0 1' --against ball.ply", ""), 0);
    EXPECT_GT(expect_words("intersect copies0.ply -o a.json", "a.json"), 0);
    EXPECT_GT(expect_words("impacts copies0.ply copies1.ply -o a.csv", "a.csv"), 0);
    EXPECT_GT(expect_words("impacts copies0.ply copies1.ply --json", ""), 0);
}

TEST_F(MemoryLimits, CommandsOnScenes) {
    write("cloth.json", R"({"shapes": {"sheet": {"generated": {"sheet": {"columns": 300,
            "rows": 20}}}},
        "bodies": [{"shape": "sheet", "motion": "cloth"}], "time_step": 0.01, "duration": 0.01,
        "solver": {"kind": "cloth"}})");
    EXPECT_GT(expect_words("simulate cloth.json -o cloth.run", ""), 0);
    write("fall.json", R"({"shapes": {"ground": {"formula": {"plane": {}}},
            "ball": {"mesh": "ball.ply", "field": {"resolution": 60}}},
        "bodies": [{"shape": "ground", "motion": "fixed"},
                   {"shape": "ball", "pose": {"position": [0, 0, 1.05]}}],
        "time_step": 0.002, "duration": 0.004,
        "solver": {"kind": "penalty", "penalty": {"stiffness": 50000, "damping": 10}}})");
    EXPECT_GT(expect_words("simulate fall.json --no-cache -o fall.run", ""), 0);
    {
        RecordingWriter writer(folder_ / "run.grec", testing::made_up_setup(3000));
        const RecordingFrame frame = testing::made_up_frame(3000, 7);
        for (int i = 0; i < 30; ++i)
            writer.add(i / 60.0, frame.states, {});
        writer.finish();
    }
    EXPECT_GT(expect_words("export run.grec -o a.glb", "a.glb"), 0);
}

}  // namespace
}  // namespace graze
