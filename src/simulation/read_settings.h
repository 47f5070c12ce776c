// read_settings: what a scene file says about the run as a whole: materials, detector, solver,
// times.
#pragma once

#include "graze/scene_description.h"
#include "simulation/json_cursor.h"

namespace graze {

// The members of the root that are read here.
std::vector<std::string> setting_names();
// Reads all but shapes and bodies. The first material is the default.
void read_settings(const JsonCursor& root, const SceneLoadOptions& options,
                   SceneDescription& scene);

}  // namespace graze
