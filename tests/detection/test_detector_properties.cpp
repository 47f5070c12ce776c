// Properties that the contacts of any two bodies have.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "graze/detector.h"
#include "tests/field/field_cases.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/intersection_oracle.h"
#include "tests/oracle/mesh_distance.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {
namespace {

using oracle::case_count;
using oracle::PosedField;
using oracle::RandomPoints;

constexpr ParticleSampling kSamplings[] = {ParticleSampling::grid, ParticleSampling::quasi_random,
                                           ParticleSampling::adaptive};
constexpr ParticleStep kSteps[] = {ParticleStep::project, ParticleStep::over_relax,
                                   ParticleStep::tangent};

struct TwoBodies {
    PosedField a, b;

    Scene scene() const {
        Scene scene;
        scene.add(Shape::from_field(a.field), a.world_from_body);
        scene.add(Shape::from_field(b.field), b.world_from_body);
        return scene;
    }
    TwoBodies swapped() const { return {b, a}; }
    TwoBodies moved(const Transform& motion) const {
        return {{a.field, motion * a.world_from_body}, {b.field, motion * b.world_from_body}};
    }
};

std::vector<Contact> detect(const TwoBodies& bodies, const DetectorOptions& options = {}) {
    Detector detector(Method::particles, Device::cpu(), options);
    const Scene scene = bodies.scene();
    const std::span<const Contact> contacts = detector.detect(scene);
    return {contacts.begin(), contacts.end()};
}

DetectorOptions options_of(ParticleSampling sampling, ParticleStep step, int resolution = 10) {
    DetectorOptions options;
    options.particles.sampling = sampling;
    options.particles.step = step;
    options.particles.resolution = resolution;
    return options;
}

// Returns all combinations of options.
std::vector<DetectorOptions> all_options(int resolution) {
    std::vector<DetectorOptions> result;
    for (const ParticleSampling sampling : kSamplings)
        for (const ParticleStep step : kSteps)
            result.push_back(options_of(sampling, step, resolution));
    return result;
}

std::string describe(const DetectorOptions& options) {
    return "sampling " + std::to_string(static_cast<int>(options.particles.sampling)) + ", step " +
           std::to_string(static_cast<int>(options.particles.step)) + ", resolution " +
           std::to_string(options.particles.resolution);
}

Transform at_position(float x, float y, float z) {
    return {{x, y, z}, Quat::identity(), 1};
}

// Makes pairs of bodies of every bounded kind, near each other.
std::vector<TwoBodies> random_pairs(int count, unsigned seed) {
    std::vector<Field> fields;
    for (const FieldCase& leaf : field_leaves())
        if (is_finite(leaf.field.bounds().min)) fields.push_back(leaf.field);
    RandomPoints<float> random(seed);
    const auto pick = [&] {
        const Field& field = fields[static_cast<std::size_t>(
            random.integer(0, static_cast<int>(fields.size()) - 1))];
        return PosedField{
            field,
            {random.in_box(0.7f), Quat::from_axis_angle(random.in_box(1), random.uniform(-3, 3)),
             random.uniform(0.5f, 1.5f)}};
    };
    std::vector<TwoBodies> pairs;
    for (int n = 0; n < count; ++n) {
        const PosedField a = pick();
        pairs.push_back({a, pick()});
    }
    return pairs;
}

// Counts the contacts of `from` without a partner in `among` at the same position, with the same
// distance and normal, all moved by `turn`. Where both surfaces pass, rounding decides which one's
// normal a contact has.
std::size_t count_lonely(const std::vector<Contact>& from, const std::vector<Contact>& among,
                         const Transform& turn, float sign, float slack) {
    std::size_t lonely_count = 0;
    for (const Contact& contact : from) {
        const Vec3 position = transform_point(turn, contact.position);
        const Vec3 normal = transform_direction(turn, contact.normal) * sign;
        lonely_count += std::none_of(among.begin(), among.end(), [&](const Contact& other) {
            return distance(other.position, position) <= slack &&
                   std::fabs(other.distance - contact.distance) <= slack &&
                   distance(other.normal, normal) <= 0.01f;
        });
    }
    return lonely_count;
}

TEST(DetectorProperties, SwappedBodiesHaveTheSameContacts) {
    std::size_t contact_count = 0;
    for (const TwoBodies& pair : random_pairs(case_count(60), 1)) {
        for (const DetectorOptions& options : all_options(6)) {
            SCOPED_TRACE(describe(options));
            const std::vector<Contact> one = detect(pair, options);
            const std::vector<Contact> other = detect(pair.swapped(), options);
            ASSERT_EQ(one.size(), other.size());
            contact_count += one.size();
            // Steps onto either surface round alike, whichever body is a; where the fields have no
            // unique direction, rounding decides.
            EXPECT_EQ(count_lonely(one, other, Transform::identity(), -1, 1e-5f), 0u);
        }
    }
    EXPECT_GT(contact_count, static_cast<std::size_t>(case_count(1000)));
}

TEST(DetectorProperties, RepeatsItsBytesWithAnyNumberOfThreads) {
    Scene scene;
    // The pairs are in a row, far enough apart that there are few other pairs.
    Vec3 row{0, 0, 0};
    for (const TwoBodies& pair : random_pairs(case_count(40), 2)) {
        row.x += 3;
        for (const PosedField* body : {&pair.a, &pair.b}) {
            Transform pose = body->world_from_body;
            pose.translation += row;
            scene.add(Shape::from_field(body->field), pose);
        }
    }
    for (DetectorOptions options : all_options(6)) {
        SCOPED_TRACE(describe(options));
        Detector first(Method::particles, Device::cpu(1), options);
        const auto kept = first.detect(scene);
        const std::vector<Contact> expected(kept.begin(), kept.end());
        ASSERT_GT(expected.size(), static_cast<std::size_t>(case_count(1000)));
        ASSERT_EQ(first.report().contact_count, static_cast<std::int64_t>(expected.size()));
        const auto expect_same = [&](std::span<const Contact> found) {
            ASSERT_EQ(found.size(), expected.size());
            EXPECT_EQ(std::memcmp(found.data(), expected.data(), found.size_bytes()), 0);
        };
        expect_same(first.detect(scene));
        for (const int threads : {2, 3}) {
            Detector detector(Method::particles, Device::cpu(threads), options);
            expect_same(detector.detect(scene));
            expect_same(detector.detect(scene));
        }
        const auto is_before = [](const Contact& a, const Contact& b) {
            return BodyPair{a.body_a, a.body_b} < BodyPair{b.body_a, b.body_b};
        };
        EXPECT_TRUE(std::is_sorted(expected.begin(), expected.end(), is_before));
    }
}

// With quarter turns and shifts that floats represent exactly, boxes and their particles move
// along, so that the contacts are the same but for rounding.
TEST(DetectorProperties, ContactsMoveWithTheirBodies) {
    const float half = std::sqrt(0.5f);
    const Transform motions[] = {
        {{2, -4, 8}, Quat::identity(), 1},
        {{0, 0, 0}, {half, half, 0, 0}, 1},
        {{1, 0, -2}, {half, 0, half, 0}, 1},
        {{0, 0, 4}, {half, 0, 0, -half}, 1},
    };
    std::size_t contact_count = 0, lonely_count = 0;
    for (const TwoBodies& pair : random_pairs(case_count(40), 3)) {
        for (DetectorOptions options :
             {options_of(ParticleSampling::grid, ParticleStep::project, 7),
              options_of(ParticleSampling::grid, ParticleStep::tangent, 7),
              options_of(ParticleSampling::adaptive, ParticleStep::tangent, 7)}) {
            options.particles.sharpens = false;  // it would go on until rounding stops it
            const std::vector<Contact> before = detect(pair, options);
            for (const Transform& motion : motions) {
                const std::vector<Contact> after = detect(pair.moved(motion), options);
                contact_count += before.size() + after.size();
                lonely_count += count_lonely(before, after, motion, 1, 1e-4f) +
                                count_lonely(after, before, inverse(motion), 1, 1e-4f);
            }
        }
    }
    EXPECT_GT(contact_count, static_cast<std::size_t>(case_count(1000)));
    // A particle at a medial axis, or just within the tolerance, may go to either side.
    EXPECT_LT(lonely_count, contact_count / 200) << "of " << contact_count;
}

// After any other motion the particles begin elsewhere. The deepest distance is the same up to
// twice the distance from a point to its nearest particle, in either pose.
TEST(DetectorProperties, DepthIsTheSameUnderAnyMotion) {
    RandomPoints<float> random(4);
    int compared_count = 0;
    for (const TwoBodies& pair : random_pairs(case_count(60), 5)) {
        const int resolution = 16;
        const DetectorOptions options =
            options_of(ParticleSampling::adaptive, ParticleStep::tangent, resolution);
        const TwoBodies moved = pair.moved(
            {random.in_box(3), Quat::from_axis_angle(random.in_box(1), random.uniform(-3, 3)), 1});
        double deepest[2], reach = 0;
        bool is_found[2];
        int n = 0;
        for (const TwoBodies* bodies : {&pair, &moved}) {
            const std::vector<Contact> contacts = detect(*bodies, options);
            is_found[n] = !contacts.empty();
            deepest[n] = 0;
            for (const Contact& contact : contacts)
                deepest[n] = std::min<double>(deepest[n], contact.distance);
            reach = std::max(reach, oracle::particle_reach(
                                        intersect(bodies->a.box(), bodies->b.box()), resolution));
            ++n;
        }
        // An overlap that contains a ball in which a particle must begin is found in both.
        if (std::max(-deepest[0], -deepest[1]) < 4 * reach) continue;
        ++compared_count;
        EXPECT_TRUE(is_found[0] && is_found[1]);
        EXPECT_NEAR(deepest[0], deepest[1], 4 * reach + 0.02);
    }
    EXPECT_GT(compared_count, case_count(20));
}

// Where a small body is wholly inside a big one, whose surface is far, every particle begins
// inside.
TEST(DetectorProperties, ContainedBodyIsFound) {
    const Mesh big = sample::cube();
    Mesh small = sample::torus(24, 16);
    for (Vec3& position : small.positions)
        position = position * 0.06f + Vec3{0.3f, -0.2f, 0.1f};
    for (const bool is_sparse : {false, true}) {
        for (const FieldOrder order : {FieldOrder::zero, FieldOrder::one}) {
            const FieldOptions field{.resolution = 40, .order = order, .sparse = is_sparse};
            const TwoBodies pair{{build_field(small, field), Transform::identity()},
                                 {build_field(big, field), Transform::identity()}};
            const oracle::MeshDistance exact_small(small), exact_big(big);
            for (const TwoBodies& bodies : {pair, pair.swapped()}) {
                for (const DetectorOptions& options : all_options(8)) {
                    SCOPED_TRACE(describe(options));
                    const std::vector<Contact> contacts = detect(bodies, options);
                    ASSERT_FALSE(contacts.empty());
                    for (const Contact& contact : contacts) {
                        const auto point = static_cast<Vec3d>(contact.position);
                        EXPECT_LT(exact_small(point).distance, 0.02);
                        EXPECT_LT(exact_big(point).distance, -0.4);
                        EXPECT_LT(contact.distance, is_sparse ? -0.1 : -0.35);
                    }
                }
            }
        }
    }
}

TEST(DetectorProperties, TouchingFacesAreFound) {
    const Field cube = Field::box({1, 1, 1});
    for (const DetectorOptions& options : all_options(6)) {
        SCOPED_TRACE(describe(options));
        const std::vector<Contact> contacts =
            detect({{cube, at_position(0, 0, 0)}, {cube, at_position(2, 0.5f, 0.25f)}}, options);
        ASSERT_FALSE(contacts.empty());
        for (const Contact& contact : contacts) {
            EXPECT_NEAR(contact.distance, 0, 1e-3);
            EXPECT_NEAR(contact.position.x, 1, 1e-3);
            EXPECT_NEAR(length(contact.normal), 1, 1e-4);
        }
    }
}

// Boxes meet only in an edge or in a corner.
TEST(DetectorProperties, OverlapWithoutSizeIsFound) {
    const Field cube = Field::box({1, 1, 1});
    for (const Vec3& shift : {Vec3{2, 0, 0}, Vec3{2, 2, 0}, Vec3{2, 2, 2}, Vec3{-2, 2, 0.5f}}) {
        for (const DetectorOptions& options : all_options(5)) {
            SCOPED_TRACE(describe(options));
            const std::vector<Contact> contacts = detect(
                {{cube, at_position(0, 0, 0)}, {cube, at_position(shift.x, shift.y, shift.z)}},
                options);
            ASSERT_FALSE(contacts.empty());
            for (const Contact& contact : contacts) {
                EXPECT_NEAR(contact.distance, 0, 1e-3);
                EXPECT_NEAR(length(contact.normal), 1, 1e-4);
                EXPECT_LE(cube.distance(contact.position), 1e-3f);
                EXPECT_LE(cube.distance(contact.position - shift), 1e-3f);
            }
        }
    }
    // The flat bodies are a sheet through a ball, and two sheets that cross.
    const Field sheet = Field::box({1, 1, 0});
    const Transform upright{{0.1f, 0, 0}, Quat::from_axis_angle({1, 0, 0}, 1.5707963f), 1};
    for (const DetectorOptions& options : all_options(5)) {
        EXPECT_FALSE(detect({{sheet, at_position(0, 0, 0)},
                             {Field::sphere({0, 0, 0}, 0.5f), at_position(0, 0, 0)}},
                            options)
                         .empty());
        EXPECT_FALSE(detect({{sheet, at_position(0, 0, 0)}, {sheet, upright}}, options).empty());
    }
}

// Two balls touch in a point: the particles' plane is at the point, and the balls diverge from it
// slowly, where projection converges slowly.
TEST(DetectorProperties, TouchingBallsAreFound) {
    const Field ball = Field::sphere({0, 0, 0}, 1);
    for (const ParticleSampling sampling : kSamplings) {
        DetectorOptions options = options_of(sampling, ParticleStep::tangent, 8);
        options.particles.tolerance = 1e-3f;
        SCOPED_TRACE(describe(options));
        const std::vector<Contact> contacts =
            detect({{ball, at_position(0, 0, 0)}, {ball, at_position(0, 2, 0)}}, options);
        ASSERT_FALSE(contacts.empty());
        for (const Contact& contact : contacts) {
            EXPECT_NEAR(contact.distance, 0, 2.1e-3);
            EXPECT_LT(distance(contact.position, Vec3{0, 1, 0}), 0.1f);
            EXPECT_LT(contact.normal.y, -0.99f);
        }
    }
}

TEST(DetectorProperties, DisjointBodiesInOverlappingBoxesHaveNoContact) {
    const TwoBodies pairs[] = {
        // These are a ball in the hole of a ring, two linked rings, and a ball beside the edge of
        // a turned box.
        {{Field::torus(1, 0.25f), at_position(0, 0, 0)},
         {Field::sphere({0, 0, 0}, 0.7f), at_position(0, 0, 0)}},
        {{Field::torus(1, 0.25f), at_position(0, 0, 0)},
         {Field::torus(1, 0.25f), {{1, 0, 0}, Quat::from_axis_angle({1, 0, 0}, 1.5707963f), 1}}},
        {{Field::box({1, 1, 1}), {{0, 0, 0}, Quat::from_axis_angle({0, 0, 1}, 0.78539816f), 1}},
         {Field::sphere({0, 0, 0}, 0.3f), at_position(1.1f, 1.1f, 0)}},
        {{Field::sphere({0, 0, 0}, 1), at_position(0, 0, 0)},
         {Field::sphere({0, 0, 0}, 1), at_position(1.2f, 1.2f, 1.2f)}},
        // A box is in a box's hollow.
        {{subtract(Field::box({1, 1, 1}), Field::box({0.8f, 0.8f, 0.8f})), at_position(0, 0, 0)},
         {Field::box({0.7f, 0.7f, 0.7f}), at_position(0, 0, 0)}},
    };
    for (const TwoBodies& pair : pairs) {
        for (const DetectorOptions& options : all_options(12)) {
            SCOPED_TRACE(describe(options));
            EXPECT_TRUE(detect(pair, options).empty());
        }
    }
}

TEST(DetectorProperties, IdenticalPosesAreFound) {
    for (const FieldCase& leaf : field_leaves()) {
        SCOPED_TRACE(leaf.name);
        const PosedField body{leaf.field,
                              {{0.3f, 0.2f, 0.1f}, Quat::from_axis_angle({1, 1, 0}, 0.4f), 1.5f}};
        for (const DetectorOptions& options : all_options(6)) {
            SCOPED_TRACE(describe(options));
            if (!is_finite(leaf.field.bounds().min)) continue;
            const std::vector<Contact> contacts = detect({body, body}, options);
            ASSERT_FALSE(contacts.empty());
            for (const Contact& contact : contacts) {
                EXPECT_TRUE(is_finite(contact.position) && is_finite(contact.normal));
                const double own = body(static_cast<Vec3d>(contact.position));
                EXPECT_NEAR(contact.distance, own <= 0 ? own : 2 * own, 1e-4);
            }
        }
    }
}

// In figure 4 of Krayer et al. two slabs are a small angle apart and meet far from the particles.
// Projection goes back and forth between them; both tangent planes at once lead to where they meet.
TEST(DetectorProperties, NearlyParallelSurfacesAreFound) {
    const float angle = 0.03f;
    const Field slab = Field::box({1, 1, 0.1f});
    // The lower face of b passes the upper face of a, z = 0, at x = meeting.
    const float meeting = 0.93f;
    const auto tilted = [&](float a) {
        const Quat turn = Quat::from_axis_angle({0, 1, 0}, a);
        const Vec3 up = rotate(turn, Vec3{0, 0, 1}), along = rotate(turn, Vec3{1, 0, 0});
        return Transform{Vec3{meeting, 0, 0} - along * meeting + up * 0.1f, turn, 1};
    };
    const TwoBodies pair{{slab, at_position(0, 0, -0.1f)}, {slab, tilted(angle)}};
    DetectorOptions options = options_of(ParticleSampling::grid, ParticleStep::project, 3);
    options.particles.tolerance = 1e-4f;
    EXPECT_TRUE(detect(pair, options).empty());
    options.particles.max_steps = 50;
    EXPECT_TRUE(detect(pair, options).empty());
    options.particles.max_steps = 12;
    options.particles.step = ParticleStep::tangent;
    const std::vector<Contact> contacts = detect(pair, options);
    ASSERT_FALSE(contacts.empty());
    for (const Contact& contact : contacts) {
        EXPECT_GT(contact.position.x, meeting - 0.02f);
        EXPECT_GT(std::fabs(contact.normal.z), 0.99f);
    }
    options.particles.sampling = ParticleSampling::adaptive;
    EXPECT_FALSE(detect(pair, options).empty());
}

// Two slabs that are d apart are found where the gap is larger, with that distance.
TEST(DetectorProperties, GapReachesAsFarAsItSays) {
    const Field slab = Field::box({1, 1, 0.25f});
    const TwoBodies pair{{slab, at_position(0, 0, 0.05f + 0.25f)},
                         {slab, at_position(0.5f, 0, -0.25f)}};
    for (DetectorOptions options : all_options(6)) {
        SCOPED_TRACE(describe(options));
        options.gap = 0.04f;
        EXPECT_TRUE(detect(pair, options).empty());
        options.gap = 0.06f;
        const std::vector<Contact> contacts = detect(pair, options);
        ASSERT_FALSE(contacts.empty());
        for (const Contact& contact : contacts) {
            EXPECT_GE(contact.distance, 0.05f - 1e-5f);
            EXPECT_LE(contact.distance, options.gap + 1e-3f);
        }
        EXPECT_TRUE(std::any_of(contacts.begin(), contacts.end(), [](const Contact& contact) {
            return contact.distance <= 0.0501f && contact.normal.z > 0.999f;
        }));
    }
}

}  // namespace
}  // namespace graze
