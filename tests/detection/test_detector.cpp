// Tests the detector as a whole: its options, pairs, masks, steps, and its errors for wrong input.
#include "graze/detector.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>

#include "graze/error.h"
#include "parallel/memory.h"
#include "tests/detection/detector_scenes.h"

namespace graze {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

DetectorOptions with_resolution(int resolution) {
    DetectorOptions options;
    options.particles.resolution = resolution;
    return options;
}

Scene two_spheres(float apart) {
    const Shape sphere = Shape::from_field(Field::sphere({0, 0, 0}, 1));
    Scene scene;
    scene.add(sphere);
    scene.add(sphere, {{apart, 0, 0}, Quat::identity(), 1});
    return scene;
}

TEST(Detector, EmptyScenesHaveNoContacts) {
    Detector detector(Method::particles, Device::cpu());
    EXPECT_TRUE(detector.detect(Scene{}).empty());
    Scene one;
    one.add(Shape::from_field(Field::sphere({0, 0, 0}, 1)));
    EXPECT_TRUE(detector.detect(one).empty());
    EXPECT_FALSE(detector.detect(two_spheres(1.9f)).empty());
    EXPECT_TRUE(detector.detect(two_spheres(2.1f)).empty());
}

// In every scene and with all options, positions are in both bodies by the fields themselves, pairs
// are ascending, and normals have unit length.
TEST(Detector, ContactsAreWhatTheFieldsSay) {
    const Scene scene = make_heap(40);
    for (const ParticleSampling sampling :
         {ParticleSampling::grid, ParticleSampling::quasi_random, ParticleSampling::adaptive}) {
        for (const ParticleStep step :
             {ParticleStep::project, ParticleStep::over_relax, ParticleStep::tangent}) {
            DetectorOptions options = with_resolution(7);
            options.particles.sampling = sampling;
            options.particles.step = step;
            options.particles.tolerance = 0.004f;
            Detector detector(Method::particles, Device::cpu(), options);
            const auto contacts = detector.detect(scene);
            ASSERT_GT(contacts.size(), 200u);
            EXPECT_EQ(detector.report().contact_count, static_cast<std::int64_t>(contacts.size()));
            BodyPair last{0, 0};
            for (const Contact& contact : contacts) {
                const BodyPair pair{contact.body_a, contact.body_b};
                EXPECT_LT(pair.body_a, pair.body_b);
                EXPECT_LE(last, pair);
                last = pair;
                EXPECT_NEAR(length(contact.normal), 1, 1e-3f);
                float distances[2];
                for (int side = 0; side < 2; ++side) {
                    const Body& body = scene[side == 0 ? pair.body_a : pair.body_b];
                    distances[side] =
                        body.shape.field().transformed(body.pose).distance(contact.position);
                    EXPECT_LT(distances[side], 0.004f + 1e-4f);
                }
                const float larger = std::max(distances[0], distances[1]);
                const float smaller = std::min(distances[0], distances[1]);
                EXPECT_NEAR(contact.distance, larger <= 0 ? smaller : larger + smaller, 1e-4f);
                EXPECT_EQ(contact.time, 0);
            }
        }
    }
}

// Adaptive sampling finds contacts in every pair in which the plain grid does, however many steps
// that takes.
TEST(Detector, AdaptiveMissesNoPairOfTheGrid) {
    const Scene scene = make_heap(60, 2);
    const auto pairs_found = [&](ParticleSampling sampling) {
        DetectorOptions options = with_resolution(12);
        options.particles.sampling = sampling;
        Detector detector(Method::particles, Device::cpu(), options);
        std::vector<BodyPair> pairs;
        for (const Contact& contact : detector.detect(scene)) {
            const BodyPair pair{contact.body_a, contact.body_b};
            if (pairs.empty() || pairs.back() != pair) pairs.push_back(pair);
        }
        return pairs;
    };
    const auto grid = pairs_found(ParticleSampling::grid);
    const auto adaptive = pairs_found(ParticleSampling::adaptive);
    ASSERT_GT(grid.size(), 50u);
    EXPECT_TRUE(std::includes(adaptive.begin(), adaptive.end(), grid.begin(), grid.end()));
}

TEST(Detector, SameBytesForAnyNumberOfThreads) {
    const Scene scene = make_heap(50, 3);
    DetectorOptions options = with_resolution(8);
    options.reduction.cell_size = 0.05f;
    options.reduction.manifold_count = 6;
    Detector one(Method::particles, Device::cpu(1), options);
    Detector all(Method::particles, Device::cpu(), options);
    const auto expected = copy(one.detect(scene));
    ASSERT_FALSE(expected.empty());
    EXPECT_EQ(copy(all.detect(scene)), expected);
    EXPECT_EQ(copy(all.detect(scene)), expected);
}

TEST(Detector, GivenPairsAreTheOnlyOnes) {
    const Scene scene = make_heap(30, 4);
    Detector detector(Method::particles, Device::cpu(), with_resolution(6));
    const auto all = copy(detector.detect(scene));
    ASSERT_FALSE(all.empty());
    const BodyPair wanted{all[0].body_a, all[0].body_b};
    // One more pair is far apart and has no region.
    std::vector<BodyPair> pairs{wanted};
    for (std::uint32_t b = wanted.body_b + 1; b < scene.size(); ++b)
        pairs.push_back({wanted.body_a, b});
    const auto some = copy(detector.detect(scene, pairs));
    std::vector<Contact> expected;
    std::copy_if(all.begin(), all.end(), std::back_inserter(expected), [&](const Contact& c) {
        return std::binary_search(pairs.begin(), pairs.end(), BodyPair{c.body_a, c.body_b});
    });
    EXPECT_EQ(some, expected);
    EXPECT_TRUE(detector.detect(scene, std::span<const BodyPair>{}).empty());
}

TEST(Detector, MasksAndStaticBodies) {
    const Shape sphere = Shape::from_field(Field::sphere({0, 0, 0}, 1));
    Scene scene;
    Body body{.shape = sphere};
    body.group = 2;
    body.mask = 4;
    scene.add(body);
    scene.add(body);  // neither body is of group 4
    body.group = 4;
    body.mask = 2;
    scene.add(body);
    Detector detector(Method::particles, Device::cpu(), with_resolution(4));
    for (const Contact& contact : detector.detect(scene)) {
        EXPECT_EQ(contact.body_b, 2u);
    }
    EXPECT_EQ(detector.report().pair_count, 2);
    Scene still;
    Body fixed{.shape = sphere};
    fixed.is_static = true;
    still.add(fixed);
    still.add(fixed);
    EXPECT_TRUE(detector.detect(still).empty());
}

TEST(Detector, LastContactsBeginAgain) {
    // There are so few particles that a thin overlap is missed, unless last contacts are used.
    const Shape ball = Shape::from_field(Field::sphere({0, 0, 0}, 1));
    const Shape plate = Shape::from_field(Field::box({5, 5, 0.02f}));
    const auto scene_at = [&](float height) {
        Scene scene;
        scene.add(plate);
        scene.add(ball, {{3.3f, 2.9f, height}, Quat::identity(), 1});
        return scene;
    };
    DetectorOptions options = with_resolution(2);
    options.particles.sampling = ParticleSampling::grid;
    options.particles.step = ParticleStep::project;
    options.particles.max_steps = 2;
    Detector without(Method::particles, Device::cpu(), options);
    options.particles.uses_last_contacts = true;
    Detector with(Method::particles, Device::cpu(), options);
    int kept = 0, found_anew = 0;
    for (float height = 0.5f; height < 1.01f; height += 0.02f) {
        kept += !with.detect(scene_at(height)).empty();
        found_anew += !without.detect(scene_at(height)).empty();
        // Seeds from last contacts do not multiply.
        EXPECT_LE(with.report().contact_count, 8 + 4 + 32);
    }
    EXPECT_GE(kept, found_anew);
    EXPECT_GE(kept, 20);
}

TEST(Detector, GapFindsWhatIsNear) {
    DetectorOptions options = with_resolution(6);
    options.gap = 0.3f;
    Detector detector(Method::particles, Device::cpu(), options);
    const auto contacts = detector.detect(two_spheres(2.2f));
    ASSERT_FALSE(contacts.empty());
    float least = 1;
    for (const Contact& contact : contacts) {
        least = std::min(least, contact.distance);
        EXPECT_LT(contact.distance, 0.3f + 1e-3f);
        EXPECT_GE(contact.distance, 0.2f - 1e-5f);
    }
    EXPECT_NEAR(least, 0.2f, 2e-3f);
    EXPECT_TRUE(detector.detect(two_spheres(2.31f)).empty());
}

TEST(Detector, SharpeningFindsTheDepth) {
    DetectorOptions options = with_resolution(6);
    for (const float depth : {0.02f, 0.1f, 0.4f}) {
        const Scene scene = two_spheres(2 - depth);
        options.particles.sharpens = true;
        Detector sharp(Method::particles, Device::cpu(), options);
        options.particles.sharpens = false;
        Detector dull(Method::particles, Device::cpu(), options);
        const auto deepest = [](std::span<const Contact> contacts) {
            return std::min_element(contacts.begin(), contacts.end(),
                                    [](auto& a, auto& b) { return a.distance < b.distance; })
                ->distance;
        };
        const float found = deepest(sharp.detect(scene));
        EXPECT_LE(found, deepest(dull.detect(scene)));
        EXPECT_NEAR(found, -depth, 0.01f * depth + 2e-4f);
    }
}

// A box without a lid, whose distance jumps where the lid would be.
Mesh make_open_box() {
    Mesh mesh;
    for (int i = 0; i < 8; ++i)
        mesh.positions.push_back(
            {i & 1 ? 0.5f : -0.5f, i & 2 ? 0.5f : -0.5f, i & 4 ? 0.5f : -0.5f});
    const auto add_quad = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
        mesh.triangles.push_back({{a, b, c}});
        mesh.triangles.push_back({{a, c, d}});
    };
    add_quad(0, 2, 3, 1);  // bottom
    add_quad(0, 1, 5, 4);
    add_quad(1, 3, 7, 5);
    add_quad(3, 2, 6, 7);
    add_quad(2, 0, 4, 6);
    return mesh;
}

