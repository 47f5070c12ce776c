// read_formula: distance fields that a scene file gives by formula.
#pragma once

#include "graze/field.h"
#include "simulation/json_cursor.h"

namespace graze {

// Reads one kind of formula with its pose.
Field read_formula(const JsonCursor& at);

}  // namespace graze
