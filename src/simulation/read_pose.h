// Poses and rotations of a scene file.
#pragma once

#include "graze/transform.h"
#include "simulation/json_cursor.h"

namespace graze {

// One of {"axis", "angle"}, {"euler"} and {"quaternion"}; angles in degrees. Of unit length.
Quatd read_rotation(const JsonCursor& at);
// {"position", "rotation", "scale"}.
Transform read_pose(const JsonCursor& at);

}  // namespace graze
