// Where the generators of a scene file put bodies: in a grid, at random, one after another from a
// source.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "graze/quat.h"
#include "simulation/json_cursor.h"

namespace graze {

struct BodyPlace {
    Vec3d position;                      // [m]
    double delay = 0;                    // [s] after the entry's start
    std::size_t shape = 0;               // of the entry's shapes
    Quatd rotation = Quatd::identity();  // before the entry's own
    double scale = 1;                    // times the entry's own
};

// The members that make an entry a generator of places.
const std::vector<std::string>& place_generators();
// The places of {"grid": {...}} and the like; kind is one of place_generators(). No more than
// limit.
std::vector<BodyPlace> read_places(const JsonCursor& at, const std::string& kind,
                                   std::size_t shape_count, std::int64_t limit);

}  // namespace graze
