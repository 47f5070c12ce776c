#include "graze/draw_rays.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "graze/error.h"
#include "pictures/contact_legend.h"
#include "pictures/distance_colours.h"
#include "pictures/draw_bodies.h"
#include "pictures/draw_marks.h"
#include "pictures/draw_text.h"
#include "pictures/legend_style.h"
#include "pictures/mesh_cut.h"
#include "pictures/paint.h"
#include "pictures/seen_rays.h"

namespace graze {

namespace {

constexpr Colour kRayColour{28, 30, 36}, kWayOutColour{20, 130, 60}, kPaleRay{150, 152, 162};
constexpr Colour kOverlapColour{236, 150, 142};
// The height of the drawing over its width is between these.
constexpr double kTallestRays = 1.0, kFlattestRays = 0.45;
// Rays are shown of vertices so near to the plane, in mean edges: of a regular mesh about one row.
constexpr double kSlab = 0.5;

void validate_rays(const Scene& scene, std::span<const Contact> contacts,
                   const ContactPictureOptions& options) {
    if (scene.size() == 0) throw Error("rays: the scene has no body to draw");
    for (const Body& body : scene.bodies()) {
        if (!body.shape.mesh() || body.shape.mesh()->triangles.empty())
            throw Error("rays: a body has no triangles to draw; make its shape from a mesh");
    }
    if (options.width < 64 || options.width > 8192) {
        throw Error("rays: a picture " + std::to_string(options.width) +
                    " pixels wide: choose 64 to 8192");
    }
    if (options.box && (options.box->is_empty() || !is_bounded(*options.box) ||
                        !(length_sq(extent(*options.box)) > 0))) {
        throw Error("rays: the box to draw has no size; give one with min below max");
    }
    const auto& eye = options.towards_eye;
    if (eye && (!is_finite(*eye) || !(length_sq(*eye) > 0)))
        throw Error("rays: the direction to the eye must be finite and not zero");
    for (const Contact& contact : contacts) {
        if (contact.body_a >= scene.size() || contact.body_b >= scene.size())
            throw Error("rays: a contact is of a body that the scene does not have");
        if (!is_finite(contact.position) || !is_finite(contact.normal) ||
            !std::isfinite(contact.distance))
            throw Error("rays: a position, normal or distance is not finite; leave it out");
    }
}

// [m] What two or more bodies' boxes have in common, or all of them where that is nothing.
Aabb shared_region(const Scene& scene, float gap) {
    Aabb shared = Aabb::empty(), all = Aabb::empty();
    for (std::uint32_t i = 0; i < scene.size(); ++i) {
        const Aabb box = inflate(body_box(scene[i]), gap / 2);
        all = merge(all, box);
        for (std::uint32_t k = 0; k < i; ++k) {
            const Aabb common = intersect(box, inflate(body_box(scene[k]), gap / 2));
            if (!common.is_empty()) shared = merge(shared, common);
        }
    }
    return shared.is_empty() ? all : shared;
}

Vec3d part_normal_to(const Vec3d& v, const Vec3d& unit) {
    return v - unit * dot(v, unit);
}

// The plane through the deepest contact along its normal, seen so that z, or else y, is up.
PictureCamera choose_plane(std::span<const Contact> contacts, const Aabb& region,
                           const ContactPictureOptions& options) {
    PictureCamera camera{};
    camera.centre = static_cast<Vec3d>(centre(region));
    Vec3d towards{0, -1, 0};
    const auto deepest = std::min_element(
        contacts.begin(), contacts.end(),
        [](const Contact& a, const Contact& b) { return a.distance < b.distance; });
    if (deepest != contacts.end()) {
        camera.centre = static_cast<Vec3d>(deepest->position);
        const auto normal = static_cast<Vec3d>(deepest->normal);
        // The axis that the normal is least along; of equal ones -y, as in drawings from the front.
        constexpr Vec3d kAxes[] = {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}};
        double least = 2;
        for (const Vec3d& axis : kAxes) {
            if (std::fabs(dot(axis, normal)) < least - 1e-3) {
                least = std::fabs(dot(axis, normal));
                towards = normalized(part_normal_to(axis, normalized(normal)));
            }
        }
    }
    if (options.towards_eye) towards = normalized(static_cast<Vec3d>(*options.towards_eye));
    const bool is_from_above = std::fabs(towards.z) > 0.9;
    camera.towards = towards;
    camera.up =
        normalized(part_normal_to(is_from_above ? Vec3d{0, 1, 0} : Vec3d{0, 0, 1}, towards));
    camera.right = cross(camera.up, towards);
    return camera;
}

// Shows a box [m] of the plane as large as it goes.
PictureCamera fit_plane(PictureCamera camera, const Aabb& box, int width) {
    Vec3d middle = static_cast<Vec3d>(centre(box));
    double reach_x = 0, reach_y = 0;
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3d x{static_cast<double>(corner & 1 ? box.max.x : box.min.x),
                      static_cast<double>(corner & 2 ? box.max.y : box.min.y),
                      static_cast<double>(corner & 4 ? box.max.z : box.min.z)};
        reach_x = std::max(reach_x, std::fabs(dot(x - middle, camera.right)));
        reach_y = std::max(reach_y, std::fabs(dot(x - middle, camera.up)));
    }
    // The middle of the box, moved into the plane.
    middle = middle + camera.towards * dot(camera.centre - middle, camera.towards);
    const double tall = std::clamp(reach_y / reach_x, kFlattestRays, kTallestRays);
    camera.centre = middle;
    camera.width = width;
    camera.height = std::max(1, static_cast<int>(std::lround(width * tall)));
    camera.pixel = std::max(2 * reach_x / camera.width, 2 * reach_y / camera.height);
    return camera;
}

