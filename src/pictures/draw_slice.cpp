#include "graze/draw_slice.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "field/sampled/evaluate_sampled.h"
#include "graze/error.h"
#include "parallel/cpu_executor.h"
#include "pictures/distance_colours.h"
#include "pictures/distance_raster.h"
#include "pictures/draw_text.h"
#include "pictures/legend_style.h"
#include "pictures/paint.h"
#include "pictures/round_ticks.h"

namespace graze {

namespace {

using io::DistanceRaster;
using io::kFrame;
using io::kInk;
using io::kPaper;
using io::SlicePlane;

// The drawn plane is at most so many times as high as wide, and as wide as high.
constexpr double kMaxTall = 2, kMaxWide = 8;

// The layout of the picture. [pixels]
struct Layout {
    double text;              // height of capitals
    double line;              // half the width of a thin line
    int left, top;            // of the slice
    int slice_width;          // of the slice; its height follows from the box
    int right, bottom;        // margins beside and below it
    int bar_left, bar_width;  // of the key
};

Layout lay_out(const SliceOptions& options) {
    const double scale = io::legend_scale(options.width);
    Layout layout{io::legend_text_height(options.width),
                  std::max(0.45 * scale, 0.35),
                  0,
                  0,
                  options.width,
                  0,
                  0,
                  0,
                  0};
    if (!options.legend || options.width < io::kLegendMinWidth) return layout;
    const auto whole = [&](double texts) { return static_cast<int>(layout.text * texts); };
    layout.left = whole(5.5);
    layout.top = whole(3.2);
    layout.right = whole(11);
    layout.bottom = whole(3.4);
    layout.slice_width = options.width - layout.left - layout.right;
    layout.bar_left = options.width - whole(9);
    layout.bar_width = whole(1.6);
    return layout;
}

void validate(const SliceOptions& options) {
    if (options.axis < 0 || options.axis > 2)
        throw Error("slice: the axis is 0, 1 or 2, for x, y or z");
    if (options.width < 16 || options.width > 16384) {
        throw Error("slice: a picture " + std::to_string(options.width) +
                    " pixels wide: choose 16 to 16384");
    }
    if (!(options.fraction >= 0 && options.fraction <= 1))
        throw Error("slice: the plane's position is a fraction of the box, from 0 to 1");
    if (options.coordinate && !std::isfinite(*options.coordinate))
        throw Error("slice: the plane's coordinate must be a finite number");
    if (!(options.spacing >= 0) || !std::isfinite(options.spacing))
        throw Error("slice: the spacing of lines must be 0 or more");
}

// Chooses the box of the world that is shown.
Aabb choose_box(const Field& field, const SliceOptions& options) {
    Aabb box = field.bounds();
    if (options.box) {
        box = *options.box;
    } else if (field.is_sampled()) {
        box = samples_of(field)->grid.box();
    } else if (!box.is_empty()) {
        box = inflate(box, 0.1f * length(box.max - box.min));
    }
    if (box.is_empty() || !is_finite(box.min) || !is_finite(box.max)) {
        throw Error("slice: the field has no finite box; say which part of it to draw");
    }
    return box;
}

SlicePlane choose_plane(const Aabb& box, const SliceOptions& options, int width) {
    SlicePlane plane;
    plane.axis = options.axis;
    plane.right = options.axis == 0 ? 1 : 0;
    plane.up = options.axis == 2 ? 1 : 2;
    const auto low = static_cast<Vec3d>(box.min), high = static_cast<Vec3d>(box.max);
    plane.coordinate = options.coordinate.value_or(
        low[plane.axis] + options.fraction * (high[plane.axis] - low[plane.axis]));
    const double size_right = high[plane.right] - low[plane.right];
    const double size_up = high[plane.up] - low[plane.up];
    const double shown_right = std::max(size_right, size_up / kMaxTall);
    const double shown_up = std::max(size_up, shown_right / kMaxWide);
    if (!(shown_right > 0)) throw Error("slice: the box to draw has no size");
    plane.pixel = shown_right / width;
    plane.width = width;
    plane.height = std::max(1, static_cast<int>(std::lround(shown_up / plane.pixel)));
    plane.left = (low[plane.right] + high[plane.right] - shown_right) / 2;
    plane.bottom = (low[plane.up] + high[plane.up]) / 2 - plane.height * plane.pixel / 2;
    return plane;
}

// True where the field has only a lower bound at the point, as beyond the band of a sparse field.
bool is_only_bound(const SampledFieldView& field, const Vec3& point) {
    if (!field.is_sparse) return false;
    const Aabb box = field.grid.box();
    for (int axis = 0; axis < 3; ++axis) {
        if (point[axis] < box.min[axis] || point[axis] > box.max[axis]) return true;
    }
    const detail::CellPoint at = detail::find_cell(field.grid, point);
    const std::int64_t block =
        at.cell[0] / kBrickCells +
        block_count(field.grid, 0) *
            (at.cell[1] / kBrickCells + block_count(field.grid, 1) * (at.cell[2] / kBrickCells));
    return field.brick_of_block[block] < 0;
}

// Shading gives the colours of distances with the lines over them, in the slice and in its key
// alike.
struct Shading {
    float low, high;  // [m] the least and largest distance shown
    double spacing;   // [m] between lines
    io::DistanceColours colours;
    float thin, thick;  // [pixels] half widths of lines

