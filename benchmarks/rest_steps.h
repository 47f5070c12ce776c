// A flat sheet within a thickness of several of its edges, as it is at rest, and folded over: all
// proximities, and those that a shape at rest leaves.
#pragma once

#include "graze/deforming.h"

namespace graze {

struct RestingSheet {
    DeformingTopology topology;       // with the shape at rest
    std::vector<Vec3d> flat, folded;  // [m]

    // Of side x side squares in the unit square. The halves of the folded sheet are apart by
    // a third of an edge.
    explicit RestingSheet(int side) {
        const auto at = [&](int x, int y) {
            return static_cast<std::uint32_t>(y * (side + 1) + x);
        };
        for (int y = 0; y <= side; ++y) {
            for (int x = 0; x <= side; ++x) {
                const Vec3d p{double(x) / side, double(y) / side, 0};
                flat.push_back(p);
                folded.push_back(2 * x > side ? Vec3d{1 - p.x, p.y, 1.0 / (3 * side)} : p);
            }
        }
        for (int y = 0; y < side; ++y) {
            for (int x = 0; x < side; ++x) {
                topology.triangles.push_back({{at(x, y), at(x + 1, y), at(x + 1, y + 1)}});
                topology.triangles.push_back({{at(x, y), at(x + 1, y + 1), at(x, y + 1)}});
            }
        }
        topology.vertex_count = static_cast<std::int64_t>(flat.size());
        topology.rest_positions = flat;
    }
};

}  // namespace graze
