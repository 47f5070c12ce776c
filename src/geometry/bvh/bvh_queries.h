// What can be asked of a Bvh of triangles: first, any or all hits of a ray, the closest point, the
// triangles near a box. Each is a query for traverse(). Of triangles at the same distance the lower
// index is the answer; where two differ by no more than rounding, the tree may decide.
#pragma once

#include "core/spread.h"
#include "geometry/bvh/bvh_traverse.h"
#include "geometry/closest_point_triangle.h"
#include "geometry/intersect_ray_triangle.h"
#include "graze/ray.h"

namespace graze {

// A triangle in the order of slots: what a leaf needs, in three 16-byte loads.
struct alignas(16) BvhTriangle {
    Vec3 a, b, c;
    std::uint32_t index;  // the caller's
    std::uint32_t unused[2];
};

GRAZE_INLINE BvhTriangle load_triangle(const BvhTriangle* source) {
#if GRAZE_ON_DEVICE
    static_assert(sizeof(BvhTriangle) == 3 * sizeof(float4));
    const auto* words = reinterpret_cast<const float4*>(source);
    const float4 a = __ldg(words), b = __ldg(words + 1), c = __ldg(words + 2);
    return {{a.x, a.y, a.z}, {a.w, b.x, b.y}, {b.z, b.w, c.x}, __float_as_uint(c.y), {0, 0}};
#else
    return *source;
#endif
}

// values[axis]. Lanes are read from memory, floats are selected, which keeps them in registers.
template <class S>
GRAZE_INLINE S pick(const S (&values)[3], int axis) {
    if constexpr (sizeof(S) == sizeof(float)) {
        return axis == 0 ? values[0] : (axis == 1 ? values[1] : values[2]);
    } else {
        return values[axis];
    }
}

template <class S>
GRAZE_INLINE S absolute(S value) {
    return max_of(value, -value);
}

// The slab test of a ray against boxes. It never misses a box that the ray meets: an axis along
// which the ray does not move constrains nothing while the origin is inside (0 x infinity is NaN,
// which min_of and max_of ignore), and what it returns is lower by 8 units in the last place, more
// than the rounding of three operations in both bounds (after Ize, "Robust BVH Ray Traversal",
// 2013).
class RaySlabs {
public:
    GRAZE_INLINE explicit RaySlabs(const Ray& ray)
        : origin_(ray.origin),
          inverse_{1.0f / ray.direction.x, 1.0f / ray.direction.y, 1.0f / ray.direction.z},
          t_min_(ray.t_min) {}

    // A parameter a little before the ray enters the box; NaN, which no limit admits, where it does
    // not meet the box up to t_max.
    template <class S>
    GRAZE_INLINE S enter(const AabbT<S>& box, float t_max) const {
        S near = spread<S>(t_min_), far = spread<S>(t_max);
        for (int axis = 0; axis < 3; ++axis) {
            const bool backward = inverse_[axis] < 0;
            const S origin = spread<S>(origin_[axis]), inverse = spread<S>(inverse_[axis]);
            near = max_of((plane(box, axis, backward) - origin) * inverse, near);
            far = min_of((plane(box, axis, !backward) - origin) * inverse, far);
        }
        const S earliest = near - absolute(near) * spread<S>(8 * 0x1p-24f);
        return earliest <= far ? earliest : spread<S>(std::numeric_limits<float>::quiet_NaN());
    }

private:
    // The box's lower or upper bound along an axis. Lanes are picked in memory: the compiler would
    // branch otherwise.
    template <class S>
    GRAZE_INLINE static S plane(const AabbT<S>& box, int axis, bool upper) {
        if constexpr (sizeof(S) == sizeof(float)) {
            return upper ? box.max[axis] : box.min[axis];
        } else {
            static_assert(sizeof(box) == 6 * sizeof(S));
            return reinterpret_cast<const S*>(&box)[axis + (upper ? 3 : 0)];
        }
    }

    Vec3 origin_;
    Vec3 inverse_;  // 1 / direction; infinite where that is zero
    float t_min_;
};

// The rounding error of a hit's parameter is below this times the parameter of the triangle's
// farthest corner.
constexpr float kHitSlack = 32 * 0x1p-24f;

// The parameter up to which boxes must be entered so that no hit equal to this one is passed over.
// a, b and c are how far the corners lie behind the origin along the ray's largest axis.
GRAZE_INLINE float limit_behind_hit(float a, float b, float c, float inverse_length_z, float t) {
    const float farthest = max_of(std::fabs(a), max_of(std::fabs(b), std::fabs(c)));
    return t + farthest * std::fabs(inverse_length_z) * kHitSlack;
}
GRAZE_INLINE float limit_behind_hit(const RayShear<float>& ray, float inverse_length_z, float t,
                                    const BvhTriangle& triangle) {
    const float origin = ray.origin[ray.z];
    return limit_behind_hit(triangle.a[ray.z] - origin, triangle.b[ray.z] - origin,
                            triangle.c[ray.z] - origin, inverse_length_z, t);
}

// Calls found(hit) of the derived class for every hit with t in [t_min, t_max]. That may lower
// t_max_ to its t; boxes are then entered up to limit_, which is larger by the rounding of t, so
// that no equal hit is passed over.
template <class Derived>
class RayQuery {
public:
    static constexpr bool kVisitsInPassing = false;

