#include "pictures/draw_bodies.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "parallel/cpu_executor.h"
#include "pictures/distance_colours.h"
#include "pictures/paint.h"

namespace graze {

namespace {

// Each pixel is the mean of two rays, and of two more where a colour of the two differs by so much.
constexpr float kRaysDiffer = 5;
// Of all that a ray meets, only so many layers are drawn, those nearest to the eye.
constexpr std::size_t kMaxLayers = 12;
constexpr int kTones = 64;
constexpr double kInFront = 1e30;  // [m] more than any distance in a scene

struct Paint {
    float red, green, blue;
};

Paint mix(const Paint& a, const Paint& b, float fraction) {
    return {a.red + (b.red - a.red) * fraction, a.green + (b.green - a.green) * fraction,
            a.blue + (b.blue - a.blue) * fraction};
}

Paint to_paint(const Colour& c) {
    return {static_cast<float>(c.red), static_cast<float>(c.green), static_cast<float>(c.blue)};
}

struct Hue {
    double angle, chroma, light;
};
// Blue and orange come first: people with any common colour blindness tell them apart.
constexpr Hue kHues[] = {{262, 34, 78}, {66, 44, 82},  {150, 30, 80},
                         {315, 30, 78}, {205, 26, 80}, {105, 34, 84}};
constexpr Hue kOverlapHue{8, 48, 62};

const Hue& hue_of(std::uint32_t body) {
    return kHues[body % std::size(kHues)];
}

// The tones of a hue go from the shadow to the light.
struct Tones {
    explicit Tones(const Hue& hue) {
        for (int i = 0; i < kTones; ++i) {
            const double t = static_cast<double>(i) / (kTones - 1);
            const double light = hue.light * (0.66 + 0.46 * t);
            tone[static_cast<std::size_t>(i)] = to_paint(io::colour_of_lightness(
                std::min(light, 97.0), hue.chroma * (1.15 - 0.45 * t), hue.angle));
        }
        outline = to_paint(io::colour_of_lightness(0.45 * hue.light, hue.chroma, hue.angle));
    }
    Paint at(double light) const {
        const double index = std::clamp(light, 0.0, 1.0) * (kTones - 1);
        return tone[static_cast<std::size_t>(std::lround(index))];
    }

    std::array<Paint, kTones> tone;
    Paint outline;
};

// A ray meets layers: each has a colour and a depth, and hides a fraction of what is behind it.
struct Layer {
    double t;  // [m] along the ray
    Paint paint;
    float strength;  // 0 to 1
};

class Layers {
public:
    void add(const Layer& layer) {
        std::size_t i = std::min(count_, kMaxLayers - 1);
        if (count_ == kMaxLayers && layer.t >= layers_[i].t) return;
        for (; i > 0 && layers_[i - 1].t > layer.t; --i)
            layers_[i] = layers_[i - 1];
        layers_[i] = layer;
        count_ = std::min(count_ + 1, kMaxLayers);
    }
    // Returns what is seen where the layers lie over a colour.
    Paint over(Paint paint) const {
        for (std::size_t i = count_; i-- > 0;)
            paint = mix(paint, layers_[i].paint, layers_[i].strength);
        return paint;
    }

private:
    std::array<Layer, kMaxLayers> layers_;
    std::size_t count_ = 0;
};

struct ShadePixel {
    Image& image;
    const BodyDrawing& drawing;
    std::vector<Tones> tones;  // of the bodies' hues, then of overlaps
    Vec3d light;               // unit, towards the light

    ShadePixel(Image& image_, const BodyDrawing& drawing_) : image(image_), drawing(drawing_) {
        for (const Hue& hue : kHues)
            tones.emplace_back(hue);
        tones.emplace_back(kOverlapHue);
        const PictureCamera& camera = drawing.camera;
        light = normalized(camera.towards * 0.75 + camera.up * 0.65 - camera.right * 0.45);
    }

    const Tones& tones_of(const BodyTracer& tracer) const {
        return tracer.is_overlap() ? tones.back()
                                   : tones[static_cast<std::size_t>(tracer.hue) % std::size(kHues)];
    }

