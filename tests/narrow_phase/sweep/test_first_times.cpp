// Spheres hold what they hold all the time, for fields of every kind: none that a point leaves out
// is inside.
#include <gtest/gtest.h>

#include "detection/shape_access.h"
#include "detection/shape_field.h"
#include "narrow_phase/sweep/first_times.h"
#include "tests/field/sampled/change_cases.h"
#include "tests/narrow_phase/sweep/sweep_cases.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

// A side that is made by hand, of points of a small ball and any field.
struct HandMadeSide {
    ShapeField fields[2];
    ShapePoints points[2];
    SweptSide side;
    std::vector<AffineMap> maps;

    HandMadeSide(const Shape& points_shape, const Field& field, const Transform& t0,
                 const Transform& t1, const Transform& field_t0, const Transform& field_t1,
                 const SweepSettings& settings)
        : fields{{}, make_shape_field(field)}, points{ShapeAccess::points(points_shape), {}} {
        fields[1].change = measure_field_change(field);
        const std::uint32_t shape_of_body[2] = {0, 1};
        const Transform poses_t0[2] = {t0, field_t0}, poses_t1[2] = {t1, field_t1};
        const IndexPair pair{0, 1};
        const std::uint64_t count = 1;
        PairStep step{};
        step.shapes = {};
        step.shapes.fields = fields;
        step.shapes.points = points;
        step.shape_of_body = shape_of_body;
        step.poses_t0 = poses_t0;
        step.poses_t1 = poses_t1;
        step.pairs = &pair;
        step.pair_count = &count;
        side = make_swept_side(step, settings, 0);
        for (int k = 0; k <= side.span_count; ++k)
            maps.push_back(
                map_at(side.motion, static_cast<float>(k) / static_cast<float>(side.span_count)));
        side.maps = maps.data();
    }
};

std::vector<Field> fields_of_every_kind() {
    const FieldGrid grid{{-0.6f, -0.6f, -0.4f}, 1.2f / 24, {24, 24, 16}};
    FieldOptions order_1, order_0, sparse, sparse_0;
    order_0.order = FieldOrder::zero;
    sparse.sparse = true;
    sparse.band = 1;
    sparse_0 = sparse;
    sparse_0.order = FieldOrder::zero;
    const Field torus = Field::torus(0.35f, 0.13f);
    const Field box = Field::box({0.3f, 0.2f, 0.1f});
    // A grid through which the surface leaves.
    const FieldGrid cut{{-0.2f, -0.6f, -0.4f}, 1.2f / 24, {24, 24, 16}};
    const Field sampled = sample_field(torus, grid, order_1);
    return {torus,
            box,
            Field::plane({0.3f, 0, 1}, 0.1f),
            sampled,
            sample_field(torus, grid, order_0),
            sample_field(torus, grid, sparse),
            sample_field(box, grid, sparse_0),
            sample_field(torus, cut, order_1),
            sample_field(box, cut, order_0),
            unite(sampled, Field::sphere({0.3f, 0.3f, 0}, 0.2f)),
            subtract(Field::box({0.5f, 0.5f, 0.2f}), sampled.transformed(at({0, 0, 0.1f})))};
}

struct Compared {
    int inside = 0, left_out = 0;
};

// Spheres of all sizes and points of them, in all kinds of motions.
void compare_spheres(const Field& field, float spread, int rounds, RandomPoints<float>& random,
                     Compared& compared, float tolerance = 2e-6f) {
    const Shape ball = Shape::from_mesh(make_sphere(0.5f, 1), Field::sphere({0, 0, 0}, 0.5f));
    for (int round = 0; round < rounds; ++round) {
        const float scale = random.uniform(0.3f, 1.2f);
        const auto pose = [&] {
            return Transform{random.in_box(spread), random_rotation(random), scale};
        };
        const auto field_pose = [&] {
            return Transform{random.in_box(0.2f), random_rotation(random), 1.3f};
        };
        // Gaps within and beyond the band.
        const float gap = round % 3 == 0 ? 0.0f : (round % 3 == 1 ? 0.03f : 0.2f);
        const SweepMotion motion = round % 2 == 0 ? SweepMotion::rigid : SweepMotion::straight;
        const SweepSettings settings{gap, motion, SweepRoles::both, 1e-3f, 0, false};
        const HandMadeSide made(ball, field, pose(), pose(), field_pose(), field_pose(), settings);
        const Vec3 centre = random.in_box(0.4f);
        const float radius = random.uniform(0, 0.15f);
        const float of_sphere = first_time_of_sphere(made.side, centre, radius, 0);
        compared.left_out += of_sphere > 1 ? 1 : 0;
        for (int i = 0; i < 8; ++i) {
            Vec3 step = random.in_box(1);
            // Most are on the sphere itself, where the bound is sharp.
            step = normalized(step) * (i < 6 ? radius * 0.999999f : 0.5f * radius);
            const float of_point =
                first_time_of_point(made.side, centre + step, made.side.level, 0);
            if (of_point > 1) continue;
            ++compared.inside;
            ASSERT_LE(of_sphere, of_point + 1e-6f) << "round " << round << ", gap " << gap;
            // The search that begins where the sphere's ends finds the same.
            const float again =
                first_time_of_point(made.side, centre + step, made.side.level, of_sphere);
            EXPECT_NEAR(again, of_point, tolerance) << "round " << round;
        }
    }
}