    GRAZE_INLINE RayQuery(const Ray& ray, const BvhTriangle* triangles)
        : slabs_(ray),
          shear_(make_ray_shear(ray.origin, ray.direction)),
          sheared_origin_{ray.origin[shear_.x], ray.origin[shear_.y], ray.origin[shear_.z]},
          inverse_length_z_(1.0f / shear_.length_z),
          triangles_(triangles),
          t_min_(ray.t_min),
          t_max_(ray.t_max),
          limit_(ray.t_max) {
        // A ray without direction hits nothing, and must not look for it everywhere.
        if (!(std::fabs(shear_.length_z) > 0)) limit_ = -std::numeric_limits<float>::infinity();
    }

    template <class S>
    GRAZE_INLINE S enter(const AabbT<S>& box) const {
        return slabs_.enter(box, limit_);
    }
    // NaN for triangles that the ray certainly misses, else no more than the ray parameter of the
    // hit. Certain is: two edge functions, computed as intersect_ray_triangle() does and so with
    // exact signs, are of opposite sign; or the hit is before t_min by more than rounding. The
    // hit's parameter is an average of the corners'. Where all edge functions are well above
    // rounding, that average is known up to kHitSlack times the farthest corner's parameter;
    // elsewhere (rays through edges, triangles seen edge-on) it is only known to be between the
    // corners'.
    template <class S>
    GRAZE_INLINE S enter_triangles(const S (&corner)[3][3]) const {
        S x[3], y[3], t[3];
        for (int i = 0; i < 3; ++i) {
            const S z = pick(corner[i], shear_.z) - spread<S>(sheared_origin_.z);
            x[i] = pick(corner[i], shear_.x) - spread<S>(sheared_origin_.x) -
                   spread<S>(shear_.shear_x) * z;
            y[i] = pick(corner[i], shear_.y) - spread<S>(sheared_origin_.y) -
                   spread<S>(shear_.shear_y) * z;
            t[i] = z * spread<S>(inverse_length_z_);
        }
        // The products of each edge function, to know what cancels.
        const S u0 = x[1] * y[2], u1 = y[1] * x[2], v0 = x[2] * y[0], v1 = y[2] * x[0];
        const S w0 = x[0] * y[1], w1 = y[0] * x[1];
        const S u = u0 - u1, v = v0 - v1, w = w0 - w1;
        const S lowest = min_of(u, min_of(v, w)), highest = max_of(u, max_of(v, w));
        const S earliest = min_of(t[0], min_of(t[1], t[2])),
                latest = max_of(t[0], max_of(t[1], t[2]));
        const S slack = max_of(-earliest, latest) * spread<S>(kHitSlack);
        // The average is off by the weights' rounding over their sum, times the corners' spread.
        const S products = max_of(absolute(u0), absolute(u1)) + max_of(absolute(v0), absolute(v1)) +
                           max_of(absolute(w0), absolute(w1));
        const S scale = spread<S>(1.0f) / (u + v + w);
        const S doubt =
            products * absolute(scale) * spread<S>(kHitSlack) * (latest - earliest) + slack;
        const S average = (u * scale) * t[0] + (v * scale) * t[1] + (w * scale) * t[2];
        // Both are NaN, and then have no effect, where the average is NaN.
        const S first = max_of(average - doubt, earliest - slack);
        const S last = min_of(average + doubt, latest + slack);
        const S zero = spread<S>(0.0f), t_min = spread<S>(t_min_);
        const auto missed = ((lowest < zero) & (highest > zero)) | (last < t_min);
        return missed ? spread<S>(std::numeric_limits<float>::quiet_NaN()) : max_of(first, t_min);
    }
    GRAZE_INLINE float limit() const { return limit_; }
    GRAZE_INLINE void visit(std::uint32_t slot) { visit(load_triangle(triangles_ + slot)); }
    GRAZE_INLINE void visit(const BvhTriangle& t) {
        const float corner[3][3] = {
            {t.a.x, t.a.y, t.a.z}, {t.b.x, t.b.y, t.b.z}, {t.c.x, t.c.y, t.c.z}};
        if (enter_triangles(corner) <= limit_) look_at(t);
    }
    GRAZE_INLINE void look_at(const BvhTriangle& triangle) {
        RayTriangleHit<float> hit;
        if (intersect_ray_triangle(shear_, triangle.a, triangle.b, triangle.c, t_min_, t_max_,
                                   hit)) {
            static_cast<Derived*>(this)->found({hit.t, hit.u, hit.v, triangle.index, hit.front},
                                               triangle);
        }
    }

protected:
    GRAZE_INLINE void lower_limit(float t, const BvhTriangle& triangle) {
        t_max_ = t;
        limit_ = min_of(limit_, limit_behind_hit(shear_, inverse_length_z_, t, triangle));
    }

