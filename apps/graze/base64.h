// base64: bytes as text, as pages carry them.
#pragma once

#include <string>
#include <string_view>

namespace graze::app {

std::string base64(std::string_view bytes);

}  // namespace graze::app
