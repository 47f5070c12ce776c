// append_bytes adds a number's bytes, as they lie in memory, to the end of others.
#pragma once

#include <cstring>
#include <string>

namespace graze::io {

template <class V>
void append_bytes(std::string& bytes, V value) {
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes.append(raw, sizeof value);
}

}  // namespace graze::io
