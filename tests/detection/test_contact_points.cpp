// What a solver needs of the contacts of Method::particles: the points of a contact are on the
// surfaces of both bodies, depths and distances are true for any gap, and the deepest contact says
// which way out is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "field/sampled/sampled_field.h"
#include "graze/contact_points.h"
#include "graze/detector.h"
#include "tests/detection/recall_poses.h"
#include "tests/needs_data.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/intersection_oracle.h"
#include "tests/oracle/mesh_distance.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

using oracle::case_count;
using oracle::PosedField;

Transform at_position(float x, float y, float z) {
    return {{x, y, z}, Quat::identity(), 1};
}

std::vector<Contact> contacts_of(const PosedField& a, const PosedField& b, float gap,
                                 const ParticleOptions& particles = {}) {
    Scene scene;
    scene.add(Shape::from_field(a.field), a.world_from_body);
    scene.add(Shape::from_field(b.field), b.world_from_body);
    DetectorOptions options;
    options.gap = gap;
    options.particles = particles;
    Detector detector(Method::particles, Device::cpu(1), options);
    const std::span<const Contact> contacts = detector.detect(scene);
    return {contacts.begin(), contacts.end()};
}

const Contact& deepest_of(const std::vector<Contact>& contacts) {
    return *std::min_element(
        contacts.begin(), contacts.end(),
        [](const Contact& c, const Contact& d) { return c.distance < d.distance; });
}

TEST(ContactPoints, AllContactsOfAFlatFaceAreAsDeep) {
    const PosedField box{Field::box({0.5f, 0.5f, 0.5f}), at_position(0, 0, 0.49f)};
    const PosedField ground{Field::plane({0, 0, 1}, 0), Transform::identity()};
    for (const float gap : {0.0f, 0.02f}) {
        for (const bool is_swapped : {false, true}) {
            const std::vector<Contact> contacts =
                is_swapped ? contacts_of(ground, box, gap) : contacts_of(box, ground, gap);
            ASSERT_FALSE(contacts.empty());
            for (const Contact& contact : contacts) {
                SCOPED_TRACE(testing::Message() << "gap " << gap << (is_swapped ? ", swapped" : "")
                                                << ", at " << contact.position.x << " "
                                                << contact.position.y << " " << contact.position.z);
                EXPECT_NEAR(contact.distance, -0.01f, 1e-5f);
                EXPECT_NEAR(contact.normal.z, is_swapped ? -1 : 1, 1e-5f);
                EXPECT_NEAR(contact.position.z, -0.005f, 1e-5f);
                const Vec3 on_box = is_swapped ? point_b(contact) : point_a(contact);
                const Vec3 on_ground = is_swapped ? point_a(contact) : point_b(contact);
                EXPECT_NEAR(on_box.z, -0.01f, 1e-5f);
                EXPECT_NEAR(on_ground.z, 0, 1e-5f);
                EXPECT_LE(std::fabs(on_box.x), 0.5f + 1e-5f);
                EXPECT_LE(std::fabs(on_box.y), 0.5f + 1e-5f);
            }
        }
    }
}

// Returns spheres of radius 0.5, their surfaces so far apart [m].
std::vector<PosedField> spheres(float apart, bool is_sampled) {
    const Field formula = Field::sphere({0, 0, 0}, 0.5f);
    const FieldOptions options{.resolution = 48};
    const Field field = is_sampled
                            ? sample_field(formula, choose_grid(formula.bounds(), options), options)
                            : formula;
    const Vec3 direction = normalized(Vec3{0.8f, 0.5f, -0.3f}) * (1 + apart);
    return {{field, Transform::identity()}, {field, {direction, Quat::identity(), 1}}};
}