TEST(FirstTimes, OfASphereAreNotLaterThanThoseOfItsPoints) {
    RandomPoints<float> random(5);
    Compared compared;
    int kind = 0;
    for (const Field& field : fields_of_every_kind()) {
        SCOPED_TRACE(kind++);
        ASSERT_NO_FATAL_FAILURE(
            compare_spheres(field, 0.8f, oracle::case_count(200), random, compared));
    }
    EXPECT_GT(compared.inside, oracle::case_count(4000));
    EXPECT_GT(compared.left_out, oracle::case_count(100));
}

// Samples of no distance: noise, steep slopes, bricks that do not fit together.
TEST(FirstTimes, OfASphereAreNotLaterInSamplesOfAnyFunction) {
    RandomPoints<float> random(6);
    Compared all;
    for (const SegmentCase& c : change_cases()) {
        SCOPED_TRACE(c.name);
        Compared compared;
        ASSERT_NO_FATAL_FAILURE(
            compare_spheres(c.field, 1.5f, oracle::case_count(60), random, compared, 1e-4f));
        ASSERT_NO_FATAL_FAILURE(compare_spheres(subtract(Field::box({3, 3, 3}), c.field), 0.8f,
                                                oracle::case_count(15), random, compared, 1e-4f));
        EXPECT_GT(compared.inside, oracle::case_count(60) / 4);
        all.left_out += compared.left_out;
    }
    EXPECT_GT(all.left_out, oracle::case_count(100));
}

// A tolerance that asks for more spans than there may be gets the most, and the path that these
// follow: docs/concepts/sweep.md.
TEST(FirstTimes, AStepHasAtMostSoManySpans) {
    const Shape ball = Shape::from_mesh(make_sphere(0.5f, 1), Field::sphere({0, 0, 0}, 0.5f));
    const Field field = Field::sphere({0, 0.6f, 0}, 0.2f);
    const float half_turn = 3.1415f;
    const Transform from{{0, 0, 0}, Quat::identity(), 1};
    const Transform to{{0.1f, 0, 0}, Quat::from_axis_angle({0, 0, 1}, half_turn), 1};
    Scene scene;  // for the true path
    scene.set_motion(scene.add(ball, from), from, to);
    scene.set_motion(scene.add(Shape::from_field(field), from), from,
                     {{0, 0, 0}, Quat::from_axis_angle({0, 0, -1}, half_turn), 1});
    const auto make = [&](float tolerance) {
        const SweepSettings settings{0, SweepMotion::rigid, SweepRoles::both, tolerance, 0, false};
        return HandMadeSide(ball, field, from, to, from, *scene[1].pose_t1, settings);
    };
    EXPECT_LT(make(1e-4f).side.span_count, kMaxSweepSpans);
    const HandMadeSide most = make(1e-12f);
    EXPECT_EQ(most.side.span_count, kMaxSweepSpans);
    const HandMadeSide coarse = make(1e-2f);
    double farthest = 0, farthest_coarse = 0;
    for (const Vec3& p : {Vec3{0.5f, 0, 0}, Vec3{0, 0.5f, 0.1f}, Vec3{-0.3f, 0.3f, 0.2f}}) {
        const SweptPath path(most.side, p), coarse_path(coarse.side, p);
        for (int k = 0; k <= 9999; ++k) {
            const float t = static_cast<float>(k) / 9999;
            const Vec3d truth = true_path_at(scene[0], scene[1], p, static_cast<double>(t));
            farthest = std::max(farthest, length(static_cast<Vec3d>(path.at(t)) - truth));
            farthest_coarse =
                std::max(farthest_coarse, length(static_cast<Vec3d>(coarse_path.at(t)) - truth));
        }
    }
    // Of the chords, and of positions in floats.
    const double spans = kMaxSweepSpans;
    const double chords = static_cast<double>(most.side.motion.bend.at(0.5f)) / (8 * spans * spans);
    EXPECT_GT(chords, 1e-12) << "it is more than was asked for";
    EXPECT_LT(farthest, chords + 4e-7);
    EXPECT_GT(farthest_coarse, 100 * farthest);
    // A point on the circle meets the ball at the angle at which it does.
    const float time = first_time_of_point(most.side, {0.5f, 0, 0}, 0, 0);
    double expected = 2;
    for (int k = 0; k <= 1'000'000 && expected > 1; ++k) {
        const double t = k * 1e-6;
        const Vec3d x = true_path_at(scene[0], scene[1], {0.5f, 0, 0}, t);
        if (length(x - Vec3d{0, static_cast<double>(0.6f), 0}) <= static_cast<double>(0.2f))
            expected = t;
    }
    ASSERT_LT(expected, 1);
    EXPECT_NEAR(static_cast<double>(time), expected, 3e-6);
}

