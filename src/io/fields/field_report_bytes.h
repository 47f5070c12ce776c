// The bytes that stand for a FieldReport in a .gfield file.
#pragma once

#include <string>
#include <string_view>

#include "graze/build_field.h"

namespace graze::io {

// Returns at most limit bytes: findings that would not fit are left out.
std::string encode_report(const FieldReport& report, std::size_t limit);
// Throws Error, which begins with name, where the bytes are no report.
FieldReport decode_report(std::string_view bytes, std::string_view name);

}  // namespace graze::io
