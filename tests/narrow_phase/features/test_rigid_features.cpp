// Method::features against DeformingDetector, against exact arithmetic and against closed forms.
#include <gtest/gtest.h>

#include <cmath>

#include "graze/error.h"
#include "parallel/memory.h"
#include "tests/narrow_phase/features/rigid_cases.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/exact_intersect.h"

namespace graze {
namespace {

std::vector<Contact> contacts_by_features(const Scene& scene, float gap = 0, int threads = 0) {
    Detector detector(Method::features, Device::cpu(threads), {.gap = gap});
    const std::span<const Contact> contacts = detector.detect(scene);
    return {contacts.begin(), contacts.end()};
}

// The motion of a pair decides how it is looked at.
bool pair_moves(const Scene& scene, std::uint32_t a, std::uint32_t b) {
    return scene[a].pose_t1.has_value() || scene[b].pose_t1.has_value();
}

TouchingFeatures found_features(const Scene& scene, const std::vector<Contact>& contacts,
                                bool moving) {
    TouchingFeatures result;
    for (const Contact& c : contacts) {
        if (c.feature_a.kind == FeatureKind::face && c.feature_b.kind == FeatureKind::face)
            continue;
        if (pair_moves(scene, c.body_a, c.body_b) != moving) continue;
        add_touching(named(scene, c.body_a, c.feature_a), named(scene, c.body_b, c.feature_b),
                     static_cast<double>(moving ? c.time : c.distance), result);
    }
    return result;
}

TouchingFeatures found_triangles(const Scene& scene, const std::vector<Contact>& contacts) {
    TouchingFeatures result;
    for (const Contact& c : contacts) {
        if (c.feature_a.kind != FeatureKind::face || c.feature_b.kind != FeatureKind::face)
            continue;
        EXPECT_EQ(c.time, 0);
        add_touching(named(scene, c.body_a, c.feature_a), named(scene, c.body_b, c.feature_b), 0,
                     result);
    }
    return result;
}

// Rounds as a contact's time and distance are: never later and never farther.
double not_above(double value) {
    const auto nearest = static_cast<float>(value);
    return static_cast<double>(static_cast<double>(nearest) > value ? std::nextafter(nearest, -1.0f)
                                                                    : nearest);
}

TEST(RigidFeatures, FindsTheTrianglesThatIntersectAndWhatIsNear) {
    int triangle_count = 0, near_count = 0;
    for (unsigned seed = 0; seed < static_cast<unsigned>(oracle::case_count(30)); ++seed) {
        const Scene scene = random_rigid_scene(seed, false);
        const float gap = seed % 3 == 0 ? 0.0f : 0.1f;
        const std::vector<Contact> contacts = contacts_by_features(scene, gap);
        const UnitedBodies all(scene);
        DeformingDetector detector(all.topology, Device::cpu());
        TouchingFeatures triangles, near;
        for (const TriangleIntersection& found : detector.find_intersections(all.t0))
            add_touching({all.body_of_face(found.a), FeatureKind::face, all.face(found.a), 0},
                         {all.body_of_face(found.b), FeatureKind::face, all.face(found.b), 0}, 0,
                         triangles);
        EXPECT_EQ(found_triangles(scene, contacts), triangles) << "seed " << seed;
        if (gap > 0) {
            for (const Proximity& found : detector.find_proximities(all.t0, gap))
                add_hit(all, found, not_above(found.distance), near);
        }
        EXPECT_EQ(found_features(scene, contacts, false), near) << "seed " << seed;
        triangle_count += static_cast<int>(triangles.size());
        near_count += static_cast<int>(near.size());
    }
    EXPECT_GT(triangle_count, oracle::case_count(300));
    EXPECT_GT(near_count, oracle::case_count(300));
}

TEST(RigidFeatures, FindsEveryImpactInTheStepWithItsTime) {
    int count = 0;
    for (unsigned seed = 0; seed < static_cast<unsigned>(oracle::case_count(30)); ++seed) {
        const Scene scene = random_rigid_scene(seed, true);
        const float gap = seed % 2 == 0 ? 0.0f : 0.03f;
        const std::vector<Contact> contacts = contacts_by_features(scene, gap);
        const UnitedBodies all(scene);
        DeformingDetector detector(all.topology, Device::cpu(),
                                   {.min_separation = static_cast<double>(gap)});
        const auto moves = [&](const auto& found) {
            return pair_moves(scene, all.topology.parts[found.vertices[0]],
                              all.topology.parts[found.vertices[3]]);
        };
        TouchingFeatures impacts, expected;
        for (const Impact& found : detector.find_impacts(all.t0, all.t1)) {
            if (moves(found)) add_hit(all, found, not_above(found.time), impacts);
        }
        // What is near at the start is a contact, wherever it goes.
        if (gap > 0) {
            for (const Proximity& found :
                 detector.find_proximities(all.t0, static_cast<double>(gap))) {
                if (moves(found)) add_hit(all, found, 0, expected);
            }
        }
        expected.insert(impacts.begin(), impacts.end());
        EXPECT_EQ(found_features(scene, contacts, true), expected) << "seed " << seed;
        count += static_cast<int>(expected.size());
    }
    EXPECT_GT(count, oracle::case_count(2000));
}

TEST(RigidFeatures, AgreesWithExactArithmeticOnTriangles) {
    for (unsigned seed = 100; seed < 100 + static_cast<unsigned>(oracle::case_count(8)); ++seed) {
        const Scene scene = random_rigid_scene(seed, false, 3);
        const TouchingFeatures found = found_triangles(scene, contacts_by_features(scene));
        const UnitedBodies all(scene);
        const auto corners = [&](const Triangle& t) {
            return std::array<oracle::RationalVec3, 3>{oracle::to_rational(all.t0[t[0]]),
                                                       oracle::to_rational(all.t0[t[1]]),
                                                       oracle::to_rational(all.t0[t[2]])};
        };
        const auto box = [&](const Triangle& t) {
            return box_of(all.t0[t[0]], all.t0[t[1]], all.t0[t[2]]);
        };
        TouchingFeatures expected;
        const std::vector<Triangle>& triangles = all.topology.triangles;
        for (std::uint32_t a = 0; a < triangles.size(); ++a) {
            for (std::uint32_t b = a + 1; b < triangles.size(); ++b) {
                if (all.body_of_face(a) == all.body_of_face(b)) continue;
                if (!overlap(box(triangles[a]), box(triangles[b]))) continue;
                if (oracle::common_points(corners(triangles[a]), corners(triangles[b])).empty())
                    continue;
                add_touching({all.body_of_face(a), FeatureKind::face, all.face(a), 0},
                             {all.body_of_face(b), FeatureKind::face, all.face(b), 0}, 0, expected);
            }
        }
        EXPECT_EQ(found, expected) << "seed " << seed;
    }
}

Transform at(float x, float y, float z) {
    return {{x, y, z}, Quat::identity(), 1};
}

TEST(RigidFeatures, TellsWhenACubeLandsAndWhere) {
    // The unit cube's lowest face falls from 1 to -3 onto the upper face of another, at 1.
    const Shape cube = Shape::from_mesh(sample::cube());
    const Aabb box = cube.bounds();
    const float side = box.max.z - box.min.z;
    Scene scene;
    scene.add(cube, at(0, 0, 0));
    const auto falling = scene.add(cube, at(0.1f, 0.2f, 2 * side));
    scene.set_motion(falling, at(0.1f, 0.2f, 2 * side), at(0.1f, 0.2f, -2 * side));
    const std::vector<Contact> contacts = contacts_by_features(scene);
    ASSERT_FALSE(contacts.empty());
    float first = 1;
    for (const Contact& c : contacts)
        first = std::min(first, c.time);
    EXPECT_NEAR(first, 0.25, 1e-6);
    EXPECT_LE(first, 0.25f);
    int vertex_count = 0;
    for (const Contact& c : contacts) {
        if (c.time > 0.2501f || c.feature_b.kind != FeatureKind::vertex) continue;
        ++vertex_count;
        EXPECT_EQ(c.body_a, 0u);
        EXPECT_EQ(c.feature_a.kind, FeatureKind::face);
        EXPECT_NEAR(c.position.z, box.max.z, 1e-6);
        EXPECT_NEAR(c.normal.z, -1, 1e-6) << "from b, above, towards a";
        EXPECT_EQ(c.distance, 0);
    }
    EXPECT_GE(vertex_count, 1) << "one corner of the falling cube is above the other";
}

TEST(RigidFeatures, LosesNoBulletInAThinWall) {
    Mesh wall = sample::cube();
    for (Vec3& p : wall.positions)
        p = {p.x * 10, p.y * 10, p.z * 1e-3f};
    Mesh bullet = sample::tetrahedron();
    for (Vec3& p : bullet.positions)
        p = p * 1e-2f;
    Scene scene;
    scene.add(Shape::from_mesh(wall), at(-5, -5, 0));
    const auto body = scene.add(Shape::from_mesh(bullet), at(0.3f, 0.4f, 50));
    EXPECT_TRUE(contacts_by_features(scene).empty());
    scene.set_motion(body, at(0.3f, 0.4f, 50), at(0.7f, 0.1f, -50));
    const std::vector<Contact> contacts = contacts_by_features(scene);
    ASSERT_FALSE(contacts.empty());
    for (const Contact& c : contacts)
        EXPECT_NEAR(c.time, 0.5, 1e-3);
    // Both ends are apart, and at rest there nothing touches.
    scene.set_pose(body, at(0.7f, 0.1f, -50));
    EXPECT_TRUE(contacts_by_features(scene).empty());
}

TEST(RigidFeatures, TellsTheDepthOfCrossingTrianglesAndTheWayOut) {
    const Shape triangle = Shape::from_mesh(sample::single_triangle());
    for (unsigned seed = 0; seed < static_cast<unsigned>(oracle::case_count(300)); ++seed) {
        RandomPoints<float> random(seed);
        Scene scene;
        scene.add(triangle, random_pose(random, 0.3f));
        scene.add(triangle, random_pose(random, 0.3f));
        const std::vector<Contact> contacts = contacts_by_features(scene);
        if (contacts.empty()) continue;
        ASSERT_EQ(contacts.size(), 1u);
        const Contact& c = contacts[0];
        EXPECT_LE(c.distance, 0);
        EXPECT_NEAR(length(c.normal), 1, 1e-6);
        Transform moved = scene[0].pose;
        moved.translation += c.normal * (-c.distance + 1e-5f);
        scene.set_pose(0, moved);
        EXPECT_TRUE(contacts_by_features(scene).empty()) << "seed " << seed;
    }
}

TEST(RigidFeatures, HasOneAnswerForAllThreadsAndBothOrdersOfBodies) {
    for (const bool moves : {false, true}) {
        const Scene scene = random_rigid_scene(7, moves, 8);
        const std::vector<Contact> one = contacts_by_features(scene, 0.05f, 1);
        EXPECT_GT(one.size(), 50u);
        for (const int threads : {2, 0})
            EXPECT_EQ(contacts_by_features(scene, 0.05f, threads), one);

        Scene reversed;
        for (std::uint32_t i = scene.size(); i-- > 0;)
            reversed.add(scene[i]);
        const auto swapped = contacts_by_features(reversed, 0.05f, 1);
        EXPECT_EQ(swapped.size(), one.size());
        TouchingFeatures expected, found;
        for (const Contact& c : one)
            add_touching(named(scene, c.body_a, c.feature_a), named(scene, c.body_b, c.feature_b),
                         static_cast<double>(c.time), expected);
        const std::uint32_t last = scene.size() - 1;
        for (const Contact& c : swapped) {
            NamedFeature a = named(reversed, c.body_a, c.feature_a);
            NamedFeature b = named(reversed, c.body_b, c.feature_b);
            std::get<0>(a) = last - std::get<0>(a);
            std::get<0>(b) = last - std::get<0>(b);
            add_touching(a, b, static_cast<double>(c.time), found);
        }
        EXPECT_EQ(found, expected);
    }
}

TEST(RigidFeatures, AllocatesNothingInASteadyStep) {
    const Scene scene = random_rigid_scene(3, true);
    Detector detector(Method::features, Device::cpu(1), {.gap = 0.05f});
    detector.detect(scene);
    detector.detect(scene);
    const std::int64_t before = host_memory().allocation_count();
    EXPECT_FALSE(detector.detect(scene).empty());
    EXPECT_EQ(host_memory().allocation_count(), before);
}

TEST(RigidFeatures, ReportsWhatItLookedAtAndReducesLikeOthers) {
    const Scene scene = random_rigid_scene(5, false);
    DetectorOptions options{.gap = 0.1f};
    Detector all(Method::features, Device::cpu(), options);
    const std::size_t count = all.detect(scene).size();
    EXPECT_GT(all.report().figure("triangle_pairs"), 0);
    EXPECT_GE(all.report().figure("feature_pairs"), static_cast<double>(count));
    EXPECT_EQ(all.report().figure("exhausted"), 0);
    EXPECT_EQ(all.report().figure("particles"), 0) << "which is the other method's";
    options.reduction.deepest_count = 2;
    Detector few(Method::features, Device::cpu(), options);
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> kept;
    for (const Contact& c : few.detect(scene))
        ++kept[{c.body_a, c.body_b}];
    for (const auto& [pair, number] : kept)
        EXPECT_LE(number, 2);
    EXPECT_EQ(few.report().found_count, static_cast<std::int64_t>(count));
}

TEST(RigidFeatures, LooksOnlyAtGivenPairs) {
    const Scene scene = random_rigid_scene(11, false);
    Detector detector(Method::features, Device::cpu());
    const BodyPair pairs[] = {{0, 1}, {2, 4}};
    for (const Contact& c : detector.detect(scene, pairs))
        EXPECT_TRUE((c.body_a == 0 && c.body_b == 1) || (c.body_a == 2 && c.body_b == 4));
    EXPECT_EQ(detector.report().pair_count, 2);
}

TEST(RigidFeatures, SaysThatAFormulaHasNoTriangles) {
    Scene scene;
    scene.add(Shape::from_field(Field::sphere({0, 0, 0}, 1)));
    scene.add(Shape::from_mesh(sample::cube()));
    Detector detector(Method::features, Device::cpu());
    try {
        detector.detect(scene);
        FAIL();
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("make it from a mesh"), std::string::npos);
    }
    EXPECT_FALSE(scene[1].shape.has_field()) << "it needs none";
}

TEST(RigidFeatures, DescribesWhatIsNearAtTheStartOfAStepAsAtRest) {
    // A corner points down at the middle of a wide face, 0.03 above it.
    const Shape tetrahedron =
        Shape::from_mesh({{{0, 0, 0}, {1, 0, 2}, {-1, 1, 2}, {-1, -1, 2}},
                          {{{0, 2, 1}}, {{0, 3, 2}}, {{0, 1, 3}}, {{1, 2, 3}}}});
    const Shape floor = Shape::from_mesh({{{-9, -9, 0}, {9, -9, 0}, {0, 9, 0}}, {{{0, 1, 2}}}});
    Scene scene;
    scene.add(floor, at(5, 3, 0));
    const auto body = scene.add(tetrahedron, at(5, 2, 0.03f));
    const std::vector<Contact> resting = contacts_by_features(scene, 0.05f);
    scene.set_motion(body, at(5, 2, 0.03f), at(5, 2, 0.031f));
    const std::vector<Contact> moving = contacts_by_features(scene, 0.05f);
    ASSERT_EQ(resting.size(), 1u);
    ASSERT_EQ(moving.size(), 1u);
    EXPECT_EQ(moving[0].time, 0);
    EXPECT_NEAR(moving[0].normal.z, -1, 1e-6);
    EXPECT_EQ(moving[0].normal, resting[0].normal);
    EXPECT_NEAR(moving[0].distance, 0.03, 1e-6);
    // Touching, the face's normal is known, too.
    scene.set_motion(body, at(5, 2, 0), at(5, 2, -0.1f));
    for (const Contact& c : contacts_by_features(scene)) {
        if (c.feature_b.kind == FeatureKind::vertex) {
            EXPECT_NEAR(std::fabs(c.normal.z), 1, 1e-6);
        }
    }
}

TEST(RigidFeatures, GoesOnAfterAShapeThatCannotBeUsed) {
    const Shape cube = Shape::from_mesh(sample::cube());
    const Shape formula = Shape::from_field(Field::sphere({0, 0, 0}, 1));
    const Shape empty = Shape::from_mesh(Mesh{}, Field::sphere({0, 0, 0}, 1));
    Detector detector(Method::features, Device::cpu());
    const auto scene_with = [&](const Shape& first) {
        Scene scene;
        scene.add(first, at(100, 0, 0));
        for (int i = 0; i < 5; ++i)
            scene.add(cube, at(1.5f * static_cast<float>(i), 0, 0));
        return scene;
    };
    Scene cubes;
    for (int i = 0; i < 5; ++i)
        cubes.add(cube, at(1.5f * static_cast<float>(i), 0, 0));
    const std::size_t count = detector.detect(cubes).size();
    EXPECT_GT(count, 0u);
    EXPECT_THROW(detector.detect(scene_with(formula)), Error);
    EXPECT_THROW(detector.detect(scene_with(empty)), Error);
    EXPECT_EQ(detector.detect(scene_with(cube)).size(), count);
}

TEST(RigidFeatures, FindsTinyMeshesOfLargeScaleThatTurn) {
    Mesh tiny = sample::cube();
    for (Vec3& p : tiny.positions)
        p = p * 1e-23f;
    const Shape shape = Shape::from_mesh(tiny);
    const auto scaled = [](float x, float angle) {
        return Transform{{x, 0, 0}, Quat::from_axis_angle({0, 0, 1}, angle), 1e20f};
    };
    Scene scene;
    scene.add(shape, scaled(0, 0));
    const auto body = scene.add(shape, scaled(0.0022f, 0));
    scene.set_motion(body, scaled(0.0022f, 0), scaled(0.0022f, 0.785f));
    EXPECT_FALSE(contacts_by_features(scene).empty());
}

TEST(RigidFeatures, TakesFarAndTinyBodies) {
    for (const float scale : {1e-12f, 1.0f, 1e12f}) {
        Scene scene;
        const Shape cube = Shape::from_mesh(sample::cube());
        const float side = extent(cube.bounds()).x * scale;
        const Transform a{{1e3f * scale, 0, 0}, Quat::identity(), scale};
        Transform b = a;
        b.translation.x += 0.5f * side;
        scene.add(cube, a);
        const auto body = scene.add(cube, b);
        EXPECT_FALSE(contacts_by_features(scene).empty()) << scale;
        b.translation.x += 0.6f * side;
        scene.set_pose(body, b);
        EXPECT_TRUE(contacts_by_features(scene).empty()) << scale;
    }
}

}  // namespace
}  // namespace graze
