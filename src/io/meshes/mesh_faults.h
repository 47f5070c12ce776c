// What the readers of mesh files say in the same words, and the limits behind them.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace graze::io {

// Vertices have indices of 32 bits; triangles stay countable with a signed one.
inline constexpr std::uint64_t kMostVertices = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::uint64_t kMostTriangles = std::numeric_limits<std::int32_t>::max();
inline constexpr const char* kTooManyVertices = "more vertices than 32-bit indices can name";
inline constexpr const char* kTooManyTriangles = "more than 2^31 - 1 triangles";

inline std::string too_few_corners(std::int64_t corner_count) {
    return "face with " + std::to_string(corner_count) + " corners; it needs at least 3";
}
// Text is read with this limit (TextCursor::kLargestInteger): what is there is larger or the same.
inline std::string vertex_in_words(std::int64_t index) {
    constexpr std::int64_t kLimit = std::int64_t{1} << 58;
    if (index >= kLimit) return "2^58 or above";
    return index <= -kLimit ? "-2^58 or below" : std::to_string(index);
}
// This is for formats that count vertices from 0.
inline std::string no_such_vertex(std::int64_t index, std::uint64_t vertex_count) {
    return "face names vertex " + vertex_in_words(index) + ", but the file has " +
           std::to_string(vertex_count) + ", counted from 0";
}

}  // namespace graze::io
