// Comparisons of pairs of which it is known what suits them, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "graze/compare_methods.h"
#include "graze/error.h"
#include "graze/mesh_io.h"
#include "graze/names.h"
#include "tests/comparison/compared_meshes.h"
#include "tests/needs_data.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

ComparisonOptions few_poses(int count = 8) {
    ComparisonOptions options;
    options.pose_count = count;
    options.field.resolution = 64;
    return options;
}

const MethodScore& score_of(const MethodComparison& found, const std::string& name) {
    for (const MethodScore& score : found.scores)
        if (score.name == name) return score;
    throw Error("no method " + name);
}
const MethodScore& best_of(const MethodComparison& found) {
    return found.scores[static_cast<std::size_t>(found.recommendation.score)];
}
// Everything that was recommended, for messages.
std::string words_of(const MethodComparison& found) {
    std::string words = found.recommendation.summary;
    for (const std::string& reason : found.recommendation.reasons)
        words += "\n" + reason;
    return words;
}

// Two plates a hundredth of a voxel thin: edges cross where no vertex is inside, and the field
// loses them.
TEST(CompareMethods, ThinSheetsAreForFeatures) {
    const Mesh plate = box_mesh({-1, -1, -0.0002f}, {1, 1, 0.0002f});
    const MethodComparison found = compare_methods(plate, plate, few_poses());
    EXPECT_EQ(best_of(found).method, Method::features) << words_of(found);
    EXPECT_TRUE(found.recommendation.meets_all) << words_of(found);
    EXPECT_GT(score_of(found, "rays").missed_count, 0);
    EXPECT_GT(score_of(found, "particles").missed_count, 0);
}

// Round bodies that are deep in each other: depths can be told, and features does not tell them.
TEST(CompareMethods, DeepOverlapsAreForAMethodThatKnowsDepths) {
    const Mesh ball = make_sphere(0.5f, 3);
    const Mesh ring =
        make_torus({.radius = 0.5f, .tube_radius = 0.25f, .segments = 32, .sides = 16});
    const MethodComparison found = compare_methods(ball, ring, few_poses(9));
    EXPECT_NE(best_of(found).method, Method::features) << words_of(found);
    EXPECT_TRUE(found.recommendation.meets_all) << words_of(found);
    EXPECT_LT(best_of(found).depth_error.value_or(1), 0.25);
    EXPECT_GT(score_of(found, "features").depth_error.value_or(0), 0.25) << words_of(found);
    // What only matters where bodies are to be pushed apart does not matter for a check.
    EXPECT_EQ(recommend_method(found, ContactUse::check).meets_all, true);
}

// A ball inside a ball: the surfaces never meet, so that exact triangles see nothing.
TEST(CompareMethods, ContainedBodiesAreNotForFeatures) {
    ComparisonOptions options = few_poses(4);
    options.placing = PosePlacing::as_given;
    const MethodComparison found =
        compare_methods(make_sphere(1, 3), make_sphere(0.2f, 3), options);
    for (const PoseTruth& truth : found.truths)
        EXPECT_TRUE(truth.has_contained);
    EXPECT_EQ(score_of(found, "features").missed_count, 4);
    EXPECT_NE(best_of(found).method, Method::features) << words_of(found);
    for (const char* name : {"particles", "sweep", "rays"})
        EXPECT_EQ(score_of(found, name).missed_count, 0) << name;
}

// A sheet of cloth has no inside: rays and fields of it mean nothing.
TEST(CompareMethods, OpenMeshesAreForFeatures) {
    const Mesh sheet = make_sheet({.width = 1, .depth = 1, .columns = 12, .rows = 12});
    const MethodComparison found = compare_methods(sheet, sheet, few_poses());
    EXPECT_EQ(best_of(found).method, Method::features) << words_of(found);
    for (const char* name : {"particles", "sweep", "rays"}) {
        EXPECT_FALSE(score_of(found, name).applies) << name;
        EXPECT_THAT(score_of(found, name).reason, HasSubstr("neither mesh")) << name;
    }
    EXPECT_THAT(found.recommendation.options, ::testing::Contains(HasSubstr("--sign shell")));
    // Against a solid the points of the sheet can still be followed.
    const MethodComparison half = compare_methods(sheet, make_sphere(0.3f, 3), few_poses(4));
    EXPECT_TRUE(score_of(half, "sweep").applies);
    EXPECT_EQ(score_of(half, "sweep").options.sweep.roles, SweepRoles::points_of_a);
    EXPECT_FALSE(score_of(half, "particles").applies);
    EXPECT_THAT(score_of(half, "rays").reason, HasSubstr("the first mesh"));
}

