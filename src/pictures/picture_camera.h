// PictureCamera: from the world to a picture and back, without perspective, so that lengths can be
// compared all over it.
#pragma once

#include <span>

#include "graze/draw_contacts.h"

namespace graze {

struct PictureCamera {
    // Unit and normal to each other: the picture's axes in the world, and the way to the eye.
    Vec3d right, up, towards;
    Vec3d centre;       // [m] world, in the middle of the picture
    double pixel;       // [m] size of one
    int width, height;  // [pixels]

    struct Place {
        double x, y;   // [pixels] from the top left corner
        double depth;  // [m] nearer to the eye than centre
    };
    Place project(const Vec3d& world) const {
        const Vec3d from = world - centre;
        return {0.5 * width + dot(from, right) / pixel, 0.5 * height - dot(from, up) / pixel,
                dot(from, towards)};
    }
    // [m] world; as far from the eye as the centre.
    Vec3d point(double x, double y) const {
        return centre + right * ((x - 0.5 * width) * pixel) + up * ((0.5 * height - y) * pixel);
    }
};

// [m] The box of a body in the world; infinite along axes where it has no end.
Aabb world_box(const Body& body);
bool is_bounded(const Aabb& box);
// [m] The box of all bodies that have an end and of all contacts, with a margin where there are
// bodies without one; never empty. Those are cut off at it.
Aabb picture_region(const Scene& scene, std::span<const Contact> contacts);

// The picture's axes; where it is and how large is left to the caller.
PictureCamera choose_direction(const Scene& scene, std::span<const Contact> contacts,
                               const Aabb& region, const ContactPictureOptions& options);
// Shows the box, as large as it goes.
PictureCamera framed(PictureCamera camera, const Aabb& box, int width, int height);

}  // namespace graze
