// arrange_bodies: the bodies that the generators of a scene file make, in a grid, at random, or one
// after another from a source.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graze/quat.h"
#include "simulation/json_cursor.h"

namespace graze {

// A body of a generator, relative to what the entry of the file says for all of its bodies.
struct ArrangedBody {
    Vec3d position;                      // [m] added to the entry's
    double delay = 0;                    // [s] after the entry's start
    std::size_t shape = 0;               // index into the entry's shapes
    Quatd rotation = Quatd::identity();  // applied before the entry's
    double scale = 1;                    // times the entry's
};

// The members that make an entry a generator of bodies.
const std::vector<std::string>& body_generators();
// Reads {"grid": {...}} and the like; kind is one of body_generators(). More than limit are
// refused.
std::vector<ArrangedBody> arrange_bodies(const JsonCursor& at, const std::string& kind,
                                         std::size_t shape_count, std::int64_t limit);

}  // namespace graze
