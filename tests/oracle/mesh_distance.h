// MeshDistance is the signed distance to a closed mesh, with one query for each point: it is slow,
// but has nothing clever in it.
#pragma once

#include <cmath>

#include "geometry/bvh/bvh_traverse.h"
#include "geometry/bvh/winding_number.h"
#include "tests/oracle/fill_field.h"

namespace graze::oracle {

class MeshDistance {
public:
    explicit MeshDistance(const Mesh& mesh) : mesh_(mesh) {
        CpuExecutor executor;
        build_triangle_bvh(executor, mesh.positions.data(), mesh.triangles.data(),
                           static_cast<std::int64_t>(mesh.triangles.size()), BvhQuality::high,
                           bvh_);
        build_winding_tree(executor, bvh_, winding_);
    }

    ExactValue operator()(const Vec3d& p) const {
        const auto point = static_cast<Vec3>(p);
        ClosestPoint query(point, bvh_.view().triangles);
        traverse(bvh_.view().tree, query);
        const double side = is_inside(bvh_.view(), winding_.moments.data(), point) ? -1 : 1;
        const Vec3d away = p - static_cast<Vec3d>(query.closest().point);
        const double distance = length(away);
        if (distance > 0) return {side * distance, away * (side / distance)};
        const Triangle t = mesh_.triangles[query.triangle()];
        const auto a = static_cast<Vec3d>(mesh_.positions[t[0]]);
        return {0, normalized(cross(static_cast<Vec3d>(mesh_.positions[t[1]]) - a,
                                    static_cast<Vec3d>(mesh_.positions[t[2]]) - a))};
    }

private:
    const Mesh& mesh_;
    TriangleBvh bvh_{host_memory()};
    WindingTree winding_{host_memory()};
};

// Returns a grid of the mesh's box with two voxels around it. The longest side has `resolution`
// samples, or that many cells where the field is sparse; then the cells along each axis are a
// multiple of 8.
inline FieldGrid grid_around(const Mesh& mesh, int resolution, bool is_sparse) {
    const Aabb box = bounds(mesh);
    const Vec3 size = extent(box);
    const float longest = max_of(size.x, max_of(size.y, size.z));
    const int cells = is_sparse ? resolution : resolution - 1;
    FieldGrid grid{};
    grid.spacing = longest / static_cast<float>(cells - 4);
    for (int axis = 0; axis < 3; ++axis) {
        const auto needed = static_cast<std::int32_t>(std::ceil(size[axis] / grid.spacing)) + 4;
        grid.cells[axis] = is_sparse ? (needed + 7) / 8 * 8 : needed;
        grid.origin[axis] =
            centre(box)[axis] - 0.5f * grid.spacing * static_cast<float>(grid.cells[axis]);
    }
    return grid;
}

}  // namespace graze::oracle
