// parse_npy and parse_csv read a table of numbers from the bytes of a file; name is the file's, for
// messages. number_table.h says what they refuse.
#pragma once

#include <string_view>

#include "graze/number_table.h"

namespace graze::io {

NumberTable parse_npy(std::string_view bytes, std::string_view name);
NumberTable parse_csv(std::string_view bytes, std::string_view name);

}  // namespace graze::io
