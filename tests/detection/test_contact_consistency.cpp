// Every contact agrees with the fields at its points, for any two fields and any options.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "graze/contact_points.h"
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

// Returns whether the contact's points are on both surfaces, or cannot be. A walk ends a quarter of
// the tolerance from a surface at most, and its last step, to first order, goes no farther than
// four times that, while the field changes by no more than that: 5/4 of the tolerance together.
// Samples may change by more than the way.
bool check_contact(const Contact& contact, const PosedField& a, const PosedField& b,
                   const DetectorOptions& options, double rounding) {
    EXPECT_TRUE(is_finite(contact.position) && std::isfinite(contact.distance));
    EXPECT_TRUE(is_finite(contact.normal));
    // To either surface it is half the gap and the tolerance, and a last step of a quarter of that.
    // Without a gap particles arrive within the tolerance by the fields, which may be lower bounds.
    const double farthest = options.gap + 2.5 * options.particles.tolerance + 4 * rounding;
    if (options.gap > 0) {
        EXPECT_LE(contact.distance, farthest);
    }
    EXPECT_NEAR(length(contact.normal), 1, 1e-4);
    EXPECT_EQ(contact.body_a, 0u);
    EXPECT_EQ(contact.body_b, 1u);
    EXPECT_EQ(contact.time, 0);
    const double off_a = std::fabs(a(static_cast<Vec3d>(point_a(contact))));
    const double off_b = std::fabs(b(static_cast<Vec3d>(point_b(contact))));
    const double limit = 2.5 * options.particles.tolerance + 2 * rounding;
    if (off_a <= limit && off_b <= limit) return true;
    // Along an endless plane nothing is left: the contact has the larger depth where it is.
    const auto point = static_cast<Vec3d>(contact.position);
    const bool has_end = is_finite(a.field.bounds().min) && is_finite(b.field.bounds().min);
    const double depth = std::min(a(point), b(point));
    return !has_end && std::fabs(contact.distance - depth) <= 4 * rounding;
}

TEST(ContactConsistency, ContactsSayWhatTheFieldsSay) {
    RandomPoints<float> random(21);
    const std::vector<FieldCase> leaves = field_leaves();
    std::size_t contact_count = 0, found_count = 0;
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
                    found_count += check_contact(contact, a, b, options, rounding) ? 1 : 0;
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
    // Few walks do not arrive: along surfaces, and at kinks of samples.
    EXPECT_GE(found_count, contact_count - contact_count / 50) << "of " << contact_count;
}

}  // namespace
}  // namespace graze
