// What Method::rays keeps of a pair, where the order of bodies changes, and where some come and go.
#include <gtest/gtest.h>

#include <numeric>

#include "graze/split_detector.h"
#include "tests/narrow_phase/rays/ray_cases.h"

namespace graze {
namespace {

// Balls and rings that lie on the ground and in each other, all of them in motion.
class Heap {
public:
    Heap() {
        const Shape ball = Shape::from_mesh(make_sphere(0.4f, 3));
        const Shape ring = Shape::from_mesh(small_torus(32, 16));
        bodies_.push_back({Shape::from_mesh(ground_mesh(24))});
        RandomPoints<float> random(5);
        for (int i = 0; i < 10; ++i) {
            const int column = i % 4, row = i / 4;
            const Vec3 position{0.6f * static_cast<float>(column) - 1,
                                0.6f * static_cast<float>(row) - 1, 0.38f};
            bodies_.push_back({i % 3 == 2 ? ring : ball, {position, random_rotation(random), 1}});
        }
    }
    void move() {
        const float speed = 0.0005f;
        for (std::size_t i = 1; i < bodies_.size(); ++i) {
            const float sign = i % 2 == 0 ? 1.0f : -1.0f;
            Transform& pose = bodies_[i].pose;
            pose.translation += Vec3{0.3f * sign * speed, 0.2f * speed, -0.1f * speed};
            pose.rotation =
                normalized(Quat{1, 0.5f * speed, -0.3f * speed * sign, speed} * pose.rotation);
        }
    }
    std::uint32_t size() const { return static_cast<std::uint32_t>(bodies_.size()); }
    Scene scene(const std::vector<std::uint32_t>& order) const {
        Scene result;
        for (const std::uint32_t body : order)
            result.add(bodies_[body]);
        return result;
    }

private:
    std::vector<Body> bodies_;
};

// Contacts by the heap's own indices.
ContactsByRay in_heap(std::span<const Contact> contacts, const std::vector<std::uint32_t>& order) {
    ContactsByRay result;
    for (const auto& [key, contact] : by_ray(contacts)) {
        const auto& [source, target, vertex] = key;
        result.emplace(RayKey{order[source], order[target], vertex}, contact);
    }
    return result;
}

struct Casts {
    double changed = 0, unchanged = 0;  // rays cast in the steps from that on in which it changes
    double all = 0;                     // rays that a detector which knows nothing casts
};

// The heap in one order of its bodies and then in another; the bodies of `to` are also in `from`.
template <class AnyDetector>
Casts change_order(AnyDetector changing, AnyDetector steady, const std::vector<std::uint32_t>& from,
                   const std::vector<std::uint32_t>& to) {
    Heap heap;
    for (int step = 0; step < 6; ++step) {
        changing.detect(heap.scene(from));
        steady.detect(heap.scene(from));
        heap.move();
    }
    Casts casts;
    for (int step = 0; step < 4; ++step) {
        const ContactsByRay found = in_heap(changing.detect(heap.scene(to)), to);
        const ContactsByRay expected = in_heap(steady.detect(heap.scene(from)), from);
        EXPECT_GT(found.size(), 30u);
        if (from.size() == to.size()) {
            EXPECT_EQ(found.size(), expected.size());
        }
        for (const auto& [key, contact] : found) {
            const auto same = expected.find(key);
            if (same == expected.end()) {
                ADD_FAILURE() << "step " << step << ": a contact that is none without the change";
            } else {
                EXPECT_NEAR(contact.distance, same->second.distance, 1e-5f);
            }
        }
        casts.changed += changing.report().figure("cast_rays");
        casts.unchanged += steady.report().figure("cast_rays");
        Detector anew(Method::rays, Device::cpu());
        anew.detect(heap.scene(to));
        casts.all += anew.report().figure("cast_rays");
        heap.move();
    }
    return casts;
}

std::vector<std::uint32_t> all_bodies() {
    std::vector<std::uint32_t> order(Heap().size());
    std::iota(order.begin(), order.end(), 0u);
    return order;
}

std::vector<std::uint32_t> without(std::vector<std::uint32_t> order, std::uint32_t body) {
    std::erase(order, body);
    return order;
}

void expect_kept(const Casts& casts) {
    EXPECT_GT(casts.all, 1000);
    EXPECT_LT(casts.unchanged, 0.2 * casts.all) << "or there is nothing to keep";
    EXPECT_LE(casts.changed, casts.unchanged * 1.1) << "of " << casts.all;
}

TEST(RayPairs, SurviveAnotherOrderOfBodies) {
    std::vector<std::uint32_t> swapped = all_bodies();
    std::swap(swapped[2], swapped[4]);  // of the same shape, with bodies of others between them
    std::swap(swapped[0], swapped[7]);  // the ground, so that its pairs are the other way around
    std::vector<std::uint32_t> reversed = all_bodies();
    std::reverse(reversed.begin(), reversed.end());
    for (const bool is_cautious : {true, false}) {
        DetectorOptions options;
        options.rays.is_cautious = is_cautious;
        for (const auto& order : {swapped, reversed}) {
            expect_kept(change_order(Detector(Method::rays, Device::cpu(), options),
                                     Detector(Method::rays, Device::cpu(), options), all_bodies(),
                                     order));
        }
    }
}

TEST(RayPairs, SurviveTheRemovalOfOtherBodies) {
    for (const std::uint32_t removed : {1u, 5u, 10u}) {
        expect_kept(change_order(Detector(Method::rays, Device::cpu()),
                                 Detector(Method::rays, Device::cpu()), all_bodies(),
                                 without(all_bodies(), removed)));
    }
    // The first of several, and some at once.
    expect_kept(change_order(Detector(Method::rays, Device::cpu()),
                             Detector(Method::rays, Device::cpu()), all_bodies(),
                             without(without(without(all_bodies(), 1), 2), 6)));
}

TEST(RayPairs, SurviveOnTheirBlocksOfASplitDetector) {
    const std::vector<Device> devices(3, Device::cpu(1));
    std::vector<std::uint32_t> reversed = all_bodies();
    std::reverse(reversed.begin(), reversed.end());
    for (const auto& order : {reversed, without(all_bodies(), 3)}) {
        expect_kept(change_order(SplitDetector(Method::rays, devices),
                                 SplitDetector(Method::rays, devices), all_bodies(), order));
    }
}

TEST(RayPairs, AreHarmlesslyMistakenForOthers) {
    // Bodies of one shape that change places within less than their size: which is which cannot be
    // told, and contacts are those of rays that are cast anew.
    const Shape ball = Shape::from_mesh(make_sphere(0.4f, 3));
    RandomPoints<float> random(9);
    Detector followed(Method::rays, Device::cpu());
    DetectorOptions standard;
    standard.rays.is_iterative = false;
    Detector anew(Method::rays, Device::cpu(), standard);
    for (int step = 0; step < 60; ++step) {
        Scene scene;
        scene.add(Shape(Shape::from_mesh(ground_mesh(4))));
        const int count = random.integer(2, 5);
        for (int i = 0; i < count; ++i) {
            const Vec3 near{random.uniform(-0.1f, 0.1f), random.uniform(-0.1f, 0.1f), 0.35f};
            scene.add(ball, {near, random_rotation(random), 1});
        }
        const ContactsByRay found = by_ray(followed.detect(scene));
        const ContactsByRay expected = by_ray(anew.detect(scene));
        EXPECT_EQ(found.size(), expected.size()) << "step " << step;
        for (const auto& [key, contact] : expected) {
            const auto same = found.find(key);
            ASSERT_NE(same, found.end()) << "step " << step;
            EXPECT_NEAR(same->second.distance, contact.distance, 1e-5f);
        }
    }
}

}  // namespace
}  // namespace graze
