// The rule by which two triangles of a mesh meet beyond what they share, on exact point sets.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "graze/mesh.h"
#include "tests/oracle/exact_intersect.h"

namespace graze::oracle {

template <class T>
ConvexPolygon common_points(const std::vector<Vec3T<T>>& positions, const Triangle& a,
                            const Triangle& b) {
    const auto corners = [&](const Triangle& t) {
        return std::array<RationalVec3, 3>{to_rational(positions[t[0]]),
                                           to_rational(positions[t[1]]),
                                           to_rational(positions[t[2]])};
    };
    return common_points(corners(a), corners(b));
}

// True where the common points are more than the hull of the shared vertices.
template <class T>
bool meet_beyond_shared(const std::vector<Vec3T<T>>& positions, const Triangle& a,
                        const Triangle& b) {
    std::vector<RationalVec3> shared;
    for (std::uint32_t vertex : a.v)
        if (std::count(b.v, b.v + 3, vertex) > 0) shared.push_back(to_rational(positions[vertex]));
    if (shared.size() == 3) return true;
    const ConvexPolygon common = common_points(positions, a, b);
    return std::any_of(common.begin(), common.end(), [&](const RationalVec3& p) {
        return shared.empty() || !is_on_segment(shared.front(), shared.back(), p);
    });
}

}  // namespace graze::oracle
