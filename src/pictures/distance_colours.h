// The colours of distances: blue inside, orange to brown outside, pale at the surface.
#pragma once

#include <array>

#include "graze/image.h"

namespace graze::io {

// A colour by its lightness (0 black to 100 white), how colourful it is, and its hue, in CIELAB.
Colour colour_of_lightness(double lightness, double chroma, double hue_degrees);

// Both sides darken alike, so that lightness alone, which every eye and printer keeps, tells how
// far; blue and orange are the hues that people with any common colour blindness tell apart.
class DistanceColours {
public:
    // [m] The distance, to either side, at which colours are darkest.
    explicit DistanceColours(float range);

    Colour operator()(float distance) const;

private:
    static constexpr int kSteps = 512;
    float range_;
    std::array<Colour, kSteps> inside_, outside_;
};

}  // namespace graze::io
