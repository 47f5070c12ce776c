// Faces against fields: corners of one body that pass between the points of another.
#include <gtest/gtest.h>

#include "tests/narrow_phase/sweep/sweep_cases.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

std::vector<Contact> sweep_faces(const Scene& scene, float face_tolerance, bool has_faces = true) {
    DetectorOptions options;
    options.sweep.has_faces = has_faces;
    options.sweep.face_tolerance = face_tolerance;
    options.sweep.roles = SweepRoles::points_of_a;
    Detector detector(Method::sweep, Device::cpu(), options);
    const auto contacts = detector.detect(scene);
    return {contacts.begin(), contacts.end()};
}

TEST(FaceParts, SeeASpikeThatPassesTheMiddleOfALargeFace) {
    // A plate of two triangles a side, 2 m wide, falls on the tip of a cone.
    Scene scene;
    const auto plate =
        scene.add(Shape::from_mesh(box_mesh({1, 1, 0.05f}), Field::box({1, 1, 0.05f})));
    scene.add(Shape::from_field(Field::cone(0.1f, 0.5f)), at({0.2f, -0.3f, 0}));
    scene.set_motion(plate, at({0, 0, 1}), at({0, 0, 0.3f}));
    EXPECT_TRUE(sweep_faces(scene, 1e-3f, false).empty()) << "vertices pass by";
    const std::vector<Contact> contacts = sweep_faces(scene, 1e-3f);
    // The tip meets the plate's lower side at z = 0.5, and reaches into the one triangle alone.
    const float expected = (1 - 0.05f - 0.5f) / 0.7f;
    float first = 1;
    Vec3 position{};
    for (const Contact& c : contacts) {
        EXPECT_EQ(c.feature_a.kind, FeatureKind::face);
        if (c.time < first) first = c.time, position = c.position;
    }
    ASSERT_FALSE(contacts.empty());
    EXPECT_LE(first, expected + 1e-4f);
    EXPECT_GE(first, expected - 2 * 1e-3f / 0.7f);
    EXPECT_LT(length(position - Vec3{0.2f, -0.3f, 0.5f}), 5e-3f);
}

TEST(FaceParts, SeeAnEdgeBetweenVertices) {
    // Two bars cross: neither has a vertex near the other.
    Scene scene;
    const Shape bar = Shape::from_mesh(box_mesh({1, 0.05f, 0.05f}), Field::box({1, 0.05f, 0.05f}));
    const auto upper = scene.add(bar);
    const Quat across = Quat::from_axis_angle({0, 0, 1}, 1.5707963f);
    const Quat edgewise = Quat::from_axis_angle({1, 0, 0}, 0.7853982f);
    scene.add(bar, {{0, 0, 0}, across * edgewise, 1});
    scene.set_motion(upper, {{0, 0, 0.5f}, edgewise, 1}, {{0, 0, -0.5f}, edgewise, 1});
    EXPECT_TRUE(sweep_faces(scene, 1e-3f, false).empty());
    const std::vector<Contact> contacts = sweep_faces(scene, 1e-3f);
    ASSERT_FALSE(contacts.empty());
    float first = 1;
    for (const Contact& c : contacts)
        first = std::min(first, c.time);
    const float reach = 2 * 0.05f * 1.41421356f;  // of both edges
    EXPECT_NEAR(first, 0.5f - reach, 4e-3f);
}