TEST(Detector, AdaptiveMissesNoPairOfOpenMeshes) {
    ShapeOptions shape_options;
    shape_options.field.resolution = 64;
    const Shape open = Shape::from_mesh(make_open_box(), shape_options);
    const Shape ball = Shape::from_field(Field::sphere({0, 0, 0}, 1));
    std::mt19937 random(7);
    std::uniform_real_distribution<float> unit(0, 1);
    DetectorOptions options = with_resolution(10);
    Detector adaptive(Method::particles, Device::cpu(), options);
    options.particles.sampling = ParticleSampling::grid;
    Detector grid(Method::particles, Device::cpu(), options);
    int found = 0;
    for (int i = 0; i < 600; ++i) {
        Scene scene;
        scene.add(open);
        const Vec3 position{0.5f * unit(random) - 0.25f, 0.5f * unit(random) - 0.25f,
                            0.25f + 0.45f * unit(random)};
        scene.add(ball, {position, Quat::identity(), 0.075f + 0.175f * unit(random)});
        if (grid.detect(scene).size() < 4) continue;  // the overlap has only a few cells
        ++found;
        EXPECT_FALSE(adaptive.detect(scene).empty()) << i;
    }
    EXPECT_GT(found, 50);
}

// A table stands on four feet, each 10 mm in the ground: a large gap hides none of them, and
// a manifold of four stands on the feet, not on their rims.
TEST(Detector, GapsAndManifoldsKeepWhatPenetrates) {
    Field table = Field::box({0.5f, 0.5f, 0.02f});
    for (const float x : {-0.4f, 0.4f}) {
        for (const float y : {-0.4f, 0.4f})
            table = unite(table, Field::capsule({x, y, 0}, {x, y, -0.3f}, 0.05f));
    }
    Scene scene;
    Body ground{.shape = Shape::from_field(Field::plane({0, 0, 1}, 0))};
    ground.is_static = true;
    scene.add(ground);
    scene.add(Shape::from_field(table), {{0, 0, 0.34f}, Quat::identity(), 1});
    for (const float gap : {0.0f, 0.02f, 0.5f}) {
        DetectorOptions options = with_resolution(20);
        options.gap = gap;
        options.reduction.manifold_count = 4;
        Detector detector(Method::particles, Device::cpu(), options);
        const auto contacts = detector.detect(scene);
        ASSERT_EQ(contacts.size(), 4u);
        int feet = 0;
        for (const Contact& contact : contacts) {
            EXPECT_LT(contact.distance, -0.0045f) << gap;
            EXPECT_GE(contact.distance, -0.0102f) << gap;
            feet |= 1 << ((contact.position.x > 0) + 2 * (contact.position.y > 0));
        }
        EXPECT_EQ(feet, 15) << gap;
    }
}

