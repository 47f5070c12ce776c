#include "graze/draw_rays.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "graze/error.h"
#include "graze/generate_mesh.h"
#include "pictures/mesh_cut.h"
#include "pictures/seen_rays.h"
#include "tests/error_of.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {
namespace {

Transform at(float x, float y, float z) {
    return {{x, y, z}, Quat::identity(), 1};
}

// A ball of radius 1 that is sunk into a cube, whose upper face is at z = 1.
Scene sunk_ball() {
    Scene scene;
    scene.add(Shape::from_mesh(sample::cube()));
    scene.add(Shape::from_mesh(make_sphere(0.5f, 3)), at(0.02f, 0.03f, 1.3f));
    return scene;
}

std::vector<Contact> contacts_of(const Scene& scene, float gap = 0,
                                 RayResponse response = RayResponse::reprojected) {
    DetectorOptions options{.gap = gap};
    options.rays.response = response;
    Detector detector(Method::rays, Device::cpu(), options);
    const auto contacts = detector.detect(scene);
    return {contacts.begin(), contacts.end()};
}

// Seen along -y, from z = 0 to 2: x is right and z is up, 200 pixels a metre.
ContactPictureOptions front() {
    ContactPictureOptions options;
    options.width = 400;
    options.legend = false;
    options.box = Aabb{{-1, -1, 0}, {1, 1, 2}};
    options.towards_eye = Vec3{0, -2, 0};
    return options;
}

Colour look(const Image& image, double x, double z) {
    return image.at(static_cast<int>(200 + 200 * x), static_cast<int>(400 - 200 * z));
}

int count_near(const Image& image, const Colour& wanted) {
    return static_cast<int>(
        std::count_if(image.pixels.begin(), image.pixels.end(), [&](const Colour& c) {
            return std::abs(c.red - wanted.red) + std::abs(c.green - wanted.green) +
                       std::abs(c.blue - wanted.blue) <
                   40;
        }));
}

constexpr Colour kDark{28, 30, 36}, kGreen{20, 130, 60}, kPaper{255, 255, 255};

TEST(SeenRays, EndWhereContactsSay) {
    const Scene scene = sunk_ball();
    for (const RayResponse response :
         {RayResponse::reprojected, RayResponse::weighted, RayResponse::ray}) {
        const std::vector<Contact> contacts = contacts_of(scene, 0, response);
        const std::vector<SeenRay> seen = find_seen_rays(scene, contacts, 0);
        std::size_t contact_count = 0;
        for (const SeenRay& ray : seen) {
            EXPECT_NEAR(length(ray.direction), 1, 1e-6);
            EXPECT_EQ(ray.hit.has_value(), ray.way_out.has_value());
            if (!ray.way_out) continue;
            ++contact_count;
            EXPECT_NEAR(ray.hit->z, 1, 1e-5) << "all leave through the upper face";
            EXPECT_LT(length(cross(*ray.hit - ray.vertex, ray.direction)), 1e-5);
            if (response == RayResponse::ray) {
                EXPECT_LT(length(ray.vertex + *ray.way_out - *ray.hit), 1e-5);
            }
            if (response == RayResponse::reprojected) {
                EXPECT_NEAR((ray.vertex + *ray.way_out).z, 1, 1e-5);
                EXPECT_NEAR(ray.way_out->x, 0, 1e-6);
            }
        }
        EXPECT_EQ(contact_count, contacts.size());
        EXPECT_GE(seen.size(), contacts.size());
    }
    // In front of a face, the ray goes the other way.
    Scene above = sunk_ball();
    above.set_pose(1, at(0, 0, 1.51f));
    const std::vector<Contact> near = contacts_of(above, 0.05f);
    ASSERT_FALSE(near.empty());
    for (const SeenRay& ray : find_seen_rays(above, near, 0.05f)) {
        if (!ray.way_out || ray.vertex.z < 1.001) continue;
        EXPECT_NEAR(ray.hit->z, 1, 1e-5);
        EXPECT_LT(dot(*ray.hit - ray.vertex, ray.direction), 0);
        EXPECT_NEAR((ray.vertex + *ray.way_out).z, 1, 1e-5);
    }
}

TEST(SeenRays, HaveNoHitForABodyInsideAnother) {
    Scene scene;
    scene.add(Shape::from_mesh(make_sphere(1, 3)));
    scene.add(Shape::from_mesh(make_sphere(0.1f, 1)), at(0.5f, 0, 0));
    const std::vector<Contact> contacts = contacts_of(scene);
    ASSERT_EQ(contacts.size(), 1u);
    std::size_t count = 0;
    for (const SeenRay& ray : find_seen_rays(scene, contacts, 0)) {
        if (!ray.way_out) continue;
        ++count;
        EXPECT_NEAR(length(ray.vertex + *ray.way_out), 1, 0.02) << "to the surface";
    }
    EXPECT_EQ(count, 1u);
    EXPECT_EQ(draw_rays(scene, contacts).width, 1024);
}

TEST(MeshCut, IsTheOutlineOfWhatIsInThePlane) {
    PictureCamera camera{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}, {0, 0.1, 0}, 0.02, 200, 150};
    const Body cube{.shape = Shape::from_mesh(sample::cube())};
    const auto cut = cut_mesh(cube, camera);
    double outline = 0;
    for (const CutSegment& s : cut)
        outline += std::hypot(s.b.x - s.a.x, s.b.y - s.a.y) * camera.pixel;
    EXPECT_NEAR(outline, 8, 1e-6);
    const std::vector<bool> inside = fill_cut(cut, camera);
    EXPECT_EQ(std::count(inside.begin(), inside.end(), true), 100 * 100);
    // A plane through vertices and edges, and one beside the body.
    camera.centre = {0, 1, 0};
    for (const double y : {0.0, 1.0, -1.0}) {
        camera.centre = {0, y, 0};
        const std::vector<bool> at_face = fill_cut(cut_mesh(cube, camera), camera);
        const auto count = std::count(at_face.begin(), at_face.end(), true);
        EXPECT_TRUE(count == 0 || count == 100 * 100) << y << ": " << count;
    }
    camera.centre = {0, 1.5, 0};
    EXPECT_TRUE(cut_mesh(cube, camera).empty());
    // A ball, off the picture's edges as well.
    camera.centre = {0.6, 0, 0};
    camera.pixel = 0.01;
    const Body ball{.shape = Shape::from_mesh(make_sphere(1, 5))};
    const std::vector<bool> round = fill_cut(cut_mesh(ball, camera), camera);
    for (int y = 0; y < camera.height; ++y) {
        for (int x = 0; x < camera.width; ++x) {
            const double away = graze::length(camera.point(x + 0.5, y + 0.5));
            if (std::fabs(away - 1) < 0.01) continue;
            EXPECT_EQ(round[static_cast<std::size_t>(y * camera.width + x)], away < 1);
        }
    }
    // An open mesh has an outline, but no inside.
    Mesh open = sample::cube();
    open.triangles.erase(open.triangles.begin(), open.triangles.begin() + 2);
    for (const double y : {0.3, -0.2}) {
        camera = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, y}, 0.02, 200, 150};
        const Body sheet{.shape = Shape::from_mesh(open)};
        EXPECT_FALSE(cut_mesh(sheet, camera).empty());
    }
}

