#include "draw_field_order.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "graze/field_summary.h"
#include "pictures/distance_colours.h"
#include "pictures/distance_raster.h"
#include "pictures/draw_text.h"
#include "true_distance.h"

namespace graze {

namespace {

constexpr Colour kPaper{255, 255, 255}, kInk{28, 30, 36}, kOwn{0, 96, 214}, kFrame{150, 152, 158};
constexpr int kResolution = 48;            // few samples, so that cells can be seen
constexpr int kPanel = 460, kMargin = 24;  // [pixels]
constexpr int kTop = 86, kBottom = 92;
constexpr double kText = 12;
constexpr float kRange = 0.2f;  // [voxels of order 1] the error at which colours end

// Returns a plane through the middle of the mesh, seen along z. It shows three fifths of the mesh's
// box, up and to the left, where the bunny has its head.
io::SlicePlane choose_plane(const Aabb& box) {
    const auto low = static_cast<Vec3d>(box.min), size = static_cast<Vec3d>(box.max - box.min);
    io::SlicePlane plane;
    plane.coordinate = low.z + 0.5 * size.z;
    const double shown = 0.62 * std::max(size.x, size.y);
    plane.width = plane.height = kPanel;
    plane.pixel = shown / kPanel;
    plane.left = low.x - 0.04 * shown;
    plane.bottom = low.y + size.y - 0.96 * shown;
    return plane;
}

double root_mean_square(const io::DistanceRaster& field, const io::DistanceRaster& truth,
                        double band) {
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < truth.values.size(); ++i) {
        if (std::fabs(truth.values[i]) > band) continue;
        const double off = static_cast<double>(field.values[i]) - truth.values[i];
        sum += off * off;
        ++count;
    }
    return std::sqrt(sum / std::max(count, 1.0));
}

// Colours go evenly from pale to dark, in steps, since a smooth picture would be a large file.
class ErrorColours {
public:
    // `off` is an error. [voxels]
    Colour operator()(double off) const {
        constexpr double kSteps = 24;
        const double fraction = std::min(std::round(off / kRange * kSteps) / kSteps, 1.0);
        return colours_(static_cast<float>(std::pow(fraction, 1.4) * kRange));
    }

private:
    io::DistanceColours colours_{kRange};
};

void draw_panel(Image& image, int left, const io::DistanceRaster& field,
                const io::DistanceRaster& truth, double voxel) {
    const ErrorColours colours;
    for (int y = 0; y < kPanel; ++y) {
        for (int x = 0; x < kPanel; ++x) {
            const double off = std::fabs(field.at(x, y) - truth.at(x, y)) / voxel;
            Colour colour = colours(off);
            colour = io::blend(colour, kOwn, field.contour(x, y, 0, 1.7f));
            colour = io::blend(colour, kInk, truth.contour(x, y, 0, 0.7f));
            image.at(left + x, kTop + y) = colour;
        }
    }
}

void draw_heading(Image& image, int left, const Field& field, double deviation) {
    const FieldSummary summary = summarize(field);
    char text[128];
    std::snprintf(text, sizeof(text), "order %d   %lld x %lld x %lld samples, %.2f MB",
                  summary.order == FieldOrder::zero ? 0 : 1,
                  static_cast<long long>(summary.grid.samples(0)),
                  static_cast<long long>(summary.grid.samples(1)),
                  static_cast<long long>(summary.grid.samples(2)),
                  static_cast<double>(summary.memory_bytes) * 1e-6);
    io::draw_text(image, left, 34, text, kText * 1.15, kInk);
    std::snprintf(text, sizeof(text), "off by %.4f voxels rms near the surface", deviation);
    io::draw_text(image, left, 64, text, kText * 0.95, kInk);
}

void draw_key(Image& image) {
    const ErrorColours colours;
    const int top = kTop + kPanel + 26, height = 16, width = 340;
    for (int x = 0; x < width; ++x) {
        const float value = kRange * (static_cast<float>(x) + 0.5f) / static_cast<float>(width);
        for (int y = 0; y < height; ++y)
            image.at(kMargin + x, top + y) = colours(value);
    }
    for (int i = 0; i <= 4; ++i) {
        char label[16];
        std::snprintf(label, sizeof(label), "%.2f", kRange * static_cast<float>(i) / 4);
        const double x = kMargin + i * width / 4.0;
        io::draw_text(image, i == 0 ? x : x - io::text_width(label, kText * 0.85) / 2,
                      top + height + 18, label, kText * 0.85, kInk);
    }
    io::draw_text(image, kMargin + width + 24, top + 13, "voxels off", kText, kInk);
    const double right = kMargin * 2 + kPanel;
    io::fill_rectangle(image, right, top + 5, right + 44, top + 9, kOwn);
    io::draw_text(image, right + 54, top + 13, "the field's surface", kText, kInk);
    io::fill_rectangle(image, right, top + 30.3, right + 44, top + 31.7, kInk);
    io::draw_text(image, right + 54, top + 37, "the true surface", kText, kInk);
}

}  // namespace

FieldPair build_pair(const Mesh& mesh, int resolution) {
    FieldOptions options;
    options.resolution = resolution;
    options.order = FieldOrder::one;
    const Field order_1 = build_field(mesh, options);
    const std::int64_t memory = summarize(order_1).memory_bytes;
    options.order = FieldOrder::zero;
    options.resolution = static_cast<int>(resolution * std::cbrt(2.0)) - 1;
    Field order_0 = build_field(mesh, options);
    while (summarize(order_0).memory_bytes < memory) {
        ++options.resolution;
        order_0 = build_field(mesh, options);
    }
    return {order_0, order_1};
}

Image draw_field_order(const Mesh& mesh) {
    const FieldPair pair = build_pair(mesh, kResolution);
    const double voxel = summarize(pair.order_1).grid.spacing;
    const TrueDistance distance(mesh);
    const io::SlicePlane plane = choose_plane(bounds(mesh));
    const auto sample = [&](const auto& at) {
        return io::sample_plane(plane, [&](const Vec3& p) { return static_cast<float>(at(p)); });
    };
    const io::DistanceRaster truth = sample(distance);
    Image image(3 * kMargin + 2 * kPanel, kTop + kPanel + kBottom, kPaper);
    int left = kMargin;
    for (const Field& field : {pair.order_0, pair.order_1}) {
        const io::DistanceRaster raster = sample([&](const Vec3& p) { return field.distance(p); });
        io::fill_rectangle(image, left - 1, kTop - 1, left + kPanel + 1, kTop + kPanel + 1, kFrame);
        draw_panel(image, left, raster, truth, voxel);
        draw_heading(image, left, field, root_mean_square(raster, truth, voxel) / voxel);
        left += kPanel + kMargin;
    }
    draw_key(image);
    return image;
}

}  // namespace graze
