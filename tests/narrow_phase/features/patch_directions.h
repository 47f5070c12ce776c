// The directions of patch_normals.h as vectors, by their index.
#pragma once

#include "narrow_phase/features/patch_normals.h"

namespace graze {

inline const Vec3d kPatchDirectionVectors[kPatchDirections] = {
    {1, 0, 0}, {0, 1, 0},  {0, 0, 1}, {1, 1, 0},  {1, -1, 0}, {1, 0, 1},  {1, 0, -1},
    {0, 1, 1}, {0, 1, -1}, {1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {1, -1, -1}};

}  // namespace graze