// At the rim of the face on which a body rests, its own gradient may be that of any face around.
// The plane below has the better one, whichever body comes first.
TEST(Detector, SmootherNormalsAreThoseOfTheFaceBelow) {
    FieldOptions sampling;
    const Field box = Field::box({0.5f, 0.5f, 0.5f});
    const Shape plane = Shape::from_field(Field::plane({0, 0, 1}, 0));
    for (const Shape& body :
         {Shape::from_field(box), Shape::from_field(Field::cylinder(0.5f, 0.5f)),
          Shape::from_field(sample_field(box, choose_grid(box.bounds(), sampling), sampling))}) {
        for (const float height : {0.499f, 0.505f}) {
            for (const bool plane_first : {true, false}) {
                Scene scene;
                const Quat turn = normalized(Quat{1, 0.002f, 0.001f, 0.2f});
                if (plane_first) scene.add(plane);
                scene.add(body, {{0, 0, height}, turn, 1});
                if (!plane_first) scene.add(plane);
                DetectorOptions options;
                options.gap = 0.02f;
                options.particles.normal = NormalRule::smoother;
                Detector detector(Method::particles, Device::cpu(), options);
                const auto contacts = detector.detect(scene);
                ASSERT_GT(contacts.size(), 100u);
                for (const Contact& contact : contacts)
                    EXPECT_GT(contact.normal.z * (plane_first ? -1.0f : 1.0f), 0.95f)
                        << contact.position.x << ' ' << contact.position.y << ' ' << height;
            }
        }
    }
}

