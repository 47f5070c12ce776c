// Intervals and the deepest point of contacts of the method sweep.
#include "graze/sweep_tracks.h"

#include <gtest/gtest.h>

#include "tests/error_of.h"
#include "tests/narrow_phase/sweep/sweep_cases.h"

namespace graze {
namespace {

TEST(SweepTracks, TellWhenAPointEntersALeavesAndIsDeepest) {
    // A small ball goes through a larger one, past its centre by 0.2 m.
    Scene scene;
    const auto bullet =
        scene.add(Shape::from_mesh(make_sphere(0.001f, 1), Field::sphere({0, 0, 0}, 0.001f)));
    scene.add(Shape::from_field(Field::sphere({0, 0, 0}, 0.5f)));
    scene.set_motion(bullet, at({-2, 0.2f, 0}), at({2, 0.2f, 0}));
    Detector detector(Method::sweep, Device::cpu());
    const auto contacts = detector.detect(scene);
    ASSERT_EQ(contacts.size(), scene[bullet].shape.points().positions.size());
    const std::vector<SweepTrack> tracks = track_contacts(scene, contacts);
    const float half = std::sqrt(0.25f - 0.04f);
    for (std::size_t i = 0; i < tracks.size(); ++i) {
        const SweepTrack& track = tracks[i];
        ASSERT_EQ(track.intervals.size(), 1u);
        EXPECT_NEAR(track.intervals[0].begin, contacts[i].time, 1e-6f);
        EXPECT_NEAR(track.intervals[0].begin, 0.5f - half / 4, 1e-3f);
        EXPECT_NEAR(track.intervals[0].end, 0.5f + half / 4, 1e-3f);
        EXPECT_NEAR(track.deepest_time, 0.5f, 1e-3f);
        EXPECT_NEAR(track.deepest_distance, -0.3f, 2e-3f);
        EXPECT_LT(length(track.deepest_position - Vec3{0, 0.2f, 0}), 4e-3f);
    }
}

TEST(SweepTracks, AgreeWithFineSampling) {
    int count = 0, twice_count = 0;
    for (unsigned seed = 0; seed < 10; ++seed) {
        const Scene scene = random_sweep_scene(seed, 3);
        DetectorOptions options{.gap = seed % 2 == 0 ? 0.0f : 0.02f};
        options.sweep.tolerance = 1e-4f;
        Detector detector(Method::sweep, Device::cpu(), options);
        const auto contacts = detector.detect(scene);
        const std::vector<SweepTrack> tracks = track_contacts(scene, contacts, options);
        ASSERT_EQ(tracks.size(), contacts.size());
        for (std::size_t i = 0; i < contacts.size(); i += 7) {
            const Contact& c = contacts[i];
            const SweepTrack& track = tracks[i];
            const bool of_a = c.feature_a.kind != FeatureKind::none;
            const Body& points = scene[of_a ? c.body_a : c.body_b];
            const Body& field = scene[of_a ? c.body_b : c.body_a];
            const Vec3 p =
                points.shape.points().positions[of_a ? c.feature_a.index : c.feature_b.index];
            ++count;
            twice_count += track.intervals.size() > 1 ? 1 : 0;
            EXPECT_NEAR(track.intervals.front().begin, c.time, 1e-5f);
            const double slack = 4e-4, gap = static_cast<double>(options.gap);
            double least = 1e9;
            for (int k = 0; k <= 200; ++k) {
                const double t = k / 200.0, value = value_at(points, field, p, t);
                least = std::min(least, value);
                bool is_inside = false, is_near_end = false;
                for (const TimeInterval& interval : track.intervals) {
                    const auto begin = static_cast<double>(interval.begin);
                    const auto end = static_cast<double>(interval.end);
                    is_inside = is_inside || (begin <= t && t <= end);
                    is_near_end =
                        is_near_end || std::abs(t - begin) < 1e-4 || std::abs(t - end) < 1e-4;
                }
                if (is_near_end) continue;
                EXPECT_TRUE(is_inside ? value < gap + slack : value > gap - slack)
                    << "seed " << seed << ", contact " << i << ", t " << t << ", value " << value;
            }
            EXPECT_LT(static_cast<double>(track.deepest_distance), least + slack);
            EXPECT_NEAR(value_at(points, field, p, static_cast<double>(track.deepest_time)),
                        static_cast<double>(track.deepest_distance), slack);
        }
    }
    EXPECT_GT(count, 200);
    EXPECT_GT(twice_count, 0);
}

TEST(SweepTracks, RefuseContactsOfAnotherMethodOrScene) {
    const Scene scene = random_sweep_scene(1, 2);
    Contact contact{};
    contact.body_b = 1;
    const auto refusal = [&] {
        return testing::error_of([&] { track_contacts(scene, {&contact, 1}); });
    };
    EXPECT_NE(refusal().find("no point or face"), std::string::npos);
    contact.feature_a = Feature{FeatureKind::vertex, 1000000};
    EXPECT_NE(refusal().find("has a point that its body has not"), std::string::npos);
    contact.body_b = 7;
    EXPECT_NE(refusal().find("has a body that the scene has not"), std::string::npos);
}

}  // namespace
}  // namespace graze
