#include "pictures/contact_legend.h"

#include <algorithm>
#include <cstdio>

#include "pictures/draw_bodies.h"
#include "pictures/draw_marks.h"
#include "pictures/draw_text.h"
#include "pictures/legend_style.h"
#include "pictures/paint.h"
#include "pictures/round_ticks.h"

namespace graze {

namespace {

constexpr Colour kSoftInk{96, 98, 106};

std::string brief_number(double number) {
    char text[64];
    std::snprintf(text, sizeof(text), "%.4g", number);
    return text;
}

// Returns a text such as "1234 contacts, the deepest 0.0123 m deep" or "1234 contacts, the first at
// 0.25 of the step".
std::string sum_up(const ContactLegend& legend) {
    if (legend.contact_count == 0) return "no contacts";
    if (legend.colours.is_by_time) {
        return std::to_string(legend.contact_count) +
               (legend.contact_count == 1 ? " contact, at " : " contacts, the first at ") +
               brief_number(legend.colours.low) + " of the step";
    }
    std::string text = std::to_string(legend.contact_count) +
                       (legend.contact_count == 1 ? " contact, " : " contacts, the deepest ");
    if (legend.colours.low < 0) return text + brief_number(-legend.colours.low) + " m deep";
    return text + "at a distance of 0 m or more";
}

}  // namespace

double draw_names(Image& image, const ContactLegend& legend) {
    const double text = legend.layout.text;
    double x = text * 1.2;
    const double line = text * 2.3;
    if (!legend.options.title.empty()) {
        io::draw_text(image, x, line, legend.options.title, text * 1.15, io::kInk);
        x += io::text_width(legend.options.title, text * 1.15) + text * 2;
    }
    const auto named = std::min<std::size_t>(legend.options.names.size(), legend.body_count);
    for (std::size_t i = 0; i < named; ++i) {
        const std::string& name = legend.options.names[i];
        io::draw_disc(image, {x + text * 0.55, line - text * 0.5}, text * 0.6,
                      body_colour(static_cast<std::uint32_t>(i)));
        io::draw_text(image, x + text * 1.7, line, name, text, io::kInk);
        x += text * 3.6 + io::text_width(name, text);
    }
    const bool is_first = legend.options.title.empty() && named == 0;
    return is_first ? line : line + text * 2.2;
}

namespace {

// Draws the title, the bodies' names, and what was found.
void draw_title(Image& image, const ContactLegend& legend) {
    const double line = draw_names(image, legend), text = legend.layout.text;
    io::draw_text(image, text * 1.2, line, sum_up(legend), text, kSoftInk);
}

// Draws the bar of colours with its labels: the deepest or earliest contact is below.
void draw_key(Image& image, const ContactLegend& legend) {
    const ContactLayout& layout = legend.layout;
    const double text = layout.text;
    const double low = legend.colours.low, high = legend.colours.high;
    const double span = high - low;
    if (!(span > 0)) return;
    const int left = image.width - layout.right + static_cast<int>(text * 1.5);
    const int bar_width = static_cast<int>(text * 1.5), top = layout.top + static_cast<int>(text);
    const int height = std::max(1, std::min(legend.camera.height - static_cast<int>(2 * text),
                                            static_cast<int>(26 * text)));
    const double per_pixel = span / height;
    for (int y = 0; y < height; ++y) {
        const Colour colour = legend.colours(static_cast<float>(high - (y + 0.5) * per_pixel));
        for (int x = 0; x < bar_width; ++x)
            image.at(left + x, top + y) = colour;
    }
    const double least_step = text * 2.4 * per_pixel;  // so that labels do not overlap
    const double step = io::round_step(std::max(least_step, span / 8));
    io::for_each_tick(low, high, step, [&](double value) {
        const double y = top + (high - value) / per_pixel;
        io::fill_rectangle(image, left + bar_width, y - 0.5, left + bar_width + text * 0.4, y + 0.5,
                           io::kFrame);
        io::draw_text(image, left + bar_width + text * 0.8, y + text * 0.42,
                      io::tick_label(value, step), text * 0.9, io::kInk);
    });
    io::draw_text(image, left, top - text * 1.2, legend.colours.label(), text * 0.9, io::kInk);
}

}  // namespace

void draw_axes(Image& image, const ContactLegend& legend) {
    const double text = legend.layout.text, size = 2.6 * text;
    const io::PixelPoint origin{text * 4.2, image.height - text * 3.4};
    constexpr Colour kColours[] = {{178, 60, 50}, {40, 130, 70}, {50, 90, 180}};
    const PictureCamera& camera = legend.camera;
    // An axis that points away from the eye is drawn first.
    int order[3] = {0, 1, 2};
    std::sort(order, order + 3, [&](int a, int b) {
        return camera.towards[a] < camera.towards[b] ||
               (camera.towards[a] == camera.towards[b] && a < b);
    });
    for (const int axis : order) {
        const double x = camera.right[axis], y = -camera.up[axis];
        const io::PixelPoint tip{origin.x + size * x, origin.y + size * y};
        io::draw_arrow(image, origin, tip, text * 0.09, text * 0.6, kColours[axis]);
        const double reach = std::hypot(x, y);
        const double beyond = reach > 0.1 ? 1 + 0.75 * text / (size * reach) : 1;
        const std::string name(1, "xyz"[axis]);
        io::draw_text(image,
                      origin.x + size * x * beyond - io::text_width(name, text * 0.85) / 2 +
                          (reach > 0.1 ? 0 : text),
                      origin.y + size * y * beyond + text * 0.35, name, text * 0.85,
                      kColours[axis]);
    }
}

void draw_scale(Image& image, const ContactLegend& legend) {
    const double text = legend.layout.text, pixel = legend.camera.pixel;
    const double length = io::round_step(0.1 * legend.camera.width * pixel);
    const double pixels = length / pixel;
    const double right = legend.layout.left + legend.layout.width, y = image.height - text * 2;
    io::fill_rectangle(image, right - pixels, y - 1, right, y + 1, kSoftInk);
    for (const double x : {right - pixels, right})
        io::fill_rectangle(image, x - 1, y - text * 0.4, x + 1, y + text * 0.4, kSoftInk);
    const std::string label = io::tick_label(length, length) + " m";
    io::draw_text(image, right - pixels / 2 - io::text_width(label, text * 0.9) / 2, y - text * 0.8,
                  label, text * 0.9, kSoftInk);
}

ContactLayout lay_out(const ContactPictureOptions& options, bool has_contacts) {
    ContactLayout layout{io::legend_text_height(options.width), 0, 0, options.width, 0, 0, false};
    if (!options.legend || options.width < io::kLegendMinWidth) return layout;
    const auto whole = [&](double texts) { return static_cast<int>(layout.text * texts); };
    layout.has_legend = true;
    layout.left = whole(1.5);
    layout.top = whole(6);
    layout.right = has_contacts ? whole(10) : whole(1.5);
    layout.bottom = whole(5.5);
    layout.width = options.width - layout.left - layout.right;
    return layout;
}

void draw_legend(Image& image, const ContactLegend& legend) {
    draw_title(image, legend);
    if (legend.contact_count > 0) draw_key(image, legend);
    draw_axes(image, legend);
    draw_scale(image, legend);
}

}  // namespace graze
