// Every contact agrees with the fields at its position, for any two fields and any options.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "graze/detector.h"
#include "graze/error.h"
#include "tests/field/field_cases.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/intersection_oracle.h"

namespace graze {
namespace {

using oracle::case_count;
using oracle::PosedField;
using oracle::RandomPoints;

DetectorOptions random_options(RandomPoints<float>& random, float size) {
    DetectorOptions options;
    ParticleOptions& particles = options.particles;
    particles.resolution = random.integer(1, 12);
    particles.sampling = static_cast<ParticleSampling>(random.integer(0, 2));
    particles.step = static_cast<ParticleStep>(random.integer(0, 2));
    particles.normal = static_cast<NormalRule>(random.integer(0, 2));
    particles.max_steps = random.integer(1, 20);
    particles.tolerance = size * std::pow(10.0f, random.uniform(-5, -2));
    particles.sharpens = random.integer(0, 1) == 1;
    particles.uses_last_contacts = random.integer(0, 1) == 1;
    options.gap = random.integer(0, 2) == 0 ? size * random.uniform(0, 0.2f) : 0;
    return options;
}

// Makes a body of any kind and scale near a position that may be far away.
PosedField random_body(RandomPoints<float>& random, const std::vector<FieldCase>& leaves,
                       const Vec3& position, float size) {
    return {random_combination(random, leaves, random.integer(1, 4)),
            {position + random.in_box(size),
             Quat::from_axis_angle(random.in_box(1), random.uniform(-3, 3)),
             size * random.uniform(0.3f, 1.5f)}};
}

void check_contact(const Contact& contact, const PosedField& a, const PosedField& b,
                   const DetectorOptions& options, double rounding) {
    ASSERT_TRUE(is_finite(contact.position) && std::isfinite(contact.distance));
    ASSERT_TRUE(is_finite(contact.normal));
    const auto point = static_cast<Vec3d>(contact.position);
    const double at_a = a(point), at_b = b(point);
    const double limit = options.gap * 0.5 + options.particles.tolerance + rounding;
    EXPECT_LE(at_a, limit);
    EXPECT_LE(at_b, limit);
    const double expected = std::max(at_a, at_b) <= 0 ? std::min(at_a, at_b) : at_a + at_b;
    EXPECT_NEAR(contact.distance, expected, 2 * rounding);
    EXPECT_NEAR(length(contact.normal), 1, 1e-4);
    EXPECT_EQ(contact.body_a, 0u);
    EXPECT_EQ(contact.body_b, 1u);
    EXPECT_EQ(contact.time, 0);
}

TEST(ContactConsistency, ContactsSayWhatTheFieldsSay) {
    RandomPoints<float> random(21);
    const std::vector<FieldCase> leaves = field_leaves();
    std::size_t contact_count = 0;
    for (int n = 0; n < case_count(3000); ++n) {
        SCOPED_TRACE(n);
        const float size = std::pow(10.0f, random.uniform(-3, 3));
        const Vec3 position = random.in_box(size * (random.integer(0, 1) == 0 ? 1.0f : 50.0f));
        const PosedField a = random_body(random, leaves, position, size);
        const PosedField b = random_body(random, leaves, position, size);
        const DetectorOptions options = random_options(random, size);
        Scene scene;
        scene.add(Shape::from_field(a.field), a.world_from_body);
        scene.add(Shape::from_field(b.field), b.world_from_body);
        Detector detector(Method::particles, Device::cpu(random.integer(1, 2)), options);
        // This is for coordinates in float; a field of samples may change by several times that.
        const double rounding = 4e-6 * (length(static_cast<Vec3d>(position)) + 4 * size);
        try {
            for (int step = 0; step < 2; ++step) {
                const std::span<const Contact> contacts = detector.detect(scene);
                contact_count += contacts.size();
                for (const Contact& contact : contacts) {
                    check_contact(contact, a, b, options, rounding);
                    if (HasFailure()) return;
                }
            }
        } catch (const Error&) {
            // Two unbounded bodies have no region to search.
            EXPECT_TRUE(!is_finite(a.field.bounds().min) || !is_finite(a.field.bounds().max));
            EXPECT_TRUE(!is_finite(b.field.bounds().min) || !is_finite(b.field.bounds().max));
        }
    }
    EXPECT_GT(contact_count, static_cast<std::size_t>(case_count(100000)));
}

}  // namespace
}  // namespace graze
