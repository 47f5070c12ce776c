// make_simulation makes a simulation of a scene by Bullet, with contacts by graze.
#pragma once

#include "graze/simulation.h"

namespace graze::bullet {

// Throws Error where the scene cannot be simulated: a dynamic body without end or mass, a device
// that is not there.
std::unique_ptr<Simulation> make_simulation(SceneDescription scene);

}  // namespace graze::bullet
