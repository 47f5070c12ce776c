// The rays of Method::rays as a picture shows them, in the world.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graze/contact.h"
#include "graze/scene.h"

namespace graze {

struct SeenRay {
    Vec3d vertex;     // [m] where it begins
    Vec3d direction;  // unit, against the vertex's normal
    // Of a contact: where the ray meets the other body; absent where it is not the ray that tells,
    // as for a body inside another.
    std::optional<Vec3d> hit;
    // And from the vertex, as long as the contact is deep: how vertex and face part.
    std::optional<Vec3d> way_out;
    double edge;  // [m] the mean edge of its body
};

// All vertices that cast rays for a gap [m]. Throws Error where a body has no mesh.
std::vector<SeenRay> find_seen_rays(const Scene& scene, std::span<const Contact> contacts,
                                    float gap);

}  // namespace graze
