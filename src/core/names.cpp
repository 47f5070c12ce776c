#include "graze/names.h"

#include "core/nearest_name.h"
#include "graze/error.h"

namespace graze {

void refuse_name(const char* noun, std::string_view text, const std::vector<std::string>& names) {
    throw Error(unknown_name(noun, text, names));
}

}  // namespace graze
