// RestShape: how near features have to come to count as near where their distance at rest is known.
//
// Within a thickness above the length of its edges a surface has many neighbours along itself, and
// at rest none of them counts: they would have to come within half of their distance at rest. That
// distance is at most the one between any two points of the features, which takes a few
// subtractions. Half of it in place of the thickness, the projections of moving_bounds.h rule such
// pairs out, of elements first and of features then, before the gap of any is computed. What is
// ruled out is certainly farther apart than counts, so that the answers are the same.
#pragma once

#include "narrow_phase/features/elements.h"
#include "narrow_phase/features/feature_gap.h"
#include "narrow_phase/features/moving_bounds.h"

namespace graze {

// What counts as near does not depend on the pair.
struct NoRestShape {
    static constexpr bool kIsThere = false;

    GRAZE_INLINE const DirectionSlacks& of_elements(const DirectionSlacks& slacks, std::uint32_t,
                                                    std::uint32_t) const {
        return slacks;
    }
    GRAZE_INLINE const DirectionSlacks& of_faces(const DirectionSlacks& slacks, std::uint32_t,
                                                 const std::uint32_t (&)[3]) const {
        return slacks;
    }
    GRAZE_INLINE const DirectionSlacks& of_edges(const DirectionSlacks& slacks, std::uint32_t,
                                                 std::uint32_t, std::uint32_t,
                                                 std::uint32_t) const {
        return slacks;
    }
    // What is returned must outlive the call.
    const DirectionSlacks& of_elements(DirectionSlacks&&, std::uint32_t,
                                       std::uint32_t) const = delete;
    const DirectionSlacks& of_faces(DirectionSlacks&&, std::uint32_t,
                                    const std::uint32_t (&)[3]) const = delete;
    const DirectionSlacks& of_edges(DirectionSlacks&&, std::uint32_t, std::uint32_t, std::uint32_t,
                                    std::uint32_t) const = delete;
    template <FeaturePair kPair>
    GRAZE_INLINE bool counts(const std::uint32_t (&)[4], double) const {
        return true;
    }
};

// The ball around an element at rest: no vertex is farther from the centre. The centre is a point
// of the element, the middle of a loose edge.
struct alignas(32) RestBall {
    Vec3d centre;   // [m]
    double radius;  // [m]
};

struct RestShape {
    static constexpr bool kIsThere = true;

    const Vec3d* positions;  // [m] at rest, by vertex
    const RestBall* balls;   // by element
    double rounding;         // [m] above the errors of distances between these positions
    double thickness;        // [m]
    // By direction: the slack of a gap of 0 m, and by how much it grows with one.
    DirectionSlacks slacks, lengths;

    // Slacks, instead of those for the thickness, beyond which no features of two elements count.
    //
    // A vertex of one is at most the radius away from its centre, which is at most the distance of
    // the centres away from a point of the other's face. The middle of an edge of a triangle is at
    // most half of the radius away, that of a loose edge is the centre.
    GRAZE_INLINE DirectionSlacks of_elements(const DirectionSlacks&, std::uint32_t a,
                                             std::uint32_t b) const {
        const RestBall &ball_a = balls[a], &ball_b = balls[b];
        return slacks_for(length(ball_a.centre - ball_b.centre) +
                          max_of(ball_a.radius, ball_b.radius));
    }
    // The same for a vertex and a face, and for two edges.
    GRAZE_INLINE DirectionSlacks of_faces(const DirectionSlacks&, std::uint32_t vertex,
                                          const std::uint32_t (&corners)[3]) const {
        double nearest_sq = distance_sq(vertex, corners[0]);
        nearest_sq = min_of(nearest_sq, distance_sq(vertex, corners[1]));
        nearest_sq = min_of(nearest_sq, distance_sq(vertex, corners[2]));
        return slacks_for(std::sqrt(nearest_sq));
    }
    GRAZE_INLINE DirectionSlacks of_edges(const DirectionSlacks&, std::uint32_t a0,
                                          std::uint32_t a1, std::uint32_t b0,
                                          std::uint32_t b1) const {
        return slacks_for(std::sqrt(min_of(min_of(distance_sq(a0, b0), distance_sq(a0, b1)),
                                           min_of(distance_sq(a1, b0), distance_sq(a1, b1)))));
    }
    // Whether features that are so far apart [m], and not farther than the thickness, count.
    template <FeaturePair kPair>
    GRAZE_INLINE bool counts(const std::uint32_t (&vertices)[4], double distance) const {
        return !(distance > length(gap_of<kPair>(positions, vertices).vector) / 2);
    }

private:
    GRAZE_INLINE double distance_sq(std::uint32_t a, std::uint32_t b) const {
        return length_sq(positions[a] - positions[b]);
    }
    // The distance at rest is at most this [m], but for rounding. The margin of 2^-16 is far above
    // what the closest points of features that are nearly parallel are off by.
    GRAZE_INLINE DirectionSlacks slacks_for(double rest_distance) const {
        const double half = (rest_distance * (1 + 0x1p-16) + rounding) / 2;
        const auto reach = static_cast<float>(min_of(half, thickness) * (1 + 0x1p-20));
        DirectionSlacks result;
        for (int part = 0; part < kDirectionHalves; ++part)
            for (int k = 0; k < kDirectionsPerHalf; ++k)
                result.of[part][k] = slacks.of[part][k] + lengths.of[part][k] * reach;
        return result;
    }
};

// Of all elements; empty where there are no positions.
inline std::vector<RestBall> make_rest_balls(const std::vector<Element>& elements,
                                             const std::vector<Vec3d>& rest_positions) {
    std::vector<RestBall> balls;
    if (rest_positions.empty()) return balls;
    balls.reserve(elements.size());
    for (const Element& element : elements) {
        // A loose edge names its second vertex twice.
        const int count = element.is_face() ? 3 : 2;
        Vec3d centre{0, 0, 0};
        for (int i = 0; i < count; ++i)
            centre += rest_positions[element.vertices[i]] * (1.0 / count);
        double radius = 0;
        for (const std::uint32_t vertex : element.vertices)
            radius = max_of(radius, distance(centre, rest_positions[vertex]));
        balls.push_back({centre, radius});
    }
    return balls;
}

// [m] Above the rounding errors of distances between positions.
inline double distance_rounding(const std::vector<Vec3d>& positions) {
    double largest = 0;
    for (const Vec3d& p : positions)
        largest = max_of(largest, max_of(std::fabs(p.x), max_of(std::fabs(p.y), std::fabs(p.z))));
    return largest * 0x1p-40;
}

// largest: the largest magnitude of a coordinate of the positions that are asked about [m].
inline RestShape make_rest_shape(const Vec3d* positions, const RestBall* balls, double rounding,
                                 double thickness, double largest) {
    RestShape shape{positions, balls, rounding, thickness, {}, {}};
    for (int part = 0; part < kDirectionHalves; ++part) {
        for (int k = 0; k < kDirectionsPerHalf; ++k) {
            shape.slacks.of[part][k] =
                static_cast<float>(projection_rounding(largest) * (1 + 0x1p-20));
            shape.lengths.of[part][k] = static_cast<float>(kDirectionLengths[part][k]);
        }
    }
    return shape;
}

}  // namespace graze
