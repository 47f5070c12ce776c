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

}  // namespace
}  // namespace graze
