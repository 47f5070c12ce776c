// The simulations that this build of the program can make.
#pragma once

#include <memory>

#include "graze/simulation.h"

namespace graze::app {

// Throws Error where the program was built without what the scene's solver needs.
std::unique_ptr<Simulation> make_simulation(SceneDescription scene);

}  // namespace graze::app