TEST(FaceParts, MissNothingAndInventNothing) {
    // Points spread over every face, followed by fine sampling, against what is reported.
    int reached_count = 0;
    for (unsigned seed = 0; seed < static_cast<unsigned>(oracle::case_count(10)); ++seed) {
        Scene scene = random_sweep_scene(3 * seed + 1, 2, 0.4f);
        const float tolerance = 0.02f;
        const std::vector<Contact> contacts = sweep_faces(scene, tolerance);
        std::vector<float> time_of_face(scene[0].shape.mesh()->triangles.size(), 2);
        for (const Contact& c : contacts) {
            if (c.feature_a.kind != FeatureKind::face) continue;
            EXPECT_EQ(time_of_face[c.feature_a.index], 2) << "a face has one contact at most";
            time_of_face[c.feature_a.index] = c.time;
            // The point that is reported is within the tolerance of the level, or deeper at t0.
            const Body& field = scene[1];
            const Vec3d x =
                transform_point(inverse(true_pose_at(field, static_cast<double>(c.time))),
                                static_cast<Vec3d>(c.position));
            EXPECT_LE(field.shape.field().distance(static_cast<Vec3>(x)) * field.pose.scale,
                      tolerance * 1.05f)
                << "seed " << seed;
        }
        const Mesh& mesh = *scene[0].shape.mesh();
        for (std::size_t f = 0; f < mesh.triangles.size(); ++f) {
            const Triangle& t = mesh.triangles[f];
            for (int i = 0; i <= 6; ++i) {
                for (int j = 0; i + j <= 6; ++j) {
                    const float u = static_cast<float>(i) / 6, v = static_cast<float>(j) / 6;
                    const Vec3 p = mesh.positions[t[0]] * (1 - u - v) + mesh.positions[t[1]] * u +
                                   mesh.positions[t[2]] * v;
                    for (int k = 0; k <= 40; ++k) {
                        const double time = k / 40.0;
                        // Fields of tests are within a tenth of a voxel, 5 mm.
                        if (value_at(scene[0], scene[1], p, time) > -0.01) continue;
                        ++reached_count;
                        EXPECT_LE(time_of_face[f], static_cast<float>(time) + 1e-4f)
                            << "seed " << seed << ", face " << f;
                        break;
                    }
                }
            }
        }
    }
    EXPECT_GT(reached_count, oracle::case_count(1000));
}

// A triangle hovers over a plane, too low for its large parts to be apart and too high for the
// small ones to be reached: it would take some 100,000 splits. A spike passes through it.
TEST(FaceParts, AFaceThatNeedsTooManySplitsIsReportedByLargerParts) {
    const float height = 0.004f, top = 0.003f;
    Mesh mesh;
    mesh.positions = {{-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}};
    mesh.triangles = {{{0, 1, 2}}};
    const float radius = std::sqrt(2.0f);  // of the sphere around it
    const Field ground = Field::plane({0, 0, 1}, 0);
    const Field spike = Field::sphere({-0.3f, 0.11f, top - 0.01f}, 0.01f);
    const auto make = [&](const Field& field, float end) {
        Scene scene;
        const auto face =
            scene.add(Shape::from_mesh(mesh, Field::sphere({0, 0, 0}, 0.1f)), at({0, 0, height}));
        scene.add(Shape::from_field(field));
        scene.set_motion(face, at({0, 0, height}), at({0, 0, end}));
        return scene;
    };
    const auto value_of = [&](const Field& field, const Contact& c, float end) {
        // The face is where its time says.
        EXPECT_NEAR(c.position.z, height + (end - height) * c.time, 1e-6f);
        return field.distance(c.position);
    };
    // It only hovers, and is reported all the same, by the value of a part: not above its radius.
    const float tolerance = 1e-5f;
    const std::vector<Contact> hovering = sweep_faces(make(ground, height), tolerance);
    ASSERT_EQ(hovering.size(), 1u);
    EXPECT_GT(value_of(ground, hovering[0], height), 100 * tolerance) << "no split was missing";
    EXPECT_LE(value_of(ground, hovering[0], height), radius);
    // With a tolerance that few splits come down to, the report is within that.
    const std::vector<Contact> coarse = sweep_faces(make(ground, height), 0.05f);
    ASSERT_EQ(coarse.size(), 1u);
    EXPECT_LE(value_of(ground, coarse[0], height), 0.05f);
    // As high that no part is near it is not reported.
    EXPECT_TRUE(sweep_faces(make(ground.transformed(at({0, 0, -2})), height), tolerance).empty());
    // What truly comes in is not missed: the top of the spike halfway through the step.
    const Field both = unite(ground, spike);
    const float end = 0.002f;
    const std::vector<Contact> pierced = sweep_faces(make(both, end), tolerance);
    ASSERT_EQ(pierced.size(), 1u);
    EXPECT_LE(pierced[0].time, (height - top) / (height - end) + 1e-4f);
    EXPECT_LE(value_of(both, pierced[0], end), radius);
    // The spike alone takes few splits at a tolerance of a tenth of a millimetre, and has its time.
    const std::vector<Contact> alone = sweep_faces(make(spike, end), 1e-4f);
    ASSERT_EQ(alone.size(), 1u);
    EXPECT_LE(alone[0].time, (height - top) / (height - end) + 1e-4f);
    EXPECT_GE(alone[0].time, (height - top - 1e-4f) / (height - end) - 1e-4f);
    EXPECT_LE(value_of(spike, alone[0], end), 1.01e-4f);
}

}  // namespace
}  // namespace graze
