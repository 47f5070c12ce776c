// DeformingView is a step of a deforming thing as plain arrays; beside it are the functors that
// fill its bounds.
#pragma once

#include "graze/aabb.h"
#include "narrow_phase/features/elements.h"
#include "narrow_phase/features/moving_bounds.h"

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
    // By element: the elements of one smooth patch (certify_patches.h) have the same name. It is
    // null where nothing is known.
    const std::uint32_t* patch_names = nullptr;
    // The vertices that are not static, and how often the static ones have been placed; null where
    // none is static.
    const std::uint32_t* moving_vertices = nullptr;
    std::int64_t moving_vertex_count = 0;
    std::int64_t placement = 0;
};

// Entry i of a list of indices, of which null is that of all.
GRAZE_INLINE std::int64_t listed(const std::uint32_t* list, std::int64_t i) {
    return list == nullptr ? i : std::int64_t{list[i]};
}

// True where two elements certainly meet only in what they share.
GRAZE_INLINE bool are_of_one_patch(const std::uint32_t* patch_names, std::uint32_t a,
                                   std::uint32_t b) {
    return patch_names != nullptr && patch_names[a] == patch_names[b];
}

// The vertices that a copy of positions lacks: the moving ones, or all where static ones have been
// placed since the last step or there are none.
struct MovingVertices {
    const std::uint32_t* list;  // null: all
    std::int64_t count;
};
class PackedPlacement {
public:
    template <class T>
    MovingVertices to_pack(const DeformingView<T>& view) {
        const bool is_new = view.moving_vertices == nullptr || view.placement != placement_;
        placement_ = view.placement;
        if (is_new) return {nullptr, view.vertex_count};
        return {view.moving_vertices, view.moving_vertex_count};
    }

private:
    std::int64_t placement_ = 0;
};

template <class T>
struct ProjectVertex {
    const Vec3T<T>* positions_t0;
    const Vec3T<T>* positions_t1;
    PointProjections* projections;
    const std::uint32_t* vertices = nullptr;  // which ones; null: all
    GRAZE_HD void operator()(std::int64_t i) const {
        const std::int64_t vertex = listed(vertices, i);
        PointProjections& point = projections[vertex];
        project(positions_t0[vertex], point.at[0][0], point.at[1][0]);
        project(positions_t1[vertex], point.at[0][1], point.at[1][1]);
    }
};

// Fills bounds, and boxes that touch wherever elements may be within the minimum separation at some
// time: rounding keeps the order of coordinates, and margin, half of the axes' slack, covers the
// rest.
struct BoundElement {
    const Element* elements;
    const PointProjections* projections;
    float margin;  // [m]
    ElementBounds* bounds;
    Aabb* boxes;                           // by place in names
    const std::uint32_t* names = nullptr;  // which elements; null: all

    GRAZE_HD void operator()(std::int64_t place) const {
        constexpr float kLargest = 0x1.fffffep127f;
        const std::int64_t index = listed(names, place);
        const Element& element = elements[index];
        const PointProjections* const points[3] = {projections + element.vertices[0],
                                                   projections + element.vertices[1],
                                                   projections + element.vertices[2]};
        ElementBounds& ranges = bounds[index];
        for (int time = 0; time < 2; ++time) {
            for (int k = 0; k < kDirectionsPerHalf; ++k) {
                const ProjectionRange range = range_of(points, 0, time, k);
                ranges.min[time][k] = range.min;
                ranges.max[time][k] = range.max;
            }
        }
        Aabb box;
        for (int axis = 0; axis < 3; ++axis) {
            const float low = min_of(ranges.min[0][axis], ranges.min[1][axis]) - margin;
            const float high = max_of(ranges.max[0][axis], ranges.max[1][axis]) + margin;
            // A double may be larger than any float.
            box.min[axis] = min_of(max_of(low, -kLargest), kLargest);
            box.max[axis] = max_of(min_of(high, kLargest), -kLargest);
        }
        boxes[place] = box;
    }
};

// What is known of the magnitudes of all coordinates. [m]
struct MotionSize {
    double largest_t0 = 0, largest_t1 = 0;  // infinite where one is not a number
    double smallest = std::numeric_limits<double>::infinity();  // that is not zero
    double rounding = 0;  // the largest error of rounding one to float
};

template <class T>
struct SizeOfVertex {
    const Vec3T<T>* positions_t0;
    const Vec3T<T>* positions_t1;
    const std::uint32_t* vertices = nullptr;  // which ones; null: all
    GRAZE_HD MotionSize operator()(std::int64_t i) const {
        const std::int64_t vertex = listed(vertices, i);
        const Vec3T<T>&p0 = positions_t0[vertex], &p1 = positions_t1[vertex];
        return {largest_of(p0), largest_of(p1), min_of(smallest_of(p0), smallest_of(p1)),
                max_of(rounding_of(p0), rounding_of(p1))};
    }

private:
    GRAZE_INLINE static double largest_of(const Vec3T<T>& p) {
        const double x = std::fabs(double(p.x)), y = std::fabs(double(p.y)),
                     z = std::fabs(double(p.z));
        // The sum is finite only where all three are; it may overflow.
        const double largest = max_of(x, max_of(y, z));
        return x + y + z - (x + y + z) == 0 ? largest : std::numeric_limits<double>::infinity();
    }
    GRAZE_INLINE static double smallest_of(const Vec3T<T>& p) {
        double smallest = std::numeric_limits<double>::infinity();
        for (int axis = 0; axis < 3; ++axis) {
            const double magnitude = std::fabs(double(p[axis]));
            if (magnitude > 0) smallest = min_of(smallest, magnitude);
        }
        return smallest;
    }
    // The result is exact: a double less its nearest float is a double.
    GRAZE_INLINE static double rounding_of(const Vec3T<T>& p) {
        if constexpr (sizeof(T) == sizeof(float)) return 0;
        double rounding = 0;
        for (int axis = 0; axis < 3; ++axis) {
            const double given = double(p[axis]), rounded = double(float(given));
            rounding = max_of(rounding, std::fabs(given - rounded));
        }
        return rounding;
    }
};
struct LargerSize {
    GRAZE_HD MotionSize operator()(const MotionSize& a, const MotionSize& b) const {
        return {max_of(a.largest_t0, b.largest_t0), max_of(a.largest_t1, b.largest_t1),
                min_of(a.smallest, b.smallest), max_of(a.rounding, b.rounding)};
    }
};

// Decides whether a pair of elements whose boxes touch is worth storing. It does not test their
// bounds: in the middle of a walk through a tree few threads of a warp have a pair at the same
// time, and the test would run twice, when pairs are counted and when they are stored.
struct AcceptPair {
    const Element* elements;
    const std::uint64_t* ignored_parts;
    std::int64_t ignored_part_count;
    bool needs_faces;                  // accepts only pairs of triangles
    const std::uint32_t* patch_names;  // as in DeformingView
    bool takes_edges = false;          // accepts triangles and loose edges, too

    // a < b, so that a loose edge is b.
    GRAZE_HD bool operator()(std::uint32_t a, std::uint32_t b) const {
        if (are_of_one_patch(patch_names, a, b)) return false;
        if (needs_faces && !(elements[a].is_face() && is_surface(elements[b]))) return false;
        return ignored_part_count == 0 ||
               may_collide(elements[a].part, elements[b].part, ignored_parts, ignored_part_count);
    }

private:
    GRAZE_INLINE bool is_surface(const Element& element) const {
        return element.is_face() || (takes_edges && element.is_loose_edge());
    }
};

}  // namespace graze