// A ball flies through a plate within a step: what looks at an instant does not see it.
TEST(CompareMethods, FastMotionIsForWhatLooksIntoTheStep) {
    ComparisonOptions options = few_poses(6);
    options.motion = ComparedMotion::straight;
    options.travel = 20;
    const Mesh plate = box_mesh({-1, -1, -0.03f}, {1, 1, 0.03f});
    const MethodComparison found = compare_methods(plate, make_sphere(0.1f, 3), options);
    EXPECT_TRUE(best_of(found).method == Method::sweep || best_of(found).method == Method::features)
        << words_of(found);
    EXPECT_TRUE(found.recommendation.meets_all) << words_of(found);
    EXPECT_EQ(best_of(found).missed_count, 0);
    EXPECT_LT(best_of(found).time_error.value_or(1), found.accuracy);
    EXPECT_GT(score_of(found, "particles").missed_count, 0);
    EXPECT_GT(score_of(found, "rays").missed_count, 0);
}

// A bolt in its nut, moved a little: many small parts along the thread.
TEST(CompareMethods, ThreadsAreForWhatFindsTheirParts) {
    ComparisonOptions options = few_poses(6);
    options.placing = PosePlacing::as_given;
    options.field.resolution = 96;
    const ThreadOptions thread{.segments = 48};
    const Mesh nut = moved(make_nut({.thread = thread}), {0, 0, 1.2f});
    const MethodComparison found = compare_methods(make_bolt({.thread = thread}), nut, options);
    EXPECT_FALSE(found.truths.front().touches);  // as it is, there is clearance
    EXPECT_TRUE(found.truths.back().touches);
    EXPECT_EQ(best_of(found).missed_count, 0) << words_of(found);
    EXPECT_GE(best_of(found).part_recall(), 0.9) << words_of(found);
    // It has to say how deep the threads are in each other, which triangles alone do not.
    EXPECT_TRUE(best_of(found).method == Method::particles ||
                best_of(found).method == Method::sweep)
        << words_of(found);
    EXPECT_TRUE(found.recommendation.meets_all) << words_of(found);
}

TEST(CompareMethods, TheSameForAnyNumberOfThreads) {
    const Mesh ball = make_sphere(0.5f, 2), ring = make_torus({.segments = 24, .sides = 8});
    ComparisonOptions options = few_poses(4);
    options.field.resolution = 32;
    options.device = Device::cpu(1);
    const MethodComparison one = compare_methods(ball, ring, options);
    options.device = Device::cpu(2);
    const MethodComparison two = compare_methods(ball, ring, options);
    ASSERT_EQ(one.poses.size(), two.poses.size());
    for (std::size_t i = 0; i < one.poses.size(); ++i) {
        EXPECT_EQ(one.poses[i].b.translation, two.poses[i].b.translation);
        EXPECT_EQ(one.truths[i].depth, two.truths[i].depth);
        EXPECT_EQ(one.truths[i].part_count, two.truths[i].part_count);
        for (std::size_t k = 0; k < one.scores.size(); ++k) {
            const PoseScore &a = one.scores[k].poses[i], &b = two.scores[k].poses[i];
            EXPECT_EQ(a.contact_count, b.contact_count);
            EXPECT_EQ(a.depth, b.depth);
            EXPECT_EQ(a.false_count, b.false_count);
            EXPECT_EQ(a.found_part_count, b.found_part_count);
            EXPECT_EQ(a.normal_errors, b.normal_errors);
        }
    }
}

