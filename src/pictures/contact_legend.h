// What stands around the bodies in a picture of contacts: title, key, axes and scale.
#pragma once

#include "graze/image.h"
#include "pictures/depth_colours.h"
#include "pictures/picture_camera.h"

namespace graze {

// Where things are in the picture. [pixels]
struct ContactLayout {
    double text;        // height of capitals
    int left, top;      // of the bodies' part
    int width;          // of it; its height follows from the bodies
    int right, bottom;  // room beside and below it
    bool has_legend;
};
ContactLayout lay_out(const ContactPictureOptions& options, bool has_contacts);

struct ContactLegend {
    const ContactPictureOptions& options;
    const ContactLayout& layout;
    const PictureCamera& camera;
    std::uint32_t body_count;
    std::size_t contact_count;
    DepthColours colours;
};
void draw_legend(Image& image, const ContactLegend& legend);

}  // namespace graze
