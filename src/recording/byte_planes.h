// Little-endian numbers in strings of bytes, and columns of numbers as planes: the lowest byte of
// all of them, then the next of all, so that the bytes which are nearly always zero lie together.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "graze/error.h"
#include "io/binary_cursor.h"

namespace graze::recording {

template <class V>
void store(char* to, V value) {
    auto bits = std::bit_cast<io::BitsOf<V>>(value);
    if constexpr (std::endian::native != std::endian::little) bits = io::swap_bytes(bits);
    std::memcpy(to, &bits, sizeof bits);
}
template <class V>
void append(std::string& bytes, V value) {
    char raw[sizeof value];
    store(raw, value);
    bytes.append(raw, sizeof raw);
}

// 0, -1, 1, -2, ... become 0, 1, 2, 3, ...: small numbers for small differences of either sign.
template <std::unsigned_integral U>
constexpr U fold_sign(U difference) {
    return static_cast<U>((difference << 1) ^ -(difference >> (8 * sizeof(U) - 1)));
}
template <std::unsigned_integral U>
constexpr U unfold_sign(U folded) {
    return static_cast<U>((folded >> 1) ^ -(folded & 1));
}

template <std::unsigned_integral U>
void append_planes(std::string& bytes, std::span<const U> column) {
    const std::size_t start = bytes.size();
    bytes.resize(start + column.size() * sizeof(U));
    char* to = bytes.data() + start;
    for (std::size_t plane = 0; plane < sizeof(U); ++plane)
        for (const U number : column)
            *to++ = static_cast<char>(number >> (8 * plane));
}

// Takes numbers from the front of raw bytes. Throws Error, whose message says only what is wrong,
// where there are too few.
class RawCursor {
public:
    explicit RawCursor(std::string_view bytes) : left_(bytes) {}

    template <class V>
    V next() {
        return io::load<V, std::endian::little>(take(sizeof(V)).data());
    }
    std::string_view take(std::uint64_t count) {
        if (count > left_.size()) throw Error("it ends early");
        const std::string_view taken = left_.substr(0, count);
        left_.remove_prefix(count);
        return taken;
    }
    // Takes a column that append_planes wrote.
    template <std::unsigned_integral U>
    void planes(std::span<U> column) {
        const std::string_view bytes = take(std::uint64_t{column.size()} * sizeof(U));
        for (std::size_t i = 0; i < column.size(); ++i) {
            U number = 0;
            for (std::size_t plane = 0; plane < sizeof(U); ++plane) {
                const auto byte = static_cast<unsigned char>(bytes[plane * column.size() + i]);
                number = static_cast<U>(number | static_cast<U>(U{byte} << (8 * plane)));
            }
            column[i] = number;
        }
    }
    std::size_t bytes_left() const { return left_.size(); }
    void expect_end() const {
        if (!left_.empty()) throw Error("it goes on after its end");
    }

private:
    std::string_view left_;
};

}  // namespace graze::recording
