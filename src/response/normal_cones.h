// NormalCones: in which directions the surface around a feature can be pushed.
//
// Two features that are near each other, or meet, need not be where their surfaces are nearest: a
// vertex above a face is near the faces beside it too, sideways. The direction of such a pair is no
// normal of the surface, and a contact along it would tear the surface apart in its own plane. A
// direction is good where nothing around the point comes nearer by going over the surface, that is,
// where the pair is a local minimum of the distance. Others are left out; the pair that is nearer
// is found too.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graze/deforming.h"
#include "response/cloth_world.h"

namespace graze {

class NormalCones {
public:
    NormalCones(std::span<const Triangle> triangles, std::size_t vertex_count);

    // Whether a contact is to be made of what is near at these positions [m], of all vertices.
    bool holds(const Proximity& proximity, std::span<const Vec3> positions) const;

private:
    template <class Found, class PositionOf>
    bool is_nearest(const Found& found, const PositionOf& position_of) const;
    // Whether the direction, away from the surface, is in the cone of a point of it: of an edge's
    // or a face's vertices, with their weights.
    template <class PositionOf>
    bool is_in_cone(std::span<const std::uint32_t> vertices, std::span<const float> weights,
                    const Vec3d& direction, const PositionOf& position_of) const;

    // By vertex: the other two of each of its triangles, one range after the other.
    std::vector<std::uint32_t> begins_;
    std::vector<Edge> others_;
};

}  // namespace graze
