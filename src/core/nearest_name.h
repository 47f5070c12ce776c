// Names in messages: quoted so that they stay on one line, listed, and the one that was meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace graze {

// Puts a name in quotes, on one line and not too long, whatever a file says.
std::string in_quotes(std::string_view name);
// Returns "bowl, ground, torus"; the first 20 of many.
std::string listed(std::span<const std::string> names);
// Returns the one of names that was probably meant; empty where none is like it.
std::string nearest_name(std::string_view name, std::span<const std::string> names);
// Returns "no shape is called 'bal'; did you mean 'ball'?; there are: ball, ground", where the noun
// is "shape".
std::string unknown_name(const char* noun, std::string_view name,
                         std::span<const std::string> names);

}  // namespace graze
