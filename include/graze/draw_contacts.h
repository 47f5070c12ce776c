// draw_contacts draws a picture of a scene and its contacts: the bodies as if of glass, their
// overlaps, and each contact as a dot, coloured by its depth, with an arrow along its normal. Where
// bodies move within a step, dots are coloured by time, and lines show how their points came there.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graze/detector.h"
#include "graze/image.h"

namespace graze {

struct ContactPictureOptions {
    // [pixels] The picture's width, 64 to 8192; its height follows from the bodies.
    int width = 1024;
    // The bodies get a title, axes, a scale and a key to the colours around them; pictures narrower
    // than 320 pixels have none of these.
    bool legend = true;
    std::string title;               // the first line of the legend
    std::vector<std::string> names;  // of the bodies, in their order; bodies beyond them have none
    // [m] What is shown; by default all bodies that have an end, and all contacts.
    std::optional<Aabb> box;
    // The direction from the bodies to the eye, of any length; by default one oblique to the axes
    // from which most normals are seen from the side.
    std::optional<Vec3> towards_eye;
    // How points moved (SweepOptions), by which their paths are drawn.
    SweepMotion motion = SweepMotion::rigid;
    Device device = Device::cpu();  // its threads of the CPU do the work
};

// Bodies are drawn where they are at the start of the step; those that move appear once more,
// faintly, as they are when they first touch another body, or else at the end of the step. Bodies
// without an end, such as planes, are cut off around the others. Contacts are drawn over the
// bodies, those far from the eye first; where they crowd, only the deepest have arrows. Throws
// Error where the options make no sense or the scene has no body. The picture is the same for any
// number of threads.
Image draw_contacts(const Scene& scene, std::span<const Contact> contacts,
                    const ContactPictureOptions& options = {});

}  // namespace graze
