// Bodies that deform, by Method::rays: what is found step by step against rigid shapes made anew
// and against the definition.
#include "narrow_phase/rays/refit_rays.h"

#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "graze/split_detector.h"
#include "parallel/memory.h"
#include "tests/error_of.h"
#include "tests/narrow_phase/rays/ray_definition.h"
#include "tests/narrow_phase/rays/wobbling.h"

namespace graze {
namespace {

RaysOptions cast_each_step() {
    RaysOptions options;
    options.is_iterative = false;
    return options;
}

// By ray, without pairs of which one body is inside the other: which of its vertices tells is up to
// the order of the tree.
ContactsByRay rays_of(Detector& detector, const Scene& scene) {
    const auto contacts = detector.detect(scene);
    std::vector<Contact> result(contacts.begin(), contacts.end());
    if (detector.report().figure("contained") > 0) {
        std::map<std::pair<std::uint32_t, std::uint32_t>, int> count;
        for (const Contact& c : result)
            ++count[{c.body_a, c.body_b}];
        std::erase_if(result, [&](const Contact& c) { return count[{c.body_a, c.body_b}] == 1; });
    }
    return by_ray(result);
}

TEST(RefitRays, FindWhatRigidShapesOfTheSamePositionsDo) {
    std::size_t count = 0;
    for (unsigned seed = 0; seed < 12; ++seed) {
        Wobbling wobbling(random_ray_scene(seed, true, 8));
        DetectorOptions options{.gap = seed % 2 == 0 ? 0.0f : 0.03f, .rays = cast_each_step()};
        options.rays.confirms_inside = seed % 4 == 3;
        options.rays.cast = seed % 3 == 2 ? RayCast::stackless : RayCast::tree;
        Detector detector(Method::rays, Device::cpu(), options);
        for (int step = 0; step < 6; ++step) {
            Detector anew(Method::rays, Device::cpu(), options);
            const ContactsByRay found = rays_of(detector, wobbling.scene);
            EXPECT_EQ(found, rays_of(anew, wobbling.as_rigid())) << "seed " << seed << ", " << step;
            EXPECT_EQ(detector.report().figure("contained"), anew.report().figure("contained"));
            count += found.size();
            wobbling.move(0.06f);
            nudge(wobbling.scene, static_cast<unsigned>(step), 0.02f);
        }
    }
    EXPECT_GT(count, 3000u);
}

TEST(RefitRays, FindWhatTheDefinitionFinds) {
    Comparison sum;
    for (unsigned seed = 0; seed < 6; ++seed) {
        Wobbling wobbling(random_ray_scene(seed, false, 5, 0.5f));
        const float gap = seed % 2 == 0 ? 0.0f : 0.03f;
        Detector detector(Method::rays, Device::cpu(), {.gap = gap, .rays = cast_each_step()});
        for (int step = 0; step < 4; ++step) {
            wobbling.move(0.08f);
            const auto contacts = detector.detect(wobbling.scene);
            if (detector.report().figure("contained") > 0) continue;
            const Comparison one = compare_with_definition(wobbling.scene, contacts, gap);
            sum.certain_count += one.certain_count;
            sum.uncertain_count += one.uncertain_count;
            sum.contact_count += one.contact_count;
        }
    }
    EXPECT_GT(sum.contact_count, 500);
    EXPECT_LT(sum.uncertain_count, sum.certain_count / 20);
}

TEST(RefitRays, FollowRaysWhileBodiesDeform) {
    // A ball that is pressed into the ground and trembles: few rays are cast, and none is wrong.
    // What trembles by more than vertices are deep is cast in each step.
    Wobbling wobbling(resting_ball());
    Detector followed(Method::rays, Device::cpu()),
        anew(Method::rays, Device::cpu(), {.rays = cast_each_step()});
    std::size_t wrong = 0, right = 0;
    double rays = 0, cast = 0;
    for (int step = 0; step < 60; ++step) {
        const ContactsByRay found = rays_of(followed, wobbling.scene);
        const ContactsByRay expected = rays_of(anew, wobbling.scene);
        for (const auto& [key, c] : expected) {
            const auto it = found.find(key);
            const bool is_right =
                it != found.end() && std::abs(it->second.distance - c.distance) < 1e-5f;
            (is_right ? right : wrong) += 1;
        }
        for (const auto& [key, c] : found)
            wrong += expected.contains(key) ? 0 : 1;
        rays += followed.report().figure("rays");
        cast += followed.report().figure("cast_rays");
        wobbling.move(0.0002f);
    }
    EXPECT_GT(right, 2000u);
    EXPECT_EQ(wrong, 0u);
    EXPECT_LT(cast, 0.4 * rays) << "walks begin at the last triangle";
}

TEST(RefitRays, AreCastAnewWhereVerticesHaveGoneTooFar) {
    RaysOptions options;
    options.adapts = false;
    options.displacement_threshold = 0.01f;
    Scene scene = resting_ball();
    Shape ball = Shape::from_deforming_mesh(*scene[1].shape.mesh());
    Scene deforming;
    deforming.add(scene[0]);
    deforming.add(ball, scene[1].pose);
    Detector detector(Method::rays, Device::cpu(), {.rays = options});
    std::vector<Vec3> positions = ball.mesh()->positions;
    const auto cast_part = [&](float distance) {
        for (Vec3& p : positions)
            p.x += distance;
        ball.set_positions(positions);
        detector.detect(deforming);
        return detector.report().figure("cast_rays") / detector.report().figure("rays");
    };
    EXPECT_EQ(cast_part(0), 1);
    EXPECT_LT(cast_part(0.004f), 0.5) << "below the threshold";
    EXPECT_LT(cast_part(-0.004f), 0.5);
    EXPECT_EQ(cast_part(0.004f), 1)
        << "in sum, it is beyond, though nothing is far from where it was";
    EXPECT_LT(cast_part(0.004f), 0.5) << "which counts from there on";
}

TEST(RefitRays, RestWhereNothingChanges) {
    Wobbling wobbling(random_ray_scene(2, false, 6));
    Detector detector(Method::rays, Device::cpu());
    for (int step = 0; step < 4; ++step) {
        wobbling.move(0.01f);
        const auto first = detector.detect(wobbling.scene);
        const std::vector<Contact> expected(first.begin(), first.end());
        wobbling.move(0);  // the very same positions
        const auto again = detector.detect(wobbling.scene);
        EXPECT_EQ(std::vector<Contact>(again.begin(), again.end()), expected);
        EXPECT_EQ(detector.report().figure("cast_rays"), 0);
    }
    // One unit in the last place is a change: the vertex is found where it is.
    Shape& shape = wobbling.shapes[0];
    std::vector<Vec3> positions = shape.mesh()->positions;
    positions[0].x = std::nextafter(positions[0].x, 1.0f);
    const std::uint64_t revision = shape.revision();
    shape.set_positions(positions);
    EXPECT_EQ(shape.revision(), revision + 1);
}

TEST(RefitRays, GiveTheSameBytesForAnyNumberOfThreadsAndOfBlocks) {
    Wobbling wobbling(random_ray_scene(5, true, 12, 1.0f));
    const DetectorOptions options{.gap = 0.01f};
    Detector one(Method::rays, Device::cpu(1), options), all(Method::rays, Device::cpu(), options);
    SplitDetector split(Method::rays, {Device::cpu(), Device::cpu(1), Device::cpu()}, options);
    for (int step = 0; step < 8; ++step) {
        const auto expected = one.detect(wobbling.scene);
        const auto found = all.detect(wobbling.scene), blocks = split.detect(wobbling.scene);
        ASSERT_FALSE(expected.empty());
        EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), expected.end()));
        EXPECT_TRUE(std::equal(blocks.begin(), blocks.end(), expected.begin(), expected.end()));
        wobbling.move(0.01f);
    }
    // The threads that refit are those of the detector that comes first.
    Wobbling again(random_ray_scene(5, true, 12, 1.0f));
    Detector other(Method::rays, Device::cpu(), options);
    Detector last(Method::rays, Device::cpu(1), options);
    Wobbling same(random_ray_scene(5, true, 12, 1.0f));
    for (int step = 0; step < 8; ++step) {
        const auto found = other.detect(again.scene), expected = last.detect(same.scene);
        EXPECT_TRUE(std::equal(found.begin(), found.end(), expected.begin(), expected.end()));
        again.move(0.01f);
        same.move(0.01f);
    }
}

