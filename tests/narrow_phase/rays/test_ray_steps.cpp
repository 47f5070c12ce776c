// Method::rays from step to step: rays that are followed against rays that are cast anew.
#include <gtest/gtest.h>

#include "parallel/memory.h"
#include "tests/narrow_phase/rays/ray_cases.h"

namespace graze {
namespace {

RaysOptions cast_anew() {
    RaysOptions options;
    options.is_iterative = false;
    return options;
}

Detector make_detector(const RaysOptions& rays, float gap = 0) {
    return Detector(Method::rays, Device::cpu(), {.gap = gap, .rays = rays});
}

struct Wrong {
    std::size_t missed = 0, invented = 0, other = 0, right = 0;
    std::size_t count() const { return missed + invented + other; }
};

// Compares by ray: a depth that differs is another surface, not rounding.
void compare_rays(const ContactsByRay& followed, const ContactsByRay& anew, Wrong& wrong) {
    for (const auto& [key, c] : anew) {
        const auto it = followed.find(key);
        if (it == followed.end()) {
            ++wrong.missed;
        } else if (std::abs(it->second.distance - c.distance) > 1e-5f) {
            ++wrong.other;
        } else {
            ++wrong.right;
        }
    }
    for (const auto& [key, c] : followed)
        wrong.invented += anew.contains(key) ? 0 : 1;
}

// Bodies that sink onto the ground, slide and turn a little.
struct Settling {
    Scene scene;
    int step = 0;