    RaySlabs slabs_;
    RayShear<float> shear_;
    Vec3 sheared_origin_;  // in the order of the sheared axes
    float inverse_length_z_;
    const BvhTriangle* triangles_;
    float t_min_, t_max_;
    float limit_;
};

class FirstHit : public RayQuery<FirstHit> {
public:
    using RayQuery::RayQuery;
    GRAZE_INLINE void found(const RayHit& hit, const BvhTriangle& triangle) {
        if (hit.t < t_max_ || hit_.triangle == kNoTriangle || hit.triangle < hit_.triangle)
            hit_ = hit;
        lower_limit(hit.t, triangle);
    }
    GRAZE_INLINE const RayHit& hit() const { return hit_; }

private:
    RayHit hit_{};
};

class AnyHit : public RayQuery<AnyHit> {
public:
    using RayQuery::RayQuery;
    GRAZE_INLINE void found(const RayHit&, const BvhTriangle&) {
        is_hit_ = true;
        limit_ = -std::numeric_limits<float>::infinity();
    }
    GRAZE_INLINE bool is_hit() const { return is_hit_; }

private:
    bool is_hit_ = false;
};

// Calls report(hit) for each hit, in no particular order.
template <class Report>
class AllHits : public RayQuery<AllHits<Report>> {
public:
    GRAZE_INLINE AllHits(const Ray& ray, const BvhTriangle* triangles, Report& report)
        : RayQuery<AllHits<Report>>(ray, triangles), report_(report) {}
    GRAZE_INLINE void found(const RayHit& hit, const BvhTriangle&) { report_(hit); }

private:
    Report& report_;
};

// The closest point of all triangles within a distance; triangle is kNoTriangle where there is
// none.
class ClosestPoint {
public:
    static constexpr bool kVisitsInPassing = false;

    GRAZE_INLINE ClosestPoint(const Vec3& point, const BvhTriangle* triangles,
                              float max_distance_sq = std::numeric_limits<float>::infinity())
        : point_(point), triangles_(triangles), limit_(max_distance_sq) {}

    template <class S>
    GRAZE_INLINE S enter(const AabbT<S>& box) const {
        const Vec3T<S> p{spread<S>(point_.x), spread<S>(point_.y), spread<S>(point_.z)};
        return distance_sq(box, p);
    }
    // The distance to each triangle's box.
    template <class S>
    GRAZE_INLINE S enter_triangles(const S (&corner)[3][3]) const {
        AabbT<S> box;
        for (int axis = 0; axis < 3; ++axis) {
            box.min[axis] = min_of(min_of(corner[0][axis], corner[1][axis]), corner[2][axis]);
            box.max[axis] = max_of(max_of(corner[0][axis], corner[1][axis]), corner[2][axis]);
        }
        return enter(box);
    }
    GRAZE_INLINE float limit() const { return limit_; }
    GRAZE_INLINE void visit(std::uint32_t slot) { look_at(load_triangle(triangles_ + slot)); }
    GRAZE_INLINE void look_at(const BvhTriangle& triangle) {
        const auto candidate = closest_point_triangle(point_, triangle.a, triangle.b, triangle.c);
        if (candidate.distance_sq < limit_ ||
            (candidate.distance_sq == limit_ && triangle.index < triangle_)) {
            closest_ = candidate;
            triangle_ = triangle.index;
            limit_ = candidate.distance_sq;
        }
    }

    GRAZE_INLINE bool is_found() const { return triangle_ != kNoTriangle; }
    GRAZE_INLINE std::uint32_t triangle() const { return triangle_; }
    GRAZE_INLINE const ClosestPointTriangle<float>& closest() const { return closest_; }

private:
    Vec3 point_;
    const BvhTriangle* triangles_;
    float limit_;
    std::uint32_t triangle_ = kNoTriangle;
    ClosestPointTriangle<float> closest_{};
};

// Calls report(slot) for each primitive whose box in the tree touches the given one.
template <class Report>
class BoxOverlap {
public:
    static constexpr bool kVisitsInPassing = true;

    GRAZE_INLINE BoxOverlap(const Aabb& box, Report& report) : box_(box), report_(report) {}

    template <class S>
    GRAZE_INLINE S enter(const AabbT<S>& box) const {
        // The largest gap along any axis: at most 0 where the boxes touch.
        const S x = max_of(box.min.x - spread<S>(box_.max.x), spread<S>(box_.min.x) - box.max.x);
        const S y = max_of(box.min.y - spread<S>(box_.max.y), spread<S>(box_.min.y) - box.max.y);
        const S z = max_of(box.min.z - spread<S>(box_.max.z), spread<S>(box_.min.z) - box.max.z);
        return max_of(max_of(x, y), max_of(z, spread<S>(0.0f)));
    }
    GRAZE_INLINE float limit() const { return 0.0f; }
    GRAZE_INLINE void visit(std::uint32_t slot) { report_(slot); }

private:
    Aabb box_;
    Report& report_;
};

}  // namespace graze
