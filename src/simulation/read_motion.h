// How a scene file has kinematic bodies and cloth move.
#pragma once

#include "graze/scene_description.h"
#include "simulation/json_cursor.h"

namespace graze {

// An array of {"time", "position", "rotation"}; what a point leaves out is that of the pose.
std::vector<PathPoint> read_path(const JsonCursor& at, const Transform& pose);
// An array of {"box", "to"}. Whom "to" names is not looked up.
std::vector<ClothPin> read_pins(const JsonCursor& at);
// Refuses what the solver cannot do, and paths and pins of bodies that have no use for them.
void check_cloth_motion(const JsonCursor& at, const SceneBody& body, SolverKind solver);

}  // namespace graze
