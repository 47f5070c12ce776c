#include "pictures/draw_marks.h"

#include <algorithm>
#include <cmath>

#include "pictures/paint.h"

namespace graze::io {

namespace {

// Paints every pixel of the box with the corners a and b, grown by reach, as far as the shape
// covers it: distance(point) tells how far outside of the shape the middle of a pixel is. [pixels]
template <class Distance>
void fill_shape(Image& image, const PixelPoint& a, const PixelPoint& b, double reach, Colour colour,
                float strength, const Distance& distance) {
    const PixelPoint low{std::min(a.x, b.x), std::min(a.y, b.y)};
    const PixelPoint high{std::max(a.x, b.x), std::max(a.y, b.y)};
    // They are compared as doubles, since a mark may lie far outside of the picture.
    const auto first = [&](double at) {
        return static_cast<int>(std::clamp(at - reach - 1, 0.0, 1e6));
    };
    const auto last = [&](double at, int size) {
        return static_cast<int>(std::clamp(at + reach + 2, 0.0, static_cast<double>(size)));
    };
    for (int y = first(low.y); y < last(high.y, image.height); ++y) {
        for (int x = first(low.x); x < last(high.x, image.width); ++x) {
            const double outside = distance(PixelPoint{x + 0.5, y + 0.5});
            const float coverage = line_coverage(static_cast<float>(outside), 0);
            paint(image, x, y, colour, strength * coverage);
        }
    }
}

// Returns the distance to the wedge whose tip is at the origin, that opens towards -x and ends at
// -length; beside a corner, a lower bound of it.
double outside_of_head(double x, double y, double length, double half_base) {
    const double slope = std::hypot(length, half_base);
    const double side = (std::fabs(y) * length + x * half_base) / slope;
    return std::max(side, -length - x);
}

}  // namespace

void draw_line(Image& image, const PixelPoint& a, const PixelPoint& b, double half_width,
               Colour colour, float strength) {
    fill_shape(image, a, b, half_width, colour, strength,
               [&](const PixelPoint& p) { return distance_to_segment(p, a, b) - half_width; });
}

void draw_disc(Image& image, const PixelPoint& centre, double radius, Colour colour,
               float strength) {
    fill_shape(image, centre, centre, radius, colour, strength, [&](const PixelPoint& p) {
        return std::hypot(p.x - centre.x, p.y - centre.y) - radius;
    });
}

namespace {

struct Arrow {
    PixelPoint a, b, along, neck;
    double half_width, head_length, half_base;

    Arrow(const PixelPoint& a_, const PixelPoint& b_, double half_width_, double head)
        : a(a_), b(b_), half_width(half_width_) {
        const double length = std::hypot(b.x - a.x, b.y - a.y);
        along =
            length > 0 ? PixelPoint{(b.x - a.x) / length, (b.y - a.y) / length} : PixelPoint{1, 0};
        head_length = std::min(head, length);
        half_base = 0.5 * head_length + half_width;
        neck = {b.x - along.x * head_length, b.y - along.y * head_length};
    }
    // Line and head are one shape, so that where they meet nothing is painted twice.
    double outside(const PixelPoint& p) const {
        const PixelPoint from{p.x - b.x, p.y - b.y};
        const double x = from.x * along.x + from.y * along.y;
        const double y = from.y * along.x - from.x * along.y;
        return std::min(distance_to_segment(p, a, neck) - half_width,
                        outside_of_head(x, y, head_length, half_base));
    }
    void draw(Image& image, Colour colour, double rim) const {
        fill_shape(image, a, b, half_base + 3 * rim, colour, 1,
                   [&](const PixelPoint& p) { return outside(p) - rim; });
    }
};

}  // namespace

void draw_arrow(Image& image, const PixelPoint& a, const PixelPoint& b, double half_width,
                double head, Colour colour) {
    Arrow(a, b, half_width, head).draw(image, colour, 0);
}

void draw_arrow_over(Image& image, const PixelPoint& a, const PixelPoint& b, double half_width,
                     double head, Colour colour, Colour rim) {
    const Arrow arrow(a, b, half_width, head);
    arrow.draw(image, rim, 1.5);
    arrow.draw(image, colour, 0);
}

}  // namespace graze::io
