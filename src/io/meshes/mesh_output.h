// MeshOutput: numbers and words on their way into a ByteSink, as text or as binary values.
#pragma once

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "io/binary_cursor.h"
#include "io/byte_sink.h"

namespace graze::io {

class MeshOutput {
public:
    explicit MeshOutput(ByteSink& sink) : sink_(sink) { buffer_.reserve(kPieceBytes + 1024); }

    MeshOutput& text(std::string_view words) {
        buffer_ += words;
        return flush_if_full();
    }
    // The shortest text that reads back as the same number, with a blank before it.
    template <class V>
    MeshOutput& number(V value) {
        char digits[32];
        const auto result = std::to_chars(digits, digits + sizeof digits, value);
        buffer_ += ' ';
        return text({digits, static_cast<std::size_t>(result.ptr - digits)});
    }
    template <class V>
    MeshOutput& binary(V value, std::endian order) {
        auto bits = std::bit_cast<BitsOf<V>>(value);
        if (order != std::endian::native) bits = swap_bytes(bits);
        char bytes[sizeof bits];
        std::memcpy(bytes, &bits, sizeof bits);
        return text({bytes, sizeof bytes});
    }
    void flush() {
        sink_.write(buffer_);
        buffer_.clear();
    }

private:
    static constexpr std::size_t kPieceBytes = 1 << 16;

    MeshOutput& flush_if_full() {
        if (buffer_.size() >= kPieceBytes) flush();
        return *this;
    }

    ByteSink& sink_;
    std::string buffer_;
};

}  // namespace graze::io
