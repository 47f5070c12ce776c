// How the legends of pictures look: colours and sizes that all pictures share.
#pragma once

#include <algorithm>

#include "graze/image.h"

namespace graze::io {

constexpr Colour kPaper{255, 255, 255}, kInk{28, 30, 36}, kFrame{150, 152, 158};
// [pixels] A narrower picture has no legend.
constexpr int kLegendMinWidth = 320;

// Returns the factor from a picture 1024 pixels wide to one of this width. Narrow pictures have
// letters that are larger for them, so that they can be read.
inline double legend_scale(int picture_width) {
    return std::max(picture_width / 1024.0, 0.6);
}
// [pixels] Returns the height of capitals.
inline double legend_text_height(int picture_width) {
    return 11 * legend_scale(picture_width);
}

}  // namespace graze::io
