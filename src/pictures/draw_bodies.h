// draw_bodies draws bodies softly lit, as if of glass where something is to be seen behind them.
#pragma once

#include "pictures/body_tracer.h"

namespace graze {

struct BodyDrawing {
    const std::vector<BodyTracer>& tracers;
    PictureCamera camera;
    int left, top;     // [pixels] of the camera's picture in the image
    bool is_glass;     // bodies let what is behind them shine through
    int thread_count;  // 0 means all cores
};

void draw_bodies(Image& image, const BodyDrawing& drawing);
// Returns the colour that a body has on the whole.
Colour body_colour(std::uint32_t body);

// The box of all that is seen in the camera's picture. [pixels]
struct PictureExtent {
    double left, top, right, bottom;
    bool is_empty() const { return !(left < right && top < bottom); }
};
PictureExtent find_extent(const std::vector<BodyTracer>& tracers, const PictureCamera& camera,
                          int thread_count);

}  // namespace graze
