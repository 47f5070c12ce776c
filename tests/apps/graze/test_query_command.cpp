// Runs graze query: its answers in tables and JSON, messages and exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "graze/generate_mesh.h"
#include "graze/mesh_io.h"
#include "graze/mesh_tree.h"
#include "graze/number_table.h"
#include "tests/apps/graze/program_output.h"
#include "tests/apps/graze/program_test.h"

namespace graze {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class QueryCommand : public ProgramTest {
protected:
    void SetUp() override {
        ProgramTest::SetUp();
        if (IsSkipped()) return;
        save_mesh(make_torus(), folder_ / "torus.ply");
        save_table({3, 3, {0, 0, 0, 0.5f, 0, 0, 2, 0, 0}, {"x", "y", "z"}}, folder_ / "p.csv");
        save_table({2, 6, {0, 0, 0, 2, 0, 0, 5, 5, 5, 1, 0, 0}, {}}, folder_ / "rays.npy");
    }
    std::vector<Vec3> points() const { return {{0, 0, 0}, {0.5f, 0, 0}, {2, 0, 0}}; }
};

TEST_F(QueryCommand, WritesWhatTheLibraryAnswers) {
    MeshTree tree(load_mesh(folder_ / "torus.ply"));
    ASSERT_EQ(graze("query torus.ply --points p.csv --signed -o d.npy").exit_code, 0);
    const NumberTable distances = load_table(folder_ / "d.npy");
    ASSERT_EQ(distances.row_count, 3);
    ASSERT_EQ(distances.column_count, 1);
    const auto expected = tree.signed_distances(points());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), distances.values.begin()));

    ASSERT_EQ(graze("query torus.ply --points p.csv --closest -o c.csv").exit_code, 0);
    const NumberTable closest = load_table(folder_ / "c.csv");
    ASSERT_EQ(closest.column_count, 10);
    const auto nearest = tree.find_nearest(points());
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(closest.values[10 * i], nearest[i].position.x);
        EXPECT_EQ(closest.values[10 * i + 3], nearest[i].distance);
        EXPECT_EQ(closest.values[10 * i + 4], static_cast<float>(nearest[i].triangle));
    }
    ASSERT_EQ(graze("query torus.ply --points p.csv --winding -o w.npy").exit_code, 0);
    const auto winding = tree.winding_numbers(points());
    const NumberTable numbers = load_table(folder_ / "w.npy");
    EXPECT_TRUE(std::equal(winding.begin(), winding.end(), numbers.values.begin()));
}

TEST_F(QueryCommand, PrintsJson) {
    const Outcome outcome = graze("query torus.ply --points rays.npy --rays --json");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const json object = json::parse(outcome.out);
    EXPECT_EQ(keys(object),
              (std::set<std::string>{"mesh", "points", "question", "triangle_count", "row_count",
                                     "columns", "options", "seconds", "rows"}));
    EXPECT_EQ(object["question"], "rays");
    EXPECT_EQ(object["columns"], json::parse(R"(["t", "triangle", "u", "v", "front"])"));
    MeshTree tree(load_mesh(folder_ / "torus.ply"));
    const RayHit hit = tree.find_first_hits(std::vector{Ray{{0, 0, 0}, {2, 0, 0}}})[0];
    ASSERT_NE(hit.triangle, kNoTriangle);
    EXPECT_EQ(object["rows"][0][0].get<float>(), hit.t);
    EXPECT_EQ(object["rows"][0][1], hit.triangle);
    EXPECT_EQ(object["rows"][0][4], 1);
    EXPECT_TRUE(object["rows"][1][0].is_null());
    EXPECT_EQ(object["rows"][1][1], -1);
    const json signs =
        json::parse(graze("query torus.ply --points p.csv --signed --json -o s.csv").out);
    EXPECT_EQ(signs["sign"], "normals");
    EXPECT_FALSE(signs.contains("rows"));
}

TEST_F(QueryCommand, PrintsASummary) {
    const Outcome outcome = graze("query torus.ply --points p.csv");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_THAT(outcome.out, HasSubstr("all 3:"));
    EXPECT_THAT(graze("query torus.ply --points p.csv --max-distance 0.01 -o n.csv").out,
                HasSubstr("n.csv has the answers"));
    EXPECT_THAT(read("n.csv"), HasSubstr("inf,-1"));
}

TEST_F(QueryCommand, SaysWhatIsWrong) {
    write("nan.csv", "0,0,0\n0,nan,0\n");
    const auto error = [&](const std::string& arguments) {
        const Outcome outcome = graze("query " + arguments);
        EXPECT_EQ(outcome.exit_code, 1) << arguments;
        EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
        return outcome.err;
    };
    EXPECT_THAT(error("torus.ply --points rays.npy"), HasSubstr("three for each point"));
    EXPECT_THAT(error("torus.ply --points p.csv --rays"), HasSubstr("six for each ray"));
    EXPECT_THAT(error("torus.ply --points nan.csv"), HasSubstr("nan.csv:2"));
    EXPECT_THAT(error("torus.ply --points none.csv"), HasSubstr("none.csv"));
    EXPECT_THAT(error("torus.ply --points torus.ply"), HasSubstr(".npy or .csv"));
    EXPECT_THAT(error("torus.ply --points p.csv -o a.txt"), HasSubstr(".npy or .csv"));
    EXPECT_EQ(graze("query torus.ply --points p.csv --signed --winding").exit_code, 2);
    EXPECT_EQ(graze("query torus.ply").exit_code, 2);
    EXPECT_EQ(graze("query torus.ply --points p.csv --max-distance -1").exit_code, 2);
}

}  // namespace
}  // namespace graze