    void add_hit(const BodyTracer& tracer, const Vec3d& origin, const TracedHit& hit,
                 Layers& layers) const {
        const PictureCamera& camera = drawing.camera;
        const Tones& body = tones_of(tracer);
        if (hit.is_cut) {
            if (!tracer.is_overlap())
                layers.add({hit.t, body.at(0.75), tracer.is_faint ? 0.12f : 0.35f});
            return;
        }
        const Vec3d normal = tracer.normal(origin, hit.t);
        const double facing = std::clamp(dot(normal, camera.towards), 0.0, 1.0);
        const double rim = (1 - facing) * (1 - facing);
        // The light is soft: what faces away from it is not dark yet.
        const double lit = 0.5 + 0.5 * dot(normal, light);
        const Paint paint = mix(body.at(lit), body.outline, static_cast<float>(0.6 * rim * rim));
        double strength = drawing.is_glass ? 0.40 + 0.45 * rim : 0.88 + 0.12 * rim;
        if (tracer.is_faint) strength = 0.12 + 0.3 * rim;
        double t = hit.t;
        if (tracer.is_overlap()) {
            // What two bodies share is what the picture is about, so it shines through all else.
            strength = 0.55;
            t -= kInFront;
        }
        layers.add({t, paint, static_cast<float>(strength)});
    }

    Paint ray(double x, double y) const {
        const PictureCamera& camera = drawing.camera;
        const Vec3d origin = camera.point(x, y);
        Layers layers;
        for (const BodyTracer& tracer : drawing.tracers) {
            const TracedHit hit = tracer.trace(origin, camera.pixel);
            if (hit.is_hit) {
                add_hit(tracer, origin, hit, layers);
            } else if (!tracer.is_overlap()) {
                const auto away = static_cast<float>(hit.nearest / camera.pixel);
                const float line = io::line_coverage(away, 0.5f);
                const float strength = tracer.is_faint ? 0.35f : 0.7f;
                if (line > 0)
                    layers.add({hit.nearest_t, tones_of(tracer).outline, strength * line});
            }
        }
        return layers.over({255, 255, 255});
    }

    Paint pixel(double x, double y) const {
        const Paint a = ray(x + 0.25, y + 0.25), b = ray(x + 0.75, y + 0.75);
        const Paint mean = mix(a, b, 0.5f);
        const float difference = std::max(
            {std::fabs(a.red - b.red), std::fabs(a.green - b.green), std::fabs(a.blue - b.blue)});
        if (difference < kRaysDiffer) return mean;
        return mix(mean, mix(ray(x + 0.75, y + 0.25), ray(x + 0.25, y + 0.75), 0.5f), 0.5f);
    }

    void operator()(std::int64_t row) const {
        const int y = static_cast<int>(row);
        for (int x = 0; x < drawing.camera.width; ++x) {
            const Paint paint = pixel(x, y);
            const auto whole = [](float v) { return static_cast<std::uint8_t>(std::lround(v)); };
            image.at(drawing.left + x, drawing.top + y) = {whole(paint.red), whole(paint.green),
                                                           whole(paint.blue)};
        }
    }
};

}  // namespace

Colour body_colour(std::uint32_t body) {
    const Hue& hue = hue_of(body);
    return io::colour_of_lightness(hue.light - 8, hue.chroma * 1.1, hue.angle);
}

void draw_bodies(Image& image, const BodyDrawing& drawing) {
    CpuExecutor executor(drawing.thread_count);
    executor.for_each("contacts: bodies", drawing.camera.height, ShadePixel(image, drawing), 1);
}

PictureExtent find_extent(const std::vector<BodyTracer>& tracers, const PictureCamera& camera,
                          int thread_count) {
    const auto width = static_cast<std::size_t>(camera.width);
    std::vector<std::uint8_t> is_covered(width * static_cast<std::size_t>(camera.height));
    CpuExecutor executor(thread_count);
    executor.for_each(
        "contacts: extent", camera.height,
        [&](std::int64_t row) {
            for (int x = 0; x < camera.width; ++x) {
                const Vec3d origin = camera.point(x + 0.5, static_cast<double>(row) + 0.5);
                const bool is_hit =
                    std::any_of(tracers.begin(), tracers.end(), [&](const BodyTracer& tracer) {
                        if (tracer.is_overlap()) return false;
                        const TracedHit hit = tracer.trace(origin, camera.pixel);
                        // Half a pixel more is taken, so that nothing thin is lost.
                        return hit.is_hit || hit.nearest < 0.5 * camera.pixel;
                    });
                is_covered[static_cast<std::size_t>(row) * width + static_cast<std::size_t>(x)] =
                    is_hit;
            }
        },
        1);
    PictureExtent extent{1e9, 1e9, -1e9, -1e9};
    for (int y = 0; y < camera.height; ++y) {
        for (int x = 0; x < camera.width; ++x) {
            if (!is_covered[static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)])
                continue;
            extent = {std::min<double>(extent.left, x), std::min<double>(extent.top, y),
                      std::max(extent.right, x + 1.0), std::max(extent.bottom, y + 1.0)};
        }
    }
    return extent;
}

}  // namespace graze
