// Method::rays against its definition, against closed forms, and its properties.
#include <gtest/gtest.h>

#include "graze/error.h"
#include "graze/mesh_io.h"
#include "parallel/memory.h"
#include "tests/error_of.h"
#include "tests/narrow_phase/rays/ray_definition.h"
#include "tests/needs_data.h"
#include "tests/oracle/brute_distance.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

// Bodies inside others are another matter.
std::vector<Contact> without_contained(const Scene& scene, const DetectorOptions& options) {
    Detector detector(Method::rays, Device::cpu(), options);
    const auto contacts = detector.detect(scene);
    std::vector<Contact> result(contacts.begin(), contacts.end());
    if (detector.report().figure("contained") == 0) return result;
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> count;
    for (const Contact& c : result)
        ++count[{c.body_a, c.body_b}];
    std::erase_if(result, [&](const Contact& c) { return count[{c.body_a, c.body_b}] == 1; });
    return result;
}

TEST(RaysMethod, FindsWhatTheDefinitionFinds) {
    Comparison sum;
    for (unsigned seed = 0; seed < static_cast<unsigned>(oracle::case_count(40)); ++seed) {
        const Scene scene = random_ray_scene(seed);
        const float gap = seed % 3 == 2 ? 0.04f : 0.0f;
        const Comparison one =
            compare_with_definition(scene, without_contained(scene, {.gap = gap}), gap);
        sum.certain_count += one.certain_count;
        sum.uncertain_count += one.uncertain_count;
        sum.contact_count += one.contact_count;
        if (HasFailure()) FAIL() << "seed " << seed;
    }
    EXPECT_GT(sum.contact_count, oracle::case_count(3000));
    EXPECT_LT(sum.uncertain_count, sum.certain_count / 50);
}

TEST(RaysMethod, HasTheSameDefinitionForOpenAndBrokenMeshes) {
    Comparison sum;
    for (unsigned seed = 0; seed < static_cast<unsigned>(oracle::case_count(40)); ++seed) {
        const Scene scene = random_ray_scene(seed + 100, true);
        const Comparison one = compare_with_definition(scene, without_contained(scene, {}), 0);
        sum.certain_count += one.certain_count;
        sum.uncertain_count += one.uncertain_count;
        sum.contact_count += one.contact_count;
        if (HasFailure()) FAIL() << "seed " << seed + 100;
    }
    EXPECT_GT(sum.contact_count, oracle::case_count(1000));
    EXPECT_LT(sum.uncertain_count, sum.certain_count / 10);
}

TEST(RaysMethod, FindsTheSameByEveryCast) {
    for (unsigned seed = 0; seed < 12; ++seed) {
        const Scene scene = random_ray_scene(seed, true, 8);
        DetectorOptions options{.gap = seed % 2 == 0 ? 0.0f : 0.03f};
        const std::vector<Contact> by_tree = cast_rays(scene, options);
        EXPECT_FALSE(by_tree.empty());
        for (const RayCast cast : {RayCast::stackless, RayCast::every_triangle}) {
            options.rays.cast = cast;
            EXPECT_EQ(cast_rays(scene, options), by_tree) << "seed " << seed;
        }
    }
}

TEST(RaysMethod, PutsABoxOnTheGround) {
    Scene scene;
    scene.add(Shape::from_mesh(ground_mesh()));
    const auto box =
        scene.add(Shape::from_mesh(box_mesh({0.5f, 0.5f, 0.5f})), at({0.1f, 0.2f, 0.45f}));
    Detector detector(Method::rays, Device::cpu());
    for (const float height : {0.45f, 0.49f, 0.5f}) {
        scene.set_pose(box, at({0.1f, 0.2f, height}));
        const auto contacts = detector.detect(scene);
        ContactsByRay of_box = by_ray(contacts);
        std::erase_if(of_box, [](const auto& entry) { return std::get<0>(entry.first) != 1; });
        ASSERT_EQ(of_box.size(), 4u) << height;
        for (const auto& [key, c] : of_box) {
            EXPECT_NEAR(c.distance, height - 0.5f, 1e-6);
            EXPECT_NEAR(c.normal.z, -1, 1e-6) << "from the box towards the ground";
            EXPECT_EQ(c.time, 0);
        }
    }
    scene.set_pose(box, at({0.1f, 0.2f, 0.51f}));
    EXPECT_TRUE(detector.detect(scene).empty());
    // Within the gap it touches, with a distance above 0. Rays go along the normals of corners.
    const std::vector<Contact> near = cast_rays(scene, {.gap = 0.02f});
    ASSERT_GE(near.size(), 4u);
    for (const Contact& c : near)
        EXPECT_NEAR(c.distance, 0.01f, 1e-6);
}