TEST(RefitRays, AllocateNothingInASteadyStep) {
    Wobbling wobbling(resting_ball());
    Detector detector(Method::rays, Device::cpu(), {.gap = 0.01f});
    for (int step = 0; step < 30; ++step) {
        detector.detect(wobbling.scene);
        wobbling.move(0.004f);
    }
    const std::int64_t before = host_memory().allocation_count();
    for (int step = 0; step < 10; ++step) {
        EXPECT_FALSE(detector.detect(wobbling.scene).empty());
        wobbling.move(step % 2 == 0 ? 0.004f : -0.004f);
    }
    EXPECT_EQ(host_memory().allocation_count(), before);
}

TEST(RefitRays, BeginWhereverTheShapeIsWhenADetectorFirstSeesIt) {
    Wobbling wobbling(random_ray_scene(4, false, 6));
    Detector early(Method::rays, Device::cpu(), {.rays = cast_each_step()});
    early.detect(wobbling.scene);
    for (int step = 0; step < 4; ++step) {
        wobbling.move(0.05f);
        wobbling.move(0.05f);  // twice between two steps
        Detector late(Method::rays, Device::cpu(), {.rays = cast_each_step()});
        EXPECT_EQ(rays_of(early, wobbling.scene), rays_of(late, wobbling.scene));
    }
}