TEST(DrawRays, ShowsBodiesAndWhatTheyShare) {
    const Scene scene = sunk_ball();
    const Image image = draw_rays(scene, {}, 0, front());
    ASSERT_EQ(image.width, 400);
    ASSERT_EQ(image.height, 400);
    const Colour cube = look(image, -0.6, 0.5), ball = look(image, 0.02, 1.6),
                 none = look(image, -0.8, 1.8);
    EXPECT_GT(cube.blue, cube.red);
    EXPECT_GT(ball.red, ball.blue);
    // The cap of the ball below the cube's face, but for its outline and rays.
    EXPECT_GT(count_near(image, {236, 150, 142}), 2500);
    EXPECT_LT(count_near(image, {236, 150, 142}), 4500);
    EXPECT_EQ(none, kPaper);
}

TEST(DrawRays, ShowsRaysOfContactsAndTheirDepths) {
    const Scene scene = sunk_ball();
    const std::vector<Contact> contacts = contacts_of(scene);
    ASSERT_GT(contacts.size(), 10u);
    const Image without = draw_rays(scene, {}, 0, front());
    const Image with = draw_rays(scene, contacts, 0, front());
    EXPECT_GT(count_near(with, kDark), count_near(without, kDark) + 50);
    EXPECT_GT(count_near(with, kGreen), count_near(without, kGreen) + 50);
    EXPECT_EQ(count_near(without, kGreen), 0);
    // Far from what the two share there is no ray.
    for (int y = 300; y < 400; ++y) {
        for (int x = 0; x < 400; ++x)
            EXPECT_EQ(with.at(x, y), without.at(x, y));
    }
    // The default plane goes through the deepest contact, and shows as much.
    ContactPictureOptions options;
    options.width = 400;
    options.names = {"cube", "ball"};
    const Image by_default = draw_rays(scene, contacts, 0, options);
    EXPECT_EQ(by_default.width, 400);
    EXPECT_GT(count_near(by_default, kGreen), 50);
    options.device = Device::cpu(1);
    EXPECT_TRUE(draw_rays(scene, contacts, 0, options).pixels == by_default.pixels);
}

TEST(DrawRays, BuildsNoField) {
    const Scene scene = sunk_ball();
    draw_rays(scene, contacts_of(scene));
    for (const Body& body : scene.bodies())
        EXPECT_FALSE(body.shape.has_field());
    // So that a shape can be drawn that never has one.
    Scene deforming;
    deforming.add(Shape::from_deforming_mesh(sample::cube()));
    deforming.add(Shape::from_deforming_mesh(make_sphere(0.5f, 3)), at(0.02f, 0.03f, 1.3f));
    EXPECT_TRUE(draw_rays(deforming, contacts_of(deforming)).pixels ==
                draw_rays(scene, contacts_of(scene)).pixels);
}

TEST(DrawRays, RefusesWhatMakesNoSense) {
    using testing::error_of;
    const Scene scene = sunk_ball();
    EXPECT_NE(error_of([] { draw_rays({}, {}); }), "");
    ContactPictureOptions options;
    options.width = 10;
    EXPECT_NE(error_of([&] { draw_rays(scene, {}, 0, options); }), "");
    options.width = 200;
    options.towards_eye = Vec3{0, 0, 0};
    EXPECT_NE(error_of([&] { draw_rays(scene, {}, 0, options); }), "");
    options.towards_eye.reset();
    options.box = Aabb::empty();
    EXPECT_NE(error_of([&] { draw_rays(scene, {}, 0, options); }), "");
    Scene without;
    without.add(Shape::from_field(Field::sphere({0, 0, 0}, 1)));
    EXPECT_EQ(error_of([&] { draw_rays(without, {}); }),
              "rays: a body has no triangles to draw; make its shape from a mesh");
    std::vector<Contact> contacts = contacts_of(scene);
    contacts[0].body_b = 7;
    EXPECT_NE(error_of([&] { draw_rays(scene, contacts); }), "");
    // Bodies apart are a picture, too.
    Scene apart = sunk_ball();
    apart.set_pose(1, at(0, 0, 9));
    EXPECT_EQ(draw_rays(apart, {}).width, 1024);
}

}  // namespace
}  // namespace graze
