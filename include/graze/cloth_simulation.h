// A scene of the solver cloth: cloth, rigid bodies that move freely, and what a script moves, of
// which nothing ever crosses (docs/concepts/cloth.md).
#pragma once

#include "graze/simulation.h"

namespace graze {

// All shapes of its bodies must have a mesh. Throws Error where bodies intersect at the beginning,
// and where the scene asks for another solver or a device that is not there.
//
// The state of a body of cloth has the pose that it started with and its mean velocity; surface()
// tells where it is. There are no contacts(); statistics().figures are impacts (that were left
// after solving), rounds (times that impacts were looked for), cut (vertices of cloth and rigid
// bodies that did not go all their way), script_part (0 to 1, how far scripted bodies did) and,
// where that is asked for, intersections.
std::unique_ptr<Simulation> make_cloth_simulation(SceneDescription scene);

}  // namespace graze
