#include "pictures/distance_colours.h"

#include <algorithm>
#include <cmath>

namespace graze::io {

namespace {

constexpr double kDegree = 0.017453292519943295;

double cubed(double f) {
    constexpr double kEdge = 6.0 / 29;
    return f > kEdge ? f * f * f : 3 * kEdge * kEdge * (f - 4.0 / 29);
}

std::uint8_t encode(double linear) {
    const double c = std::clamp(linear, 0.0, 1.0);
    const double value = c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
    return static_cast<std::uint8_t>(std::lround(255 * value));
}

// t is 0 at the surface and 1 farthest from it. Lightness changes most near the surface, where most
// questions are.
Colour inside_colour(double t) {
    const double s = std::pow(t, 0.6);
    return colour_of_lightness(94 - 68 * s, 6 + 46 * std::sin(2.6 * s), 262 + 24 * s);
}

Colour outside_colour(double t) {
    const double s = std::pow(t, 0.6);
    return colour_of_lightness(94 - 68 * s, 7 + 52 * std::sin(2.6 * s), 84 - 40 * s);
}

}  // namespace

// CIELAB becomes XYZ for the white of daylight (D65) and that becomes sRGB, all by their
// definitions (CIE 15, IEC 61966-2-1).
Colour colour_of_lightness(double lightness, double chroma, double hue_degrees) {
    const double fy = (lightness + 16) / 116;
    const double fx = fy + chroma * std::cos(hue_degrees * kDegree) / 500;
    const double fz = fy - chroma * std::sin(hue_degrees * kDegree) / 200;
    const double x = 0.95047 * cubed(fx), y = cubed(fy), z = 1.08883 * cubed(fz);
    return {encode(3.2406 * x - 1.5372 * y - 0.4986 * z),
            encode(-0.9689 * x + 1.8758 * y + 0.0415 * z),
            encode(0.0557 * x - 0.2040 * y + 1.0570 * z)};
}

DistanceColours::DistanceColours(float range) : range_(range) {
    for (int i = 0; i < kSteps; ++i) {
        const double t = static_cast<double>(i) / (kSteps - 1);
        inside_[static_cast<std::size_t>(i)] = inside_colour(t);
        outside_[static_cast<std::size_t>(i)] = outside_colour(t);
    }
}

Colour DistanceColours::operator()(float distance) const {
    const float fraction = range_ > 0 ? std::min(std::fabs(distance) / range_, 1.0f) : 0.0f;
    const auto step = static_cast<std::size_t>(std::lround(fraction * (kSteps - 1)));
    return distance < 0 ? inside_[step] : outside_[step];
}

}  // namespace graze::io