TEST(CompareMethods, TouchesAsOftenAsAskedFor) {
    const Mesh ball = make_sphere(0.5f, 2);
    ComparisonOptions options = few_poses(8);
    options.field.resolution = 16;
    for (const double share : {0.0, 0.5, 1.0}) {
        options.touching_share = share;
        const MethodComparison found = compare_methods(ball, ball, options);
        int count = 0;
        for (const PoseTruth& truth : found.truths)
            count += truth.touches ? 1 : 0;
        EXPECT_EQ(count, static_cast<int>(8 * share));
    }
}

TEST(CompareMethods, SaysWhatIsWrong) {
    const Mesh ball = make_sphere(0.5f, 1);
    Mesh broken = ball, point = ball;
    broken.positions[3].y = std::numeric_limits<float>::quiet_NaN();
    for (Vec3& position : point.positions)
        position = {1, 2, 3};
    const auto expect = [&](const Mesh& a, const Mesh& b, const ComparisonOptions& options,
                            const char* what) {
        EXPECT_THAT([&] { compare_methods(a, b, options); }, ThrowsMessage<Error>(HasSubstr(what)));
    };
    expect(broken, ball, {}, "the first mesh: vertex 3");
    expect(ball, broken, {}, "the second mesh: vertex 3");
    expect(ball, {}, {}, "the second mesh has no triangles");
    expect(ball, point, {}, "no larger than a point");
    ComparisonOptions options;
    options.pose_count = 0;
    expect(ball, ball, options, "choose 1 to");
    options = {};
    options.touching_share = 1.5;
    expect(ball, ball, options, "from 0 to 1");
    options = {};
    options.travel = 0;
    expect(ball, ball, options, "travel");
    options = {};
    options.accuracy = std::numeric_limits<double>::quiet_NaN();
    expect(ball, ball, options, "accuracy");
    options = {};
    options.patience = 0;
    expect(ball, ball, options, "patience");
}

// Who has no patience at all gets no answer, and is told why.
TEST(CompareMethods, GivesUpWhatTakesTooLong) {
    ComparisonOptions options = few_poses(2);
    options.field.resolution = 16;
    options.touching_share = 1;
    options.patience = 1e-9;
    const Mesh ball = make_sphere(0.5f, 4);
    EXPECT_THAT([&] { compare_methods(ball, ball, options); },
                ThrowsMessage<Error>(HasSubstr("features: it takes more than 1e-09 s for a pair")));
}

TEST(CompareMethods, StopsWhereItIsTold) {
    const Mesh ball = make_sphere(0.5f, 2);
    double last = -1;
    int count = 0;
    ComparisonOptions options = few_poses(3);
    options.field.resolution = 16;
    options.progress = [&](double fraction) {
        EXPECT_GE(fraction, last);
        EXPECT_LE(fraction, 1.0 + 1e-9);
        last = fraction;
        ++count;
        return true;
    };
    compare_methods(ball, ball, options);
    const int all = count;
    EXPECT_GT(all, 10);
    // Wherever it is stopped, it ends with an Error.
    for (const int stop : {1, all / 4, all / 2, all - 2}) {
        count = 0;
        options.progress = [&](double) { return ++count < stop; };
        EXPECT_THROW(compare_methods(ball, ball, options), Error) << stop;
    }
}

// The bolt and nut that industry uses, in the pose in which they fit.
TEST(CompareMethods, TheM20BoltAndNut) {
    if (GRAZE_SANITIZED != 0) GTEST_SKIP() << "takes too long under a sanitizer";
    GRAZE_NEEDS_DATA("assemblies");
    const std::filesystem::path folder = data_folder() / "assemblies";
    const Mesh bolt = load_mesh(folder / "factory_bolt_m20_loose.obj");
    const Mesh nut = load_mesh(folder / "factory_nut_m20_loose_subdiv_3x.obj");
    ComparisonOptions options = few_poses(2);
    options.placing = PosePlacing::as_given;
    options.field.resolution = 128;
    const MethodComparison found = compare_methods(bolt, nut, options);
    EXPECT_TRUE(found.a.has_inside);
    EXPECT_TRUE(found.b.has_inside) << "cracks at T-junctions do not open it";
    EXPECT_EQ(best_of(found).missed_count, 0) << words_of(found);
    EXPECT_GE(best_of(found).part_recall(), 0.9) << words_of(found);
}

}  // namespace
}  // namespace graze
