#include "graze/draw_slice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "field/sampled/sampled_field.h"
#include "graze/error.h"
#include "parallel/memory.h"
#include "pictures/distance_colours.h"
#include "pictures/round_ticks.h"

namespace graze {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr Aabb kBox{{-2, -2, -2}, {2, 2, 2}};

int brightness(const Colour& c) {
    return (c.red + 2 * c.green + c.blue) / 4;
}

// The picture shows the slice alone: pixel (x, y) shows the middle of its square of the box.
SliceOptions bare(int width) {
    SliceOptions options;
    options.width = width;
    options.legend = false;
    options.box = kBox;
    return options;
}

// [pixels] Returns the distance from the middle of a pixel to a circle, positive outside.
double to_circle(int x, int y, int width, double centre_x, double centre_y, double radius) {
    const double pixel = 4.0 / width;
    const double px = -2 + (x + 0.5) * pixel, py = 2 - (y + 0.5) * pixel;
    return (std::hypot(px - centre_x, py - centre_y) - radius) / pixel;
}

TEST(DrawSlice, TheSurfaceIsWhereASphereIsCut) {
    const Field sphere = Field::sphere({0.5f, -0.25f, 0.125f}, 1);
    const int width = 256;
    struct Case {
        int axis;
        double x, y, height;  // of the centre in the picture, and of the plane above it
    };
    for (const Case& c : {Case{0, -0.25, 0.125, 0.6}, {1, 0.5, 0.125, 0}, {2, 0.5, -0.25, -0.8}}) {
        SliceOptions options = bare(width);
        options.axis = c.axis;
        options.coordinate = Vec3d{0.5, -0.25, 0.125}[c.axis] + c.height;
        options.spacing = 100;  // no other lines
        const Image image = draw_slice(sphere, options);
        ASSERT_EQ(image.width, width);
        ASSERT_EQ(image.height, width);
        const double radius = std::sqrt(1 - c.height * c.height);
        for (int y = 0; y < width; ++y) {
            for (int x = 0; x < width; ++x) {
                const double away = to_circle(x, y, width, c.x, c.y, radius);
                const Colour pixel = image.at(x, y);
                if (std::fabs(away) < 0.4) {
                    ASSERT_LT(brightness(pixel), 70) << x << " " << y;
                } else if (away < -5) {
                    ASSERT_GT(pixel.blue, pixel.red) << x << " " << y;
                } else if (away > 5) {
                    ASSERT_GT(pixel.red, pixel.blue) << x << " " << y;
                }
            }
        }
    }
}

TEST(DrawSlice, LinesAreWhereTheDistanceIsAMultiple) {
    const int width = 512;
    SliceOptions options = bare(width);
    options.spacing = 0.25;
    const Image with = draw_slice(Field::sphere({0, 0, 0}, 1), options);
    options.spacing = 100;
    const Image without = draw_slice(Field::sphere({0, 0, 0}, 1), options);
    int on_line = 0;
    for (int i = 0; i < with.width * with.height; ++i) {
        const int x = i % width, y = i / width;
        const double away = to_circle(x, y, width, 0, 0, 1) * 4 / width / 0.25;  // in spacings
        const double off_line = std::fabs(away - std::round(away));
        if (std::round(away) == 0) continue;
        if (off_line < 0.005) {
            ++on_line;
            EXPECT_NE(with.at(x, y), without.at(x, y)) << x << " " << y;
        } else if (off_line > 0.1) {
            EXPECT_EQ(with.at(x, y), without.at(x, y)) << x << " " << y;
        }
    }
    EXPECT_GT(on_line, 100);
}

TEST(DrawSlice, ThePlaneIsAFractionOfTheBox) {
    const Field sphere = Field::sphere({0, 0, 0}, 1);
    SliceOptions options = bare(100);
    options.fraction = 0.75;
    const Image by_part = draw_slice(sphere, options);
    options.coordinate = 1;
    EXPECT_EQ(by_part.pixels, draw_slice(sphere, options).pixels);
    options.coordinate = 0;
    EXPECT_NE(by_part.pixels, draw_slice(sphere, options).pixels);
}

TEST(DrawSlice, TheNumberOfThreadsDoesNotMatter) {
    SliceOptions options;
    options.device = Device::cpu(1);
    options.title = "a torus";
    const Field torus = Field::torus(2, 0.5f);
    const Image image = draw_slice(torus, options);
    options.device = Device::cpu(2);
    EXPECT_EQ(image.pixels, draw_slice(torus, options).pixels);
}

TEST(DrawSlice, SizesFollowTheBox) {
    SliceOptions options;
    EXPECT_EQ(draw_slice(Field::sphere({0, 0, 0}, 1), options).width, 1024);
    for (const int width : {16, 319, 320, 700}) {
        options.width = width;
        EXPECT_EQ(draw_slice(Field::sphere({0, 0, 0}, 1), options).width, width);
    }
    SliceOptions wide = bare(800);
    wide.box = Aabb{{0, 0, 0}, {1000, 1, 1}};
    EXPECT_EQ(draw_slice(Field::sphere({0, 0, 0}, 1), wide).height, 100);
    wide.box = Aabb{{0, 0, 0}, {1, 1000, 1}};
    EXPECT_EQ(draw_slice(Field::sphere({0, 0, 0}, 1), wide).height, 1600);
    wide.box = Aabb{{0, 0, 0}, {2, 1, 1}};
    EXPECT_EQ(draw_slice(Field::sphere({0, 0, 0}, 1), wide).height, 400);
}

TEST(DrawSlice, TheSmallestAndLargestFields) {
    for (const float size : {1e-6f, 1e6f}) {
        const Image image = draw_slice(Field::sphere({0, 0, 0}, size));
        EXPECT_EQ(image.width, 1024);
    }
    // Far from the solid everything is outside and almost the same.
    SliceOptions options = bare(64);
    options.coordinate = 1e6;
    const Image far = draw_slice(Field::sphere({0, 0, 0}, 1), options);
    EXPECT_GT(far.at(32, 32).red, far.at(32, 32).blue);
}

TEST(DrawSlice, WhatMakesNoSenseIsRefused) {
    const Field sphere = Field::sphere({0, 0, 0}, 1);
    const auto with = [&](auto change) {
        SliceOptions options;
        change(options);
        return draw_slice(sphere, options);
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(with([](auto& o) { o.axis = 3; }), Error);
    EXPECT_THROW(with([](auto& o) { o.axis = -1; }), Error);
    EXPECT_THROW(with([](auto& o) { o.width = 0; }), Error);
    EXPECT_THROW(with([](auto& o) { o.width = 20000; }), Error);
    EXPECT_THROW(with([](auto& o) { o.fraction = 1.5; }), Error);
    EXPECT_THROW(with([&](auto& o) { o.fraction = nan; }), Error);
    EXPECT_THROW(with([&](auto& o) { o.coordinate = nan; }), Error);
    EXPECT_THROW(with([](auto& o) { o.spacing = -1; }), Error);
    EXPECT_THROW(with([](auto& o) { o.box = Aabb::empty(); }), Error);
    EXPECT_THROW(with([](auto& o) { o.box = Aabb{{1, 1, 1}, {1, 1, 1}}; }), Error);
    EXPECT_THAT([] { draw_slice(Field::plane({0, 0, 1}, 0)); },
                ThrowsMessage<Error>(HasSubstr("which part")));
}

// The field has two blocks side by side, of which only the left one has a brick.
std::shared_ptr<SampledField> half_sparse_field() {
    auto field = std::make_shared<SampledField>(host_memory());
    field->grid = {{0, 0, 0}, 0.125f, {16, 8, 8}};
    field->order = FieldOrder::zero;
    field->is_sparse = true;
    field->is_surface_inside = true;
    field->band = 0.25f;
    field->values.resize(kBrickSize);
    field->coarse.resize(3 * 2 * 2);
    field->brick_of_block.resize(2);
    field->block_of_brick.resize(1);
    field->errors.resize(1);
    field->brick_of_block.data()[0] = 0;
    field->brick_of_block.data()[1] = -1;
    field->block_of_brick.data()[0] = 0;
    field->errors.data()[0] = 0;
    for (int i = 0; i < kBrickSize; ++i)
        field->values.data()[i] = 0.7f;
    for (int i = 0; i < 12; ++i)
        field->coarse.data()[i] = 3;
    return field;
}

TEST(DrawSlice, LowerBoundsArePale) {
    SliceOptions options;
    options.legend = false;
    options.width = 200;
    const Image image = draw_slice(make_sampled_field(half_sparse_field()), options);
    ASSERT_EQ(image.height, 100);
    const io::DistanceColours colours(3);  // at least what the far half holds
    const Colour near = image.at(50, 50), far = image.at(190, 50);
    EXPECT_GT(brightness(far), brightness(colours(2.5f)) + 40);
    EXPECT_LT(brightness(near), 240);
}

TEST(DistanceColours, DarkenAlikeToBothSides) {
    const io::DistanceColours colours(2);
    int last_inside = 256, last_outside = 256;
    for (float d = 0.01f; d < 2; d += 0.1f) {
        const int inside = brightness(colours(-d)), outside = brightness(colours(d));
        EXPECT_LT(inside, last_inside);
        EXPECT_LT(outside, last_outside);
        EXPECT_NEAR(inside, outside, 30) << d;
        last_inside = inside;
        last_outside = outside;
        EXPECT_GT(colours(-d).blue, colours(-d).red);
        EXPECT_GT(colours(d).red, colours(d).blue);
    }
    EXPECT_EQ(colours(5), colours(2));
    EXPECT_EQ(io::colour_of_lightness(100, 0, 0), (Colour{255, 255, 255}));
    EXPECT_EQ(io::colour_of_lightness(0, 0, 0), (Colour{0, 0, 0}));
}

TEST(RoundTicks, AreRound) {
    EXPECT_DOUBLE_EQ(io::round_step(0.07), 0.1);
    EXPECT_DOUBLE_EQ(io::round_step(0.1), 0.1);
    EXPECT_DOUBLE_EQ(io::round_step(13), 20);
    EXPECT_DOUBLE_EQ(io::round_step(2.5), 5);
    EXPECT_EQ(io::tick_label(0.30000000001, 0.1), "0.3");
    EXPECT_EQ(io::tick_label(-20, 20), "-20");
    EXPECT_EQ(io::tick_label(1e-20, 0.1), "0");
    EXPECT_EQ(io::tick_label(2e-7, 1e-7), "2e-07");
    int count = 0;
    io::for_each_tick(-0.3, 0.3, 0.1, [&](double) { ++count; });
    EXPECT_EQ(count, 7);
}

}  // namespace
}  // namespace graze
