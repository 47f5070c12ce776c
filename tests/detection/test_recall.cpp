// Particles find every intersection that contains a ball no particle can miss, and on real models
// as much as they are known to.
//
// The first is certain: particles begin in the middle of cells that tile the region, so that none
// of its points is farther than half a cell's diagonal from one. A ball of that radius in both
// bodies has a particle in it, and a field off by no more than e says so where the ball is larger
// by e. The adaptive sampling leaves out no cell that contains a common point. A particle's contact
// is on the line along its normal through the particle.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "broad_phase/body_boxes.h"
#include "field/sampled/evaluate_sampled.h"
#include "graze/contact_points.h"
#include "graze/detector.h"
#include "narrow_phase/particles/particle_grid.h"
#include "tests/detection/recall_poses.h"
#include "tests/field/field_cases.h"
#include "tests/needs_data.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/intersection_oracle.h"
#include "tests/oracle/mesh_distance.h"

namespace graze {
namespace {

using oracle::case_count;
using oracle::Intersection;
using oracle::IntersectionPart;
using oracle::PosedField;

std::vector<Contact> detect(const PosedField& a, const PosedField& b,
                            const DetectorOptions& options) {
    Scene scene;
    scene.add(Shape::from_field(a.field), a.world_from_body);
    scene.add(Shape::from_field(b.field), b.world_from_body);
    Detector detector(Method::particles, Device::cpu(), options);
    const std::span<const Contact> contacts = detector.detect(scene);
    return {contacts.begin(), contacts.end()};
}

// measured() is how far a field is off, as measured; certain() is the most that it can be off near
// its surface. [m]
double measured(const PosedField& body) {
    return body.field.error() * body.world_from_body.scale + 1e-5;
}
double certain(const PosedField& body) {
    const auto& samples = samples_of(body.field);
    return certain_error(samples->view(), 3 * samples->grid.spacing) * body.world_from_body.scale;
}

// Returns whether a contact's line, from the point on one surface to that on the other, passes a
// point no farther away than reach [m].
bool passes_near(const std::vector<Contact>& contacts, const Vec3d& point, double reach) {
    return std::any_of(contacts.begin(), contacts.end(), [&](const Contact& contact) {
        const auto from = static_cast<Vec3d>(point_a(contact));
        const Vec3d way = static_cast<Vec3d>(point_b(contact)) - from;
        const double along =
            std::clamp(dot(point - from, way) / std::max(length_sq(way), 1e-30), 0.0, 1.0);
        return length(from + way * along - point) <= reach;
    });
}

// Counts the parts that contain such a ball; each of them must have a contact through that ball.
int expect_certain_parts(const PosedField& a, const PosedField& b, const Intersection& truth,
                         const std::vector<Contact>& contacts, int resolution) {
    int certain_count = 0;
    const double reach = oracle::particle_reach(intersect(a.box(), b.box()), resolution);
    // The truth is by the fields that the detector sees, so that their error matters only in that
    // they may change by more than the distance between two points.
    const double needed = reach + 2 * std::max(measured(a), measured(b));
    for (const IntersectionPart& part : truth.parts) {
        if (part.inner_radius < needed) continue;
        ++certain_count;
        EXPECT_TRUE(passes_near(contacts, part.inner_point, needed))
            << "a ball of " << part.inner_radius << " m, with particles " << reach << " m away";
    }
    return certain_count;
}

constexpr ParticleStep kSteps[] = {ParticleStep::project, ParticleStep::over_relax,
                                   ParticleStep::tangent};

// The bodies are combinations of formulas, with several parts and hollows.
TEST(Recall, NoBallIsMissedBetweenRandomBodies) {
    oracle::RandomPoints<float> random(9);
    std::vector<FieldCase> leaves;
    for (const FieldCase& leaf : field_leaves())
        if (is_finite(leaf.field.bounds().min) && !leaf.field.is_sampled()) leaves.push_back(leaf);
    int certain_count = 0;
    for (int n = 0; n < case_count(150); ++n) {
        const auto body = [&] {
            return PosedField{random_combination(random, leaves, random.integer(1, 5)),
                              {random.in_box(0.5f),
                               Quat::from_axis_angle(random.in_box(1), random.uniform(-3, 3)),
                               random.uniform(0.5f, 1.5f)}};
        };
        const PosedField a = body(), b = body();
        if (a.field.bounds().is_empty() || b.field.bounds().is_empty()) continue;
        if (!is_finite(a.field.bounds().min) || !is_finite(b.field.bounds().min)) continue;
        const Intersection truth = oracle::find_intersection(a, b, 0.06);
        for (const int resolution : {5, 11, 16}) {
            DetectorOptions options;
            options.particles.resolution = resolution;
            options.particles.step = kSteps[n % 3];
            options.particles.sharpens = false;  // it moves contacts on
            SCOPED_TRACE(n);
            SCOPED_TRACE(resolution);
            certain_count += expect_certain_parts(a, b, truth, detect(a, b, options), resolution);
        }
    }
    EXPECT_GT(certain_count, case_count(50));
}

// Of a particle that begins inside both bodies the line of a contact passes where it begins.
TEST(Recall, NoParticleInsideIsLeftOut) {
    oracle::RandomPoints<float> random(13);
    std::vector<FieldCase> leaves;
    for (const FieldCase& leaf : field_leaves())
        if (is_finite(leaf.field.bounds().min)) leaves.push_back(leaf);
    int compared_count = 0;
    for (int n = 0; n < case_count(400); ++n) {
        SCOPED_TRACE(n);
        const auto body = [&] {
            return PosedField{random_combination(random, leaves, random.integer(1, 4)),
                              {random.in_box(0.6f),
                               Quat::from_axis_angle(random.in_box(1), random.uniform(-3, 3)),
                               random.uniform(0.5f, 1.5f)}};
        };
        const PosedField a = body(), b = body();
        DetectorOptions options;
        options.particles.resolution = random.integer(4, 20);
        options.particles.sharpens = false;
        const std::vector<Contact> contacts = detect(a, b, options);
        const Aabb region = intersect(pose_box(a.world_from_body, a.field.bounds(), 0),
                                      pose_box(b.world_from_body, b.field.bounds(), 0));
        if (region.is_empty()) continue;
        const ParticleGrid grid = make_particle_grid(region, options.particles.resolution, 1e-4f);
        for (int k = 0; k < 300; ++k) {
            const ParticleCell cell{{random.integer(0, grid.size[0] - 1),
                                     random.integer(0, grid.size[1] - 1),
                                     random.integer(0, grid.size[2] - 1)}};
            const auto point = static_cast<Vec3d>(centre(block_box(grid, 0, cell)));
            if (std::max(a(point), b(point)) > -0.03) continue;
            ++compared_count;
            ASSERT_TRUE(passes_near(contacts, point, 1e-4));
        }
    }
    EXPECT_GT(compared_count, case_count(1000));
}

class RealRecall : public testing::Test {
protected:
    static constexpr double kSpacing = 0.02;

