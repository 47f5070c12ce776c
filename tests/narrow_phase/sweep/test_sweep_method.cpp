// Method::sweep against fine sampling in time, against closed forms, and its properties.
#include <gtest/gtest.h>

#include <map>

#include "parallel/memory.h"
#include "tests/error_of.h"
#include "tests/narrow_phase/sweep/sweep_cases.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

std::vector<Contact> sweep(const Scene& scene, const DetectorOptions& options = {},
                           int threads = 0) {
    Detector detector(Method::sweep, Device::cpu(threads), options);
    const auto contacts = detector.detect(scene);
    return {contacts.begin(), contacts.end()};
}

using ContactsByPoint = std::map<std::uint32_t, Contact>;

// The contacts of one side of a pair, by point.
ContactsByPoint of_side(const std::vector<Contact>& contacts, std::uint32_t points_body,
                        std::uint32_t field_body) {
    ContactsByPoint result;
    for (const Contact& c : contacts) {
        const bool has_points_of_a = c.feature_a.kind != FeatureKind::none;
        const std::uint32_t points = has_points_of_a ? c.body_a : c.body_b;
        const std::uint32_t field = has_points_of_a ? c.body_b : c.body_a;
        if (points != points_body || field != field_body) continue;
        const Feature feature = has_points_of_a ? c.feature_a : c.feature_b;
        EXPECT_EQ(feature.kind, FeatureKind::vertex);
        EXPECT_TRUE(result.emplace(feature.index, c).second) << "twice: " << feature.index;
    }
    return result;
}

struct Expectation {
    SweepMotion motion = SweepMotion::rigid;
    float gap = 0;
    double tolerance = 0;  // [m] of what the sampled value may be off
    int samples = 300;
};

// Compares one side with samples in time; returns how many points touch within the step.
int compare_side(const Body& points, const Body& field, const ContactsByPoint& found,
                 const Expectation& expected, bool has_points_of_a) {
    int inside_count = 0;
    std::vector<Transformd> field_from_points;
    for (int k = 0; k <= expected.samples; ++k) {
        const double t = static_cast<double>(k) / expected.samples;
        field_from_points.push_back(inverse(true_pose_at(field, t)) * true_pose_at(points, t));
    }
    const std::vector<Vec3>& positions = points.shape.points().positions;
    for (std::uint32_t i = 0; i < positions.size(); ++i) {
        const auto value = [&](double t) {
            return value_at(points, field, positions[i], t, expected.motion);
        };
        const double gap = static_cast<double>(expected.gap);
        double first_inside = 2;  // by more than the tolerance
        const Vec3d p = static_cast<Vec3d>(positions[i]);
        const Vec3d from = transform_point(field_from_points.front(), p);
        const Vec3d to = transform_point(field_from_points.back(), p);
        for (int k = 0; k <= expected.samples && first_inside > 1; ++k) {
            const double t = static_cast<double>(k) / expected.samples;
            const Vec3d x = expected.motion == SweepMotion::rigid
                                ? transform_point(field_from_points[static_cast<std::size_t>(k)], p)
                                : from + (to - from) * t;
            const float sample = field.shape.field().distance(static_cast<Vec3>(x));
            if (static_cast<double>(sample * field.pose.scale) < gap - expected.tolerance)
                first_inside = t;
        }
        const auto it = found.find(i);
        if (it == found.end()) {
            EXPECT_GT(first_inside, 1) << "point " << i << " is lost";
            continue;
        }
        const Contact& c = it->second;
        const auto time = static_cast<double>(c.time);
        inside_count += c.time > 0 ? 1 : 0;
        EXPECT_LE(time, first_inside + 1e-5) << "point " << i << " is late";
        if (c.time > 0) {
            EXPECT_NEAR(value(time), gap, expected.tolerance) << "point " << i;
        } else {
            EXPECT_LE(value(0), gap + expected.tolerance);
        }
        const Vec3d x = expected.motion == SweepMotion::rigid
                            ? true_path_at(points, field, positions[i], time)
                            : straight_path_at(points, field, positions[i], time);
        const Transformd pose = true_pose_at(field, time);
        const Vec3d world = transform_point(pose, x);
        const double far = length(world);
        EXPECT_LT(length(static_cast<Vec3d>(c.position) - world), 2e-6 + 2e-7 * far)
            << "point " << i;
        const FieldValue there = field.shape.field().evaluate(static_cast<Vec3>(x));
        const Vec3d normal = rotate(pose.rotation, static_cast<Vec3d>(there.gradient)) *
                             (has_points_of_a ? 1.0 : -1.0);
        // Near a ridge of the field a step by the rounding of x changes the gradient.
        if (length(normal - static_cast<Vec3d>(c.normal)) > 1e-3) continue;
        const Vec3d start = expected.motion == SweepMotion::rigid
                                ? true_path_at(points, field, positions[i], 0)
                                : straight_path_at(points, field, positions[i], 0);
        const double distance = (static_cast<double>(there.distance) +
                                 dot(static_cast<Vec3d>(there.gradient), start - x)) *
                                static_cast<double>(field.pose.scale);
        EXPECT_NEAR(static_cast<double>(c.distance), distance, 2e-3 * (1e-2 + length(start - x)))
            << "point " << i;
    }
    return inside_count;
}