    // coverage(level, half_width) tells how much of the pixel a line along that level covers.
    template <class Coverage>
    Colour operator()(float distance, bool is_bound, const Coverage& coverage) const {
        Colour colour = colours(distance);
        if (is_bound) return io::blend(colour, kPaper, 0.55f);
        const auto level = static_cast<float>(std::round(distance / spacing) * spacing);
        if (level != 0)
            colour = io::blend(colour, line_over(distance), coverage(level, thin) * 0.5f);
        return io::blend(colour, kInk, coverage(0.0f, thick));
    }

private:
    // Lines are dark on pale colours and pale on dark ones.
    Colour line_over(float distance) const {
        const Colour below = colours(distance);
        return below.red + 2 * below.green + below.blue > 4 * 105 ? Colour{0, 0, 0}
                                                                  : Colour{255, 255, 255};
    }
};

Shading choose_shading(const DistanceRaster& raster, const SliceOptions& options,
                       const Layout& layout) {
    float low = std::numeric_limits<float>::infinity(), high = -low;
    for (const float value : raster.values) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    if (!std::isfinite(low) || !std::isfinite(high))
        throw Error("slice: the field is not finite everywhere on the plane");
    const float range = std::max({std::fabs(low), std::fabs(high), 1e-30f});
    const double step = std::max(high - low, 1e-3f * range) / 16.0;
    const double spacing = options.spacing > 0 ? options.spacing : io::round_step(step);
    return {low,
            high,
            spacing,
            io::DistanceColours(range),
            static_cast<float>(layout.line),
            static_cast<float>(layout.line * 3.4)};
}

void draw_plane(Image& image, const Field& field, const SlicePlane& plane,
                const DistanceRaster& raster, const Shading& shading, const Layout& layout,
                int thread_count) {
    const auto& samples = samples_of(field);
    CpuExecutor executor(thread_count);
    executor.for_each(
        "slice: shade", plane.height,
        [&](std::int64_t row) {
            const int y = static_cast<int>(row);
            for (int x = 0; x < plane.width; ++x) {
                const bool is_bound =
                    samples && is_only_bound(samples->view(), plane.position(x, y));
                image.at(layout.left + x, layout.top + y) =
                    shading(raster.at(x, y), is_bound, [&](float level, float half_width) {
                        return raster.contour(x, y, level, half_width);
                    });
            }
        },
        1);
}

void draw_frame(Image& image, double x0, double y0, double x1, double y1, double width) {
    io::fill_rectangle(image, x0 - width, y0 - width, x1 + width, y0, kFrame);
    io::fill_rectangle(image, x0 - width, y1, x1 + width, y1 + width, kFrame);
    io::fill_rectangle(image, x0 - width, y0, x0, y1, kFrame);
    io::fill_rectangle(image, x1, y0, x1 + width, y1, kFrame);
}

// Draws labels along the lower and left edges of the slice.
void draw_axes(Image& image, const SlicePlane& plane, const Layout& layout) {
    const double size_right = plane.width * plane.pixel, size_up = plane.height * plane.pixel;
    const double step = io::round_step(size_right / 8);
    const double tick = layout.text * 0.45, line = layout.line * 2;
    const double bottom = layout.top + plane.height;
    io::for_each_tick(plane.left, plane.left + size_right, step, [&](double value) {
        const double x = layout.left + (value - plane.left) / plane.pixel;
        io::fill_rectangle(image, x - line / 2, bottom, x + line / 2, bottom + tick, kFrame);
        const std::string label = io::tick_label(value, step);
        io::draw_text(image, x - io::text_width(label, layout.text * 0.8) / 2,
                      bottom + tick + layout.text * 1.2, label, layout.text * 0.8, kInk);
    });
    io::for_each_tick(plane.bottom, plane.bottom + size_up, step, [&](double value) {
        const double y = bottom - (value - plane.bottom) / plane.pixel;
        io::fill_rectangle(image, layout.left - tick, y - line / 2, layout.left, y + line / 2,
                           kFrame);
        const std::string label = io::tick_label(value, step);
        io::draw_text(image, layout.left - tick * 1.6 - io::text_width(label, layout.text * 0.8),
                      y + layout.text * 0.4, label, layout.text * 0.8, kInk);
    });
    const char* names = "xyz";
    const std::string right(1, names[plane.right]), up(1, names[plane.up]);
    io::draw_text(image, layout.left + plane.width + layout.text * 1.2,
                  bottom + tick + layout.text * 1.2, right, layout.text, kInk);
    io::draw_text(image, layout.left - tick * 1.6 - layout.text * 0.8,
                  layout.top - layout.text * 0.8, up, layout.text, kInk);
    draw_frame(image, layout.left, layout.top, layout.left + plane.width, bottom, line);
}

// Draws the bar of colours with its labels.
void draw_key(Image& image, const Shading& shading, const SlicePlane& plane, const Layout& layout) {
    const double height = plane.height, span = std::max(shading.high - shading.low, 1e-30f);
    const double per_pixel = span / height;
    for (int y = 0; y < plane.height; ++y) {
        const auto value = static_cast<float>(shading.high - (y + 0.5) * per_pixel);
        const Colour colour = shading(value, false, [&](float level, float half_width) {
            return io::line_coverage(std::fabs(value - level) / static_cast<float>(per_pixel),
                                     half_width);
        });
        for (int x = 0; x < layout.bar_width; ++x)
            image.at(layout.bar_left + x, layout.top + y) = colour;
    }
    const double right = layout.bar_left + layout.bar_width;
    draw_frame(image, layout.bar_left, layout.top, right, layout.top + height, layout.line * 2);

    // There are as many labels as do not overlap.
    const double least_step = layout.text * 2.2 * per_pixel;
    const double step =
        shading.spacing * std::max(1.0, io::round_step(least_step / shading.spacing));
    io::for_each_tick(shading.low, shading.high, step, [&](double value) {
        const double y = layout.top + (shading.high - value) / per_pixel;
        io::draw_text(image, right + layout.text * 0.6, y + layout.text * 0.45,
                      io::tick_label(value, step), layout.text * 0.9, kInk);
    });
    io::draw_text(image, layout.bar_left, layout.top - layout.text * 0.8, "distance [m]",
                  layout.text * 0.9, kInk);
}

void draw_title(Image& image, const SlicePlane& plane, const SliceOptions& options,
                const Layout& layout) {
    std::string text = options.title;
    if (!text.empty()) text += "   ";
    text += "xyz"[plane.axis];
    text += " = " + io::tick_label(plane.coordinate, io::round_step(plane.pixel));
    io::draw_text(image, layout.left + layout.text, layout.text * 2.2, text, layout.text * 1.15,
                  kInk);
}

}  // namespace

Image draw_slice(const Field& field, const SliceOptions& options) {
    validate(options);
    const Layout layout = lay_out(options);
    const SlicePlane plane = choose_plane(choose_box(field, options), options, layout.slice_width);
    const DistanceRaster raster = io::sample_plane(
        plane, [&](const Vec3& point) { return field.distance(point); }, options.device.threads());
    const Shading shading = choose_shading(raster, options, layout);
    Image image(options.width, layout.top + plane.height + layout.bottom, kPaper);
    draw_plane(image, field, plane, raster, shading, layout, options.device.threads());
    if (layout.bar_width > 0) {
        draw_axes(image, plane, layout);
        draw_key(image, shading, plane, layout);
        draw_title(image, plane, options, layout);
    }
    return image;
}

}  // namespace graze
