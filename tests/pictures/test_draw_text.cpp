#include "pictures/draw_text.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace graze::io {
namespace {

constexpr Colour kWhite{255, 255, 255}, kBlack{0, 0, 0};

// Returns how dark the picture is in all, in whole black pixels.
double ink(const Image& image) {
    double sum = 0;
    for (const Colour& pixel : image.pixels)
        sum += (255 - pixel.green) / 255.0;
    return sum;
}

Image draw(const std::string& text, double height = 14) {
    Image image(60, 40, kWhite);
    draw_text(image, 10, 30, text, height, kBlack);
    return image;
}

TEST(DrawText, EveryCharacterHasItsOwnShape) {
    std::set<std::string> seen;
    for (char c = '!'; c <= '~'; ++c) {
        const Image image = draw(std::string(1, c));
        EXPECT_GT(ink(image), 2) << c;
        std::string bytes;
        for (const Colour& pixel : image.pixels)
            bytes += static_cast<char>(pixel.green);
        EXPECT_TRUE(seen.insert(bytes).second) << c;
    }
    EXPECT_EQ(ink(draw(" ")), 0);
}

TEST(DrawText, StaysWithinItsWidthAndHeight) {
    const double height = 14;
    for (char c = '!'; c <= '~'; ++c) {
        const std::string text{c};
        const Image image = draw(text, height);
        const double right = 10 + text_width(text, height);
        for (int y = 0; y < image.height; ++y) {
            for (int x = 0; x < image.width; ++x) {
                if (image.at(x, y) == kWhite) continue;
                EXPECT_TRUE(x >= 8 && x < right + 2) << c;
                EXPECT_TRUE(y >= 30 - height - 2 && y <= 30 + height / 2) << c;
            }
        }
    }
}

TEST(DrawText, WidthsAdd) {
    EXPECT_EQ(text_width("", 7), 0);
    EXPECT_EQ(text_width("0", 7), 4);
    EXPECT_EQ(text_width("00", 7), 10);
    EXPECT_EQ(text_width("00", 14), 20);
}

TEST(DrawText, OtherCharactersAreQuestionMarks) {
    EXPECT_EQ(draw("\n").pixels, draw("?").pixels);
    EXPECT_EQ(draw("\xc3\xa9").pixels, draw("?").pixels);  // one of two bytes
    EXPECT_EQ(draw("\xff").pixels, draw("?").pixels);
}

TEST(DrawText, BeyondTheEdgeNothingHappens) {
    Image image(20, 20, kWhite);
    draw_text(image, -100, 10, "left", 10, kBlack);
    draw_text(image, 5, 500, "below", 10, kBlack);
    draw_text(image, 30, -50, "above", 10, kBlack);
    EXPECT_EQ(ink(image), 0);
    draw_text(image, -5, 4, "MMM", 30, kBlack);
    EXPECT_GT(ink(image), 0);
}

}  // namespace
}  // namespace graze::io
