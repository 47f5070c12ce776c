// What all generators of meshes ask of their options and promise of their meshes.
#pragma once

#include <string>

#include "geometry/generate/generator_options.h"

namespace graze {

// Throws Error "kind: message" where the condition is not met.
void require(bool is_met, const char* kind, const std::string& message);
// Throws Error "kind: ..." where a number is out of its range. A path is not looked at.
void require_ranges(const char* kind, const std::vector<GeneratorOption>& options);
template <class Options>
void require_ranges(const char* kind, Options options) {
    require_ranges(kind, options_of(options));
}
std::string number_text(float value);

// Gives the mesh back, or throws Error "kind: cure" where it runs through itself, has a face
// without area or faces inwards. Exactly decided, on the rounded vertices.
Mesh checked(Mesh mesh, const char* kind, const char* cure);

}  // namespace graze
