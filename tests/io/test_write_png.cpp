#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include <filesystem>
#include <random>

#include "graze/error.h"
#include "graze/image.h"
#include "tests/temporary_folder.h"

namespace graze {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class WritePng : public ::testing::Test {
protected:
    testing::TemporaryFolder folder_;
};

Image random_image(int width, int height, unsigned seed) {
    Image image(width, height);
    std::mt19937 random(seed);
    for (Colour& pixel : image.pixels) {
        const auto bits = random();
        pixel = {static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8),
                 static_cast<std::uint8_t>(bits >> 16)};
    }
    return image;
}

// By libpng, which is not what wrote the rows' order and the colours' meaning.
Image read_png(const fs::path& path) {
    png_image header{};
    header.version = PNG_IMAGE_VERSION;
    EXPECT_TRUE(png_image_begin_read_from_file(&header, path.c_str())) << header.message;
    EXPECT_EQ(header.format, static_cast<png_uint_32>(PNG_FORMAT_RGB));
    Image image(static_cast<int>(header.width), static_cast<int>(header.height));
    EXPECT_TRUE(png_image_finish_read(&header, nullptr, image.pixels.data(), 0, nullptr));
    return image;
}

TEST_F(WritePng, GivesTheSamePixelsBack) {
    for (const auto& [width, height] : {std::pair{1, 1}, {3, 2}, {200, 1}, {1, 77}, {257, 129}}) {
        const Image image = random_image(width, height, static_cast<unsigned>(width));
        save_png(image, folder_ / "a.png");
        const Image read = read_png(folder_ / "a.png");
        EXPECT_EQ(read.width, width);
        EXPECT_EQ(read.height, height);
        EXPECT_EQ(read.pixels, image.pixels);
    }
}

TEST_F(WritePng, EncodesWhatTheFileHolds) {
    const Image image = random_image(31, 17, 4);
    save_png(image, folder_ / "a.png");
    EXPECT_EQ(encode_png(image), testing::read_bytes(folder_ / "a.png"));
    EXPECT_THAT([] { encode_png(Image()); }, ThrowsMessage<Error>(HasSubstr("no pixels")));
}

TEST_F(WritePng, TheFirstPixelIsTheUpperLeftOne) {
    Image image(2, 2, {0, 0, 0});
    image.at(1, 0) = {255, 0, 0};
    image.at(0, 1) = {0, 0, 255};
    save_png(image, folder_ / "b.PNG");
    const Image read = read_png(folder_ / "b.PNG");
    EXPECT_EQ(read.pixels[1], (Colour{255, 0, 0}));
    EXPECT_EQ(read.pixels[2], (Colour{0, 0, 255}));
}

TEST_F(WritePng, RefusesWhatIsNoPicture) {
    EXPECT_THAT([] { Image(0, 5); }, ThrowsMessage<Error>(HasSubstr("between 1 and 32768")));
    EXPECT_THAT([] { Image(5, 40000); }, ThrowsMessage<Error>(HasSubstr("between 1 and 32768")));
    EXPECT_THAT([&] { save_png(Image(1, 1), folder_ / "a.jpg"); },
                ThrowsMessage<Error>(HasSubstr(".png")));
    EXPECT_THAT([&] { save_png(Image(), folder_ / "a.png"); },
                ThrowsMessage<Error>(HasSubstr("pixels")));
    EXPECT_THAT([&] { save_png(Image(1, 1), folder_ / "no" / "a.png"); },
                ThrowsMessage<Error>(HasSubstr("cannot write")));
    EXPECT_EQ(folder_.file_count(), 0u);
}

TEST_F(WritePng, AFailureLeavesWhatWasThere) {
    const fs::path path = folder_ / "kept.png";
    testing::write_bytes(path, "before");
    EXPECT_THROW(save_png(Image(), path), Error);
    EXPECT_EQ(testing::read_bytes(path), "before");
}

}  // namespace
}  // namespace graze