TEST(RefitRays, LeaveOutVerticesThatHaveLostTheirNormal) {
    // A tetrahedron that is pressed flat, exactly, and comes back.
    const Mesh mesh = sample::tetrahedron();
    Shape shape = Shape::from_deforming_mesh(mesh);
    Scene scene;
    scene.add(Shape::from_mesh(make_sphere(2, 2)));
    scene.add(shape, at({1.7f, 0, 0}));
    const DetectorOptions options{.gap = 0.05f};
    Detector detector(Method::rays, Device::cpu(), options);
    const ContactsByRay expected = rays_of(detector, scene);
    EXPECT_FALSE(expected.empty());
    for (const int axes : {1, 2, 3}) {
        std::vector<Vec3> flat = mesh.positions;
        for (Vec3& p : flat) {
            for (int axis = 0; axis < axes; ++axis)
                p[axis] = 0;
        }
        shape.set_positions(flat);
        for (const Contact& c : detector.detect(scene))
            EXPECT_TRUE(std::isfinite(c.distance));
        shape.set_positions(mesh.positions);
        EXPECT_EQ(rays_of(detector, scene), expected);
    }
}

TEST(RefitRays, KeepSeamsAndOrientation) {
    // A ball of single triangles that faces inwards.
    const Mesh smooth = make_sphere(0.4f, 2);
    Mesh split;
    for (const Triangle& t : smooth.triangles) {
        const auto first = static_cast<std::uint32_t>(split.positions.size());
        for (const std::uint32_t v : t.v)
            split.positions.push_back(smooth.positions[v]);
        split.triangles.push_back({{first, first + 2, first + 1}});
    }
    Scene scene;
    scene.add(Shape::from_mesh(ground_mesh()));
    Shape ball = Shape::from_deforming_mesh(split);
    scene.add(ball, at({0.1f, 0, 0.3f}));
    Detector detector(Method::rays, Device::cpu(), {.rays = cast_each_step()});
    for (int step = 0; step < 4; ++step) {
        std::vector<Vec3> positions = split.positions;
        for (Vec3& p : positions)
            p = wobbled(p, 0.05f * static_cast<float>(step), static_cast<float>(step));
        ball.set_positions(positions);
        Scene rigid;
        rigid.add(scene[0]);
        rigid.add(Shape::from_mesh(*ball.mesh()), scene[1].pose);
        Detector anew(Method::rays, Device::cpu(), {.rays = cast_each_step()});
        const ContactsByRay found = rays_of(detector, scene);
        EXPECT_GT(found.size(), 10u);
        EXPECT_EQ(found, rays_of(anew, rigid));
    }
}

