#include "pictures/paint.h"

#include <algorithm>
#include <cmath>

namespace graze::io {

namespace {

std::uint8_t mix(std::uint8_t below, std::uint8_t above, float fraction) {
    const float value = static_cast<float>(below) +
                        (static_cast<float>(above) - static_cast<float>(below)) * fraction;
    return static_cast<std::uint8_t>(std::lround(value));
}

// Returns how much of [pixel, pixel + 1] lies in [low, high].
double overlap(double low, double high, int pixel) {
    return std::max(0.0, std::min(high, pixel + 1.0) - std::max(low, static_cast<double>(pixel)));
}

}  // namespace

Colour blend(Colour below, Colour colour, float coverage) {
    return {mix(below.red, colour.red, coverage), mix(below.green, colour.green, coverage),
            mix(below.blue, colour.blue, coverage)};
}

void paint(Image& image, int x, int y, Colour colour, float coverage) {
    if (x < 0 || y < 0 || x >= image.width || y >= image.height || coverage <= 0) return;
    Colour& pixel = image.at(x, y);
    pixel = blend(pixel, colour, std::min(coverage, 1.0f));
}

void fill_rectangle(Image& image, double x0, double y0, double x1, double y1, Colour colour) {
    const int left = static_cast<int>(std::floor(std::max(x0, 0.0)));
    const int top = static_cast<int>(std::floor(std::max(y0, 0.0)));
    const int right = static_cast<int>(std::ceil(std::min<double>(x1, image.width)));
    const int bottom = static_cast<int>(std::ceil(std::min<double>(y1, image.height)));
    for (int y = top; y < bottom; ++y) {
        for (int x = left; x < right; ++x) {
            paint(image, x, y, colour, static_cast<float>(overlap(x0, x1, x) * overlap(y0, y1, y)));
        }
    }
}

}  // namespace graze::io
