// draw_rays draws a picture of how Method::rays found contacts: a plane cuts the meshes, and the
// vertices next to it show the rays that they cast and what these met.
#pragma once

#include "graze/draw_contacts.h"

namespace graze {

// contacts: what the method found for the scene, all or some of it; gap [m]: with which gap. Each
// vertex that casts a ray and is next to the plane is drawn: a contact as its ray, up to where it
// meets the other body, and an arrow, as long as the contact is deep, in the direction in which
// vertex and face part; any other as a short pale line. Of the options, towards_eye is normal to
// the plane, which goes through the deepest contact and by default contains its normal, and box is
// what of the plane is shown; by default that is where the boxes of bodies overlap. The cut
// is shaded inside of the meshes, where they are closed. Throws Error where the options make no
// sense or a body has no mesh. Nothing is built of the shapes but what the method itself needs.
Image draw_rays(const Scene& scene, std::span<const Contact> contacts, float gap = 0,
                const ContactPictureOptions& options = {});

}  // namespace graze
