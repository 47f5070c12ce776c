// Distance fields that a scene file gives by formula.
#pragma once

#include "graze/field.h"
#include "simulation/json_cursor.h"

namespace graze {

// One kind of formula and where it is put.
Field read_formula(const JsonCursor& at);

}  // namespace graze
