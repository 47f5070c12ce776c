// What fuzz targets require. A failure aborts the program, which the fuzzer reports.
#pragma once

#include <cstdlib>
#include <string_view>

#include "graze/error.h"

namespace graze::fuzz {

inline void require(bool holds) {
    if (!holds) std::abort();
}

// Requires a message of one line that begins with the file's name, which is "fuzz".
inline void require_clear_message(const Error& error) {
    const std::string_view message = error.what();
    require(message.starts_with("fuzz:") && message.find('\n') == message.npos);
}

}  // namespace graze::fuzz
