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
            .motion = SweepMotion::straight, .gap = options.gap, .tolerance = 1e-4};
        count += compare_scene(scene, sweep(scene, options), expected);
        if (HasFailure()) FAIL() << "seed " << seed;
    }
    EXPECT_GT(count, oracle::case_count(500));
}

}  // namespace
}  // namespace graze