    explicit Settling(const Shape& shape, int count = 6) {
        scene.add(Shape::from_mesh(ground_mesh(24)));
        RandomPoints<float> random(5);
        for (int i = 0; i < count; ++i) {
            const int column = i % 3, row = i / 3;
            const Vec3 position{0.55f * static_cast<float>(column) - 0.5f,
                                0.55f * static_cast<float>(row) - 0.3f, 0.42f};
            scene.add(shape, {position, random_rotation(random), 1});
        }
    }
    void move() {
        ++step;
        for (std::uint32_t i = 1; i < scene.size(); ++i) {
            Transform pose = scene[i].pose;
            const float speed = step < 30 ? 0.004f : 0.0005f;
            const float sign = i % 2 == 0 ? 1.0f : -1.0f;
            pose.translation += Vec3{0.3f * sign * speed, 0.2f * speed, step < 30 ? -speed : 0};
            pose.rotation =
                normalized(Quat{1, 0.5f * speed, -0.3f * speed * sign, speed} * pose.rotation);
            scene.set_pose(i, pose);
        }
    }
};

Wrong follow_settling(const Shape& shape, const RaysOptions& options, int steps,
                      double* cast_part = nullptr, double* cast_count = nullptr) {
    Settling settling(shape);
    Detector followed = make_detector(options), anew = make_detector(cast_anew());
    Wrong wrong;
    double rays = 0, cast_rays = 0;
    for (int i = 0; i < steps; ++i) {
        compare_rays(by_ray(followed.detect(settling.scene)), by_ray(anew.detect(settling.scene)),
                     wrong);
        rays += followed.report().figure("rays") + followed.report().figure("sleeping_rays");
        cast_rays += followed.report().figure("cast_rays");
        settling.move();
    }
    if (cast_part) *cast_part = cast_rays / rays;
    if (cast_count) *cast_count = cast_rays;
    return wrong;
}

TEST(RaySteps, AreTheSameBytesWhereNothingMoves) {
    for (unsigned seed = 0; seed < 8; ++seed) {
        const Scene scene = random_ray_scene(seed, true, 10);
        for (const float gap : {0.0f, 0.03f}) {
            Detector detector = make_detector({}, gap);
            const auto first = detector.detect(scene);
            const std::vector<Contact> expected(first.begin(), first.end());
            EXPECT_GT(detector.report().figure("cast_rays"), 0);
            for (int step = 0; step < 3; ++step) {
                const auto again = detector.detect(scene);
                EXPECT_EQ(std::vector<Contact>(again.begin(), again.end()), expected);
                EXPECT_EQ(detector.report().figure("cast_rays"), 0) << "all rays are followed";
            }
            EXPECT_EQ(expected, cast_rays(scene, {.gap = gap, .rays = cast_anew()}));
        }
    }
}

TEST(RaySteps, FollowRaysThatMoveOverTheSurface) {
    double cast_part = 1;
    const Wrong wrong = follow_settling(Shape::from_mesh(make_sphere(0.4f, 3)), {}, 60, &cast_part);
    EXPECT_GT(wrong.right, 1000u);
    EXPECT_EQ(wrong.count(), 0u) << wrong.missed << " missed, " << wrong.invented << " invented, "
                                 << wrong.other << " of another depth";
    EXPECT_LT(cast_part, 0.3);
}

TEST(RaySteps, AreRarelyWrongOnConcaveBodies) {
    double cast_part = 1;
    const Wrong wrong = follow_settling(Shape::from_mesh(small_torus(32, 16)), {}, 60, &cast_part);
    EXPECT_GT(wrong.right, 500u);
    EXPECT_LE(wrong.count(), wrong.right / 200)
        << wrong.missed << " missed, " << wrong.invented << " invented, " << wrong.other
        << " of another depth";
    EXPECT_LT(cast_part, 0.4);
}

TEST(RaySteps, PredictionAndCautionFindWhatComesInMeanwhile) {
    const Shape shape = Shape::from_mesh(small_torus(32, 16));
    for (const float threshold : {0.01f, 0.03f, 0.1f}) {
        RaysOptions options;
        options.adapts = false;
        options.displacement_threshold = threshold;
        const Wrong with = follow_settling(shape, options, 60);
        options.is_cautious = false;
        const Wrong incautious = follow_settling(shape, options, 60);
        options.predicts = false;
        const Wrong blind = follow_settling(shape, options, 60);
        EXPECT_GT(blind.count(), 300u);
        EXPECT_LT(incautious.count(), blind.count());
        EXPECT_LE(with.count(), blind.count() * 9 / 100) << "91% of wrong rays are gone";
    }
}

TEST(RaySteps, ComeFromTheVerticesOfTheGrownRegion) {
    Scene scene;
    scene.add(Shape::from_mesh(irregular(make_sphere(0.4f, 3))));
    scene.add(Shape::from_mesh(irregular(small_torus(32, 16))), at({0.45f, 0.2f, 0.1f}));
    const Aabb common = intersect(body_box(scene[0]), body_box(scene[1]));
    const auto vertices_within = [&](float extension) {
        int count = 0;
        for (const Body& body : scene.bodies()) {
            for (const Vec3& p : body.shape.mesh()->positions)
                count += contains(inflate(common, extension), p + body.pose.translation) ? 1 : 0;
        }
        return count;
    };
    ASSERT_GT(vertices_within(0), 50);
    for (const bool is_cautious : {false, true}) {
        for (const float extension : {0.0f, 0.02f, 0.1f}) {
            for (const float confidence : {1.0f, 4.0f}) {
                RaysOptions options;
                options.is_cautious = is_cautious;
                options.adapts = false;
                options.displacement_threshold = 0.01f;
                options.distance_extension = extension;
                options.confidence = confidence;
                // Rays that look ahead are of no use where what is ahead lies beyond the region.
                const float expected =
                    is_cautious ? extension : std::max(extension, confidence * 0.01f);
                Detector detector = make_detector(options);
                detector.detect(scene);
                EXPECT_EQ(detector.report().figure("rays"), vertices_within(expected))
                    << is_cautious << ' ' << extension << ' ' << confidence;
                EXPECT_EQ(detector.report().figure("cast_rays"), vertices_within(expected));
            }
        }
    }
    // Rays that are cast anew in each step have no use for more than the region itself.
    RaysOptions anew = cast_anew();
    anew.distance_extension = 0.1f;
    Detector detector = make_detector(anew);
    detector.detect(scene);
    EXPECT_EQ(detector.report().figure("rays"), vertices_within(0));
}

TEST(RaySteps, CastAnewBeyondTheThreshold) {
    RaysOptions options;
    options.is_cautious = false;
    options.adapts = false;
    options.displacement_threshold = 0.01f;
    Scene scene;
    scene.add(Shape::from_mesh(ground_mesh()));
    const auto ball = scene.add(Shape::from_mesh(make_sphere(0.4f, 2)), at({0, 0, 0.3f}));
    Detector detector = make_detector(options);
    const auto cast_part = [&](float z) {
        scene.set_pose(ball, at({0, 0, z}));
        detector.detect(scene);
        return detector.report().figure("cast_rays") / detector.report().figure("rays");
    };
    EXPECT_EQ(cast_part(0.3f), 1);
    EXPECT_LT(cast_part(0.296f), 0.5) << "below the threshold";
    EXPECT_LT(cast_part(0.292f), 0.5);
    EXPECT_EQ(cast_part(0.288f), 1) << "in sum, it is beyond";
    EXPECT_LT(cast_part(0.284f), 0.5) << "which counts from there on";
    options.displacement_threshold = 0;
    detector = make_detector(options);
    EXPECT_EQ(cast_part(0.3f), 1);
    EXPECT_EQ(cast_part(0.3f), 1);
}

RaysOptions waiting(float threshold) {
    RaysOptions options;
    options.is_cautious = false;
    options.waits = true;
    options.predicts = false;
    options.adapts = false;
    options.displacement_threshold = threshold;
    return options;
}

// A ball that dips into the ground and out of it, and goes sideways.
struct Dipping {
    Scene scene;
    int step = 0;

