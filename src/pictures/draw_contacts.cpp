#include "graze/draw_contacts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "graze/error.h"
#include "pictures/contact_legend.h"
#include "pictures/contact_paths.h"
#include "pictures/draw_bodies.h"
#include "pictures/draw_marks.h"
#include "pictures/legend_style.h"

namespace graze {

namespace {

constexpr Colour kHalo = io::kPaper, kArrow = io::kInk;
// The height of the bodies' drawing over its width is between these.
constexpr double kTallest = 1.0, kLeastTall = 0.45;
constexpr double kMargin = 1.06;  // factor from the size of what is framed to that of the frame

void validate(const Scene& scene, std::span<const Contact> contacts,
              const ContactPictureOptions& options) {
    if (scene.size() == 0) throw Error("contacts: the scene has no body to draw");
    if (options.width < 64 || options.width > 8192) {
        throw Error("contacts: a picture " + std::to_string(options.width) +
                    " pixels wide: choose 64 to 8192");
    }
    if (options.box && (options.box->is_empty() || !is_bounded(*options.box) ||
                        !(length_sq(extent(*options.box)) > 0))) {
        throw Error("contacts: the box to draw has no size; give one with min below max");
    }
    const auto& eye = options.towards_eye;
    if (eye && (!is_finite(*eye) || !(length_sq(*eye) > 0)))
        throw Error("contacts: the direction to the eye must be finite and not zero");
    for (const Contact& contact : contacts) {
        if (contact.body_a >= scene.size() || contact.body_b >= scene.size())
            throw Error("contacts: a contact is of a body that the scene does not have");
        if (!is_finite(contact.position) || !is_finite(contact.normal) ||
            !std::isfinite(contact.distance))
            throw Error("contacts: a position, normal or distance is not finite; leave it out");
        if (!(contact.time >= 0 && contact.time <= 1))
            throw Error("contacts: a time is not between 0 and 1; leave it out");
    }
}

// Shows all there is as large as it goes. How large that is shows only in a small trial picture, as
// boxes are much larger than what is in them.
PictureCamera fit_camera(const std::vector<BodyTracer>& tracers, PictureCamera camera,
                         std::span<const Contact> contacts, const Aabb& region,
                         const ContactPictureOptions& options, int width) {
    constexpr int kTrial = 160;  // [pixels]
    camera = framed(camera, options.box.value_or(region), kTrial, kTrial);
    PictureExtent extent{0, 0, kTrial, kTrial};
    if (options.box) {
        const PictureCamera wide = framed(camera, *options.box, 1 << 20, 1);
        const PictureCamera tall = framed(camera, *options.box, 1, 1 << 20);
        // The box's own sides, in trial pixels.
        const double reach_x = wide.pixel * (1 << 20) / camera.pixel / 2;
        const double reach_y = tall.pixel * (1 << 20) / camera.pixel / 2;
        extent = {kTrial / 2.0 - std::min(reach_x, kTrial / 2.0),
                  kTrial / 2.0 - std::min(reach_y, kTrial / 2.0),
                  kTrial / 2.0 + std::min(reach_x, kTrial / 2.0),
                  kTrial / 2.0 + std::min(reach_y, kTrial / 2.0)};
    } else {
        const PictureExtent seen = find_extent(tracers, camera, options.device.threads());
        if (!seen.is_empty()) extent = seen;
        for (const Contact& contact : contacts) {
            const auto at = camera.project(static_cast<Vec3d>(contact.position));
            extent = {std::min(extent.left, at.x), std::min(extent.top, at.y),
                      std::max(extent.right, at.x), std::max(extent.bottom, at.y)};
        }
    }
    const double size_x = (extent.right - extent.left) * camera.pixel * kMargin;
    const double size_y = (extent.bottom - extent.top) * camera.pixel * kMargin;
    const double tall = std::clamp(size_y / size_x, kLeastTall, kTallest);
    const Vec3d middle =
        camera.point((extent.left + extent.right) / 2, (extent.top + extent.bottom) / 2);
    camera.centre = middle;
    camera.width = width;
    camera.height = std::max(1, static_cast<int>(std::lround(width * tall)));
    camera.pixel = std::max(size_x / camera.width, size_y / camera.height);
    return camera;
}

struct Mark {
    io::PixelPoint at, tip;  // of the dot and of the arrow
    double depth;            // [m] nearer to the eye than the camera's centre
    float value;             // by which it is coloured; the lower, the more it matters
    std::size_t contact;     // index
    bool has_arrow, has_path;
};

// Only the deepest or earliest mark of each square has an arrow or a path, as many would hide each
// other.
void choose_marks(std::vector<Mark>& marks, double square, bool Mark::* is_chosen) {
    std::map<std::pair<long, long>, std::size_t> deepest;
    for (std::size_t i = 0; i < marks.size(); ++i) {
        const std::pair<long, long> cell{std::lround(marks[i].at.x / square),
                                         std::lround(marks[i].at.y / square)};
        const auto [found, is_new] = deepest.emplace(cell, i);
        if (!is_new && marks[i].value < marks[found->second].value) found->second = i;
    }
    for (const auto& [cell, i] : deepest)
        marks[i].*is_chosen = true;
}

std::vector<Mark> make_marks(std::span<const Contact> contacts, const PictureCamera& camera,
                             const ContactLayout& layout, const ContactColours& colours) {
    const double arrow = 4.2 * layout.text;
    std::vector<Mark> marks;
    marks.reserve(contacts.size());
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        const Contact& contact = contacts[i];
        const auto seen = camera.project(static_cast<Vec3d>(contact.position));
        const auto normal = static_cast<Vec3d>(contact.normal);
        const io::PixelPoint at{layout.left + seen.x, layout.top + seen.y};
        const io::PixelPoint tip{at.x + arrow * dot(normal, camera.right),
                                 at.y - arrow * dot(normal, camera.up)};
        marks.push_back({at, tip, seen.depth, colours.value(contact), i, false, false});
    }
    choose_marks(marks, 3.2 * layout.text, &Mark::has_arrow);
    choose_marks(marks, 1.8 * layout.text, &Mark::has_path);
    std::stable_sort(marks.begin(), marks.end(),
                     [](const Mark& a, const Mark& b) { return a.depth < b.depth; });
    return marks;
}

void draw_marks(Image& image, const std::vector<Mark>& marks, const ContactColours& colours,
                double text) {
    // Where there are many, they are drawn smaller, down to half the size.
    const double crowd = static_cast<double>(marks.size()) / 150;
    const double radius = text * (0.22 + 0.24 / (1 + crowd));
    const double halo = 0.5 + 0.9 / (1 + crowd);
    for (const Mark& mark : marks) {
        io::draw_disc(image, mark.at, radius + halo, kHalo, 0.8f);
        io::draw_disc(image, mark.at, radius, colours(mark.value));
    }
    for (const Mark& mark : marks) {
        if (!mark.has_arrow) continue;
        io::draw_arrow_over(image, mark.at, mark.tip, text * 0.09, text * 0.66, kArrow, kHalo);
        io::draw_disc(image, mark.at, radius, colours(mark.value));
    }
}

// Cuts the segment ab down to what is in the frame from low to high; returns false where that is
// nothing.
bool cut_to_frame(const io::PixelPoint& low, const io::PixelPoint& high, io::PixelPoint& a,
                  io::PixelPoint& b) {
    double begin = 0, end = 1;
    const io::PixelPoint from = a, way{b.x - a.x, b.y - a.y};
    const auto cut = [&](double start, double step, double least, double most) {
        if (step == 0) return start >= least && start <= most;
        const double s = (least - start) / step, t = (most - start) / step;
        begin = std::max(begin, std::min(s, t));
        end = std::min(end, std::max(s, t));
        return begin <= end;
    };
    if (!cut(from.x, way.x, low.x, high.x) || !cut(from.y, way.y, low.y, high.y)) return false;
    a = {from.x + way.x * begin, from.y + way.y * begin};
    b = {from.x + way.x * end, from.y + way.y * end};
    return true;
}

// The bodies' part of the picture, on which contacts are drawn.
struct ContactCanvas {
    Image& image;
    const PictureCamera& camera;
    const ContactLayout& layout;