int compare_scene(const Scene& scene, const std::vector<Contact>& contacts,
                  const Expectation& expected) {
    int count = 0;
    for (std::uint32_t a = 0; a < scene.size(); ++a) {
        for (std::uint32_t b = 0; b < scene.size(); ++b) {
            if (a == b) continue;
            count += compare_side(scene[a], scene[b], of_side(contacts, a, b), expected, a < b);
        }
    }
    return count;
}

TEST(SweepMethod, FindsWhatFineSamplingFinds) {
    int count = 0;
    for (unsigned seed = 0; seed < static_cast<unsigned>(oracle::case_count(20)); ++seed) {
        const Scene scene = random_sweep_scene(seed);
        DetectorOptions options{.gap = seed % 2 == 0 ? 0.0f : 0.02f};
        options.sweep.tolerance = 1e-4f;
        // Blends of samples are steeper than distances: twice at most.
        const Expectation expected{.gap = options.gap, .tolerance = 3e-4};
        count += compare_scene(scene, sweep(scene, options), expected);
        if (HasFailure()) FAIL() << "seed " << seed;
    }
    EXPECT_GT(count, oracle::case_count(1000));
}

TEST(SweepMethod, FindsWhatFineSamplingFindsOnStraightPaths) {
    int count = 0;
    for (unsigned seed = 100; seed < 100 + static_cast<unsigned>(oracle::case_count(10)); ++seed) {
        const Scene scene = random_sweep_scene(seed);
        DetectorOptions options{.gap = seed % 2 == 0 ? 0.0f : 0.02f};
        options.sweep.motion = SweepMotion::straight;
        const Expectation expected{
            .motion = SweepMotion::straight, .gap = options.gap, .tolerance = 3e-5};
        count += compare_scene(scene, sweep(scene, options), expected);
        if (HasFailure()) FAIL() << "seed " << seed;
    }
    EXPECT_GT(count, oracle::case_count(500));
}

TEST(SweepMethod, SeesASpinningBladeThatStraightPathsMiss) {
    // The blade reaches from 0.3 to 1 m beside its axis and turns by 170 degrees; the ball is in
    // its way halfway. Straight from start to end, seen from the blade, the ball passes the axis.
    Mesh mesh = box_mesh({0.35f, 0.005f, 0.1f});
    for (Vec3& p : mesh.positions)
        p.x += 0.65f;
    const Field field = Field::box({0.35f, 0.005f, 0.1f}).transformed(at({0.65f, 0, 0}));
    Scene scene;
    const auto blade = scene.add(Shape::from_mesh(mesh, field));
    const float radius = 0.05f;
    scene.add(Shape::from_mesh(make_sphere(radius, 3), Field::sphere({0, 0, 0}, radius)),
              at({0, 0.6f, 0}));
    const float angle = 170 * 3.14159265f / 180;
    scene.set_motion(blade, Transform::identity(),
                     {{0, 0, 0}, Quat::from_axis_angle({0, 0, 1}, angle), 1});
    const std::vector<Contact> contacts = sweep(scene);
    ASSERT_FALSE(contacts.empty());
    float first = 1;
    for (const Contact& c : contacts) {
        EXPECT_EQ(c.feature_a.kind, FeatureKind::none);
        first = std::min(first, c.time);
    }
    // The blade's face, 5 mm in front of the plane through the axis, first touches the ball where
    // the angle to go is that of a tangent to a ball 5 mm larger.
    const float expected = (90 - std::asin((radius + 0.005f) / 0.6f) * 180 / 3.14159265f) / 170;
    EXPECT_NEAR(first, expected, 2e-3f);

    DetectorOptions straight;
    straight.sweep.motion = SweepMotion::straight;
    EXPECT_TRUE(sweep(scene, straight).empty());
}

