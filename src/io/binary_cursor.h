// BinaryCursor walks through a binary file that lies in memory, with either byte order.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "graze/error.h"

namespace graze::io {

template <std::unsigned_integral U>
constexpr U swap_bytes(U value) {
    if constexpr (sizeof(U) == 2) return __builtin_bswap16(value);
    if constexpr (sizeof(U) == 4) return __builtin_bswap32(value);
    if constexpr (sizeof(U) == 8) return __builtin_bswap64(value);
    return value;
}

// The unsigned integer with as many bytes as V.
template <class V>
using BitsOf = std::conditional_t<
    sizeof(V) == 1, std::uint8_t,
    std::conditional_t<sizeof(V) == 2, std::uint16_t,
                       std::conditional_t<sizeof(V) == 4, std::uint32_t, std::uint64_t>>>;

// Returns the V stored at p, which need not be aligned, in the byte order `order`.
template <class V, std::endian order>
inline V load(const char* p) {
    BitsOf<V> bits;
    std::memcpy(&bits, p, sizeof bits);
    if constexpr (order != std::endian::native) bits = swap_bytes(bits);
    return std::bit_cast<V>(bits);
}

class BinaryCursor {
public:
    BinaryCursor(std::string_view bytes, std::string_view name, std::size_t start)
        : begin_(bytes.data()), at_(begin_ + start), end_(begin_ + bytes.size()), name_(name) {}

    const char* at() const { return at_; }
    std::size_t bytes_left() const { return static_cast<std::size_t>(end_ - at_); }

    // Returns the next size bytes and steps over them; `what` names them in the error where the
    // file ends before.
    const char* take(std::uint64_t size, const char* what) {
        if (size > bytes_left()) [[unlikely]]
            fail(std::string("the file ends inside ") + what);
        const char* first = at_;
        at_ += size;
        return first;
    }

    // location: a byte of the file, whose offset the message names.
    [[noreturn]] void fail(const char* location, const std::string& cause) const {
        throw Error(std::string(name_) + ": byte " + std::to_string(location - begin_) + ": " +
                    cause);
    }
    [[noreturn]] void fail(const std::string& cause) const { fail(at_, cause); }

private:
    const char* begin_;
    const char* at_;
    const char* end_;
    std::string_view name_;
};

}  // namespace graze::io
