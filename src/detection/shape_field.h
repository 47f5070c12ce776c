// make_shape_field: what a method needs to know of a field beside the field.
#pragma once

#include "graze/field.h"
#include "narrow_phase/particles/body_field.h"

namespace graze {

// With the field's view in host memory.
ShapeField make_shape_field(const Field& field);
// What a search along paths needs beside: it takes a look at every sample.
FieldChange measure_field_change(const Field& field);

}  // namespace graze
