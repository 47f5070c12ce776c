#include "graze/contact_matcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>

#include "tests/detection/detector_scenes.h"
#include "tests/error_of.h"
#include "tests/narrow_phase/rays/ray_cases.h"

namespace graze {
namespace {

using testing::error_of;

using Ids = std::vector<std::uint64_t>;

Ids ids_of(const ContactMatches& matches) {
    return {matches.ids.begin(), matches.ids.end()};
}

Contact contact_at(Vec3 position, std::uint32_t body_a = 0, std::uint32_t body_b = 1) {
    return {body_a, body_b, kNoFeature, kNoFeature, position, -0.01f, {0, 0, 1}, 0};
}

Scene two_boxes() {
    const Shape box = Shape::from_field(Field::box({0.5f, 0.5f, 0.5f}));
    Scene scene;
    scene.add(box);
    scene.add(box, {{0, 0, 0.99f}, Quat::identity(), 1});
    return scene;
}

TEST(ContactMatcher, TellsWhatBeginsGoesOnAndEnds) {
    const Scene scene = two_boxes();
    ContactMatcher matcher;
    const ContactMatches* matches = &matcher.match(scene, std::vector{contact_at({0, 0, 0.5f})});
    EXPECT_EQ(ids_of(*matches), Ids{1});
    EXPECT_EQ(matches->last_indices[0], kNewContact);
    ASSERT_EQ(matches->begun_pairs.size(), 1u);
    EXPECT_EQ(matches->begun_pairs[0], (BodyPair{0, 1}));

    const std::vector<Contact> both{contact_at({0.4f, 0, 0.5f}), contact_at({0.01f, 0, 0.5f})};
    matches = &matcher.match(scene, both);
    EXPECT_EQ(ids_of(*matches), (Ids{2, 1}));
    EXPECT_EQ(matches->last_indices[1], 0u);
    ASSERT_EQ(matches->begun.size(), 1u);
    EXPECT_EQ(matches->begun[0], 0u);
    EXPECT_TRUE(matches->ended.empty());
    EXPECT_TRUE(matches->begun_pairs.empty());

    matches = &matcher.match(scene, std::vector{both[0]});
    EXPECT_EQ(ids_of(*matches), Ids{2});
    ASSERT_EQ(matches->ended.size(), 1u);
    EXPECT_EQ(matches->ended[0].id, 1u);
    EXPECT_EQ(matches->ended[0].last_index, 1u);
    EXPECT_TRUE(matches->ended_pairs.empty());

    matches = &matcher.match(scene, {});
    EXPECT_EQ(matches->ended.size(), 1u);
    ASSERT_EQ(matches->ended_pairs.size(), 1u);
    EXPECT_EQ(matches->ended_pairs[0], (BodyPair{0, 1}));

    EXPECT_EQ(ids_of(matcher.match(scene, both)), (Ids{3, 4})) << "no id comes again";
}

TEST(ContactMatcher, TakesContactsInAnyOrder) {
    const Shape ball = Shape::from_field(Field::sphere({0, 0, 0}, 1));
    Scene scene;
    for (int i = 0; i < 4; ++i)
        scene.add(ball, {{1.9f * static_cast<float>(i), 0, 0}, Quat::identity(), 1});
    std::vector<Contact> contacts{contact_at({0.95f, 0, 0}, 0, 1),
                                  contact_at({0.95f + 1.9f, 0, 0}, 1, 2),
                                  contact_at({0.95f + 3.8f, 0, 0}, 2, 3)};
    ContactMatcher matcher;
    matcher.match(scene, contacts);
    std::reverse(contacts.begin(), contacts.end());
    EXPECT_EQ(ids_of(matcher.match(scene, contacts)), (Ids{3, 2, 1}));
    EXPECT_EQ(ids_of(matcher.match(scene, std::vector{contacts[1]})), Ids{2});
}

TEST(ContactMatcher, ForgetsBodies) {
    const Scene scene = two_boxes();
    const std::vector<Contact> one{contact_at({0, 0, 0.5f})};
    ContactMatcher matcher;
    matcher.match(scene, one);
    matcher.forget(7);
    EXPECT_EQ(ids_of(matcher.match(scene, one)), Ids{1});
    matcher.forget(1);
    const ContactMatches* matches = &matcher.match(scene, one);
    EXPECT_EQ(ids_of(*matches), Ids{2});
    EXPECT_EQ(matches->ended.size(), 1u);
    EXPECT_EQ(matches->begun_pairs.size(), 1u);
    EXPECT_EQ(matches->ended_pairs.size(), 1u);
    EXPECT_EQ(ids_of(matcher.match(scene, one)), Ids{2});
    matcher.forget_all();
    EXPECT_EQ(ids_of(matcher.match(scene, one)), Ids{3});
}

TEST(ContactMatcher, SaysWhatIsWrong) {
    const Scene scene = two_boxes();
    ContactMatcher matcher;
    EXPECT_EQ(error_of([&] { matcher.match(scene, std::vector{contact_at({}, 0, 2)}); }),
              "contact matcher: contact 0 is between bodies 0 and 2, and the scene has 2; give the "
              "scene that it was found in");
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NE(error_of([&] { matcher.match(std::vector{contact_at({nan, 0, 0})}); }), "");
    EXPECT_NE(error_of([] { ContactMatcher wrong(-1); }), "");
    const float infinity = std::numeric_limits<float>::infinity();
    EXPECT_NE(error_of([infinity] { ContactMatcher wrong(infinity); }), "");
    EXPECT_EQ(ids_of(matcher.match(scene, std::vector{contact_at({})})), Ids{1})
        << "what was refused has changed nothing";
}

// Both bodies fly off together, far from where they were: on them the contact stays where it is.
TEST(ContactMatcher, FollowsContactsOnBodiesThatMoveTogether) {
    Scene scene = two_boxes();
    ContactMatcher matcher;
    for (int step = 0; step < 20; ++step) {
        const Transform both{{3.0f * static_cast<float>(step), 1, 0},
                             Quat::from_axis_angle({0, 1, 1}, 0.8f * static_cast<float>(step)),
                             1};
        scene.set_pose(0, both);
        scene.set_pose(1, both * Transform{{0, 0, 0.99f}, Quat::identity(), 1});
        const std::vector<Contact> contacts{
            contact_at(transform_point(both, Vec3{0.4f, 0.4f, 0.5f})),
            contact_at(transform_point(both, Vec3{-0.4f, 0.4f, 0.5f}))};
        EXPECT_EQ(ids_of(matcher.match(scene, contacts)), (Ids{1, 2})) << "step " << step;
    }
}

// A box slides over another one, by a tenth of itself in each step.
TEST(ContactMatcher, KeepsContactsOfWhatSlidesForAllMethods) {
    const Shape box = Shape::from_mesh(box_mesh({0.5f, 0.5f, 0.1f}));
    const Shape floor = Shape::from_mesh(box_mesh({3, 3, 0.1f}));
    for (const Method method : {Method::particles, Method::sweep, Method::rays, Method::features}) {
        Scene scene;
        scene.add(floor);
        scene.add(box);
        Detector detector(method, Device::cpu());
        ContactMatcher matcher;
        std::size_t contact_count = 0, begun_count = 0;
        for (int step = 0; step < 12; ++step) {
            const float x = -1 + 0.1f * static_cast<float>(step);
            scene.set_pose(1, {{x, 0.03f * x, 0.195f}, Quat::identity(), 1});
            const std::span<const Contact> contacts = detector.detect(scene);
            const ContactMatches& matches = matcher.match(scene, contacts);
            ASSERT_FALSE(contacts.empty());
            if (step == 0) continue;
            contact_count += contacts.size();
            begun_count += matches.begun.size();
            EXPECT_TRUE(matches.begun_pairs.empty());
        }
        EXPECT_LE(begun_count, contact_count / 5) << static_cast<int>(method);
    }
}

TEST(ContactMatcher, MatchesDeformingMeshesByTheirFeatures) {
    const auto vertex_face = [](std::uint32_t vertex, std::uint32_t face, Vec3 position) {
        Contact contact = contact_at(position, 0, 0);
        contact.feature_a = Feature{FeatureKind::vertex, vertex & 0x3fffffffu};
        contact.feature_b = Feature{FeatureKind::face, face & 0x3fffffffu};
        return contact;
    };
    ContactMatcher by_features, by_position(0.1f);
    const std::vector<Contact> first{vertex_face(3, 7, {0, 0, 0}), vertex_face(4, 7, {1, 0, 0})};
    const std::vector<Contact> second{vertex_face(4, 7, {1.5f, 0, 0}),
                                      vertex_face(3, 8, {0.05f, 0, 0})};
    by_features.match(first);
    EXPECT_EQ(ids_of(by_features.match(second)), (Ids{2, 3}));
    by_position.match(first);
    EXPECT_EQ(ids_of(by_position.match(second)), (Ids{2, 1}));
}

// Whatever happens: each contact of the last step goes on at most once, ids are never given twice,
// and what neither goes on nor has begun has ended.
TEST(ContactMatcher, AccountsForEveryContactOfAHeapWithAnyNumberOfThreads) {
    Scene scene = make_heap(60);
    Detector detector(Method::particles, Device::cpu(), {.reduction = {.deepest_count = 30}});
    ContactMatcher one_thread(0, Device::cpu(1)), all_threads;
    std::map<std::uint64_t, std::size_t> last;  // index by id
    std::uint64_t highest = 0;
    std::size_t kept_count = 0;
    for (int step = 0; step < 8; ++step) {
        for (std::uint32_t i = 1; i < scene.size(); ++i) {
            Transform pose = scene[i].pose;
            pose.translation.z -= 0.004f * static_cast<float>(i % 5);
            scene.set_pose(i, pose);
        }
        const std::vector<Contact> contacts = copy(detector.detect(scene));
        const ContactMatches& matches = all_threads.match(scene, contacts);
        EXPECT_EQ(ids_of(one_thread.match(scene, contacts)), ids_of(matches));
        std::map<std::uint64_t, std::size_t> now;
        std::size_t begun_count = 0;
        for (std::size_t i = 0; i < contacts.size(); ++i) {
            const std::uint64_t id = matches.ids[i];
            EXPECT_TRUE(now.emplace(id, i).second) << "twice: " << id;
            if (matches.last_indices[i] == kNewContact) {
                EXPECT_GT(id, highest);
                EXPECT_EQ(matches.begun[begun_count++], i);
            } else {
                EXPECT_EQ(last.at(id), matches.last_indices[i]);
                ++kept_count;
            }
        }
        EXPECT_EQ(matches.begun.size(), begun_count);
        for (const EndedContact& ended : matches.ended) {
            EXPECT_EQ(last.at(ended.id), ended.last_index);
            EXPECT_FALSE(now.contains(ended.id));
        }
        EXPECT_EQ(matches.ended.size(), last.size() + begun_count - now.size());
        highest = std::max(highest, now.rbegin()->first);
        last = std::move(now);
    }
    EXPECT_GT(kept_count, last.size() * 3);
}

}  // namespace
}  // namespace graze