    io::PixelPoint seen(const Vec3d& point) const {
        const auto at = camera.project(point);
        return {layout.left + at.x, layout.top + at.y};
    }
    // Draws a line within the frame, so that what comes from outside does not cross the legend.
    void draw_line(const Vec3d& from, const Vec3d& to, Colour colour) const {
        const io::PixelPoint low{static_cast<double>(layout.left), static_cast<double>(layout.top)};
        const io::PixelPoint high{low.x + camera.width, low.y + camera.height};
        io::PixelPoint a = seen(from), b = seen(to);
        if (cut_to_frame(low, high, a, b))
            io::draw_line(image, a, b, 0.06 * layout.text, colour, 0.6f);
    }
    void draw_start(const Vec3d& point, Colour colour) const {
        const auto at = camera.project(point);
        if (at.x >= 0 && at.y >= 0 && at.x <= camera.width && at.y <= camera.height)
            io::draw_disc(image, seen(point), 0.16 * layout.text, colour);
    }
};

// Draws how the points of contacts came to where they touch.
void draw_paths(const ContactCanvas& canvas, const Scene& scene, std::span<const Contact> contacts,
                const std::vector<Mark>& marks, SweepMotion motion, const ContactColours& colours) {
    std::vector<ContactPath> paths;
    for (const Mark& mark : marks) {
        if (mark.has_path) add_paths(scene, contacts[mark.contact], mark.contact, motion, paths);
    }
    for (const ContactPath& path : paths) {
        const Colour colour = colours(colours.value(contacts[path.contact]));
        for (std::size_t i = 1; i < path.points.size(); ++i)
            canvas.draw_line(path.points[i - 1], path.points[i], colour);
        canvas.draw_start(path.points.front(), colour);
    }
}

// The bodies of the scene, and after them those that move as they are later in the step.
struct ShownBodies {
    Scene scene;
    std::vector<LaterBody> later;

