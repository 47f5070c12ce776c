// ValueReader takes little-endian values from a block of bytes, one after the other, and names the
// last one where it is wrong.
#pragma once

#include <bit>
#include <string>
#include <string_view>

#include "io/binary_cursor.h"

namespace graze::io {

class ValueReader {
public:
    // Error messages begin with name; block names the bytes in the one where they end too early.
    ValueReader(std::string_view bytes, std::string_view name, const char* block)
        : name_(name), cursor_(bytes, name_, 0), block_(block) {}
    ValueReader(const ValueReader&) = delete;
    ValueReader& operator=(const ValueReader&) = delete;

    template <class V>
    V next() {
        location_ = cursor_.take(sizeof(V), block_);
        return load<V, std::endian::little>(location_);
    }
    // Returns the next size bytes, which `what` names in the error where there are fewer.
    std::string_view next_bytes(std::size_t size, const char* what) {
        return {cursor_.take(size, what), size};
    }
    std::size_t bytes_left() const { return cursor_.bytes_left(); }

    // Throws Error at the value that was taken last.
    [[noreturn]] void fail(const std::string& cause) const { cursor_.fail(location_, cause); }
    [[noreturn]] void fail_at(const char* location, const std::string& cause) const {
        cursor_.fail(location, cause);
    }

private:
    std::string name_;
    BinaryCursor cursor_;
    const char* block_;
    const char* location_ = nullptr;
};

}  // namespace graze::io
