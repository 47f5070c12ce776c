// The paths of kinematic bodies and the pins of cloth in a scene file.
#pragma once

#include "graze/scene_description.h"
#include "simulation/json_cursor.h"

namespace graze {

// Reads an array of {"time", "position", "rotation"}; what a point leaves out is that of the pose.
std::vector<PathPoint> read_path(const JsonCursor& at, const Transform& pose);
// Reads an array of {"box", "to"}. The body that "to" names is not looked up.
std::vector<ClothPin> read_pins(const JsonCursor& at);
// Refuses what the solver cannot do, and paths and pins of bodies that have no use for them.
void check_cloth_motion(const JsonCursor& at, const SceneBody& body, SolverKind solver);

}  // namespace graze
