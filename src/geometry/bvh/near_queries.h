// Queries of the triangles of a tree that gather several: the nearest ones, all within a distance,
// all that touch a box. Each is a query for traverse(), of either tree.
#pragma once

#include "geometry/bvh/triangle_bvh.h"
#include "geometry/overlap_box_triangle.h"
#include "graze/mesh_tree.h"

namespace graze {

// What queries of distances share: boxes and triangles are as near as ClosestPoint has them.
class DistanceQuery {
public:
    static constexpr bool kVisitsInPassing = false;

    GRAZE_INLINE DistanceQuery(const Vec3& point, const BvhTriangle* triangles, float limit_sq)
        : point_(point),
          triangles_(triangles),
          nearness_(point, triangles),
          // Boxes that stand for none are infinitely far and must not be entered.
          limit_(min_of(limit_sq, std::numeric_limits<float>::max())) {}

    template <class S>
    GRAZE_INLINE S enter(const AabbT<S>& box) const {
        return nearness_.enter(box);
    }
    template <class S>
    GRAZE_INLINE S enter_triangles(const S (&corner)[3][3]) const {
        return nearness_.enter_triangles(corner);
    }
    GRAZE_INLINE float limit() const { return limit_; }

protected:
    GRAZE_INLINE float distance_sq_to(const BvhTriangle& t) const {
        return closest_point_triangle(point_, t.a, t.b, t.c).distance_sq;
    }

    Vec3 point_;
    const BvhTriangle* triangles_;
    ClosestPoint nearness_;
    float limit_;
};

GRAZE_INLINE bool is_nearer(float distance_sq, std::uint32_t triangle, const NearTriangle& other) {
    return distance_sq < other.distance ||
           (distance_sq == other.distance && triangle < other.triangle);
}

// Keeps the nearest triangles, sorted, in memory of the caller's; their distances are squares.
class NearestTriangles : public DistanceQuery {
public:
    GRAZE_INLINE NearestTriangles(const Vec3& point, const BvhTriangle* triangles,
                                  NearTriangle* nearest, int count)
        : DistanceQuery(point, triangles, std::numeric_limits<float>::infinity()),
          nearest_(nearest),
          count_(count) {
        for (int i = 0; i < count; ++i)
            nearest[i] = {std::numeric_limits<float>::infinity(), kNoTriangle};
    }
    GRAZE_INLINE void visit(std::uint32_t slot) { look_at(load_triangle(triangles_ + slot)); }
    GRAZE_INLINE void look_at(const BvhTriangle& triangle) {
        const float distance_sq = distance_sq_to(triangle);
        if (!is_nearer(distance_sq, triangle.index, nearest_[count_ - 1])) return;
        int place = count_ - 1;
        for (; place > 0 && is_nearer(distance_sq, triangle.index, nearest_[place - 1]); --place)
            nearest_[place] = nearest_[place - 1];
        nearest_[place] = {distance_sq, triangle.index};
        limit_ = nearest_[count_ - 1].distance;
    }

private:
    NearTriangle* nearest_;
    int count_;
};

// Calls report({distance squared, triangle}) for each one within the limit.
template <class Report>
class TrianglesWithin : public DistanceQuery {
public:
    GRAZE_INLINE TrianglesWithin(const Vec3& point, const BvhTriangle* triangles, float limit_sq,
                                 Report& report)
        : DistanceQuery(point, triangles, limit_sq), report_(report) {}
    GRAZE_INLINE void visit(std::uint32_t slot) { look_at(load_triangle(triangles_ + slot)); }
    GRAZE_INLINE void look_at(const BvhTriangle& triangle) {
        const float distance_sq = distance_sq_to(triangle);
        if (distance_sq <= limit_) report_(NearTriangle{distance_sq, triangle.index});
    }

private:
    Report& report_;
};

// Calls report(index) for each triangle that touches a box.
template <class Report>
class TrianglesInBox {
public:
    static constexpr bool kVisitsInPassing = false;

    GRAZE_INLINE TrianglesInBox(const Aabb& box, const BvhTriangle* triangles, Report& report)
        : box_(box), triangles_(triangles), report_(report) {}

    template <class S>
    GRAZE_INLINE S enter(const AabbT<S>& box) const {
        return BoxOverlap<Report>(box_, report_).enter(box);
    }
    template <class S>
    GRAZE_INLINE S enter_triangles(const S (&corner)[3][3]) const {
        AabbT<S> box;
        for (int axis = 0; axis < 3; ++axis) {
            box.min[axis] = min_of(min_of(corner[0][axis], corner[1][axis]), corner[2][axis]);
            box.max[axis] = max_of(max_of(corner[0][axis], corner[1][axis]), corner[2][axis]);
        }
        return enter(box);
    }
    GRAZE_INLINE float limit() const { return 0.0f; }
    GRAZE_INLINE void visit(std::uint32_t slot) { look_at(load_triangle(triangles_ + slot)); }
    GRAZE_INLINE void look_at(const BvhTriangle& t) {
        const Vec3 half = extent(box_) * 0.5f;
        if (overlap_box_triangle(box_.min + half, half, t.a, t.b, t.c)) report_(t.index);
    }

private:
    Aabb box_;
    const BvhTriangle* triangles_;
    Report& report_;
};

}  // namespace graze
