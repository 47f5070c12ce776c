// PictureCamera maps the world to a picture and back, without perspective, so that lengths can be
// compared all over it.
#pragma once

#include <span>

#include "graze/draw_contacts.h"

namespace graze {

struct PictureCamera {
    // Unit vectors, normal to each other: the picture's axes in the world and the direction to the
    // eye.
    Vec3d right, up, towards;
    Vec3d centre;       // [m] world, in the middle of the picture
    double pixel;       // [m] size of one
    int width, height;  // [pixels]

    struct ProjectedPoint {
        double x, y;   // [pixels] from the top left corner
        double depth;  // [m] nearer to the eye than centre
    };
    ProjectedPoint project(const Vec3d& world) const {
        const Vec3d from = world - centre;
        return {0.5 * width + dot(from, right) / pixel, 0.5 * height - dot(from, up) / pixel,
                dot(from, towards)};
    }
    // [m] Returns the point of the world that is seen at a pixel, as far from the eye as the
    // centre.
    Vec3d point(double x, double y) const {
        return centre + right * ((x - 0.5 * width) * pixel) + up * ((0.5 * height - y) * pixel);
    }
};

// [m] Returns the box of a body in the world; it is infinite along axes where the body has no end.
Aabb world_box(const Body& body);
bool is_bounded(const Aabb& box);
// [m] Returns the box of all bodies that have an end and of all contacts; it is never empty. Where
// there are bodies without an end it has a margin, and they are cut off at it.
Aabb picture_region(const Scene& scene, std::span<const Contact> contacts);

// Chooses the picture's axes; its centre and its size are left to the caller.
PictureCamera choose_direction(const Scene& scene, std::span<const Contact> contacts,
                               const Aabb& region, const ContactPictureOptions& options);
// Returns the camera that shows the box as large as it goes.
PictureCamera framed(PictureCamera camera, const Aabb& box, int width, int height);

}  // namespace graze
