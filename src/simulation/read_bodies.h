// read_bodies: the bodies of a scene file, those of generators included.
#pragma once

#include "graze/scene_description.h"
#include "simulation/json_cursor.h"

namespace graze {

// Where in the file a body comes from, for mistakes that show when the shapes are built.
struct BodyOrigin {
    std::size_t entry;       // index into the array `bodies`
    std::size_t first_body;  // index into SceneDescription::bodies: the first of this entry
};

// Fills scene.bodies from the array `bodies`. shape_names are those of the scene, in its order; the
// scene has its materials. The origins ascend.
std::vector<BodyOrigin> read_bodies(const JsonCursor& at,
                                    const std::vector<std::string>& shape_names,
                                    std::int64_t body_limit, SceneDescription& scene);

}  // namespace graze