    ShownBodies(const Scene& scene_, std::span<const Contact> contacts)
        : scene(scene_), later(later_bodies(scene_, contacts)) {
        for (const LaterBody& body : later)
            scene.add(scene_[body.body].shape, body.pose);
    }
    std::vector<BodyTracer> tracers(std::span<const Contact> contacts, const Aabb& region,
                                    const Vec3d& towards_eye) const {
        std::vector<BodyTracer> tracers = make_tracers(scene, contacts, region, towards_eye);
        const std::size_t first = scene.size() - later.size();
        for (std::size_t i = 0; i < later.size(); ++i) {
            tracers[first + i].hue = static_cast<int>(later[i].body);
            tracers[first + i].is_faint = true;
        }
        return tracers;
    }
};

}  // namespace

Image draw_contacts(const Scene& scene, std::span<const Contact> contacts,
                    const ContactPictureOptions& options) {
    validate(scene, contacts, options);
    const ContactLayout layout = lay_out(options, !contacts.empty());
    const ShownBodies shown(scene, contacts);
    const Aabb region = picture_region(shown.scene, contacts);
    PictureCamera camera = choose_direction(shown.scene, contacts, region, options);
    const std::vector<BodyTracer> tracers = shown.tracers(contacts, region, camera.towards);
    camera = fit_camera(tracers, camera, contacts, region, options, layout.width);

    Image image(options.width, layout.top + camera.height + layout.bottom);
    draw_bodies(image, {tracers, camera, layout.left, layout.top, !contacts.empty(),
                        options.device.threads()});
    const ContactColours colours = choose_colours(contacts, !shown.later.empty());
    const std::vector<Mark> marks = make_marks(contacts, camera, layout, colours);
    draw_paths({image, camera, layout}, scene, contacts, marks, options.motion, colours);
    draw_marks(image, marks, colours, layout.text);
    if (layout.has_legend)
        draw_legend(image, {options, layout, camera, scene.size(), contacts.size(), colours});
    return image;
}

}  // namespace graze
