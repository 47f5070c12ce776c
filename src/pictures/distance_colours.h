// DistanceColours gives the colour of a distance: blue inside, orange to brown outside, pale at the
// surface.
#pragma once

#include <array>

#include "graze/image.h"

namespace graze::io {

// Returns the colour of this lightness (0 is black, 100 white), chroma and hue in CIELAB.
Colour colour_of_lightness(double lightness, double chroma, double hue_degrees);

// Both sides darken alike, so that lightness alone, which every eye and printer keeps, tells how
// far the surface is. Blue and orange are the hues that people with any common colour blindness
// tell apart.
class DistanceColours {
public:
    // range: the distance [m], to either side, at which colours are darkest.
    explicit DistanceColours(float range);

    Colour operator()(float distance) const;

private:
    static constexpr int kSteps = 512;
    float range_;
    std::array<Colour, kSteps> inside_, outside_;
};

}  // namespace graze::io
