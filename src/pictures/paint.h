// Functions that draw on an Image with soft edges: a pixel gets as much of a colour as the shape
// covers of it.
#pragma once

#include "graze/image.h"

namespace graze::io {

// Returns colour over what is below it; a coverage of 0 leaves that, 1 replaces it.
Colour blend(Colour below, Colour colour, float coverage);
// Does the same to a pixel, which may lie outside of the image.
void paint(Image& image, int x, int y, Colour colour, float coverage);
// Coordinates are of pixel edges, from the top left corner.
void fill_rectangle(Image& image, double x0, double y0, double x1, double y1, Colour colour);

// Returns the fraction of a pixel that a line of the given half width covers whose middle is
// `distance` away. All are in pixels.
constexpr float line_coverage(float distance, float half_width) {
    const float covered = half_width + 0.5f - distance;
    return covered <= 0 ? 0 : covered >= 1 ? 1 : covered;
}

}  // namespace graze::io
