// draw_text draws text in a lettering of its own: strokes of even width with round ends.
#pragma once

#include <string_view>

#include "graze/image.h"

namespace graze::io {

// [pixels] Returns how wide the text is where capitals are `height` high.
double text_width(std::string_view text, double height);

// Draws text whose baseline begins at (x, y). Characters other than printable ASCII appear as a
// question mark.
void draw_text(Image& image, double x, double y, std::string_view text, double height,
               Colour colour);

}  // namespace graze::io
