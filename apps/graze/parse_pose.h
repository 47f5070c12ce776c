// Poses as a user writes them: "x y z", "x y z  qw qx qy qz" or "x y z  qw qx qy qz  scale".
#pragma once

#include <string>

#include "graze/transform.h"

namespace graze::app {

// Numbers may be separated by spaces or commas; the quaternion, the rotation's real part first,
// need not have unit length. Throws Error with what to write.
Transform parse_pose(const std::string& text);

}  // namespace graze::app
