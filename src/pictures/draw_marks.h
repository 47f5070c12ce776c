// Lines, discs and arrows in pictures, with soft edges.
#pragma once

#include "graze/image.h"

namespace graze::io {

// A place in a picture. [pixels] from its top left corner, y down.
struct Spot {
    double x, y;
};

// With round ends.
void draw_line(Image& image, const Spot& a, const Spot& b, double half_width, Colour colour,
               float strength = 1);
void draw_disc(Image& image, const Spot& centre, double radius, Colour colour, float strength = 1);
// A line with a filled head whose tip is at b; a short one is all head.
void draw_arrow(Image& image, const Spot& a, const Spot& b, double half_width, double head,
                Colour colour);
// The same with a rim of another colour, one and a half pixels wide.
void draw_arrow_over(Image& image, const Spot& a, const Spot& b, double half_width, double head,
                     Colour colour, Colour rim);

}  // namespace graze::io
