// A scene of the solver penalty: rigid bodies, of which points of one are searched along their
// paths through the field of the other, and springs push them out again (docs/concepts/penalty.md).
#pragma once

#include "graze/simulation.h"

namespace graze {

class PenaltySimulation : public Simulation {
public:
    // Goes on by so many steps, as so many calls of step() do; on a GPU nothing is copied back in
    // between. statistics() then tells of the last step, but for counts of pairs and contacts,
    // which are the most of any, and for seconds and stages, which are of all together.
    virtual void run(std::int64_t step_count) = 0;
    // [N/m] and [N s/m] of each point, as given or chosen.
    virtual float stiffness() const = 0;
    virtual float damping() const = 0;
};

// Bodies whose shape has a mesh give points; every shape has a field. Bodies may overlap at the
// beginning. Throws Error where the scene asks for another solver, for a device that is not there
// or for options that make no sense. Its step() throws Error where a body is lost because the step
// is too long: it turned by more than half a turn in a step, or flew off beyond 10,000 km.
//
// contacts() are points that come within the gap in the step; docs/concepts/contacts.md tells what
// they say for the method sweep. statistics().figures are "stiffness" and "damping" of a point.
std::unique_ptr<PenaltySimulation> make_penalty_simulation(SceneDescription scene);

// [N/m] The stiffness of a point where none is given: the largest for which every dynamic body,
// with a tenth of its points in contact or four, swings so slowly that half a radian of it takes a
// step.
float chosen_stiffness(const SceneDescription& scene);

}  // namespace graze