    Dipping() {
        scene.add(Shape::from_mesh(ground_mesh(48)));
        scene.add(Shape::from_mesh(make_sphere(0.4f, 3)), at({0, 0, 0.36f}));
    }
    void move() {
        const float t = static_cast<float>(++step);
        scene.set_pose(1, at({0.003f * t, 0.001f * t, 0.36f + 0.03f * std::sin(0.15f * t)}));
    }
};

TEST(RaySteps, WaitForTheNextCastOfAllWhereTheyAreLost) {
    // What is known of a convex body above flat ground can be told from standard casts alone: at a
    // cast of all rays each contact; after that those of the last step that are still one.
    for (const float threshold : {0.01f, 0.05f}) {
        Dipping dipping;
        Detector detector = make_detector(waiting(threshold)), anew = make_detector(cast_anew());
        ContactsByRay known;
        int casts = 0;
        std::size_t missing = 0;
        for (int step = 0; step < 120; ++step) {
            const ContactsByRay found = by_ray(detector.detect(dipping.scene));
            const ContactsByRay standard = by_ray(anew.detect(dipping.scene));
            const double cast = detector.report().figure("cast_rays");
            if (cast > 0) {
                ++casts;
                EXPECT_EQ(cast, detector.report().figure("rays")) << "all or none";
                known = standard;
            }
            std::erase_if(known, [&](const auto& ray) { return !standard.contains(ray.first); });
            for (auto& [key, contact] : known)
                contact = standard.at(key);
            Wrong wrong;
            compare_rays(found, known, wrong);
            EXPECT_EQ(wrong.count(), 0u) << threshold << " m, step " << step;
            missing += standard.size() - known.size();
            dipping.move();
        }
        EXPECT_GT(casts, 3);
        EXPECT_LT(casts, 60);
        EXPECT_GT(missing, 50u) << "or nothing had to wait";
    }
}

TEST(RaySteps, WaitLessWithPrediction) {
    const auto missed = [](bool predicts) {
        RaysOptions options = waiting(0.03f);
        options.predicts = predicts;
        Dipping dipping;
        Detector detector = make_detector(options), anew = make_detector(cast_anew());
        Wrong wrong;
        for (int step = 0; step < 120; ++step) {
            compare_rays(by_ray(detector.detect(dipping.scene)), by_ray(anew.detect(dipping.scene)),
                         wrong);
            const double cast = detector.report().figure("cast_rays");
            EXPECT_TRUE(cast == 0 || cast == detector.report().figure("rays")) << "step " << step;
            dipping.move();
        }
        return wrong.missed;
    };
    EXPECT_LE(missed(true), missed(false) * 9 / 100) << "91% of wrong rays are gone";
}

TEST(RaySteps, WaitWhereAWalkDoesNotArrive) {
    // A walk of one triangle never reaches another one. The ball goes over it, sunk in by half.
    const auto missed_and_cast = [](bool waits) {
        RaysOptions options = waiting(0.1f);
        options.waits = waits;
        options.max_iterations = 1;
        Scene scene;
        scene.add(Shape::from_mesh(ground_mesh(48)));
        const auto ball = scene.add(Shape::from_mesh(make_sphere(0.4f, 3)), at({0, 0, 0}));
        Detector detector = make_detector(options), anew = make_detector(cast_anew());
        detector.detect(scene);
        scene.set_pose(ball, at({0.05f, 0.01f, 0}));
        Wrong wrong;
        compare_rays(by_ray(detector.detect(scene)), by_ray(anew.detect(scene)), wrong);
        EXPECT_EQ(wrong.invented, 0u);
        return std::pair(wrong.missed, detector.report().figure("cast_rays"));
    };
    const auto [missed, cast] = missed_and_cast(true);
    EXPECT_GT(missed, 50u);
    EXPECT_EQ(cast, 0);
    const auto [missed_at_once, cast_at_once] = missed_and_cast(false);
    EXPECT_LT(missed_at_once, missed / 2);
    EXPECT_GT(cast_at_once, 50);
}

TEST(RaySteps, WaitOnlyWithoutCaution) {
    RaysOptions options;
    options.waits = true;
    Dipping dipping;
    Detector waiting = make_detector(options), cautious = make_detector({});
    for (int step = 0; step < 60; ++step) {
        const auto found = waiting.detect(dipping.scene), expected = cautious.detect(dipping.scene);
        EXPECT_TRUE(std::ranges::equal(found, expected)) << "step " << step;
        dipping.move();
    }
}

TEST(RaySteps, SleepUntilTheyMayHaveComeInside) {
    // A ball comes down on the ground, by steps of any length; vertices sleep, none for too long.
    const Shape ground = Shape::from_mesh(ground_mesh(24));
    const Shape ball = Shape::from_mesh(make_sphere(0.4f, 3));
    RandomPoints<float> random(7);
    Scene scene;
    scene.add(ground);
    const auto body = scene.add(ball, at({0, 0, 0.5f}));
    scene.add(ball, at({0.6f, 0, 0.3f}));
    Detector followed = make_detector({}), anew = make_detector(cast_anew());
    double slept = 0, cast = 0, most = 0;
    for (int step = 0; step < 300; ++step) {
        const auto expected = anew.detect(scene);
        const std::vector<Contact> contacts(expected.begin(), expected.end());
        Wrong wrong;
        compare_rays(by_ray(followed.detect(scene)), by_ray(contacts), wrong);
        EXPECT_EQ(wrong.count(), 0u) << "step " << step;
        slept += followed.report().figure("sleeping_rays");
        cast += followed.report().figure("cast_rays");
        most += anew.report().figure("cast_rays");
        Transform pose = scene[body].pose;
        const float stride = step % 50 == 49 ? 0.2f : 0.003f;
        pose.translation += Vec3{random.uniform(-1, 1), random.uniform(-1, 1),
                                 random.uniform(-1, 1) + 2 * (0.3f - pose.translation.z)} *
                            stride;
        pose.rotation =
            normalized(Quat{1, stride * random.uniform(-1, 1), stride * random.uniform(-1, 1), 0} *
                       pose.rotation);
        scene.set_pose(body, pose);
    }
    EXPECT_GT(slept, 0);
    EXPECT_LT(cast, 0.25 * most);
}

TEST(RaySteps, AdaptToSpeed) {
    const Shape ball = Shape::from_mesh(make_sphere(0.4f, 3));
    const auto cast_steps = [&](float speed) {
        Scene scene;
        scene.add(Shape::from_mesh(ground_mesh()));
        const auto body = scene.add(ball, at({0, 0, 0.3f}));
        Detector detector = make_detector({});
        int count = 0;
        for (int step = 0; step < 64; ++step) {
            scene.set_pose(body, at({speed * static_cast<float>(step), 0, 0.3f}));
            detector.detect(scene);
            count += detector.report().figure("cast_rays") == detector.report().figure("rays");
        }
        return count;
    };
    EXPECT_EQ(cast_steps(0), 1) << "at rest, once";
    EXPECT_LE(cast_steps(1e-5f), 3) << "when it trembles, once more, to look less far";
    EXPECT_LE(cast_steps(0.001f), 14) << "slow: one in six or so";
    EXPECT_GE(cast_steps(0.08f), 60) << "fast: each time";
}

TEST(RaySteps, AdaptAsWellAsTheBestFixedThreshold) {
    for (const Shape& shape :
         {Shape::from_mesh(make_sphere(0.4f, 3)), Shape::from_mesh(small_torus(32, 16))}) {
        double casts = 0;
        const Wrong adaptive = follow_settling(shape, {}, 60, nullptr, &casts);
        for (const float threshold : {0.001f, 0.003f, 0.01f, 0.03f, 0.1f}) {
            RaysOptions options;
            options.adapts = false;
            options.displacement_threshold = threshold;
            double fixed_casts = 0;
            const Wrong fixed = follow_settling(shape, options, 60, nullptr, &fixed_casts);
            EXPECT_TRUE(fixed.count() >= adaptive.count() || fixed_casts > casts)
                << threshold << " m: " << fixed.count() << " wrong by " << fixed_casts
                << " casts, adaptive " << adaptive.count() << " by " << casts;
        }
    }
}

TEST(RaySteps, BelongToPairsWhateverBecomesOfOthers) {
    // Bodies come, go and change places; each step is as if all were cast anew, up to what rays
    // that are followed may miss: nothing here, where bodies do not move.
    const Shape ball = Shape::from_mesh(make_sphere(0.4f, 2));
    const Shape ring = Shape::from_mesh(small_torus());
    const Shape ground = Shape::from_mesh(ground_mesh());
    std::vector<Body> bodies{{ground, at({0, 0, 0})}};
    RandomPoints<float> random(3);
    for (int i = 0; i < 12; ++i) {
        const Vec3 p{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(0, 0.3f)};
        bodies.push_back({i % 2 == 0 ? ball : ring, {p, random_rotation(random), 1}});
    }
    Detector detector = make_detector({});
    for (int step = 0; step < 40; ++step) {
        Scene scene;
        for (const Body& body : bodies)
            scene.add(body);
        const auto found = detector.detect(scene);
        EXPECT_EQ(std::vector<Contact>(found.begin(), found.end()),
                  cast_rays(scene, {.rays = cast_anew()}))
            << "step " << step;
        if (step % 4 == 0) std::swap(bodies[1 + step % 5], bodies[6]);
        if (step % 4 == 1) bodies.erase(bodies.begin() + 2);
        if (step % 4 == 2) bodies.insert(bodies.begin() + 1, {ball, at({0.1f, 0.2f, 0.3f})});
        if (step % 4 == 3) bodies[2].shape = bodies[2].shape == ball ? ring : ball;
    }
    // The list of a single other pair does not disturb what is known of others for long.
    Scene scene;
    for (const Body& body : bodies)
        scene.add(body);
    detector.detect(scene);
    const std::vector<BodyPair> one{{0, 1}};
    detector.detect(scene, one);
    const auto found = detector.detect(scene);
    EXPECT_EQ(std::vector<Contact>(found.begin(), found.end()),
              cast_rays(scene, {.rays = cast_anew()}));
}

TEST(RaySteps, KnowNothingOfPairsThatWereApart) {
    // Pairs that are given may be apart: they have no rays, and there is nothing to follow when
    // they meet. The other pairs, before and after them, have vertices that sleep.
    for (const bool is_cautious : {true, false}) {
        const Shape ball = Shape::from_mesh(make_sphere(0.4f, 3));
        Scene scene;
        scene.add(Shape::from_mesh(ground_mesh(24)));
        for (int i = 0; i < 4; ++i)
            scene.add(ball, at({static_cast<float>(i) - 1.5f, 0, i % 2 == 0 ? 0.39f : 0.405f}));
        const std::vector<BodyPair> pairs{{0, 1}, {0, 2}, {0, 3}, {0, 4}};
        RaysOptions options;
        options.is_cautious = is_cautious;
        Detector followed = make_detector(options), anew = make_detector(cast_anew());
        Wrong wrong;
        for (int step = 0; step < 30; ++step) {
            compare_rays(by_ray(followed.detect(scene, pairs)), by_ray(anew.detect(scene, pairs)),
                         wrong);
            for (std::uint32_t i = 2; i < scene.size(); i += 2) {
                Transform pose = scene[i].pose;
                pose.translation.z -= 0.002f;
                scene.set_pose(i, pose);
            }
        }
        EXPECT_GT(wrong.right, 100u);
        EXPECT_EQ(wrong.count(), 0u) << wrong.missed << " missed, " << wrong.invented
                                     << " invented, " << wrong.other << " of another depth";
    }
}

TEST(RaySteps, NeedMemoryForTheRaysOfTodayOnly) {
    Settling settling(Shape::from_mesh(make_sphere(0.4f, 3)));
    Detector detector = make_detector({});
    for (int step = 0; step < 40; ++step) {
        detector.detect(settling.scene);
        settling.move();
    }
    const auto swap = [&] {
        detector.detect(settling.scene);
        const Transform first = settling.scene[1].pose, second = settling.scene[2].pose;
        settling.scene.set_pose(1, second);
        settling.scene.set_pose(2, first);
    };
    // A step in which all is cast anew needs the most.
    for (int step = 0; step < 3; ++step)
        swap();
    // Bodies that go on for long, and change places, need nothing more.
    const std::int64_t before = host_memory().allocation_count();
    for (int step = 0; step < 100; ++step)
        swap();
    EXPECT_EQ(host_memory().allocation_count(), before);
}

TEST(RaySteps, WalkOverOpenAndBranchingMeshes) {
    for (const Mesh& target : {make_sheet({}), sample::fan(8), sample::book(5)}) {
        Scene scene;
        scene.add(Shape::from_mesh(target));
        const auto ball =
            scene.add(Shape::from_mesh(make_sphere(0.3f, 2)), at(centre(bounds(target))));
        RaysOptions options;
        options.adapts = false;
        options.displacement_threshold = 10;
        Detector followed = make_detector(options), anew = make_detector(cast_anew());
        Wrong wrong;
        for (int step = 0; step < 40; ++step) {
            compare_rays(by_ray(followed.detect(scene)), by_ray(anew.detect(scene)), wrong);
            Transform pose = scene[ball].pose;
            pose.translation += Vec3{0.01f, 0.004f, 0.002f};
            scene.set_pose(ball, pose);
        }
        EXPECT_LE(wrong.count(), wrong.right) << "it is an approximation, but not a wild one";
    }
}

}  // namespace
}  // namespace graze
