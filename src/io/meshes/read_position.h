// read_position takes the three coordinates of a vertex from a text file.
#pragma once

#include "graze/vec3.h"
#include "io/text_cursor.h"

namespace graze::io {

template <class T, TextRules rules>
Vec3T<T> read_position(TextCursor<rules>& cursor) {
    const T x = cursor.template real<T>("the x coordinate");
    const T y = cursor.template real<T>("the y coordinate");
    const T z = cursor.template real<T>("the z coordinate");
    return {x, y, z};
}

}  // namespace graze::io
