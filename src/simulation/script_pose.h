// script_pose: where a fixed or kinematic body is at a time.
#pragma once

#include "graze/scene_description.h"

namespace graze {

// Returns world from shape. centre is the centre of mass in the shape's frame, around which angular
// velocities turn.
Transformd script_pose(const SceneBody& body, const Vec3d& centre, double time);

}  // namespace graze
