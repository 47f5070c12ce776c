// What tests look at in the output of the program: JSON, lines, pictures.
#pragma once

#include <gtest/gtest.h>
#include <png.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "graze/image.h"

namespace graze {

inline std::set<std::string> keys(const nlohmann::json& object) {
    std::set<std::string> result;
    for (const auto& [key, value] : object.items())
        result.insert(key);
    return result;
}

inline int line_count(const std::string& text) {
    return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

inline Image read_png(const std::filesystem::path& path) {
    png_image header{};
    header.version = PNG_IMAGE_VERSION;
    EXPECT_TRUE(png_image_begin_read_from_file(&header, path.c_str()));
    header.format = PNG_FORMAT_RGB;
    Image image(static_cast<int>(header.width), static_cast<int>(header.height));
    EXPECT_TRUE(png_image_finish_read(&header, nullptr, image.pixels.data(), 0, nullptr));
    return image;
}

}  // namespace graze
