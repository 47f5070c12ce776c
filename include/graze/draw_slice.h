// draw_slice draws a picture of a distance field: the values on a plane across it as colours, lines
// of equal distance, and the surface.
#pragma once

#include <optional>
#include <string>

#include "graze/device.h"
#include "graze/field.h"
#include "graze/image.h"

namespace graze {

struct SliceOptions {
    int axis = 2;  // 0, 1 or 2: the plane is normal to it
    // The plane's position along that axis as a fraction of the box, 0 to 1.
    double fraction = 0.5;
    // [m] The same as a coordinate; where it is given, fraction is not used.
    std::optional<double> coordinate;
    // [m] What is shown; by default the grid of a sampled field, or a little more than the solid.
    // More of it is shown where the picture would be more than twice as high as wide, or eight
    // times as wide as high.
    std::optional<Aabb> box;
    // [pixels] The picture's width, 16 to 16384; its height follows from the box.
    int width = 1024;
    // The slice gets a title, axes and a key to the colours around it; pictures narrower than 320
    // pixels have none of these.
    bool legend = true;
    std::string title;   // first line; the plane is added to it
    double spacing = 0;  // [m] between lines; 0 means a round number that gives about a dozen
    Device device = Device::cpu();  // its threads of the CPU do the work
};

// Throws Error where the options make no sense or the field has no box and none is given. Where a
// sparse field has only a lower bound (beyond its band), the picture is paler and without lines.
Image draw_slice(const Field& field, const SliceOptions& options = {});

}  // namespace graze
