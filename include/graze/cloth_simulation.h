// A scene of the solver cloth: cloth, rigid bodies that move freely, and what a script moves, of
// which nothing ever crosses (docs/concepts/cloth.md).
#pragma once

#include "graze/simulation.h"

namespace graze {

// All shapes of its bodies have a mesh. Throws Error where bodies intersect at the beginning, and
// where the scene asks for another solver or a device that is not there; its step() throws Error
// where a body comes, at its start_time, into another one.
//
// The state of a body of cloth has the pose that it started with and its mean velocity; surface()
// tells where it is. contacts() are what the last step kept apart: what was near when it began (at
// time 0, within one and a half thicknesses) and what met in it. A pair of features may be there
// several times. statistics().figures are impacts (that were left after solving), rounds (times
// that impacts were looked for), cut (vertices of cloth and rigid bodies that did not do their
// whole motion), script_part (0 to 1, the fraction of the step that scripted bodies did),
// script_work (J that they did on the others), elastic_energy (J of cloth), stretch_least,
// stretch_p1, stretch_p99 and stretch_most (ratios of the lengths of cloth's edges to those at
// rest: the least, the first and the 99th percentile, and the greatest) and, where that is asked
// for, intersections.
std::unique_ptr<Simulation> make_cloth_simulation(SceneDescription scene);

}  // namespace graze
