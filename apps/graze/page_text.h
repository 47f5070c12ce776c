// The page that plays a recording, as scripts/page makes it of viewer/.
#pragma once

#include <string_view>

namespace graze::app {

// HTML without a run in it; empty where the program was built without the page.
std::string_view page_text();

}  // namespace graze::app