TEST(RaysMethod, TellsHowDeepASphereIsInTheGround) {
    Scene scene;
    scene.add(Shape::from_mesh(ground_mesh()));
    const Shape sphere = Shape::from_mesh(make_sphere(0.5f, 3));
    scene.add(sphere, at({0.05f, -0.1f, 0.4f}));
    const std::vector<Contact> contacts = cast_rays(scene);
    std::size_t expected = 0;
    for (const Vec3& p : sphere.mesh()->positions)
        expected += p.z + 0.4f < 0 ? 1 : 0;
    ContactsByRay of_sphere = by_ray(contacts);
    std::erase_if(of_sphere, [](const auto& entry) { return std::get<0>(entry.first) != 1; });
    EXPECT_EQ(of_sphere.size(), expected);
    for (const auto& [key, c] : of_sphere) {
        EXPECT_NEAR(c.distance, sphere.mesh()->positions[std::get<2>(key)].z + 0.4f, 1e-6);
        EXPECT_NEAR(c.normal.z, -1, 1e-6);
    }
}

TEST(RaysMethod, SeesTheNotchOfAnLAndTheHoleOfATorus) {
    const Shape l = Shape::from_mesh(l_shape());
    const Shape cube = Shape::from_mesh(box_mesh({0.2f, 0.2f, 0.1f}));
    Scene scene;
    scene.add(l);
    const auto body = scene.add(cube, at({0.7f, 0.7f, 0}));  // in the notch
    Detector detector(Method::rays, Device::cpu());
    EXPECT_TRUE(detector.detect(scene).empty());
    scene.set_pose(body, at({0.58f, 0.7f, 0}));
    const auto contacts = detector.detect(scene);
    ASSERT_FALSE(contacts.empty());
    for (const Contact& c : contacts) {
        EXPECT_NEAR(c.distance, -0.02f, 1e-5);
        EXPECT_NEAR(c.normal.x, -1, 1e-5);
    }

    // Two interlocked rings that do not touch, and then do.
    const Shape torus = Shape::from_mesh(small_torus(48, 24));
    Scene rings;
    rings.add(torus);
    const Quat upright = normalized(Quat{1, 1, 0, 0});
    const auto second = rings.add(torus, {{0.4f, 0, 0}, upright, 1});
    EXPECT_TRUE(cast_rays(rings).empty());
    rings.set_pose(second, {{0.52f, 0, 0}, upright, 1});
    const std::vector<Contact> touching = cast_rays(rings);
    ASSERT_FALSE(touching.empty());
    for (const Contact& c : touching) {
        EXPECT_LT(c.distance, 0);
        EXPECT_GT(c.distance, -0.03f);
        EXPECT_GT(std::abs(c.normal.x), 0.7f);
    }
}

