// parse_json: from a text to JSON values, with limits for files that mean harm.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace graze {

constexpr std::size_t kMaxSceneBytes = std::size_t{64} << 20;
constexpr int kMaxSceneDepth = 64;

// Throws Error, "name:line:column: ...", where the text is no JSON, too long, too deep, or has an
// object that names a member twice.
nlohmann::json parse_json(std::string_view text, const std::string& name);

}  // namespace graze
