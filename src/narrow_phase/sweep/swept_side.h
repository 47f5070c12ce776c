// SweptSide: the points of one body and the field of another in a step, and the bound by which
// spheres around points are left out.
//
// The path that is searched. The step is cut into 2^n spans of equal length, so many that no point
// is farther than the tolerance from its chord over a span (SideMotion::bend); the search follows
// the chords. Within a span every point of a body then moves by the blend of the two maps at its
// ends, and so does the centre of a sphere. The vector between a point and the centre is a blend of
// two vectors of the same length, so it is never longer: a sphere that holds points at rest holds
// them all the time. Nothing else of the true motion enters the search, and what is proven below is
// proven for these paths.
//
// What leaves a sphere out. Let f be the field as evaluate() gives it, d the true distance of its
// solid, g the level (the gap, in metres of the field), c and r a sphere's centre and radius, and x
// a point in it with f(x) <= g. Then f(c) <= g + r + slack, with a slack that does not depend on x:
// a sphere with a larger value at its centre holds no such point.
//
// - Formulas change by no more than the way between two points: f(c) <= f(x) + r.
// - Samples. If f(c) <= 0 there is nothing to show, as g >= 0. Else f(c) <= (1 + q) d+(c) + e, with
//   d+ the larger of d and 0, e = ShapeField::error and q = kFieldRelativeError. And d+(c) <= d+(x)
//   + r, where e has half of the jump that the side of an open mesh may add. It remains to bound
//   d+(x) by g from f(x) <= g. Let h be the voxel.
//   - Among samples |f - d| <= 1.301 h + q |f|, see certain_error().
//   - Where a sparse field has none f is a bound, of the right sign, and positive only above the
//     band. Let d_i be the distances at the corners, l_i how far x is from them and w_i their
//     weights. d_i >= d - l_i, so that sum w_i d_i^2 >= d^2 - 2 d l + sum w_i l_i^2 with l the mean
//     of l_i: f^2 >= d^2 - 2 d l, hence f >= d - 2 l, and l <= sqrt(3) / 2 of a block, 8 h. So d <=
//     f + 13.86 h, and only where the band is below g.
//   - Outside the grid's box, with b the way to the box: f = sqrt(b^2 + v^2), v such a bound at
//     the box, v >= d - 2 l there, with l <= sqrt(3) / 2 of a cell or a block. d(x) <= b + v + 2 l
//     <= sqrt(2) f + 2 l.
//   - Outside the box of a grid that does not hold all of its surface, f = v - b or 0, and d is not
//     bounded at all. But v changes by no more than the way along the box and 2 l, and b by no more
//     than the way across, so that f(c) <= f(x) + sqrt(2) r + 2 l. The same factor serves where one
//     of c and x is in the box.
// - Complements. The same holds with the signs of f and d turned.
// - Unions and intersections. Where f(x) <= g one of the leaves, or each, has a value <= g at x and
//   so one <= g + r + slack at c, or each has.
//
// In the course of time. A centre moves by no more than its speed, so f(c) also bounds when a point
// of the sphere can be inside first: not before the way that is left has been covered.
//
// By the samples themselves. The slack above is what may be off on either side of two distances.
// Taken together less is: by value_change.h f(c) <= g + per_way sqrt(r^2 + spread^2) + rest, up to
// `reach` and for levels below `band`. For distances and a field of values that is the root of r^2
// and 3/4 of a squared voxel in place of r + 2.6 voxels; with gradients there is `rest`, up to 1.5
// voxels, as measured. It is proven for what the search evaluates, for samples of any function, but
// then with what is measured of them as per_way. Formulas change by no more than r, and the largest
// bound of all leaves holds for what is combined of them, as above. Where samples are of no
// distance the slack above proves nothing, and what value_change.h says of larger changes stands in
// its place.
//
// Rounding. Positions in the field's frame are off by some units in the last place of the largest
// number involved: of the bodies' distance, of the sphere's position, of the field's magnitude.
// With 2^-19 of their sum, 32 such units, all of it is covered: maps and their blends (7
// roundings), transforms of leaves (12), positions in cells (3).
#pragma once

#include "geometry/bvh/bvh_pairs.h"
#include "narrow_phase/method.h"
#include "narrow_phase/particles/body_field.h"
#include "narrow_phase/sweep/shape_points.h"
#include "narrow_phase/sweep/side_motion.h"

