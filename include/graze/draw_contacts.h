// Pictures of a scene and its contacts: the bodies as if of glass, the parts where they overlap,
// and each contact as a dot, coloured by its depth, with an arrow along its normal.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graze/contact.h"
#include "graze/device.h"
#include "graze/image.h"
#include "graze/scene.h"

namespace graze {

struct ContactPictureOptions {
    // [pixels] of the picture, 64 to 8192; the height follows from the bodies.
    int width = 1024;
    // Around the bodies, a title, the axes, a scale and a key to the colours; not below 320 pixels.
    bool legend = true;
    std::string title;               // first line
    std::vector<std::string> names;  // of the bodies, in their order; those of more are left out
    // [m] What to show: by default all bodies that have an end, and all contacts.
    std::optional<Aabb> box;
    // From the bodies to the eye, of any length: by default a direction oblique to the axes from
    // which most normals are seen from the side.
    std::optional<Vec3> towards_eye;
    Device device = Device::cpu();  // its threads of the CPU do the work
};

// Bodies are where they are at the start of the step. Those without an end, such as planes, are cut
// off around the others. Far-off contacts are drawn first, all contacts over the bodies; where they
// crowd, only the deepest have arrows. Throws Error where the options make no sense or the scene
// has no body. The same picture for any number of threads.
Image draw_contacts(const Scene& scene, std::span<const Contact> contacts,
                    const ContactPictureOptions& options = {});

}  // namespace graze