struct RayCanvas {
    Image& image;
    const PictureCamera& camera;
    double text;  // [pixels]

    io::PixelPoint seen(const Vec3d& point) const {
        const auto at = camera.project(point);
        return {at.x, at.y};
    }
    // Inside of one body, of two, and the outlines over that.
    void draw_cuts(const Scene& scene) const {
        std::vector<int> count(image.pixels.size(), 0);
        std::vector<std::vector<CutSegment>> cuts;
        for (std::uint32_t body = 0; body < scene.size(); ++body) {
            cuts.push_back(cut_mesh(scene[body], camera));
            const std::vector<bool> is_inside = fill_cut(cuts.back(), camera);
            for (std::size_t i = 0; i < is_inside.size(); ++i) {
                if (!is_inside[i]) continue;
                image.pixels[i] = ++count[i] > 1 ? kOverlapColour
                                                 : io::blend(io::kPaper, body_colour(body), 0.4f);
            }
        }
        for (std::uint32_t body = 0; body < scene.size(); ++body) {
            const Colour line = io::blend(body_colour(body), io::kInk, 0.35f);
            for (const CutSegment& segment : cuts[body])
                io::draw_line(image, segment.a, segment.b, 0.11 * text, line);
        }
    }
    void draw_ray(const SeenRay& ray) const {
        const io::PixelPoint from = seen(ray.vertex);
        if (!ray.way_out) {
            const io::PixelPoint to = seen(ray.vertex + ray.direction * (2 * text * camera.pixel));
            io::draw_line(image, from, to, 0.05 * text, kPaleRay, 0.8f);
            io::draw_disc(image, from, 0.16 * text, kPaleRay);
            return;
        }
        if (ray.hit) {
            io::draw_line(image, from, seen(*ray.hit), 0.07 * text, kRayColour);
            io::draw_disc(image, seen(*ray.hit), 0.2 * text, kRayColour);
        }
        io::draw_arrow_over(image, from, seen(ray.vertex + *ray.way_out), 0.1 * text, 0.7 * text,
                            kWayOutColour, io::kPaper);
        io::draw_disc(image, from, 0.3 * text, kRayColour);
    }
};

std::string count_text(std::size_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// What was found, and below it a key to the lines.
void draw_ray_legend(Image& image, const ContactLegend& legend, std::size_t ray_count) {
    const double text = legend.layout.text;
    double line = draw_names(image, legend);
    const std::string sum = count_text(ray_count, "ray") + ", " +
                            count_text(legend.contact_count, "contact") +
                            "; those next to the plane are shown";
    io::draw_text(image, text * 1.2, line, sum, text, io::kInk);
    line += text * 2.2;
    double x = text * 1.2;
    const auto name = [&](Colour colour, bool is_arrow, const std::string& label) {
        const io::PixelPoint a{x, line - 0.5 * text}, b{x + 2.6 * text, line - 0.5 * text};
        if (is_arrow) {
            io::draw_arrow(image, a, b, 0.1 * text, 0.7 * text, colour);
        } else {
            io::draw_line(image, a, b, 0.07 * text, colour);
            io::draw_disc(image, a, 0.2 * text, colour);
        }
        io::draw_text(image, x + 3.4 * text, line, label, text * 0.9, io::kInk);
        x += 5.4 * text + io::text_width(label, text * 0.9);
    };
    name(kRayColour, false, "ray of a contact");
    name(kWayOutColour, true, "its depth and normal");
    name(kPaleRay, false, "ray without a contact");
    draw_axes(image, legend);
    draw_scale(image, legend);
}

}  // namespace

Image draw_rays(const Scene& scene, std::span<const Contact> contacts, float gap,
                const ContactPictureOptions& options) {
    validate_rays(scene, contacts, options);
    const std::vector<SeenRay> seen = find_seen_rays(scene, contacts, gap);
    const Aabb region = shared_region(scene, gap);
    ContactLayout layout = lay_out(options, false);
    if (layout.has_legend) layout.top += static_cast<int>(layout.text * 2.2);
    const float margin = 0.1f * length(extent(region));
    const PictureCamera camera =
        fit_plane(choose_plane(contacts, region, options),
                  options.box.value_or(inflate(region, margin)), layout.width);

    Image drawing(camera.width, camera.height);
    const RayCanvas canvas{drawing, camera, layout.text};
    canvas.draw_cuts(scene);
    for (const bool is_contact : {false, true}) {
        for (const SeenRay& ray : seen) {
            if (ray.way_out.has_value() == is_contact &&
                std::fabs(camera.project(ray.vertex).depth) <= kSlab * ray.edge)
                canvas.draw_ray(ray);
        }
    }
    Image image(options.width, layout.top + camera.height + layout.bottom);
    for (int y = 0; y < drawing.height; ++y) {
        for (int x = 0; x < drawing.width; ++x)
            image.at(layout.left + x, layout.top + y) = drawing.at(x, y);
    }
    if (layout.has_legend) {
        draw_ray_legend(image,
                        {options, layout, camera, scene.size(), contacts.size(),
                         choose_colours(contacts, false)},
                        seen.size());
    }
    return image;
}

}  // namespace graze
