// Drawing on an Image with soft edges: how much of a pixel a shape covers is how much of the
// colour it gets.
#pragma once

#include "graze/image.h"

namespace graze::io {

// colour over what is there; coverage 0 leaves it, 1 replaces it.
Colour blend(Colour below, Colour colour, float coverage);
// The same for a pixel, which may lie outside of the image.
void paint(Image& image, int x, int y, Colour colour, float coverage);
// Coordinates are of pixel edges, from the top left corner.
void fill_rectangle(Image& image, double x0, double y0, double x1, double y1, Colour colour);

// The part of a pixel that a line of the given half width covers whose middle is `distance` away.
// All in pixels.
constexpr float line_coverage(float distance, float half_width) {
    const float part = half_width + 0.5f - distance;
    return part <= 0 ? 0 : part >= 1 ? 1 : part;
}

}  // namespace graze::io
