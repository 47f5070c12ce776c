#include "pictures/draw_marks.h"

#include <algorithm>
#include <cmath>

#include "pictures/paint.h"

namespace graze::io {

namespace {

// Paints every pixel in the box of the spots, grown by reach, by what distance(spot) says of its
// middle: how far outside of the shape it is. [pixels]
template <class Distance>
void fill_shape(Image& image, const Spot& low, const Spot& high, double reach, Colour colour,
                float strength, const Distance& distance) {
    // The comparison in double, since a mark may lie far outside of the picture.
    const auto first = [&](double at) {
        return static_cast<int>(std::clamp(at - reach - 1, 0.0, 1e6));
    };
    const auto last = [&](double at, int size) {
        return static_cast<int>(std::clamp(at + reach + 2, 0.0, static_cast<double>(size)));
    };
    for (int y = first(low.y); y < last(high.y, image.height); ++y) {
        for (int x = first(low.x); x < last(high.x, image.width); ++x) {
            const double outside = distance(Spot{x + 0.5, y + 0.5});
            const float coverage = line_coverage(static_cast<float>(outside), 0);
            paint(image, x, y, colour, strength * coverage);
        }
    }
}

double distance_to_segment(const Spot& p, const Spot& a, const Spot& b) {
    const Spot along{b.x - a.x, b.y - a.y}, from{p.x - a.x, p.y - a.y};
    const double length_sq = along.x * along.x + along.y * along.y;
    const double t = length_sq > 0
                         ? std::clamp((from.x * along.x + from.y * along.y) / length_sq, 0.0, 1.0)
                         : 0.0;
    return std::hypot(from.x - t * along.x, from.y - t * along.y);
}

// To the wedge whose tip is at the origin, that opens towards -x and ends at -length; from within
// at least.
double outside_of_head(double x, double y, double length, double half_base) {
    const double slope = std::hypot(length, half_base);
    const double side = (std::fabs(y) * length + x * half_base) / slope;
    return std::max(side, -length - x);
}

}  // namespace

void draw_line(Image& image, const Spot& a, const Spot& b, double half_width, Colour colour,
               float strength) {
    const Spot low{std::min(a.x, b.x), std::min(a.y, b.y)};
    const Spot high{std::max(a.x, b.x), std::max(a.y, b.y)};
    fill_shape(image, low, high, half_width, colour, strength,
               [&](const Spot& p) { return distance_to_segment(p, a, b) - half_width; });
}

void draw_disc(Image& image, const Spot& centre, double radius, Colour colour, float strength) {
    fill_shape(image, centre, centre, radius, colour, strength,
               [&](const Spot& p) { return std::hypot(p.x - centre.x, p.y - centre.y) - radius; });
}

namespace {

struct Arrow {
    Spot a, b, along, neck;
    double half_width, head_length, half_base;

    Arrow(const Spot& a_, const Spot& b_, double half_width_, double head)
        : a(a_), b(b_), half_width(half_width_) {
        const double length = std::hypot(b.x - a.x, b.y - a.y);
        along = length > 0 ? Spot{(b.x - a.x) / length, (b.y - a.y) / length} : Spot{1, 0};
        head_length = std::min(head, length);
        half_base = 0.5 * head_length + half_width;
        neck = {b.x - along.x * head_length, b.y - along.y * head_length};
    }
    // Line and head are one shape, so that where they meet nothing is painted twice.
    double outside(const Spot& p) const {
        const Spot from{p.x - b.x, p.y - b.y};
        const double x = from.x * along.x + from.y * along.y;
        const double y = from.y * along.x - from.x * along.y;
        return std::min(distance_to_segment(p, a, neck) - half_width,
                        outside_of_head(x, y, head_length, half_base));
    }
    void draw(Image& image, Colour colour, double rim) const {
        const Spot low{std::min(a.x, b.x), std::min(a.y, b.y)};
        const Spot high{std::max(a.x, b.x), std::max(a.y, b.y)};
        fill_shape(image, low, high, half_base + 3 * rim, colour, 1,
                   [&](const Spot& p) { return outside(p) - rim; });
    }
};

}  // namespace

void draw_arrow(Image& image, const Spot& a, const Spot& b, double half_width, double head,
                Colour colour) {
    Arrow(a, b, half_width, head).draw(image, colour, 0);
}

void draw_arrow_over(Image& image, const Spot& a, const Spot& b, double half_width, double head,
                     Colour colour, Colour rim) {
    const Arrow arrow(a, b, half_width, head);
    arrow.draw(image, rim, 1.5);
    arrow.draw(image, colour, 0);
}

}  // namespace graze::io
