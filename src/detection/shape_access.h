// ShapeAccess: what a shape keeps for the methods of detection beside its field.
#pragma once

#include "graze/shape.h"
#include "narrow_phase/features/mesh_features.h"
#include "narrow_phase/method.h"
#include "narrow_phase/rays/shape_rays.h"
#include "narrow_phase/sweep/shape_points.h"

namespace graze {

struct ShapeAccess {
    // The features of the shape's mesh, built by the first call. Throws Error where it has no mesh.
    // Of one that deforms they are those of today; where they are not yet, the executor given does
    // the work.
    static const MeshFeatures& mesh_features(const Shape& shape,
                                             const Progress& progress = nullptr);
    static const MeshFeatures& mesh_features(const Shape& shape, CpuExecutor& executor);
    // The tree over the shape's points, built by the first call; null where it has no mesh.
    static const PointTree* point_tree(const Shape& shape, const Progress& progress = nullptr);
    // The tree over the mesh's triangles likewise.
    static const FaceTree* face_tree(const Shape& shape);
    // A view of these trees, of which the second is empty where it is not asked for.
    static ShapePoints points(const Shape& shape, bool with_faces = false);
    // What the method rays takes of the shape's mesh, built by the first call. Throws Error where
    // it has no mesh. Of one that deforms it is today's, as above.
    static const MeshRays& mesh_rays(const Shape& shape, const Progress& progress = nullptr);
    // Its winding is today's only where that is asked for.
    static const MeshRays& mesh_rays(const Shape& shape, CpuExecutor& executor, bool with_winding);
    // Of a shape that deforms and has its rays: what is told of it beside the arrays, which is
    // revision, travel and sizes.
    static void describe_change(const Shape& shape, ShapeRays& rays);
};

// Builds what is needed of a shape and not built yet. progress: 0 to 1 for all of that.
void build_needs(const Shape& shape, const ShapeNeeds& needs, const Progress& progress);

}  // namespace graze