TEST(DeformingShape, RefusesWhatItCannotTake) {
    using testing::error_of;
    Mesh mesh = sample::cube();
    Shape shape = Shape::from_deforming_mesh(mesh);
    const std::vector<Vec3> before = shape.mesh()->positions;
    std::vector<Vec3> positions = before;
    positions.pop_back();
    EXPECT_EQ(error_of([&] { shape.set_positions(positions); }),
              "a deforming shape of 8 vertices gets 7 positions; give one for each vertex");
    positions = before;
    positions[3].y = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(
        error_of([&] { shape.set_positions(positions); }),
        "position 3 of a deforming shape is not finite; make every coordinate a finite number");
    positions[3].y = HUGE_VALF;
    EXPECT_NE(error_of([&] { shape.set_positions(positions); }), "");
    EXPECT_EQ(shape.mesh()->positions, before) << "a mistake changes nothing";
    EXPECT_EQ(shape.revision(), 0u);

    Shape rigid = Shape::from_mesh(mesh);
    EXPECT_FALSE(rigid.deforms());
    EXPECT_NE(error_of([&] { rigid.set_positions(before); }).find("from_deforming_mesh"),
              std::string::npos);
    EXPECT_NE(error_of([&] { Shape::from_deforming_mesh({}); }), "");

    // Vertices that are one do not come apart, but for those that no triangle names.
    mesh.positions.push_back(mesh.positions[0]);
    Shape with_spare = Shape::from_deforming_mesh(mesh);
    positions = mesh.positions;
    positions.back().x += 1;
    EXPECT_EQ(error_of([&] { with_spare.set_positions(positions); }), "");
    mesh.triangles[0].v[0] = mesh.triangles[0].v[0] == 0 ? 8 : mesh.triangles[0].v[0];
    mesh.triangles.push_back({{8, 1, 2}});
    Shape seam = Shape::from_deforming_mesh(mesh);
    EXPECT_EQ(error_of([&] { seam.set_positions(positions); }),
              "vertices 0 and 8 of a deforming shape are one, for they were made at one position; "
              "move them together, or make the shape where they are apart");
}

TEST(DeformingShape, HasNoFieldForOtherMethods) {
    Scene scene;
    scene.add(Shape::from_deforming_mesh(sample::cube()));
    scene.add(Shape::from_mesh(make_sphere(0.5f, 1)));
    for (const Method method : {Method::particles, Method::sweep}) {
        Detector detector(method, Device::cpu());
        const std::string error = testing::error_of([&] { detector.detect(scene); });
        EXPECT_NE(error.find("a shape that deforms has no distance field"), std::string::npos);
        EXPECT_NE(error.find("rays or features"), std::string::npos);
        EXPECT_EQ(error.find('\n'), std::string::npos);
        EXPECT_NE(testing::error_of([&] { detector.prepare(scene); }), "");
    }
    EXPECT_NE(testing::error_of([&] { scene[0].shape.points(); }), "");
    EXPECT_FALSE(scene[0].shape.has_field());
}

std::vector<Contact> in_order(std::span<const Contact> contacts) {
    std::vector<Contact> sorted(contacts.begin(), contacts.end());
    const auto key = [](const Contact& c) {
        return std::tuple(c.body_a, c.body_b, c.feature_a.kind, c.feature_a.index, c.feature_b.kind,
                          c.feature_b.index);
    };
    std::sort(sorted.begin(), sorted.end(),
              [&](const Contact& a, const Contact& b) { return key(a) < key(b); });
    return sorted;
}

TEST(DeformingShape, IsFollowedByFeatures) {
    for (unsigned seed = 0; seed < 4; ++seed) {
        Wobbling wobbling(random_ray_scene(seed, true, 6));
        const DetectorOptions options{.gap = 0.02f};
        Detector detector(Method::features, Device::cpu(), options);
        for (int step = 0; step < 4; ++step) {
            Detector anew(Method::features, Device::cpu(), options);
            const auto found = detector.detect(wobbling.scene);
            const auto expected = anew.detect(wobbling.as_rigid());
            ASSERT_FALSE(expected.empty());
            // The order within a pair is that of the tree.
            EXPECT_EQ(in_order(found), in_order(expected));
            wobbling.move(0.05f);
        }
    }
}

TEST(DeformingShape, HasTheBoxOfToday) {
    Shape shape = Shape::from_deforming_mesh(sample::cube());
    EXPECT_TRUE(shape.deforms());
    std::vector<Vec3> positions = shape.mesh()->positions;
    for (Vec3& p : positions)
        p = p * 3.0f;
    shape.set_positions(positions);
    EXPECT_EQ(shape.bounds().max, (Vec3{3, 3, 3}));
    EXPECT_EQ(shape.mesh()->positions, positions);
    const Shape copy = shape;
    EXPECT_EQ(copy.revision(), 1u);
    EXPECT_NEAR(body_box({.shape = copy}).max.x, 3, 1e-4);
}

}  // namespace
}  // namespace graze
