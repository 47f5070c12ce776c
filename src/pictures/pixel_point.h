// PixelPoint is a point of a picture.
#pragma once

#include <algorithm>
#include <cmath>

namespace graze::io {

// [pixels] from the top left corner of the picture, y down.
struct PixelPoint {
    double x, y;
};

// [pixels] from p to the segment ab.
inline double distance_to_segment(const PixelPoint& p, const PixelPoint& a, const PixelPoint& b) {
    const PixelPoint along{b.x - a.x, b.y - a.y}, from{p.x - a.x, p.y - a.y};
    const double length_sq = along.x * along.x + along.y * along.y;
    const double t = length_sq > 0
                         ? std::clamp((from.x * along.x + from.y * along.y) / length_sq, 0.0, 1.0)
                         : 0.0;
    return std::hypot(from.x - t * along.x, from.y - t * along.y);
}

}  // namespace graze::io
