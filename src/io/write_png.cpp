// encode_png uses libpng's simplified interface, which reports errors by value and never jumps.
#include <png.h>

#include <string>

#include "graze/error.h"
#include "graze/image.h"
#include "io/atomic_file.h"
#include "io/lower_extension.h"

namespace graze {

namespace {

constexpr int kMaxSide = 32768;

}  // namespace

std::string encode_png(const Image& image) {
    static_assert(sizeof(Colour) == 3);
    if (image.pixels.empty() || image.pixels.size() != static_cast<std::size_t>(image.width) *
                                                           static_cast<std::size_t>(image.height))
        throw Error("the image has no pixels, or not as many as its size says");
    png_image header{};
    header.version = PNG_IMAGE_VERSION;
    header.width = static_cast<png_uint_32>(image.width);
    header.height = static_cast<png_uint_32>(image.height);
    header.format = PNG_FORMAT_RGB;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(header);
    std::string bytes(size, '\0');
    const int is_written =
        png_image_write_to_memory(&header, bytes.data(), &size, 0, image.pixels.data(), 0, nullptr);
    if (!is_written) {
        png_image_free(&header);
        throw Error(std::string("cannot write: ") + header.message);
    }
    bytes.resize(size);
    return bytes;
}

Image::Image(int width_, int height_, Colour colour) : width(width_), height(height_) {
    if (width < 1 || height < 1 || width > kMaxSide || height > kMaxSide) {
        throw Error("an image of " + std::to_string(width) + " x " + std::to_string(height) +
                    " pixels: choose sides between 1 and " + std::to_string(kMaxSide));
    }
    pixels.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), colour);
}

void save_png(const Image& image, const std::filesystem::path& path) {
    if (io::lower_extension(path) != ".png") {
        throw Error(path.string() + ": pictures are written as PNG: give a name that ends in .png");
    }
    std::string bytes;
    try {
        bytes = encode_png(image);
    } catch (const Error& error) {
        throw Error(path.string() + ": " + error.what());
    }
    io::AtomicFile file(path);
    file.write(bytes);
    file.commit();
}

}  // namespace graze
