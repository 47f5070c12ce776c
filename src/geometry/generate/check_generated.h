// What all generators of meshes ask of their options and promise of their meshes.
#pragma once

#include <string>

#include "graze/mesh.h"

namespace graze {

// Throws Error "kind: message" where the condition is not met.
void require(bool is_met, const char* kind, const std::string& message);
// A length in [m] between a micrometre and 1,000 km: beyond, floats are too coarse or too small.
void require_length(const char* kind, const char* name, float value);
// A number of parts: so many at least, and few enough for one mesh.
void require_count(const char* kind, const char* name, int value, int low);
std::string number_text(float value);

// Gives the mesh back, or throws Error "kind: cure" where it runs through itself, has a face
// without area or faces inwards. Exactly decided, on the rounded vertices.
Mesh checked(Mesh mesh, const char* kind, const char* cure);

}  // namespace graze