namespace graze {

// More spans than this a step never has, whatever the tolerance.
constexpr int kMaxSweepSpans = 1 << 12;

struct SweptSide {
    SideMotion motion;
    FieldView field;
    SphereTreeView tree;
    const Vec3* face_corners;  // by face of the tree; null where points are searched
    std::uint32_t points_body, field_body;
    std::uint32_t pair;
    bool has_points_of_a;
    float level;            // [m of the field] the gap
    float slack;            // [m of the field] see above
    float steepness;        // by how much more than the way f can change: 1, sqrt(2) or measured
    FieldChange change;     // rest: with what positions round by
    float face_radius;      // [m of the points' body] a smaller part of a face is not split
    int span_count;         // 0 where there is nothing to search
    const AffineMap* maps;  // span_count + 1 of them: field from points at the spans' ends
};

namespace swept_side_detail {

constexpr float kRounding = 0x1p-19f;

// [m of the field] How far the true distance can be above the level where f is not, and whether f
// can be steeper than a distance; see above.
struct LevelBound {
    float excess = 0;
    float steepness = 1;
};

GRAZE_INLINE LevelBound level_bound(const FieldView& field, float level) {
    LevelBound bound;
    for (std::int32_t i = 0; i < field.node_count; ++i) {
        const FieldNode& node = field.nodes[i];
        if (node.kind != FieldKind::sampled) continue;
        const SampledFieldView& samples = field.sampled[node.index];
        const float scale = std::fabs(node.scale);
        const bool meets_bounds = samples.is_sparse && samples.band * scale <= level;
        const float mean_way = meets_bounds ? 13.9f : 1.74f;
        const float excess = 0.4143f * level + mean_way * samples.grid.spacing * scale;
        bound.excess = max_of(bound.excess, excess);
        if (!samples.is_surface_inside) bound.steepness = 1.41422f;
    }
    return bound;
}

// How many spans keep chords within the tolerance of curves that bend by so much: a power of 2.
GRAZE_INLINE int span_count(float bend, float tolerance) {
    int count = 1;
    // A quarter of a quarter: a span half as long deviates by a quarter.
    for (float deviation = bend * 0.125f; deviation > tolerance && count < kMaxSweepSpans;
         deviation *= 0.25f)
        count *= 2;
    return count;
}

}  // namespace swept_side_detail

// How a detector's options say what the sides of a step are.
struct SweepSettings {
    float gap;  // [m]
    SweepMotion motion;
    SweepRoles roles;
    float tolerance, face_tolerance;  // [m] 0: by the field
    bool has_faces;

    GRAZE_INLINE int sides_per_pair() const { return has_faces ? 4 : 2; }
};

// A side of a step; its maps are not set yet.
GRAZE_HD inline SweptSide make_swept_side(const PairStep& step, const SweepSettings& settings,
                                          std::int64_t index) {
    namespace detail = swept_side_detail;
    SweptSide side{};
    const int sides_per_pair = settings.sides_per_pair();
    const std::int64_t pair = index / sides_per_pair;
    if (pair >= static_cast<std::int64_t>(*step.pair_count)) return side;
    const int which = static_cast<int>(index - pair * sides_per_pair);
    side.pair = static_cast<std::uint32_t>(pair);
    side.has_points_of_a = 2 * which < sides_per_pair;
    const bool is_wanted = settings.roles == SweepRoles::both ||
                           (settings.roles == SweepRoles::points_of_a) == side.has_points_of_a;
    const IndexPair bodies = step.pairs[pair];
    side.points_body = side.has_points_of_a ? bodies.a : bodies.b;
    side.field_body = side.has_points_of_a ? bodies.b : bodies.a;
    const ShapePoints& points = step.shapes.points[step.shape_of_body[side.points_body]];
    const bool takes_faces = settings.has_faces && which % 2 == 1;
    side.tree = takes_faces ? points.faces : points.tree;
    side.face_corners = takes_faces ? points.face_corners : nullptr;
    if (!is_wanted || side.tree.level_count == 0) return side;

    const Transform& points_t0 = step.poses_t0[side.points_body];
    const Transform& field_t0 = step.poses_t0[side.field_body];
    side.motion = make_side_motion(
        points_t0, step.poses_t1 ? step.poses_t1[side.points_body] : points_t0, field_t0,
        step.poses_t1 ? step.poses_t1[side.field_body] : field_t0, settings.motion);
    const ShapeField& shape = step.shapes.fields[step.shape_of_body[side.field_body]];
    side.field = shape.field;
    const float inverse_scale = 1 / field_t0.scale;
    side.level = settings.gap * inverse_scale;
    const SphereNode root = side.tree.nodes[0];
    const float reach = length(root.centre) + root.radius;
    const detail::LevelBound bound = detail::level_bound(side.field, side.level);
    const float magnitude = shape.magnitude + side.motion.reach + reach * side.motion.scale;
    const float rounding = detail::kRounding * magnitude;
    side.slack =
        shape.error + bound.excess + kFieldRelativeError * (side.level + bound.excess) + rounding;
    side.steepness = bound.steepness;
    side.change = shape.change;
    side.change.rest += rounding * shape.change.per_way;
    if (!shape.change.is_distance) {
        side.steepness = shape.change.per_way_far;
        side.slack = shape.change.rest_far + rounding * shape.change.per_way_far;
    }

    // Without samples, a body's own size says what is small.
    const float size = shape.tolerance > 0
                           ? shape.tolerance * 10
                           : min_of(shape.size, 2 * root.radius * side.motion.scale);
    const float fine = shape.tolerance > 0 ? 0.01f : 1e-5f;
    const float tolerance =
        settings.tolerance > 0 ? settings.tolerance * inverse_scale : size * fine;
    side.span_count = detail::span_count(side.motion.bend.at(reach), tolerance);
    const float face_tolerance = settings.face_tolerance > 0
                                     ? settings.face_tolerance * inverse_scale
                                     : size * (shape.tolerance > 0 ? 1.0f : 1e-2f);
    side.face_radius = face_tolerance / side.motion.scale;
    return side;
}

}  // namespace graze
