#include "graze/draw_contacts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "graze/error.h"
#include "pictures/contact_colours.h"
#include "pictures/picture_camera.h"
#include "pictures/trace_ray.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr Colour kWhite{255, 255, 255};
// The fraction of the picture that a given box takes.
constexpr double kShown = 1 / 1.06;

Shape ball(float radius = 1) {
    return Shape::from_field(Field::sphere({0, 0, 0}, radius));
}

Transform at(float x, float y, float z, float scale = 1) {
    return {{x, y, z}, Quat::identity(), scale};
}

Contact contact(const Vec3& position, const Vec3& normal, float distance) {
    Contact result{};
    result.body_b = 1;
    result.position = position;
    result.normal = normal;
    result.distance = distance;
    return result;
}

// The picture shows the bodies alone, seen along z: x is right, y is up, and its sides are 4 m and
// a margin.
ContactPictureOptions front(int width) {
    ContactPictureOptions options;
    options.width = width;
    options.legend = false;
    options.box = Aabb{{-2, -2, -2}, {2, 2, 2}};
    options.towards_eye = Vec3{0, 0, 3};
    return options;
}

struct Pixel {
    int x, y;
};
// Returns the pixel of a point, by the words above alone.
Pixel pixel_of(double x, double y, int width) {
    const double per_metre = width * kShown / 4;
    return {static_cast<int>(std::floor(0.5 * width + x * per_metre)),
            static_cast<int>(std::floor(0.5 * width - y * per_metre))};
}

Colour look(const Image& image, double x, double y) {
    const Pixel pixel = pixel_of(x, y, image.width);
    return image.at(pixel.x, pixel.y);
}

bool is_bluish(const Colour& c) {
    return c.blue > c.red + 10;
}
bool is_orange(const Colour& c) {
    return c.red > c.blue + 10;
}

int count_colour(const Image& image, const Colour& colour) {
    return static_cast<int>(std::count(image.pixels.begin(), image.pixels.end(), colour));
}

Scene two_balls(float distance) {
    Scene scene;
    scene.add(ball(), at(-distance / 2, 0, 0));
    scene.add(ball(), at(distance / 2, 0, 0));
    return scene;
}

TEST(DrawContacts, BodiesAreWhereTheyAre) {
    const Image image = draw_contacts(two_balls(2.2f), {}, front(300));
    ASSERT_EQ(image.width, 300);
    ASSERT_EQ(image.height, 300);
    EXPECT_TRUE(is_bluish(look(image, -1.1, 0)));
    EXPECT_TRUE(is_orange(look(image, 1.1, 0)));
    // Their silhouettes are circles, to a pixel and its outline.
    const double pixel = 4 / (300 * kShown);
    for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < image.width; ++x) {
            const double px = (x + 0.5 - 150) * pixel, py = (150 - y - 0.5) * pixel;
            const double away = std::min(std::hypot(px + 1.1, py), std::hypot(px - 1.1, py)) - 1;
            if (away > 2.5 * pixel) {
                EXPECT_EQ(image.at(x, y), kWhite) << x << " " << y;
            } else if (away < 0) {
                EXPECT_NE(image.at(x, y), kWhite) << x << " " << y;
            }
        }
    }
}

TEST(DrawContacts, PosesTurnAndScale) {
    Scene scene;
    const Quat quarter = Quat::from_axis_angle({0, 0, 1}, 1.5707963f);
    // A bar along x, turned to stand along y, three times as large.
    scene.add(Shape::from_field(Field::box({0.5f, 0.1f, 0.1f})), {{0.5f, 0, 0}, quarter, 3});
    const Image image = draw_contacts(scene, {}, front(200));
    for (const double y : {-1.4, 0.0, 1.4})
        EXPECT_NE(look(image, 0.5, y), kWhite) << y;
    for (const double y : {-1.6, 1.6})
        EXPECT_EQ(look(image, 0.5, y), kWhite) << y;
    EXPECT_NE(look(image, 0.75, 0), kWhite);
    EXPECT_EQ(look(image, 0.9, 0), kWhite);
    EXPECT_EQ(look(image, 0.1, 0), kWhite);
}

