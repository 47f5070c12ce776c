// npy_header is the first bytes of a NumPy array of floats (format 1.0).
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace graze::io {

// Padded so that the array begins at a multiple of 64.
inline std::string npy_header(std::span<const std::int64_t> shape) {
    std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
    for (std::size_t i = 0; i < shape.size(); ++i)
        text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    text += shape.size() == 1 ? ",), }" : "), }";
    constexpr std::size_t kStart = 10;  // magic, version and the size of the text
    text.resize((kStart + text.size() + 1 + 63) / 64 * 64 - kStart - 1, ' ');
    text += '\n';
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(text.size() & 255);
    bytes += static_cast<char>(text.size() >> 8);
    return bytes + text;
}

}  // namespace graze::io
