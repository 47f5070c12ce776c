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
// This is for formats that count vertices from 0.
inline std::string no_such_vertex(std::int64_t index, std::uint64_t vertex_count) {
    return "face names vertex " + std::to_string(index) + ", but the file has " +
           std::to_string(vertex_count) + ", counted from 0";
}

}  // namespace graze::io