TEST(RaysMethod, FindsABodyInsideAnother) {
    const Shape large = Shape::from_mesh(make_sphere(1, 3));
    const Shape small = Shape::from_mesh(box_mesh({0.1f, 0.1f, 0.1f}));
    for (const bool confirms : {false, true}) {
        DetectorOptions options;
        options.rays.confirms_inside = confirms;
        for (const bool is_first : {false, true}) {
            Scene scene;
            if (is_first) scene.add(small, at({0.5f, 0, 0}));
            scene.add(large);
            if (!is_first) scene.add(small, at({0.5f, 0, 0}));
            Detector detector(Method::rays, Device::cpu(), options);
            const auto contacts = detector.detect(scene);
            EXPECT_EQ(detector.report().figure("contained"), 1);
            ASSERT_EQ(contacts.size(), 1u);
            const Contact& c = contacts[0];
            // From a corner of the box to the surface of the sphere, so many metres out.
            EXPECT_LT(c.distance, -0.3f);
            EXPECT_GT(c.distance, -0.7f);
            EXPECT_GT(c.normal.x * (is_first ? 1 : -1), 0.5f);
            EXPECT_EQ((is_first ? c.feature_a : c.feature_b).kind, FeatureKind::vertex);
        }
    }
    // In the hole of a ring it is in its box only.
    Scene ring;
    ring.add(Shape::from_mesh(small_torus()));
    ring.add(small);
    EXPECT_TRUE(cast_rays(ring).empty());
}

TEST(RaysMethod, ConfirmsByWindingNumber) {
    // A single wall faces away from a box behind it: rays meet it from inside, though it bounds
    // nothing.
    Scene scene;
    Mesh wall = make_sheet({});
    scene.add(Shape::from_mesh(wall));
    const Aabb box = bounds(wall);
    scene.add(Shape::from_mesh(make_sphere(0.2f, 2)), at(centre(box)));
    DetectorOptions options;
    const std::vector<Contact> all = cast_rays(scene, options);
    options.rays.confirms_inside = true;
    const std::vector<Contact> confirmed = cast_rays(scene, options);
    EXPECT_LT(confirmed.size(), all.size());
    for (const Contact& c : confirmed) {
        const bool is_of_a = c.feature_a.kind == FeatureKind::vertex;
        const Body& target = scene[is_of_a ? c.body_b : c.body_a];
        EXPECT_GT(oracle::winding_number(*target.shape.mesh(),
                                         transform_point(inverse(target.pose), c.position)),
                  0.45);
    }
    // Of closed bodies it takes none away.
    for (unsigned seed = 0; seed < 6; ++seed) {
        const Scene closed = random_ray_scene(seed);
        options.rays.confirms_inside = false;
        const std::vector<Contact> expected = cast_rays(closed, options);
        options.rays.confirms_inside = true;
        EXPECT_EQ(cast_rays(closed, options), expected);
    }
}

TEST(RaysMethod, ConfirmsExactlyAtTheOpeningOfAHole) {
    // Around the opening of a bowl winding numbers go through 1/2. A ball stands in the bowl's wall
    // and in that opening; rays of its left half meet the wall from inside.
    Mesh bowl = make_sphere(0.4f, 4);
    std::erase_if(bowl.triangles, [&](const Triangle& t) {
        const auto z = [&](int k) { return bowl.positions[t[k]].z; };
        return z(0) > 0.05f && z(1) > 0.05f && z(2) > 0.05f;
    });
    const Shape bowl_shape = Shape::from_mesh(bowl);
    const Shape ball = Shape::from_mesh(irregular(make_sphere(0.5f, 5)));
    RandomPoints<float> random(2);
    DetectorOptions options;
    int near_count = 0, confirmed_count = 0, refused_count = 0;
    for (int round = 0; round < 6; ++round) {
        Scene scene;
        scene.add(bowl_shape);
        scene.add(ball, {Vec3{0.35f, 0, -0.1f} + random.in_box(0.02f), random_rotation(random), 1});
        options.rays.confirms_inside = false;
        const ContactsByRay all = by_ray(cast_rays(scene, options));
        options.rays.confirms_inside = true;
        const ContactsByRay confirmed = by_ray(cast_rays(scene, options));
        for (const auto& [key, contact] : confirmed)
            EXPECT_TRUE(all.contains(key));
        for (const auto& [key, contact] : all) {
            if (std::get<1>(key) != 0) continue;
            const double winding = oracle::winding_number(bowl, contact.position);
            if (std::abs(winding - 0.5) < 1e-5) continue;  // positions are rounded
            near_count += std::abs(winding - 0.5) < 0.02;
            (winding > 0.5 ? confirmed_count : refused_count) += 1;
            EXPECT_EQ(confirmed.contains(key), winding > 0.5) << winding;
        }
    }
    EXPECT_GT(near_count, 20) << "or none was hard";
    EXPECT_GT(confirmed_count, 100);
    EXPECT_GT(refused_count, 100);
}