TEST(SweepMethod, StopsABulletAtAThinWall) {
    // 5 mm at 300 m/s and 60 Hz: 5 m a step, through 1 mm.
    Scene scene;
    const auto bullet =
        scene.add(Shape::from_mesh(make_sphere(0.0025f, 2), Field::sphere({0, 0, 0}, 0.0025f)));
    scene.set_motion(bullet, at({0, 0, 0}), at({5, 0, 0}));
    // Its voxels, of 0.3 mm, are finer than the wall: a field knows nothing thinner than a voxel.
    scene.add(meshed(box_mesh({0.0005f, 0.02f, 0.02f}), 128), at({2, 0, 0}));
    scene.add(Shape::from_field(Field::box({0.0005f, 0.5f, 0.5f})), at({3, 0, 0}));
    DetectorOptions options;
    const std::vector<Contact> contacts = sweep(scene, options);
    float first[3] = {1, 1, 1};
    for (const Contact& c : contacts) {
        ASSERT_EQ(c.body_a, bullet);
        if (c.time < first[c.body_b]) {
            first[c.body_b] = c.time;
            EXPECT_LT(c.normal.x, -0.9f);
        }
    }
    EXPECT_NEAR(first[1], (2 - 0.003f) / 5, 2e-5f);
    EXPECT_NEAR(first[2], (3 - 0.003f) / 5, 1e-5f);
    for (const Contact& c : contacts) {
        if (c.body_b == 2 && c.time == first[2]) {
            EXPECT_NEAR(c.distance, 3 - 0.003f, 1e-4f) << "from the start of the step";
        }
    }
}

TEST(SweepMethod, LooksAtTheStartWhereNothingMoves) {
    Scene scene = random_sweep_scene(4);
    for (std::uint32_t i = 0; i < scene.size(); ++i)
        scene.set_pose(i, scene[i].pose);
    const std::vector<Contact> contacts = sweep(scene, {.gap = 0.01f});
    ASSERT_FALSE(contacts.empty());
    EXPECT_GE(compare_scene(scene, contacts, {.gap = 0.01f, .tolerance = 1e-6, .samples = 1}), 0);
    for (const Contact& c : contacts) {
        EXPECT_EQ(c.time, 0);
        EXPECT_LE(c.distance, 0.01f);
    }
    // The same where bodies have a motion that leads nowhere.
    for (std::uint32_t i = 0; i < scene.size(); ++i)
        scene.set_motion(i, scene[i].pose, scene[i].pose);
    EXPECT_EQ(sweep(scene, {.gap = 0.01f}), contacts);
}

TEST(SweepMethod, FindsPointsThatAreOnTheSurfaceAndDeepInside) {
    Scene scene;
    scene.add(Shape::from_field(Field::plane({0, 0, 1}, 0)));
    const Shape box = Shape::from_mesh(box_mesh({1, 1, 1}), Field::box({1, 1, 1}));
    const auto body = scene.add(box, at({0, 0, 1}));
    const std::vector<Contact> resting = sweep(scene);
    ASSERT_EQ(resting.size(), 4u);
    for (const Contact& c : resting) {
        EXPECT_EQ(c.time, 0);
        EXPECT_EQ(c.distance, 0);
        EXPECT_EQ(c.normal, (Vec3{0, 0, -1}));  // from b, the box, towards a, the ground
        EXPECT_EQ(c.feature_a, kNoFeature);
    }
    scene.set_motion(body, at({0, 0, -20}), at({0, 0, 5}));
    const std::vector<Contact> deep = sweep(scene);
    ASSERT_EQ(deep.size(), 8u);
    for (const Contact& c : deep) {
        EXPECT_EQ(c.time, 0);
        EXPECT_EQ(c.distance, c.position.z);
    }
    // It leaves the ground by less than rounding, or stays above it.
    scene.set_motion(body, at({0, 0, 1.0001f}), at({0, 0, 7}));
    EXPECT_TRUE(sweep(scene).empty());
    EXPECT_EQ(sweep(scene, {.gap = 0.001f}).size(), 4u);
}

