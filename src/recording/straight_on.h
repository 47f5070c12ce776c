// What frames of a recording are told from: bits that say who moved, and where a number would be if
// it went on as it did.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace graze::recording {

// The number of the next frame, on a straight line through those of the last two. Numbers are the
// bits of floats, which count up as the floats do.
constexpr std::uint32_t straight_on(std::uint32_t last, std::uint32_t before) {
    return 2 * last - before;
}

// Bit i % 8 of byte i / 8 tells of i.
template <class IsSet>
void append_bits(std::string& raw, std::size_t count, const IsSet& is_set) {
    const std::size_t start = raw.size();
    raw.resize(start + (count + 7) / 8, '\0');
    for (std::size_t i = 0; i < count; ++i)
        if (is_set(i)) raw[start + i / 8] = static_cast<char>(raw[start + i / 8] | (1 << (i % 8)));
}
inline bool is_bit_set(std::string_view bits, std::size_t i) {
    return ((static_cast<unsigned char>(bits[i / 8]) >> (i % 8)) & 1) != 0;
}

}  // namespace graze::recording
