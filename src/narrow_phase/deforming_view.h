// DeformingView: a step of a deforming thing as plain arrays, and the functors that fill its
// bounds.
#pragma once

#include "graze/aabb.h"
#include "narrow_phase/elements.h"
#include "narrow_phase/moving_bounds.h"

namespace graze {

template <class T>
struct DeformingView {
    const Vec3T<T>* positions_t0;  // [m] by vertex
    const Vec3T<T>* positions_t1;
    std::int64_t vertex_count;
    const Element* elements;
    std::int64_t element_count;
    const Edge* edges;
    const std::uint64_t* ignored_parts;
    std::int64_t ignored_part_count;
    const PointProjections* projections;  // by vertex
    const ElementBounds* bounds;          // by element
    DirectionSlacks slacks;
    double min_separation;  // [m]
};

template <class T>
struct ProjectVertex {
    const Vec3T<T>* positions_t0;
    const Vec3T<T>* positions_t1;
    PointProjections* projections;
    GRAZE_HD void operator()(std::int64_t vertex) const {
        PointProjections& place = projections[vertex];
        project(positions_t0[vertex], place.at[0][0], place.at[1][0]);
        project(positions_t1[vertex], place.at[0][1], place.at[1][1]);
    }
};

// Boxes that touch wherever elements may be within the minimum separation at some time: rounding
// keeps the order of coordinates, and margin, half of the axes' slack, covers the rest.
struct BoundElement {
    const Element* elements;
    const PointProjections* projections;
    float margin;  // [m]
    ElementBounds* bounds;
    Aabb* boxes;

    GRAZE_HD void operator()(std::int64_t index) const {
        constexpr float kLargest = 0x1.fffffep127f;
        const Element& element = elements[index];
        const PointProjections* const points[3] = {projections + element.vertices[0],
                                                   projections + element.vertices[1],
                                                   projections + element.vertices[2]};
        ElementBounds& place = bounds[index];
        for (int time = 0; time < 2; ++time) {
            for (int k = 0; k < kDirectionsPerHalf; ++k) {
                const Range range = range_of(points, 0, time, k);
                place.min[time][k] = range.min;
                place.max[time][k] = range.max;
            }
        }
        Aabb box;
        for (int axis = 0; axis < 3; ++axis) {
            const float low = min_of(place.min[0][axis], place.min[1][axis]) - margin;
            const float high = max_of(place.max[0][axis], place.max[1][axis]) + margin;
            box.min[axis] = max_of(low, -kLargest);
            box.max[axis] = min_of(high, kLargest);
        }
        boxes[index] = box;
    }
};

// The largest magnitude of a coordinate, infinite where one is not a number.
template <class T>
struct LargestCoordinate {
    const Vec3T<T>* positions;
    GRAZE_HD double operator()(std::int64_t vertex) const {
        const Vec3T<T>& p = positions[vertex];
        const double x = std::fabs(double(p.x)), y = std::fabs(double(p.y)),
                     z = std::fabs(double(p.z));
        // The sum is finite only where all three are, or overflows.
        const double largest = max_of(x, max_of(y, z));
        return x + y + z - (x + y + z) == 0 ? largest : std::numeric_limits<double>::infinity();
    }
};
struct LargerOf {
    GRAZE_HD double operator()(double a, double b) const { return max_of(a, b); }
};

// Is a pair of elements whose boxes touch worth looking at?
struct AcceptPair {
    const Element* elements;
    const ElementBounds* bounds;
    const std::uint64_t* ignored_parts;
    std::int64_t ignored_part_count;
    DirectionSlacks slacks;
    bool needs_faces;  // both are to be triangles

    GRAZE_HD bool operator()(std::uint32_t a, std::uint32_t b) const {
        if (are_apart(bounds[a], bounds[b], slacks)) return false;
        if (needs_faces && !(elements[a].is_face() && elements[b].is_face())) return false;
        return ignored_part_count == 0 ||
               may_collide(elements[a].part, elements[b].part, ignored_parts, ignored_part_count);
    }
};

}  // namespace graze
