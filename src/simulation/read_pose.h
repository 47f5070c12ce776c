// read_pose: poses and rotations of a scene file.
#pragma once

#include "graze/transform.h"
#include "simulation/json_cursor.h"

namespace graze {

// Reads one of {"axis", "angle"}, {"euler"} and {"quaternion"}; angles are in degrees. The result
// has unit length.
Quatd read_rotation(const JsonCursor& at);
// Reads {"position", "rotation", "scale"}.
Transform read_pose(const JsonCursor& at);

}  // namespace graze