TEST(ContactPoints, ADistanceIsTheSameForEveryGap) {
    for (const bool is_sampled : {false, true}) {
        for (const float apart : {0.5f, 0.1f, -0.1f, -0.5f}) {
            const std::vector<PosedField> bodies = spheres(apart, is_sampled);
            const float error = 2 * bodies[0].field.error() + 1e-4f;
            for (const float gap : {0.0f, 0.2f, 0.4f, 0.6f, 3.0f, 100.0f, 1e9f}) {
                SCOPED_TRACE(testing::Message() << (is_sampled ? "samples " : "formulas ") << apart
                                                << " apart, gap " << gap);
                const std::vector<Contact> contacts = contacts_of(bodies[0], bodies[1], gap);
                EXPECT_EQ(contacts.empty(), apart > gap);
                if (contacts.empty()) continue;
                EXPECT_NEAR(deepest_of(contacts).distance, apart, error);
            }
        }
    }
}

TEST(ContactPoints, ABoxIsPushedOutByTheNearerFace) {
    const Field box = Field::box({1, 1, 1});
    const Vec3 offset{1.5f, 0.3f, 0.2f};
    const std::vector<Contact> contacts =
        contacts_of({box, Transform::identity()}, {box, {offset, Quat::identity(), 1}}, 0);
    ASSERT_FALSE(contacts.empty());
    const Contact& deepest = deepest_of(contacts);
    EXPECT_NEAR(deepest.normal.x, -1, 1e-3f);
    EXPECT_NEAR(deepest.distance, -0.5f, 1e-3f);
}

class ModelContacts : public testing::Test {
protected:
    void SetUp() override {
        GRAZE_NEEDS_DATA("models");
        const std::filesystem::path folder = data_folder() / "models";
        for (const char* name : names())
            models_.push_back(load_recall_model(folder, name, {.resolution = 64}));
        for (const RecallModel& model : models_)
            exact_.push_back(std::make_unique<oracle::MeshDistance>(model.mesh));
    }
    virtual std::vector<const char*> names() const { return {"spot.obj", "knot.off"}; }

    // [m] Returns the true distance of a point to a model, negative inside.
    double distance_to(std::size_t model, const Transform& pose, const Vec3& point) const {
        const Vec3 local = transform_point(inverse(pose), point);
        return (*exact_[model])(static_cast<Vec3d>(local)).distance * pose.scale;
    }

    std::vector<RecallModel> models_;
    std::vector<std::unique_ptr<oracle::MeshDistance>> exact_;
};

// Poses all around, most of them apart by less than the gap.
TEST_F(ModelContacts, PointsAreOnBothSurfacesForAnyGap) {
    oracle::RandomPoints<float> random(3);
    std::size_t judged_count = 0, off_count = 0;
    for (int n = 0; n < case_count(300); ++n) {
        const Vec3 direction = normalized(random.in_box(1));
        const Transform pose_a{
            {0, 0, 0}, Quat::from_axis_angle(random.in_box(1), random.uniform(-3, 3)), 1};
        const Transform pose_b{direction * random.uniform(0.3f, 1.5f),
                               Quat::from_axis_angle(random.in_box(1), random.uniform(-3, 3)), 1};
        for (const float gap : {0.2f, 1.0f}) {
            SCOPED_TRACE(testing::Message() << "pose " << n << ", gap " << gap);
            const std::vector<Contact> contacts =
                contacts_of({models_[0].field, pose_a}, {models_[1].field, pose_b}, gap);
            const float voxel = samples_of(models_[0].field)->grid.spacing;
            std::size_t i = 0;
            for (const Contact& contact : contacts) {
                if (++i % 16 != 0 && &contact != &deepest_of(contacts)) continue;
                ++judged_count;
                const double off_a = distance_to(0, pose_a, point_a(contact));
                const double off_b = distance_to(1, pose_b, point_b(contact));
                off_count += std::max(std::fabs(off_a), std::fabs(off_b)) > 0.25 * voxel ? 1 : 0;
                EXPECT_NEAR(off_a, 0, 1.3 * voxel) << contact.distance;
                EXPECT_NEAR(off_b, 0, 1.3 * voxel) << contact.distance;
            }
            if (HasFailure()) return;
        }
    }
    EXPECT_GT(judged_count, static_cast<std::size_t>(case_count(2000)));
    EXPECT_LE(off_count, judged_count / 100) << "of " << judged_count;
}

