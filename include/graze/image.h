// Image is a picture as plain bytes; save_png writes it to a file, encode_png into a page.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace graze {

// A colour of sRGB, as screens and PNG files take it.
struct Colour {
    std::uint8_t red, green, blue;

    constexpr bool operator==(const Colour&) const = default;
};

struct Image {
    Image() = default;
    // The image is all of one colour. Throws Error where a side is not between 1 and 32768.
    Image(int width_, int height_, Colour colour = {255, 255, 255});

    Colour& at(int x, int y) { return pixels[index(x, y)]; }
    const Colour& at(int x, int y) const { return pixels[index(x, y)]; }

    int width = 0, height = 0;   // [pixels]
    std::vector<Colour> pixels;  // rows from the top, each from the left

private:
    std::size_t index(int x, int y) const {
        return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
               static_cast<std::size_t>(x);
    }
};

// The bytes of a PNG file. Throws Error where the image has not as many pixels as its size says.
std::string encode_png(const Image& image);
// Writes a PNG file, which appears whole or not at all. Throws Error where the path does not end in
// .png or cannot be written.
void save_png(const Image& image, const std::filesystem::path& path);

}  // namespace graze