// The detector and the search of each point by itself, for samples of any function.
TEST(FirstTimes, GiveTheDetectorThePointsOfALinearSearchInAnySamples) {
    std::size_t found_count = 0, point_count = 0;
    unsigned seed = 0;
    for (const SegmentCase& c : change_cases()) {
        SCOPED_TRACE(c.name);
        const Shape points = Shape::from_mesh(make_sphere(0.3f, 4), Field::sphere({0, 0, 0}, 0.3f));
        for (int round = 0; round < 3; ++round, ++seed) {
            RandomPoints<float> random(seed);
            const auto pose = [&](float spread) {
                return Transform{random.in_box(spread), random_rotation(random), 1};
            };
            const Transform from = pose(1.4f), to = pose(0.7f), field_from = pose(0.1f),
                            field_to = pose(0.1f);
            Scene scene;
            scene.set_motion(scene.add(points, from), from, to);
            scene.set_motion(scene.add(Shape::from_field(c.field), field_from), field_from,
                             field_to);
            DetectorOptions options{.gap = round == 1 ? 0.02f : 0.0f};
            options.sweep.roles = SweepRoles::points_of_a;
            options.sweep.motion = round == 2 ? SweepMotion::rigid : SweepMotion::straight;
            Detector detector(Method::sweep, Device::cpu(), options);
            const auto contacts = detector.detect(scene);
            const SweepSettings settings{
                options.gap, options.sweep.motion, options.sweep.roles, 0, 0, false};
            const HandMadeSide made(points, c.field, from, to, field_from, field_to, settings);
            // Bodies whose boxes do not meet are not searched.
            if (contacts.empty()) continue;
            std::size_t next = 0;
            for (std::uint32_t i = 0; i < made.side.tree.point_count; ++i) {
                const float time =
                    first_time_of_point(made.side, made.side.tree.points[i], made.side.level, 0);
                ++point_count;
                if (time > 1) continue;
                ASSERT_LT(next, contacts.size()) << "round " << round << ": a point is lost";
                ASSERT_EQ(contacts[next].feature_a.index, made.side.tree.indices[i])
                    << "round " << round;
                EXPECT_NEAR(contacts[next].time, time, 2e-5f);
                ++next;
            }
            EXPECT_EQ(next, contacts.size());
            found_count += next;
        }
    }
    EXPECT_GT(found_count, 20000u);
    EXPECT_LT(found_count, point_count);
}

TEST(FirstTimes, GiveTheDetectorThePointsOfALinearSearch) {
    std::size_t found_count = 0;
    for (unsigned seed = 0; seed < static_cast<unsigned>(oracle::case_count(30)); ++seed) {
        RandomPoints<float> random(seed);
        const auto& shapes = sweep_shapes();
        const Shape& a = shapes[seed % shapes.size()];
        const Shape& b = shapes[(seed / 2 + 3) % shapes.size()];
        const auto pose = [&] {
            return Transform{random.in_box(0.5f), random_rotation(random), 1};
        };
        const Transform poses[4] = {pose(), pose(), pose(), pose()};
        Scene scene;
        scene.set_motion(scene.add(a, poses[0]), poses[0], poses[1]);
        scene.set_motion(scene.add(b, poses[2]), poses[2], poses[3]);
        DetectorOptions options{.gap = seed % 3 == 0 ? 0.05f : 0.0f};
        options.sweep.roles = SweepRoles::points_of_a;
        options.sweep.motion = seed % 2 == 0 ? SweepMotion::rigid : SweepMotion::straight;
        Detector detector(Method::sweep, Device::cpu(), options);
        const auto contacts = detector.detect(scene);
        const SweepSettings settings{options.gap, options.sweep.motion, options.sweep.roles, 0, 0,
                                     false};
        const HandMadeSide made(a, b.field(), poses[0], poses[1], poses[2], poses[3], settings);
        std::size_t next = 0;
        for (std::uint32_t i = 0; i < made.side.tree.point_count; ++i) {
            const float time =
                first_time_of_point(made.side, made.side.tree.points[i], made.side.level, 0);
            if (time > 1) continue;
            ASSERT_LT(next, contacts.size()) << "seed " << seed << ": a point is lost";
            ASSERT_EQ(contacts[next].feature_a.index, made.side.tree.indices[i]) << "seed " << seed;
            EXPECT_NEAR(contacts[next].time, time, 2e-6f);
            ++next;
        }
        EXPECT_EQ(next, contacts.size());
        found_count += next;
    }
    EXPECT_GT(found_count, static_cast<std::size_t>(oracle::case_count(500)));
}

}  // namespace
}  // namespace graze