    void SetUp() override {
        GRAZE_NEEDS_DATA("models");
        const std::filesystem::path folder = data_folder() / "models";
        for (const char* name : {"armadillo_29k.obj", "bowl.obj", "knot.off", "torus.obj"})
            models_.push_back(load_recall_model(folder, name, {.resolution = 96}));
        poses_ = RecallPoses(models_, 11).draw(case_count(40));
    }

    PosedField body_a(const RecallPose& pose) const { return {models_[pose.a].field, pose.pose_a}; }
    PosedField body_b(const RecallPose& pose) const { return {models_[pose.b].field, pose.pose_b}; }
    std::function<double(const Vec3d&)> truth_of(const oracle::MeshDistance& distance,
                                                 const Transform& pose) const {
        const Transformd body_from_world = inverse(oracle::widened(pose));
        return [&distance, body_from_world](const Vec3d& world) {
            return distance(transform_point(body_from_world, world)).distance;
        };
    }

    std::vector<RecallModel> models_;
    std::vector<RecallPose> poses_;
};

TEST_F(RealRecall, AdaptiveParticlesFindWhatTheyMust) {
    oracle::RecallScore score, plain;
    int certain_count = 0;
    const oracle::RecallRule rule{.part_reach = 2 * kSpacing,
                                  .coverage_reach = 0.08,
                                  .least_volume = 3.5 * std::pow(kSpacing, 3),
                                  .most_points = 1000};
    std::vector<std::unique_ptr<oracle::MeshDistance>> distances;
    distances.reserve(models_.size());
    for (const RecallModel& model : models_)
        distances.push_back(std::make_unique<oracle::MeshDistance>(model.mesh));
    for (std::size_t n = 0; n < poses_.size(); ++n) {
        SCOPED_TRACE(n);
        const RecallPose& pose = poses_[n];
        const PosedField a = body_a(pose), b = body_b(pose);
        const double error = std::max(certain(a), certain(b));
        const Intersection truth = oracle::find_intersection(a, b, kSpacing, 2 * error);
        DetectorOptions options;
        for (const int resolution : {10, 30}) {
            options.particles.resolution = resolution;
            options.particles.sharpens = false;
            certain_count += expect_certain_parts(a, b, truth, detect(a, b, options), resolution);
        }
        options.particles.sharpens = true;
        options.particles.resolution = 10;
        const std::vector<Contact> contacts = detect(a, b, options);
        score += oracle::score_recall(truth, contacts, rule);
        const double tolerance =
            0.1 * std::max(samples_of(a.field)->grid.spacing, samples_of(b.field)->grid.spacing);
        score += oracle::score_truth(truth_of(*distances[pose.a], pose.pose_a),
                                     truth_of(*distances[pose.b], pose.pose_b), contacts,
                                     tolerance + error, 64);
        options.particles.sampling = ParticleSampling::grid;
        options.particles.step = ParticleStep::project;
        plain += oracle::score_recall(truth, detect(a, b, options), rule);
    }
    EXPECT_GT(certain_count, case_count(5));
    EXPECT_GT(score.pair_count, case_count(15));
    EXPECT_EQ(score.false_count, 0) << "of " << score.judged_count;
    EXPECT_EQ(score.found_pair_count, score.pair_count);
    EXPECT_GE(score.part_recall(), 0.95);
    // The result is no worse than that of the published method at the same resolution.
    EXPECT_GE(score.found_pair_count, plain.found_pair_count);
    EXPECT_GE(score.found_part_count, plain.found_part_count);
    RecordProperty("parts", score.found_part_count);
    RecordProperty("parts, plain", plain.found_part_count);
}

}  // namespace
}  // namespace graze
