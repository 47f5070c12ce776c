// A comparison of methods as one HTML file, with pictures of the worst cases.
#pragma once

#include <filesystem>
#include <functional>

#include "describe_comparison.h"
#include "graze/mesh.h"

namespace graze::app {

// Calls report between pictures, which may end the work by throwing. The file is written beside and
// renamed, and needs nothing else: pictures are in it.
void write_comparison_page(const Compared& compared, const Mesh& a, const Mesh& b,
                           const std::filesystem::path& file,
                           const std::function<void(double fraction)>& report);

}  // namespace graze::app
