// find_intersection_parts: what two bodies have in common, as parts that hang together.
//
// The boundary of the common solid is made of pieces of each surface that lie inside the other
// body, and the curves in which the surfaces cross are where those pieces meet. Curves are chains
// of the segments in which pairs of triangles cross, exactly decided; they are joined where a piece
// of surface runs from one to the other inside the other body. A piece without a curve is a part of
// a mesh that lies wholly inside the other body. Where a body has no inside, nothing is joined
// through it: each curve is a part.
#pragma once

#include <span>
#include <vector>

#include "comparison/judged_body.h"
#include "graze/deforming.h"
#include "graze/transform.h"

namespace graze {

struct IntersectionPart {
    std::vector<Vec3d> points;  // [m] in the world, all over the part
    Aabbd box = Aabbd::empty();
    bool is_contained = false;  // without a curve: wholly inside the other body

    double extent() const;  // [m] the diagonal of its box
};

// A body of a pair, where it is in the world.
struct PosedBody {
    const JudgedBody& body;
    Transformd pose;                   // world from body
    std::span<const Vec3d> positions;  // of its mesh's vertices in the world [m]

    Vec3 local(const Vec3d& world) const;
    bool is_inside(const Vec3d& world) const { return body.is_inside(local(world)); }
};

// The pairs are those of a triangle of a and one of b, the latter counted on from those of a. Parts
// come in the order of their first pair; those without any come last. `most_points` of each are
// kept, at least one.
std::vector<IntersectionPart> find_intersection_parts(const PosedBody& a, const PosedBody& b,
                                                      std::span<const TriangleIntersection> pairs,
                                                      std::size_t most_points = 2048);

}  // namespace graze
