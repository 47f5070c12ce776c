// Functions that draw lines, discs and arrows with soft edges. Lengths are in pixels.
#pragma once

#include "graze/image.h"
#include "pictures/pixel_point.h"

namespace graze::io {

// Draws a line with round ends.
void draw_line(Image& image, const PixelPoint& a, const PixelPoint& b, double half_width,
               Colour colour, float strength = 1);
void draw_disc(Image& image, const PixelPoint& centre, double radius, Colour colour,
               float strength = 1);
// Draws a line with a filled head whose tip is at b; a short one is all head.
void draw_arrow(Image& image, const PixelPoint& a, const PixelPoint& b, double half_width,
                double head, Colour colour);
// Draws the same with a rim of another colour, one and a half pixels wide.
void draw_arrow_over(Image& image, const PixelPoint& a, const PixelPoint& b, double half_width,
                     double head, Colour colour, Colour rim);

}  // namespace graze::io