TEST(SweepMethod, DistanceLetsASolverStopAtTheSurface) {
    // A body that goes only as far along the normal as the distance says touches, and no more.
    Scene scene;
    scene.add(Shape::from_field(Field::plane({0.2f, 0, 1}, 0)));
    const auto ball =
        scene.add(Shape::from_mesh(make_sphere(0.1f, 2), Field::sphere({0, 0, 0}, 0.1f)));
    const Vec3 from{0, 0, 1}, to{0.3f, 0.1f, -2};
    scene.set_motion(ball, at(from), at(to));
    const std::vector<Contact> contacts = sweep(scene);
    ASSERT_FALSE(contacts.empty());
    for (const Contact& c : contacts) {
        const float along = dot(to - from, -c.normal);
        EXPECT_NEAR(c.distance + along * c.time, 0, 1e-5f);
    }
}

Scene exchanged(const Scene& scene) {
    Scene result;
    for (std::uint32_t i = scene.size(); i-- > 0;)
        result.add(scene[i]);
    return result;
}

TEST(SweepMethod, IsTheSameWhicheverBodyIsFirst) {
    for (unsigned seed = 0; seed < 6; ++seed) {
        const Scene scene = random_sweep_scene(seed, 3);
        const std::vector<Contact> contacts = sweep(scene), others = sweep(exchanged(scene));
        ASSERT_EQ(contacts.size(), others.size());
        const std::uint32_t last = scene.size() - 1;
        for (std::uint32_t a = 0; a <= last; ++a) {
            for (std::uint32_t b = 0; b <= last; ++b) {
                if (a == b) continue;
                const ContactsByPoint found = of_side(contacts, a, b);
                const ContactsByPoint mirrored = of_side(others, last - a, last - b);
                ASSERT_EQ(found.size(), mirrored.size());
                for (const auto& [point, contact] : found) {
                    const Contact& other = mirrored.at(point);
                    EXPECT_EQ(other.time, contact.time);
                    EXPECT_EQ(other.distance, contact.distance);
                    EXPECT_EQ(other.position, contact.position);
                    EXPECT_EQ(other.normal, -contact.normal);
                }
            }
        }
    }
}

// On a grid of 2^-10 m, so that adding a whole number of metres loses nothing.
Transform snapped(Transform pose, const Vec3& shift) {
    for (int axis = 0; axis < 3; ++axis)
        pose.translation[axis] = std::round(pose.translation[axis] * 1024) / 1024 + shift[axis];
    return pose;
}

TEST(SweepMethod, DoesNotDependOnWhereInTheWorldItIs) {
    for (unsigned seed = 0; seed < 6; ++seed) {
        const Vec3 shift{10000, -8000, 5000};
        Scene here = random_sweep_scene(seed), there = here;
        for (std::uint32_t i = 0; i < here.size(); ++i) {
            const Body body = here[i];
            const Transform to = body.pose_t1.value_or(body.pose);
            here.set_motion(i, snapped(body.pose, {0, 0, 0}), snapped(to, {0, 0, 0}));
            there.set_motion(i, snapped(body.pose, shift), snapped(to, shift));
        }
        const std::vector<Contact> near = sweep(here), far = sweep(there);
        ASSERT_EQ(near.size(), far.size());
        ASSERT_FALSE(near.empty());
        for (std::size_t i = 0; i < near.size(); ++i) {
            Contact moved = far[i];
            EXPECT_LT(length(moved.position - shift - near[i].position), 2e-3f);
            moved.position = near[i].position;
            EXPECT_EQ(moved, near[i]);
        }
    }
}

TEST(SweepMethod, DoesNotDependOnACommonRotation) {
    for (unsigned seed = 1; seed < 6; ++seed) {
        const Scene scene = random_sweep_scene(seed);
        const Transform turn{{1, 2, 3}, normalized(Quat{1, 2, -0.5f, 0.7f}), 1};
        Scene turned;
        for (Body body : scene.bodies()) {
            body.pose = turn * body.pose;
            if (body.pose_t1) body.pose_t1 = turn * *body.pose_t1;
            turned.add(body);
        }
        DetectorOptions options;
        options.sweep.tolerance = 1e-4f;
        const std::vector<Contact> contacts = sweep(scene, options),
                                   others = sweep(turned, options);
        int missing_count = 0;
        for (std::uint32_t a = 0; a < scene.size(); ++a) {
            for (std::uint32_t b = 0; b < scene.size(); ++b) {
                if (a == b) continue;
                const ContactsByPoint found = of_side(contacts, a, b);
                const ContactsByPoint other = of_side(others, a, b);
                for (const auto& [point, contact] : found) {
                    const auto match = other.find(point);
                    // What grazes the surface may do so in one of the two only.
                    if (match == other.end() ||
                        std::abs(match->second.time - contact.time) > 2e-3f) {
                        ++missing_count;
                        continue;
                    }
                    EXPECT_LT(
                        length(match->second.position - transform_point(turn, contact.position)),
                        1e-2f);
                }
            }
        }
        EXPECT_LE(missing_count, static_cast<int>(contacts.size()) / 50);
        EXPECT_NEAR(static_cast<double>(others.size()), static_cast<double>(contacts.size()),
                    0.02 * static_cast<double>(contacts.size()) + 1);
    }
}

