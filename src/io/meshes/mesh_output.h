// MeshOutput writes numbers and words to a ByteSink, as text or as binary values.
#pragma once

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "io/binary_cursor.h"
#include "io/buffered_sink.h"

namespace graze::io {

class MeshOutput {
public:
    explicit MeshOutput(ByteSink& sink) : sink_(sink) {}

    MeshOutput& text(std::string_view words) {
        sink_.write(words);
        return *this;
    }
    // Writes a blank and the shortest text that reads back as the same number.
    template <class V>
    MeshOutput& number(V value) {
        char word[33] = {' '};
        const auto result = std::to_chars(word + 1, word + sizeof word, value);
        return text({word, static_cast<std::size_t>(result.ptr - word)});
    }
    template <class V>
    MeshOutput& binary(V value, std::endian order) {
        auto bits = std::bit_cast<BitsOf<V>>(value);
        if (order != std::endian::native) bits = swap_bytes(bits);
        char bytes[sizeof bits];
        std::memcpy(bytes, &bits, sizeof bits);
        return text({bytes, sizeof bytes});
    }
    void flush() { sink_.flush(); }

private:
    BufferedSink sink_;
};

}  // namespace graze::io
