// The legend of a picture of contacts: a title, a key to the colours, axes and a scale.
#pragma once

#include "graze/image.h"
#include "pictures/contact_colours.h"
#include "pictures/picture_camera.h"

namespace graze {

// The layout of the picture. [pixels]
struct ContactLayout {
    double text;        // height of capitals
    int left, top;      // margins of the bodies' drawing
    int width;          // of that drawing; its height follows from the bodies
    int right, bottom;  // its other margins
    bool has_legend;
};
ContactLayout lay_out(const ContactPictureOptions& options, bool has_contacts);

struct ContactLegend {
    const ContactPictureOptions& options;
    const ContactLayout& layout;
    const PictureCamera& camera;
    std::uint32_t body_count;
    std::size_t contact_count;
    ContactColours colours;
};
void draw_legend(Image& image, const ContactLegend& legend);
// Parts of it. The names of the bodies beside samples of their colours; returns where the next line
// of text begins.
double draw_names(Image& image, const ContactLegend& legend);
// The world's axes as they are seen, in the lower left corner.
void draw_axes(Image& image, const ContactLegend& legend);
// A bar of a round length, in the lower right corner.
void draw_scale(Image& image, const ContactLegend& legend);

}  // namespace graze
