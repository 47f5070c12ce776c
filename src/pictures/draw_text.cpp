#include "pictures/draw_text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "pictures/paint.h"
#include "pictures/pixel_point.h"
#include "pictures/stroke_font.h"

namespace graze::io {

namespace {

struct Segment {
    PixelPoint a, b;
};

// A fraction of the height of capitals, thin enough for small letters to stay open.
constexpr double kStrokeWidth = 0.125;
constexpr double kMinStrokeWidth = 1.1;  // [pixels] thinner ones turn grey

// Calls use(glyph) for each character; bytes that continue one of UTF-8 count with its first.
template <class Use>
void for_each_glyph(std::string_view text, const Use& use) {
    for (const char c : text) {
        if ((static_cast<unsigned char>(c) & 0xc0) == 0x80) continue;
        use(kGlyphs[(c >= kFirstGlyph && c <= kLastGlyph ? c : '?') - kFirstGlyph]);
    }
}

int glyph_width(std::string_view glyph) {
    if (glyph.empty()) return kGlyphSpace;
    int width = 0, digits = 0;
    for (const char c : glyph) {
        if (c < '0' || c > '9') continue;
        if (digits++ % 2 == 0) width = std::max(width, c - '0');
    }
    return width;
}

PixelPoint middle(const PixelPoint& a, const PixelPoint& b) {
    return {(a.x + b.x) / 2, (a.y + b.y) / 2};
}

void add_curve(const PixelPoint& a, const PixelPoint& guide, const PixelPoint& b,
               std::vector<Segment>& segments) {
    constexpr int kSteps = 6;
    PixelPoint last = a;
    for (int i = 1; i <= kSteps; ++i) {
        const double t = static_cast<double>(i) / kSteps;
        const double u = (1 - t) * (1 - t), v = 2 * t * (1 - t), w = t * t;
        const PixelPoint next{u * a.x + v * guide.x + w * b.x, u * a.y + v * guide.y + w * b.y};
        segments.push_back({last, next});
        last = next;
    }
}

void add_stroke(const std::vector<PixelPoint>& points, bool is_curve,
                std::vector<Segment>& segments) {
    const std::size_t last = points.size() - 1;
    if (!is_curve || last < 2) {
        for (std::size_t i = 1; i <= last; ++i)
            segments.push_back({points[i - 1], points[i]});
        return;
    }
    PixelPoint from = points[0];
    for (std::size_t i = 1; i < last; ++i) {
        const PixelPoint to = i + 1 == last ? points[last] : middle(points[i], points[i + 1]);
        add_curve(from, points[i], to, segments);
        from = to;
    }
}

// Returns the glyph's strokes in pixels; its baseline begins at origin.
std::vector<Segment> glyph_strokes(std::string_view glyph, const PixelPoint& origin, double unit) {
    std::vector<Segment> segments;
    std::vector<PixelPoint> points;
    bool is_curve = false;
    for (std::size_t i = 0; i <= glyph.size(); ++i) {
        if (i == glyph.size() || glyph[i] == ' ') {
            if (!points.empty()) add_stroke(points, is_curve, segments);
            points.clear();
            is_curve = false;
        } else if (glyph[i] == '~') {
            is_curve = true;
        } else {
            const int x = glyph[i] - '0', y = glyph[i + 1] - '0';
            points.push_back({origin.x + x * unit, origin.y - (y - kGlyphBaseline) * unit});
            ++i;
        }
    }
    return segments;
}

void draw_strokes(Image& image, const std::vector<Segment>& segments, double half_width,
                  Colour colour) {
    if (segments.empty()) return;
    PixelPoint low = segments[0].a, high = low;
    for (const Segment& s : segments) {
        low = {std::min({low.x, s.a.x, s.b.x}), std::min({low.y, s.a.y, s.b.y})};
        high = {std::max({high.x, s.a.x, s.b.x}), std::max({high.y, s.a.y, s.b.y})};
    }
    const double reach = half_width + 1;
    for (int y = static_cast<int>(low.y - reach); y <= static_cast<int>(high.y + reach); ++y) {
        for (int x = static_cast<int>(low.x - reach); x <= static_cast<int>(high.x + reach); ++x) {
            double nearest = reach;
            for (const Segment& s : segments)
                nearest = std::min(nearest, distance_to_segment({x + 0.5, y + 0.5}, s.a, s.b));
            paint(image, x, y, colour,
                  line_coverage(static_cast<float>(nearest), static_cast<float>(half_width)));
        }
    }
}

}  // namespace

double text_width(std::string_view text, double height) {
    int units = 0;
    for_each_glyph(text, [&](std::string_view glyph) { units += glyph_width(glyph) + kGlyphGap; });
    return units == 0 ? 0 : (units - kGlyphGap) * height / kGlyphCapital;
}

void draw_text(Image& image, double x, double y, std::string_view text, double height,
               Colour colour) {
    const double unit = height / kGlyphCapital;
    const double half_width = std::max(height * kStrokeWidth, kMinStrokeWidth) / 2;
    for_each_glyph(text, [&](std::string_view glyph) {
        draw_strokes(image, glyph_strokes(glyph, {x, y}, unit), half_width, colour);
        x += (glyph_width(glyph) + kGlyphGap) * unit;
    });
}

}  // namespace graze::io