TEST(SweepMethod, GivesTheSameBytesForAnyNumberOfThreads) {
    for (unsigned seed = 0; seed < 4; ++seed) {
        const Scene scene = random_sweep_scene(seed, 10, 1.5f);
        DetectorOptions options{.gap = 0.01f};
        options.sweep.has_faces = seed == 2;
        EXPECT_EQ(sweep(scene, options, 1), sweep(scene, options, 0));
    }
}

TEST(SweepMethod, AllocatesNothingInASteadyStep) {
    const Scene scene = random_sweep_scene(3, 6);
    Detector detector(Method::sweep, Device::cpu(), {.gap = 0.02f});
    detector.detect(scene);
    detector.detect(scene);
    const std::int64_t before = host_memory().allocation_count();
    EXPECT_FALSE(detector.detect(scene).empty());
    EXPECT_EQ(host_memory().allocation_count(), before);
}

TEST(SweepMethod, TakesPointsOfTheBodiesThatAreAskedFor) {
    const Scene scene = random_sweep_scene(1, 5);
    DetectorOptions options;
    const std::vector<Contact> both = sweep(scene, options);
    std::size_t count = 0;
    for (const SweepRoles roles : {SweepRoles::points_of_a, SweepRoles::points_of_b}) {
        options.sweep.roles = roles;
        const std::vector<Contact> one = sweep(scene, options);
        EXPECT_FALSE(one.empty());
        count += one.size();
        for (const Contact& c : one) {
            EXPECT_EQ(c.feature_a.kind != FeatureKind::none, roles == SweepRoles::points_of_a);
            EXPECT_TRUE(std::find(both.begin(), both.end(), c) != both.end());
        }
    }
    EXPECT_EQ(count, both.size());
}

TEST(SweepMethod, ReportsWhatItLookedAt) {
    Scene scene;
    scene.add(Shape::from_field(Field::sphere({0, 0, 0}, 1)));
    scene.add(Shape::from_field(Field::sphere({0, 0, 0}, 1)), at({0.4f, 0, 0}));
    Detector detector(Method::sweep, Device::cpu());
    EXPECT_TRUE(detector.detect(scene).empty());
    EXPECT_EQ(detector.report().figure("without_points"), 1);
    EXPECT_EQ(detector.report().figure("sweep_nodes"), 0);
    // The points of a ball inside both: a tree over 162 points of three levels, none of which is
    // left out.
    scene.add(Shape::from_mesh(make_sphere(0.5f, 2), Field::sphere({0, 0, 0}, 0.5f)));
    EXPECT_EQ(detector.detect(scene).size(), 162u * 2);
    EXPECT_EQ(detector.report().figure("without_points"), 1);
    EXPECT_EQ(detector.report().figure("sweep_points"), 2 * 162);
    EXPECT_GE(detector.report().figure("sweep_nodes"), 2 * (1 + 3 + 21));
}

TEST(SweepMethod, RefusesLengthsThatMakeNoSense) {
    for (const float wrong : {-1.0f, std::nanf(""), HUGE_VALF}) {
        DetectorOptions options;
        options.sweep.tolerance = wrong;
        EXPECT_NE(testing::error_of([&] {
                      Detector(Method::sweep, Device::cpu(), options);
                  }).find("sweep.tolerance"),
                  std::string::npos);
        options.sweep.tolerance = 0;
        options.sweep.face_tolerance = wrong;
        EXPECT_NE(testing::error_of([&] {
                      Detector(Method::sweep, Device::cpu(), options);
                  }).find("sweep.face_tolerance"),
                  std::string::npos);
    }
}

}  // namespace
}  // namespace graze
