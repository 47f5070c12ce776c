// Particles find every intersection that contains a ball no particle can miss, and on real models
// as much as they are known to.
//
// The first is certain: particles begin in the middle of cells that tile the region, so that none
// of its points is farther than half a cell's diagonal from one. A ball of that radius in both
// bodies has a particle in it, and a field off by no more than e says so where the ball is larger
// by e. The adaptive sampling leaves out no cell that contains a common point.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "field/sampled/evaluate_sampled.h"
#include "graze/detector.h"
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

// Counts the parts that contain such a ball; each of them must have a contact in that ball.
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
        const oracle::PointSet near(contacts, needed);
        EXPECT_TRUE(near.has_near(part.inner_point))
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
            SCOPED_TRACE(n);
            SCOPED_TRACE(resolution);
            certain_count += expect_certain_parts(a, b, truth, detect(a, b, options), resolution);
        }
    }
    EXPECT_GT(certain_count, case_count(50));
}

// Particles that begin inside both bodies are contacts where they begin, so that the adaptive
// sampling must have every one of the grid's. Projected ones are on a surface and are not compared.
TEST(Recall, NoParticleInsideIsLeftOut) {
    oracle::RandomPoints<float> random(13);
    std::vector<FieldCase> leaves;
    for (const FieldCase& leaf : field_leaves())
        if (is_finite(leaf.field.bounds().min)) leaves.push_back(leaf);
    std::size_t compared_count = 0;
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
        options.particles.step = ParticleStep::project;
        options.particles.sharpens = false;
        std::vector<Contact> kept = detect(a, b, options);
        const auto is_before = [](const Contact& c, const Contact& d) {
            return std::tie(c.position.x, c.position.y, c.position.z, c.distance) <
                   std::tie(d.position.x, d.position.y, d.position.z, d.distance);
        };
        std::sort(kept.begin(), kept.end(), is_before);
        options.particles.sampling = ParticleSampling::grid;
        for (const Contact& contact : detect(a, b, options)) {
            const auto point = static_cast<Vec3d>(contact.position);
            if (std::max(a(point), b(point)) > -0.03) continue;
            ++compared_count;
            ASSERT_TRUE(std::binary_search(kept.begin(), kept.end(), contact, is_before));
        }
    }
    EXPECT_GT(compared_count, static_cast<std::size_t>(case_count(10000)));
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
            certain_count += expect_certain_parts(a, b, truth, detect(a, b, options), resolution);
        }
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
