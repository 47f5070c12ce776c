// MeshCut: what a plane, that of a picture, cuts out of a body.
#pragma once

#include <vector>

#include "graze/scene.h"
#include "pictures/picture_camera.h"
#include "pictures/pixel_point.h"

namespace graze {

// A piece of the outline. All pieces run around the body in the same sense.
struct CutSegment {
    io::PixelPoint a, b;  // [pixels] of the camera's picture
};

// The plane goes through the camera's centre, normal to the direction to the eye.
std::vector<CutSegment> cut_mesh(const Body& body, const PictureCamera& camera);

// By pixel of the camera's picture, from the top left: whether its middle is inside of the outline.
// Rows in which the outline is open have no inside.
std::vector<bool> fill_cut(const std::vector<CutSegment>& cut, const PictureCamera& camera);

}  // namespace graze
