// Bodies of a scene file, and what generates them.
#pragma once

#include "graze/scene_description.h"
#include "simulation/json_cursor.h"

namespace graze {

// Where in the file a body comes from, for what only the built shapes tell.
struct BodyOrigin {
    std::size_t entry;       // of bodies
    std::size_t first_body;  // in SceneDescription::bodies, the first of this entry
};

// Fills scene.bodies from the array `bodies`. shape_names are those of the scene, in its order; its
// materials are there. The origins are ascending.
std::vector<BodyOrigin> read_bodies(const JsonCursor& at,
                                    const std::vector<std::string>& shape_names,
                                    std::int64_t body_limit, SceneDescription& scene);

}  // namespace graze