// Two boxes in one mesh, from -0.3 to 0.1 and from -0.1 to 0.3 along x: between them it is covered
// twice.
Mesh overlapping_boxes() {
    Mesh mesh;
    for (const float x : {-0.1f, 0.1f}) {
        const auto first = static_cast<std::uint32_t>(mesh.positions.size());
        const Mesh box = box_mesh({0.2f, 0.2f, 0.2f});
        for (const Vec3& p : box.positions)
            mesh.positions.push_back(p + Vec3{x, 0, 0});
        for (const Triangle& t : box.triangles)
            mesh.triangles.push_back({{t[0] + first, t[1] + first, t[2] + first}});
    }
    return mesh;
}

TEST(RaysMethod, TakesTheNearerSurfaceWhereItIsCoveredTwice) {
    // A needle comes in from the right. Its tip, a vertex whose ray goes back out to the right, is
    // as deep as the nearer of the two right faces says that are before it.
    const Shape boxes = Shape::from_mesh(overlapping_boxes());
    Mesh needle{{{0, 0, 0}, {0.6f, 0.01f, 0}, {0.6f, -0.005f, 0.0087f}, {0.6f, -0.005f, -0.0087f}},
                {{{0, 1, 2}}, {{0, 2, 3}}, {{0, 3, 1}}, {{1, 3, 2}}}};
    const auto tip_depth = [&](float x, bool confirms) {
        Scene scene;
        scene.add(boxes);
        scene.add(Shape::from_mesh(needle), at({x, 0.01f, 0.02f}));
        DetectorOptions options;
        options.rays.confirms_inside = confirms;
        for (const Contact& c : cast_rays(scene, options)) {
            if (c.feature_b.kind != FeatureKind::vertex || c.feature_b.index != 0) continue;
            EXPECT_NEAR(c.normal.x, -1, 1e-4f) << "the boxes should go to the left";
            return -c.distance;
        }
        return 0.0f;
    };
    for (const bool confirms : {false, true}) {
        EXPECT_NEAR(tip_depth(0.25f, confirms), 0.05f, 1e-4f) << "in one box";
        EXPECT_NEAR(tip_depth(0.15f, confirms), 0.15f, 1e-4f) << "just before the other";
        EXPECT_NEAR(tip_depth(0.05f, confirms), 0.05f, 1e-4f) << "in both: out of the one";
        EXPECT_NEAR(tip_depth(-0.05f, confirms), 0.15f, 1e-4f) << "deeper in both";
        EXPECT_EQ(tip_depth(0.35f, confirms), 0) << "in none";
    }
    // From step to step the same, also where the needle leaves the place that is covered twice.
    Detector followed(Method::rays, Device::cpu());
    for (float x = -0.08f; x < 0.3f; x += 0.004f) {
        Scene scene;
        scene.add(boxes);
        scene.add(Shape::from_mesh(needle), at({x, 0.01f, 0.02f}));
        const auto found = followed.detect(scene);
        const std::vector<Contact> expected = cast_rays(scene);
        EXPECT_EQ(found.size(), expected.size()) << x;
    }
}