TEST(DrawContacts, DotsAreWhereContactsAre) {
    const std::vector<Contact> contacts{contact({0.25f, 0.5f, 0}, {-1, 0, 0}, -0.1f),
                                        contact({-0.25f, -1.3f, 0.5f}, {-1, 0, 0}, -0.3f),
                                        contact({1.25f, 1.1f, -0.5f}, {0, 1, 0}, -0.0f)};
    const Image image = draw_contacts(two_balls(1.5f), contacts, front(400));
    const DepthColours colours{-0.3f, 0};
    for (const Contact& c : contacts)
        EXPECT_EQ(look(image, c.position.x, c.position.y), colours(c.distance)) << c.distance;
    // Each has its own colour, and deeper ones are darker.
    EXPECT_EQ(count_colour(image, colours(-0.2f)), 0);
    EXPECT_GT(colours(0).green, colours(-0.1f).green);
    EXPECT_GT(colours(-0.1f).green, colours(-0.3f).green);
    EXPECT_GT(colours(-0.1f).red, colours(-0.3f).red);
    // Bodies that do not touch yet are close in green.
    EXPECT_GT(DepthColours({-0.3f, 0.1f})(0.05f).green, DepthColours({-0.3f, 0.1f})(0.05f).red);
}

// The arrow lies beside the dot, on the side that the normal points to and on no other.
TEST(DrawContacts, ArrowsGoAlongNormals) {
    const Vec3 position{0.25f, 0.5f, 0};
    for (const Vec3& normal : {Vec3{-1, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, -1, 0}}) {
        const std::vector<Contact> contacts{contact(position, normal, -0.1f)};
        ContactPictureOptions options = front(400);
        const Image image = draw_contacts(two_balls(1.5f), contacts, options);
        const Pixel dot = pixel_of(position.x, position.y, 400);
        for (const auto& [dx, dy] : {std::pair{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
            // 14 pixels from the dot is the arrow, if there is one.
            int darkest = 255;
            for (int across = -1; across <= 1; ++across) {
                const Colour c =
                    image.at(dot.x + 14 * dx + across * dy, dot.y - 14 * dy + across * dx);
                darkest = std::min<int>(darkest, c.green);
            }
            const bool is_along = dx == normal.x && dy == normal.y;
            EXPECT_EQ(darkest < 90, is_along)
                << normal.x << " " << normal.y << " at " << dx << " " << dy << ": " << darkest;
        }
    }
}

TEST(DrawContacts, WhatTwoBodiesShareStandsOut) {
    const Contact far_off = contact({0, 1.8f, 0}, {-1, 0, 0}, -0.1f);
    const Image image = draw_contacts(two_balls(1), std::vector{far_off}, front(200));
    const Colour shared = look(image, 0, 0), a = look(image, -1.2, 0), b = look(image, 1.2, 0);
    EXPECT_GT(shared.red, shared.blue + 15);
    EXPECT_GT(shared.red, shared.green + 30);
    EXPECT_LT(shared.green, a.green - 20);
    EXPECT_LT(shared.green, b.green - 20);
    EXPECT_TRUE(is_bluish(a));
    EXPECT_TRUE(is_orange(b));
}

TEST(DrawContacts, BodiesWithoutEndAreCutOff) {
    Scene scene;
    scene.add(ball(), at(0, 0, 0.9f));
    scene.add(Shape::from_field(Field::plane({0, 0, 1}, 0)));
    const std::vector<Contact> contacts{contact({0, 0, -0.1f}, {0, 0, 1}, -0.1f)};
    ContactPictureOptions options;
    options.width = 240;
    options.legend = false;
    const Image image = draw_contacts(scene, contacts, options);
    // The ground fills some of the picture, but not all of it.
    int orange = 0, white = 0;
    for (const Colour& c : image.pixels) {
        orange += is_orange(c);
        white += c == kWhite;
    }
    EXPECT_GT(orange, static_cast<int>(image.pixels.size()) / 10);
    EXPECT_GT(white, static_cast<int>(image.pixels.size()) / 10);
    for (const int x : {0, image.width - 1}) {
        for (const int y : {0, image.height - 1})
            EXPECT_EQ(image.at(x, y), kWhite);
    }
    // The ground lies below the ball.
    const PictureCamera camera =
        choose_direction(scene, contacts, picture_region(scene, contacts), options);
    EXPECT_GT(camera.up.z, 0.5);

    // With nothing else, some of it is shown around its origin.
    Scene bare;
    bare.add(Shape::from_field(Field::plane({1, 2, 3}, 0)));
    const Image ground = draw_contacts(bare, {}, options);
    EXPECT_GT(count_colour(ground, kWhite), 0);
    EXPECT_LT(count_colour(ground, kWhite), static_cast<int>(ground.pixels.size()));
}

TEST(DrawContacts, AnyNumberOfThreads) {
    Scene scene;
    scene.add(
        Shape::from_mesh(sample::torus(24, 12), {.field = {.resolution = 24, .sparse = true}}));
    scene.add(Shape::from_field(Field::box({0.3f, 0.3f, 0.3f})), at(1, 0, 0));
    const std::vector<Contact> contacts{contact({1, 0, 0.2f}, {0, 0, 1}, -0.05f),
                                        contact({1, 0, -0.2f}, {0, 0, -1}, 0.01f)};
    ContactPictureOptions options;
    options.width = 330;
    options.device = Device::cpu(1);
    const Image one = draw_contacts(scene, contacts, options);
    for (const int count : {2, 3, 0}) {
        options.device = Device::cpu(count);
        const Image many = draw_contacts(scene, contacts, options);
        ASSERT_EQ(many.height, one.height);
        EXPECT_TRUE(many.pixels == one.pixels) << count;
    }
}

// Wherever the bodies are, they fill the picture: at one of its sides at least the margin is small.
TEST(DrawContacts, FramesWhatIsThere) {
    for (const float offset : {0.0f, 1000.0f}) {
        Scene scene;
        scene.add(ball(3), at(offset, 0, -offset));
        scene.add(ball(1), at(offset + 3.5f, 0, -offset));
        ContactPictureOptions options;
        options.width = 300;
        options.legend = false;
        const Image image = draw_contacts(scene, {}, options);
        int left = image.width, right = -1, top = image.height, bottom = -1;
        for (int y = 0; y < image.height; ++y) {
            for (int x = 0; x < image.width; ++x) {
                if (image.at(x, y) == kWhite) continue;
                left = std::min(left, x), right = std::max(right, x);
                top = std::min(top, y), bottom = std::max(bottom, y);
            }
        }
        EXPECT_GT(left, 0);
        EXPECT_GT(top, 0);
        EXPECT_LT(right, image.width - 1);
        EXPECT_LT(bottom, image.height - 1);
        EXPECT_LT(std::min(left + image.width - right, top + image.height - bottom), 40);
        EXPECT_NEAR(left, image.width - 1 - right, 10);
        EXPECT_NEAR(top, image.height - 1 - bottom, 10);
    }
}

TEST(DrawContacts, LegendHasTheKey) {
    const std::vector<Contact> contacts{contact({0, 0, 0}, {-1, 0, 0}, -0.25f)};
    ContactPictureOptions options;
    options.width = 400;
    options.title = "balls";
    options.names = {"left", "right", "one too many"};
    const Image with = draw_contacts(two_balls(1.5f), contacts, options);
    const DepthColours colours{-0.25f, 0};
    // The bar's upper end is at the touch, and below it colours run to the deepest.
    const auto has_column = [&](const Colour& colour) {
        for (int y = 0; y < with.height; ++y) {
            for (int x = 330; x < with.width; ++x) {
                const Colour c = with.at(x, y);
                if (std::abs(c.red - colour.red) + std::abs(c.green - colour.green) +
                        std::abs(c.blue - colour.blue) <
                    12)
                    return true;
            }
        }
        return false;
    };
    EXPECT_TRUE(has_column(colours(-0.002f)));
    EXPECT_TRUE(has_column(colours(-0.125f)));
    EXPECT_TRUE(has_column(colours(-0.248f)));
    // The title has letters.
    int dark = 0;
    for (int y = 0; y < 30; ++y) {
        for (int x = 0; x < 200; ++x)
            dark += with.at(x, y).green < 100;
    }
    EXPECT_GT(dark, 50);
    const Image without = draw_contacts(two_balls(3), {}, options);
    EXPECT_EQ(count_colour(without, colours(-0.125f)), 0);
    // A picture that is too small for letters has no legend.
    options.width = 100;
    EXPECT_LE(draw_contacts(two_balls(3), {}, options).height, 100);
}

// Normals are seen from the side, whichever direction they have.
TEST(DrawContacts, LooksAcrossTheNormals) {
    for (const Vec3& normal : {Vec3{1, 0, 0}, Vec3{0, 0, 1}, normalized(Vec3{1, 0, 1}),
                               normalized(Vec3{1, 0.3f, -1}), Vec3{0, 1, 0}}) {
        Scene scene;
        scene.add(ball(), {normal * 0.9f, Quat::identity(), 1});
        scene.add(ball(), {normal * -0.9f, Quat::identity(), 1});
        const std::vector<Contact> contacts{contact({0, 0, 0}, normal, -0.2f)};
        const PictureCamera camera =
            choose_direction(scene, contacts, picture_region(scene, contacts), {});
        EXPECT_LT(std::fabs(dot(camera.towards, static_cast<Vec3d>(normal))), 0.55);
        EXPECT_NEAR(length(camera.towards), 1, 1e-12);
        EXPECT_NEAR(dot(camera.towards, camera.right), 0, 1e-12);
        EXPECT_NEAR(dot(camera.up, camera.right), 0, 1e-12);
        EXPECT_NEAR(dot(cross(camera.right, camera.up), camera.towards), 1, 1e-12);
        EXPECT_GT(camera.up.y, 0.5);
    }
}

Contact timed(const Vec3& position, const Vec3& normal, float time) {
    Contact result = contact(position, normal, 0.1f);
    result.time = time;
    return result;
}

// A small ball goes from left to right; its contacts are beside it, where nothing else is drawn.
TEST(DrawContacts, MotionShowsPathsAndTimes) {
    Scene scene;
    scene.add(ball(0.3f));
    scene.set_motion(0, at(-1.5f, 0, 0), at(1.5f, 0, 0));
    scene.add(ball(0.2f), at(1.7f, -1.7f, 0));
    const std::vector<Contact> contacts{timed({0.5f, 1.5f, 0}, {0, -1, 0}, 0.4f),
                                        timed({0.9f, -1.2f, 0}, {0, 1, 0}, 0.6f)};
    const Image image = draw_contacts(scene, contacts, front(400));
    // Dots have the colours of their times.
    const ContactColours colours{true, 0.4f, 0.6f};
    EXPECT_EQ(look(image, 0.5, 1.5), colours(0.4f));
    EXPECT_EQ(look(image, 0.9, -1.2), colours(0.6f));
    EXPECT_LT(colours(0.4f).green, colours(0.5f).green);
    EXPECT_LT(colours(0.5f).green, colours(0.6f).green);
    // Paths begin where the points were: three metres a step to the left.
    for (const auto& [from, to, y] : {std::array{-0.7, 0.5, 1.5}, std::array{-0.9, 0.9, -1.2}}) {
        for (const double fraction : {0.02, 0.3, 0.8})
            EXPECT_NE(look(image, from + (to - from) * fraction, y), kWhite) << fraction;
        EXPECT_EQ(look(image, from - 0.2, y), kWhite);
        EXPECT_EQ(look(image, to + 0.3, y), kWhite);
        EXPECT_EQ(look(image, (from + to) / 2, y + 0.1), kWhite);
    }
    // The ball is where it begins, and faintly where it first touches, nowhere else.
    const Colour begin = look(image, -1.5, 0), later = look(image, -0.3, 0);
    EXPECT_NE(later, kWhite);
    EXPECT_TRUE(is_bluish(begin));
    EXPECT_LT(begin.red, later.red - 15);
    EXPECT_EQ(look(image, 0.6, 0), kWhite);
    EXPECT_EQ(look(image, 1.5, 0), kWhite);
    // Without contacts it appears at the end of the step; without motion once.
    const Image missed = draw_contacts(scene, {}, front(400));
    EXPECT_EQ(look(missed, -0.3, 0), kWhite);
    EXPECT_NE(look(missed, 1.5, 0), kWhite);
    scene.set_pose(0, at(-1.5f, 0, 0));
    EXPECT_EQ(look(draw_contacts(scene, {}, front(400)), 1.5, 0), kWhite);
}

// A body far from its origin turns by a quarter: its corner goes along an arc, or straight.
TEST(DrawContacts, PathsOfTurningBodiesAreArcs) {
    Mesh mesh = sample::cube();
    for (Vec3& p : mesh.positions)
        p = {1.5f + 0.1f * p.x, 0.1f * p.y, 0.1f * p.z};
    const Vec3 corner = mesh.positions[0];
    Scene scene;
    scene.add(Shape::from_mesh(mesh, {.field = {.resolution = 16}}));
    scene.set_motion(0, at(0, 0, 0), {{0, 0, 0}, Quat::from_axis_angle({0, 0, 1}, 1.5707963f), 1});
    scene.add(ball(0.1f), at(-1.8f, -1.8f, 0));
    Contact end = timed({-corner.y, corner.x, corner.z}, {1, 0, 0}, 1);
    end.feature_a = Feature{FeatureKind::vertex, 0};
    ContactPictureOptions options = front(400);
    const Image arc = draw_contacts(scene, std::vector{end}, options);
    options.motion = SweepMotion::straight;
    const Image straight = draw_contacts(scene, std::vector{end}, options);
    const double radius = std::hypot(corner.x, corner.y),
                 middle = std::atan2(corner.y, corner.x) + 0.25 * 3.14159265358979;
    const Vec3d on_arc{radius * std::cos(middle), radius * std::sin(middle), 0};
    const Vec3d on_chord{(corner.x - corner.y) / 2, (corner.y + corner.x) / 2, 0};
    EXPECT_NE(look(arc, on_arc.x, on_arc.y), kWhite);
    EXPECT_EQ(look(arc, on_chord.x, on_chord.y), kWhite);
    EXPECT_NE(look(straight, on_chord.x, on_chord.y), kWhite);
    EXPECT_EQ(look(straight, on_arc.x, on_arc.y), kWhite);
}

TEST(DrawContacts, RefusesWhatMakesNoSense) {
    const Scene scene = two_balls(1);
    const auto refuses = [&](const ContactPictureOptions& options, const char* words) {
        EXPECT_THAT([&] { draw_contacts(scene, {}, options); },
                    ThrowsMessage<Error>(HasSubstr(words)));
    };
    EXPECT_THAT([] { draw_contacts(Scene(), {}); }, ThrowsMessage<Error>(HasSubstr("no body")));
    for (const int width : {-1, 0, 63, 8193}) {
        ContactPictureOptions options;
        options.width = width;
        refuses(options, "pixels wide");
    }
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    ContactPictureOptions options;
    for (const Aabb& box : {Aabb::empty(), Aabb{{0, 0, 0}, {0, 0, 0}},
                            Aabb{{0, 0, 0}, {kInfinity, 1, 1}}, Aabb{{1, 0, 0}, {0, 1, 1}}}) {
        options.box = box;
        refuses(options, "box");
    }
    options.box.reset();
    for (const Vec3& eye : {Vec3{0, 0, 0}, Vec3{kInfinity, 0, 0}}) {
        options.towards_eye = eye;
        refuses(options, "eye");
    }
    Contact odd = contact({0, 0, 0}, {1, 0, 0}, 0);
    odd.body_b = 2;
    EXPECT_THAT([&] { draw_contacts(scene, std::vector{odd}); },
                ThrowsMessage<Error>(HasSubstr("body")));
    for (const Contact& bad :
         {contact({0, kInfinity, 0}, {1, 0, 0}, 0), contact({0, 0, 0}, {1, -kInfinity, 0}, 0),
          contact({0, 0, 0}, {1, 0, 0}, kInfinity)}) {
        EXPECT_THAT([&] { draw_contacts(scene, std::vector{bad}); },
                    ThrowsMessage<Error>(HasSubstr("finite")));
    }
}

TEST(TraceRay, FindsTheFirstHit) {
    // There is a ball of radius 1 at 5 m along the ray, `off` m beside it.
    for (const double off : {0.0, 0.3, 0.7, 0.95, 1.05, 2.0}) {
        const auto distance = [&](double t) { return std::hypot(t - 5, off) - 1; };
        const TracedHit hit = trace_ray(distance, 0, 10, 0.01);
        EXPECT_EQ(hit.is_hit, off < 1) << off;
        EXPECT_FALSE(hit.is_cut);
        if (hit.is_hit) {
            EXPECT_NEAR(hit.t, 5 - std::sqrt(1 - off * off), 0.01 / std::sqrt(1 - off * off));
            EXPECT_NEAR(distance(hit.t), 0, 0.0021);
        } else {
            // The distance is exact where it matters, within a few details of the surface.
            EXPECT_GE(hit.nearest, off - 1);
            if (off < 1.1) {
                EXPECT_NEAR(hit.nearest, off - 1, 0.01);
                EXPECT_NEAR(hit.nearest_t, 5, 0.05);
            }
        }
    }
    const auto inside = [](double t) { return std::fabs(t - 5) - 1; };
    const TracedHit cut = trace_ray(inside, 5, 10, 0.01);
    EXPECT_TRUE(cut.is_hit && cut.is_cut);
    EXPECT_EQ(cut.t, 5);
    EXPECT_FALSE(trace_ray(inside, 7, 6, 0.01).is_hit);
    // Distances that are a little too large, as of samples, lead past the surface and back to it.
    const auto eager = [](double t) { return t < 3.9 ? 1.2 * (4 - t) : 4 - t; };
    EXPECT_NEAR(trace_ray(eager, 0, 10, 0.01).t, 4, 0.003);
}

}  // namespace
}  // namespace graze