// Near each other and far apart, where searches begin around a body and not between both.
TEST_F(ModelContacts, NoOverlapIsClaimedWhereThereIsNone) {
    oracle::RandomPoints<float> random(5);
    const float voxel = samples_of(models_[0].field)->grid.spacing;
    std::size_t claim_count = 0, apart_count = 0;
    for (int n = 0; n < case_count(40); ++n) {
        const auto turned = [&](const Vec3& position) {
            return Transform{position,
                             Quat::from_axis_angle(random.in_box(1), random.uniform(-3, 3)), 1};
        };
        const Transform pose_a = turned({0, 0, 0});
        const Transform pose_b = turned(normalized(random.in_box(1)) * random.uniform(0.3f, 3.0f));
        for (const float gap : {0.02f, 1.0f, 8.0f}) {
            SCOPED_TRACE(testing::Message() << "pose " << n << ", gap " << gap);
            for (const Contact& contact :
                 contacts_of({models_[0].field, pose_a}, {models_[1].field, pose_b}, gap)) {
                apart_count += contact.distance > 0 ? 1 : 0;
                if (contact.distance > -0.5f * voxel) continue;
                // A point of its line is in both bodies.
                ++claim_count;
                if (claim_count % 8 != 0 && contact.distance > -0.1f) continue;
                double least = HUGE_VAL;
                for (int i = 0; i <= 32; ++i) {
                    const float share = static_cast<float>(i) / 32;
                    const Vec3 at = point_a(contact) * (1 - share) + point_b(contact) * share;
                    least = std::min(
                        least, std::max(distance_to(0, pose_a, at), distance_to(1, pose_b, at)));
                }
                EXPECT_LE(least, 0.5 * voxel - 0.02 * contact.distance) << contact.distance;
            }
            if (HasFailure()) return;
        }
    }
    EXPECT_GT(claim_count, static_cast<std::size_t>(case_count(100)));
    EXPECT_GT(apart_count, static_cast<std::size_t>(case_count(1000)));
}

class DeepContacts : public ModelContacts {
protected:
    std::vector<const char*> names() const override {
        return {"armadillo_29k.obj", "bowl.obj", "bunny_hr.obj", "cow.obj",
                "knot.off",          "spot.obj", "teapot.obj",   "torus.obj"};
    }
    // [m^3] Returns the volume that two models have in common.
    static double overlap(const PosedField& a, const PosedField& b) {
        const oracle::PointGrid grid(intersect(a.box(), b.box()), 0.015);
        const std::vector<char> inside = oracle::points_inside(a, b, grid, 0.05);
        return static_cast<double>(std::count(inside.begin(), inside.end(), 1)) * 0.015 * 0.015 *
               0.015;
    }
};

// Moved by its depth along its normal, the bodies are apart or have less in common.
TEST_F(DeepContacts, TheDeepestContactLeadsOut) {
    oracle::RandomPoints<float> random(17);
    int judged_count = 0, lost_count = 0;
    for (int n = 0; n < case_count(300); ++n) {
        const auto pick = [&] {
            return models_[static_cast<std::size_t>(
                               random.integer(0, static_cast<int>(models_.size()) - 1))]
                .field;
        };
        const auto turned = [&](const Vec3& position) {
            return Transform{position,
                             Quat::from_axis_angle(random.in_box(1), random.uniform(-3, 3)), 1};
        };
        PosedField a{pick(), turned({0, 0, 0})};
        const PosedField b{pick(), turned(random.in_box(0.4f))};
        const std::vector<Contact> contacts = contacts_of(a, b, 0);
        if (contacts.empty()) continue;
        const Contact& deepest = deepest_of(contacts);
        if (deepest.distance > -0.05f) continue;
        const double before = overlap(a, b);
        a.world_from_body.translation -= deepest.normal * deepest.distance;
        const double after = overlap(a, b);
        ++judged_count;
        lost_count += after < before ? 0 : 1;
    }
    EXPECT_GT(judged_count, case_count(100));
    // These are models whose parts embrace each other, where out of one part is into another.
    EXPECT_LE(lost_count, judged_count / 50) << "of " << judged_count;
    RecordProperty("lost", lost_count);
    RecordProperty("judged", judged_count);
}

}  // namespace
}  // namespace graze