// [m^2] The area of the polygon around points, seen along z.
double area_around(std::vector<Vec3> points) {
    std::sort(points.begin(), points.end(),
              [](const Vec3& a, const Vec3& b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
    const auto turn = [](const Vec3& a, const Vec3& b, const Vec3& c) {
        return (double{b.x} - a.x) * (double{c.y} - a.y) -
               (double{b.y} - a.y) * (double{c.x} - a.x);
    };
    double twice = 0;
    for (int side = 0; side < 2; ++side) {
        std::vector<Vec3> hull;
        for (const Vec3& p : points) {
            while (hull.size() > 1 && turn(hull[hull.size() - 2], hull.back(), p) <= 0)
                hull.pop_back();
            hull.push_back(p);
        }
        for (std::size_t i = 1; i + 1 < hull.size(); ++i)
            twice += turn(hull[0], hull[i], hull[i + 1]);
        std::reverse(points.begin(), points.end());
    }
    return twice / 2;
}

TEST(RaysMethod, KeepsTheDeepestAndTheSupportWhereContactsAreReduced) {
    // Bodies that stand on the ground, a little tilted: of some hundred contacts few are left.
    Mesh plate = ground_mesh(12, 0.4f, 0.1f);
    for (Vec3& p : plate.positions)
        p.z = -p.z;
    for (Triangle& t : plate.triangles)
        std::swap(t.v[1], t.v[2]);
    RandomPoints<float> random(6);
    for (int round = 0; round < 12; ++round) {
        Scene scene;
        scene.add(Shape::from_mesh(box_mesh({2, 2, 0.5f})), at({0, 0, -0.5f}));
        const Vec3 tilt = random.in_box(0.01f);
        const Quat turned = Quat::from_axis_angle({0, 0, 1}, random.uniform(0, 3));
        scene.add(Shape::from_mesh(round % 3 == 2 ? small_torus(48, 24) : plate),
                  {{0, 0, round % 3 == 2 ? 0.14f : -0.02f},
                   normalized(Quat{1, tilt.x, tilt.y, 0} * turned),
                   1});
        const std::vector<Contact> all = cast_rays(scene);
        ASSERT_GT(all.size(), 40u);
        std::vector<Vec3> positions;
        float deepest = 0;
        for (const Contact& c : all) {
            deepest = std::min(deepest, c.distance);
            positions.push_back(c.position);
        }
        const double whole = area_around(positions);
        for (const int count : {4, 8}) {
            DetectorOptions options;
            options.reduction = {.manifold_count = count, .manifold_slack = 0.05f};
            const std::vector<Contact> kept = cast_rays(scene, options);
            ASSERT_EQ(kept.size(), static_cast<std::size_t>(count));
            EXPECT_EQ(kept[0].distance, deepest) << "the deepest is the first";
            positions.clear();
            for (const Contact& c : kept) {
                EXPECT_NE(std::find(all.begin(), all.end(), c), all.end());
                positions.push_back(c.position);
            }
            EXPECT_GT(area_around(positions), (count == 4 ? 0.5 : 0.75) * whole) << count;
        }
    }
}

TEST(RaysMethod, AnswersInThreeWays) {
    const Scene scene = random_ray_scene(4);
    DetectorOptions options;
    const ContactsByRay projected = by_ray(cast_rays(scene, options));
    options.rays.response = RayResponse::weighted;
    const ContactsByRay weighted = by_ray(cast_rays(scene, options));
    options.rays.response = RayResponse::ray;
    const ContactsByRay plain = by_ray(cast_rays(scene, options));
    ASSERT_EQ(plain.size(), projected.size());
    ASSERT_EQ(plain.size(), weighted.size());
    ASSERT_GT(plain.size(), 20u);
    for (const auto& [key, ray] : plain) {
        const Contact &p = projected.at(key), &w = weighted.at(key);
        const float cosine = dot(ray.normal, p.normal);
        EXPECT_GT(cosine, -1e-6f);
        EXPECT_NEAR(p.distance, ray.distance * cosine, 1e-5);
        EXPECT_EQ(w.distance, p.distance);
        EXPECT_EQ(w.normal, ray.normal);
        EXPECT_EQ(p.position, ray.position);
        EXPECT_NEAR(length(p.normal), 1, 1e-6);
    }
}

TEST(RaysMethod, DoesNotDependOnACommonMotion) {
    const Transform turn{{1, 2, 3}, normalized(Quat{1, 2, -0.5f, 0.7f}), 1};
    for (unsigned seed = 0; seed < 6; ++seed) {
        // The regions are boxes of the world, which matter to open meshes only.
        const Scene scene = random_ray_scene(seed);
        Scene turned;
        for (Body body : scene.bodies()) {
            body.pose = turn * body.pose;
            turned.add(body);
        }
        const ContactsByRay found = by_ray(cast_rays(scene)), others = by_ray(cast_rays(turned));
        std::size_t different_count = 0;
        for (const auto& [key, c] : found) {
            const auto match = others.find(key);
            if (match == others.end() || std::abs(match->second.distance - c.distance) > 1e-4f) {
                ++different_count;  // what grazes an edge may do so in one of the two only
                continue;
            }
            EXPECT_LT(length(match->second.position - transform_point(turn, c.position)), 1e-5f);
        }
        EXPECT_LE(different_count, found.size() / 50);
        EXPECT_NEAR(static_cast<double>(others.size()), static_cast<double>(found.size()),
                    0.02 * static_cast<double>(found.size()) + 1);
    }
}

TEST(RaysMethod, IsTheSameWhicheverBodyIsFirst) {
    for (unsigned seed = 0; seed < 6; ++seed) {
        const Scene scene = random_ray_scene(seed, true);
        Scene reversed;
        for (std::uint32_t i = scene.size(); i-- > 0;)
            reversed.add(scene[i]);
        const std::uint32_t last = scene.size() - 1;
        const ContactsByRay found = by_ray(cast_rays(scene)), others = by_ray(cast_rays(reversed));
        ASSERT_EQ(found.size(), others.size());
        for (const auto& [key, c] : found) {
            const auto& [source, target, vertex] = key;
            const Contact& other = others.at({last - source, last - target, vertex});
            EXPECT_EQ(other.distance, c.distance);
            EXPECT_EQ(other.position, c.position);
            EXPECT_EQ(other.normal, -c.normal);
        }
    }
}

TEST(RaysMethod, GivesTheSameBytesForAnyNumberOfThreadsAndInEveryRun) {
    for (unsigned seed = 0; seed < 4; ++seed) {
        Scene scene = random_ray_scene(seed, true, 16, 1.2f);
        const DetectorOptions options{.gap = 0.01f};
        Detector one(Method::rays, Device::cpu(1), options),
            all(Method::rays, Device::cpu(), options), again(Method::rays, Device::cpu(), options);
        for (unsigned step = 0; step < 10; ++step) {
            const auto expected = one.detect(scene);
            for (Detector* other : {&all, &again}) {
                const auto found = other->detect(scene);
                ASSERT_TRUE(
                    std::equal(found.begin(), found.end(), expected.begin(), expected.end()));
            }
            nudge(scene, step, 0.005f);
        }
    }
}

TEST(RaysMethod, AllocatesNothingInASteadyStep) {
    Scene scene = random_ray_scene(3, true, 10);
    Detector detector(Method::rays, Device::cpu(), {.gap = 0.02f});
    for (unsigned step = 0; step < 4; ++step)
        detector.detect(scene);
    const std::int64_t before = host_memory().allocation_count();
    EXPECT_FALSE(detector.detect(scene).empty());
    EXPECT_FALSE(detector.detect(scene).empty());
    EXPECT_EQ(host_memory().allocation_count(), before);
}

TEST(RaysMethod, JoinsSeamsAndTurnsMeshesThatFaceInwards) {
    Mesh smooth = make_sphere(0.4f, 2), split, inward = smooth;
    for (const Triangle& t : smooth.triangles) {
        const auto first = static_cast<std::uint32_t>(split.positions.size());
        for (const std::uint32_t v : t.v)
            split.positions.push_back(smooth.positions[v]);
        split.triangles.push_back({{first, first + 1, first + 2}});
    }
    for (Triangle& t : inward.triangles)
        std::swap(t.v[1], t.v[2]);
    std::vector<std::vector<float>> distances;
    for (const Mesh& mesh : {smooth, split, inward}) {
        Scene scene;
        scene.add(Shape::from_mesh(ground_mesh()));
        scene.add(Shape::from_mesh(mesh), at({0.1f, 0, 0.3f}));
        std::vector<float> found;
        for (const Contact& c : cast_rays(scene))
            found.push_back(c.distance);
        std::sort(found.begin(), found.end());
        distances.push_back(found);
    }
    EXPECT_GT(distances[0].size(), 10u);
    EXPECT_EQ(distances[1], distances[0]);
    EXPECT_EQ(distances[2], distances[0]);
}

TEST(RaysMethod, TakesMeshesWithoutAnyUse) {
    for (const auto& [name, mesh] : sample::all_meshes()) {
        if (mesh.triangles.empty() || mesh.triangles.size() > 2000) continue;
        Scene scene;
        scene.add(Shape::from_mesh(mesh));
        scene.add(Shape::from_mesh(mesh), at({0.1f, 0.05f, -0.02f}));
        Detector detector(Method::rays, Device::cpu(), {.gap = 0.01f});
        for (unsigned step = 0; step < 3; ++step) {
            for (const Contact& c : detector.detect(scene)) {
                EXPECT_TRUE(std::isfinite(c.distance)) << name;
                EXPECT_NEAR(length(c.normal), 1, 1e-5) << name;
            }
            nudge(scene, step, 0.002f);
        }
    }
}

TEST(RaysMethod, AgreesWithTheDefinitionOnRealModels) {
    GRAZE_NEEDS_DATA("models");
    const auto folder = data_folder() / "models";
    for (const char* name : {"spot_low.obj", "pig.off", "cow.obj"}) {
        Mesh mesh = load_mesh((folder / name).string());
        const Aabb box = bounds(mesh);
        const float scale = 1 / length(extent(box));
        for (Vec3& p : mesh.positions)
            p = (p - centre(box)) * scale;
        const Shape shape = Shape::from_mesh(mesh);
        for (unsigned seed = 0; seed < 2; ++seed) {
            RandomPoints<float> random(seed);
            Scene scene;
            scene.add(shape);
            scene.add(Shape::from_mesh(make_sphere(0.3f, 3)),
                      {random.in_box(0.2f), random_rotation(random), 1});
            DetectorOptions options;
            const std::vector<Contact> contacts = cast_rays(scene, options);
            EXPECT_FALSE(contacts.empty()) << name;
            const Comparison one =
                compare_with_definition(scene, without_contained(scene, options), 0);
            if (HasFailure()) FAIL() << name << ", seed " << seed;
            EXPECT_GT(one.contact_count, 20) << name;
            EXPECT_LT(one.uncertain_count, one.certain_count / 20) << name;
            options.rays.cast = RayCast::every_triangle;
            EXPECT_EQ(cast_rays(scene, options), contacts) << name;
        }
    }
}

TEST(RaysMethod, RefusesWhatMakesNoSense) {
    const auto error = [](const RaysOptions& rays) {
        return testing::error_of([&] { Detector(Method::rays, Device::cpu(), {.rays = rays}); });
    };
    EXPECT_NE(error({.confidence = 0.5f}).find("rays.confidence"), std::string::npos);
    EXPECT_NE(error({.displacement_threshold = -1}).find("rays.displacement_threshold"),
              std::string::npos);
    EXPECT_NE(error({.distance_extension = HUGE_VALF}).find("rays.distance_extension"),
              std::string::npos);
    EXPECT_NE(error({.max_iterations = 0}).find("rays.max_iterations"), std::string::npos);
    Scene scene;
    scene.add(Shape::from_field(Field::sphere({0, 0, 0}, 1)));
    EXPECT_NE(testing::error_of([&] { cast_rays(scene); }).find("the method rays needs triangles"),
              std::string::npos);
}

}  // namespace
}  // namespace graze
