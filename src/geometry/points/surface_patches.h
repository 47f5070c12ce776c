// SurfacePatches: the triangles of a mesh, cut where they are much larger than the spacing of
// points, in an order that keeps neighbours together: pieces of work of about the same size.
#pragma once

#include "geometry/points/sampled_surface.h"

namespace graze {

struct SurfacePatch {
    Vec3d corners[3];
    std::uint32_t triangle;

    double area() const {
        return 0.5 * length(cross(corners[1] - corners[0], corners[2] - corners[0]));
    }
    // The side from corner k to the next one that is the longest, and its squared length.
    int longest_side(double& length_sq_of) const {
        int longest = 0;
        length_sq_of = -1;
        for (int k = 0; k < 3; ++k) {
            const double side_sq = length_sq(corners[(k + 1) % 3] - corners[k]);
            if (side_sq > length_sq_of) {
                length_sq_of = side_sq;
                longest = k;
            }
        }
        return longest;
    }
    // Cuts it in the middle of a side.
    void cut(int side, SurfacePatch& first, SurfacePatch& second) const {
        const int next = (side + 1) % 3, opposite = (side + 2) % 3;
        const Vec3d middle = (corners[side] + corners[next]) * 0.5;
        first = {{corners[side], middle, corners[opposite]}, triangle};
        second = {{middle, corners[next], corners[opposite]}, triangle};
    }
};

// Calls visit(patch) for the parts of a patch whose sides are at most so long.
template <class Visit>
void visit_parts(const SurfacePatch& patch, double max_side, const Visit& visit) {
    double side_sq = 0;
    const int side = patch.longest_side(side_sq);
    if (!(side_sq > max_side * max_side)) {
        visit(patch);
        return;
    }
    SurfacePatch first, second;
    patch.cut(side, first, second);
    visit_parts(first, max_side, visit);
    visit_parts(second, max_side, visit);
}

// Triangles that name a vertex twice are left out: what they are part of is an edge of others.
std::vector<SurfacePatch> make_patches(CpuExecutor& executor, const Mesh& mesh, double max_side);

// Where the surface is farther than a distance from all samples on its side: the middle of small
// parts of it. All else is proven to be within the distance of a sample.
std::vector<SurfaceSample> find_uncovered(CpuExecutor& executor, const SampledSurface& surface,
                                          const std::vector<SurfacePatch>& patches,
                                          const std::vector<SurfaceSample>& samples,
                                          float distance);

}  // namespace graze