// Shapes come and go and poses change; nothing of earlier scenes stays.
TEST(Detector, FollowsTheScene) {
    Detector detector(Method::particles, Device::cpu(), with_resolution(5));
    for (int round = 0; round < 3; ++round) {
        for (const int count : {5, 40, 12}) {
            const Scene scene = make_heap(count, static_cast<unsigned>(count));
            Detector fresh(Method::particles, Device::cpu(), with_resolution(5));
            EXPECT_EQ(copy(detector.detect(scene)), copy(fresh.detect(scene)));
        }
    }
}

TEST(Detector, SteadyStepsAllocateNothing) {
    Scene scene = make_heap(40, 5);
    DetectorOptions options = with_resolution(8);
    options.reduction.manifold_count = 4;
    Detector detector(Method::particles, Device::cpu(), options);
    detector.detect(scene);
    detector.detect(scene);
    detector.detect(scene);
    const std::int64_t before = host_memory().allocation_count();
    for (int i = 0; i < 3; ++i)
        detector.detect(scene);
    EXPECT_EQ(host_memory().allocation_count(), before);
}

TEST(Detector, TimesItsStages) {
    Detector detector(Method::particles, Device::cpu(), with_resolution(5));
    detector.detect(two_spheres(1.8f));
    EXPECT_TRUE(detector.report().stages.empty());
    detector.set_timing(true);
    detector.detect(two_spheres(1.8f));
    EXPECT_FALSE(detector.report().stages.empty());
}

TEST(Detector, SaysWhatIsWrong) {
    const auto made_with = [](auto change) {
        return [change] {
            DetectorOptions options;
            change(options);
            Detector detector(Method::particles, Device::cpu(), options);
        };
    };
    EXPECT_THAT(made_with([](auto& o) { o.gap = -1; }), ThrowsMessage<Error>(HasSubstr("gap")));
    EXPECT_THAT(made_with([](auto& o) { o.particles.resolution = 0; }),
                ThrowsMessage<Error>(HasSubstr("from 1 to 128")));
    EXPECT_THAT(made_with([](auto& o) { o.particles.resolution = 1000; }),
                ThrowsMessage<Error>(HasSubstr("resolution is 1000")));
    EXPECT_THAT(made_with([](auto& o) { o.particles.tolerance = std::nanf(""); }),
                ThrowsMessage<Error>(HasSubstr("tolerance")));
    EXPECT_THAT(made_with([](auto& o) { o.reduction.deepest_count = -3; }),
                ThrowsMessage<Error>(HasSubstr("deepest_count")));

    Detector detector(Method::particles, Device::cpu());
    const Scene scene = two_spheres(1);
    for (const std::vector<BodyPair>& pairs :
         {std::vector<BodyPair>{{1, 0}}, {{0, 0}}, {{0, 2}}, {{0, 1}, {0, 1}}}) {
        EXPECT_THAT([&] { detector.detect(scene, pairs); },
                    ThrowsMessage<Error>(HasSubstr("ascending and each once")));
    }
    Scene planes;
    planes.add(Shape::from_field(Field::plane({0, 0, 1}, 0)));
    planes.add(Shape::from_field(Field::plane({0, 1, 0}, 0)));
    EXPECT_THAT([&] { detector.detect(planes); },
                ThrowsMessage<Error>(HasSubstr("make both static")));
    EXPECT_FALSE(detector.detect(scene).empty());  // the detector still works
}

}  // namespace
}  // namespace graze
