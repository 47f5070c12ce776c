// ShapeAccess: what a shape keeps for the methods of detection beside its field.
#pragma once

#include "graze/shape.h"
#include "narrow_phase/features/mesh_features.h"
#include "narrow_phase/method.h"

namespace graze {

struct ShapeAccess {
    // The features of the shape's mesh, built by the first call. Throws Error where it has no mesh.
    static const MeshFeatures& mesh_features(const Shape& shape,
                                             const Progress& progress = nullptr);
};

// Builds what is needed of a shape and not built yet. progress: 0 to 1 for all of that.
void build_needs(const Shape& shape, const ShapeNeeds& needs, const Progress& progress);

}  // namespace graze
