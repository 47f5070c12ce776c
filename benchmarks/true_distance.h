// TrueDistance is the signed distance to a closed mesh, in double, by one tree query for each
// point. Sampled fields are compared with it.
#pragma once

#include <cmath>

#include "geometry/bvh/triangle_bvh.h"
#include "geometry/bvh/winding_number.h"
#include "graze/mesh.h"
#include "parallel/cpu_executor.h"

namespace graze {

class TrueDistance {
public:
    explicit TrueDistance(const Mesh& mesh)
        : mesh_(mesh), bvh_(host_memory()), winding_(host_memory()) {
        CpuExecutor executor;
        build_triangle_bvh(executor, mesh.positions.data(), mesh.triangles.data(),
                           static_cast<std::int64_t>(mesh.triangles.size()), BvhQuality::high,
                           bvh_);
        build_winding_tree(executor, bvh_, winding_);
    }

    // Returns the distance [m], negative inside.
    double operator()(const Vec3& point) const {
        const TriangleBvhView view = bvh_.view();
        ClosestPoint query(point, view.triangles);
        traverse(view.tree, query);
        const Triangle& t = mesh_.triangles[query.triangle()];
        const auto closest = closest_point_triangle(
            static_cast<Vec3d>(point), static_cast<Vec3d>(mesh_.positions[t[0]]),
            static_cast<Vec3d>(mesh_.positions[t[1]]), static_cast<Vec3d>(mesh_.positions[t[2]]));
        const double distance = std::sqrt(closest.distance_sq);
        return is_inside(view, winding_.moments.data(), point) ? -distance : distance;
    }

private:
    const Mesh& mesh_;
    TriangleBvh bvh_;
    WindingTree winding_;
};

}  // namespace graze
