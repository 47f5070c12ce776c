// MeetSieve takes pairs of triangles one by one and hands on, in some order, those that may meet
// beyond what the mesh joins. It collects pairs in groups of eight, by what they share, and tests
// them together in float. The tests are those with which filter_mesh_triangles.h begins, with the
// bounds of float, so that a dropped pair is certainly apart: nine pairs in ten of a cloth are
// dropped. Host only.
//
//     MeetSieve<Tag> sieve;
//     sieve.add(points, triangle_a, triangle_b, tag, keep);  // may call keep(tag) for earlier
//     pairs sieve.finish(points, keep);                            // for the pairs that still wait
#pragma once

#include "geometry/filter_mesh_triangles.h"
#include "narrow_phase/features/lane_group.h"

namespace graze {

// [m] A vertex that a single load reads.
struct alignas(16) PackedPoint {
    float x, y, z, unused;
};

namespace detail {

// Returns lanes of which lane i is points[indices[i]].
GRAZE_INLINE Vec3T<Float8> gather_points(const PackedPoint* points,
                                         const std::uint32_t (&indices)[kLaneCount]) {
#if defined(__AVX2__)
    __m256 row[4];  // points i and i + 4
    for (int i = 0; i < 4; ++i) {
        row[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(&points[indices[i]].x)),
                                      _mm_load_ps(&points[indices[i + 4]].x), 1);
    }
    const __m256 low01 = _mm256_unpacklo_ps(row[0], row[1]);
    const __m256 low23 = _mm256_unpacklo_ps(row[2], row[3]);
    const __m256 high01 = _mm256_unpackhi_ps(row[0], row[1]);
    const __m256 high23 = _mm256_unpackhi_ps(row[2], row[3]);
    return {_mm256_shuffle_ps(low01, low23, _MM_SHUFFLE(1, 0, 1, 0)),
            _mm256_shuffle_ps(low01, low23, _MM_SHUFFLE(3, 2, 3, 2)),
            _mm256_shuffle_ps(high01, high23, _MM_SHUFFLE(1, 0, 1, 0))};
#else
    Vec3T<Float8> lanes;
    for (int i = 0; i < kLaneCount; ++i) {
        const PackedPoint& point = points[indices[i]];
        lanes.x[i] = point.x;
        lanes.y[i] = point.y;
        lanes.z[i] = point.z;
    }
    return lanes;
#endif
}

GRAZE_INLINE Float8 magnitude(Float8 value) {
    return max_of(value, -value);
}
GRAZE_INLINE Float8 largest_of(const Vec3T<Float8>& v) {
    return max_of(max_of(magnitude(v.x), magnitude(v.y)), magnitude(v.z));
}

// Products that underflow are off by less than kMeetUnderflow, by which bounds are raised. A
// minimum drops a NaN, so nothing may overflow: bounds below kMeetLargest leave room for the few
// sums and factors that follow.
constexpr float kMeetUnderflow = 0x1p-120f, kMeetLargest = 0x1p100f;

// Bit i is set where gap is above zero in lane i; it is clear for a NaN.
GRAZE_INLINE std::uint32_t lanes_above(Float8 gap) {
    return mask_less_equal(spread<Float8>(kMeetUnderflow), gap);
}

// Returns vectors of about unit length; a zero vector gives NaN.
GRAZE_INLINE Vec3T<Float8> unit_of(const Vec3T<Float8>& v) {
    return v * (spread<Float8>(1) / sqrt_of(length_sq(v)));
}

// Bit i is set where triangles v p q and v r s lie on different sides of a plane through v, as in
// filter_around_vertex(). The bound is the one there with the unit of float for that of double.
// Unit edges give a better guess of the plane's normal where triangles are thin.
GRAZE_INLINE std::uint32_t apart_around_vertex(const Vec3T<Float8> (&c)[5]) {
    const Vec3T<Float8> vp = c[1] - c[0], vq = c[2] - c[0], vr = c[3] - c[0], vs = c[4] - c[0];
    const Vec3T<Float8> direction = (unit_of(vp) + unit_of(vq)) - (unit_of(vr) + unit_of(vs));
    const Float8 reach =
        max_of(max_of(largest_of(vp), largest_of(vq)), max_of(largest_of(vr), largest_of(vs)));
    const Float8 bound = largest_of(direction) * reach * 0x1.ap-21f + kMeetUnderflow;
    const Float8 lowest = min_of(min_of(dot(vp, direction), dot(vq, direction)),
                                 min_of(-dot(vr, direction), -dot(vs, direction)));
    return lanes_above(lowest - bound) & lanes_above(spread<Float8>(kMeetLargest) - bound);
}

// Bit i is set where triangles u v p and u v q lie on different sides of a plane through u v and an
// axis. That takes two signs of orient2d, each with an error of (3 + 16u) u of the sum of its
// products' magnitudes, taken as 4u.
GRAZE_INLINE std::uint32_t apart_around_edge(const Vec3T<Float8> (&c)[4]) {
    const Vec3T<Float8> along = c[1] - c[0], p = c[2] - c[0], q = c[3] - c[0];
    std::uint32_t apart = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const int x = (axis + 1) % 3, y = (axis + 2) % 3;
        const Float8 px = along[x] * p[y], py = along[y] * p[x];
        const Float8 qx = along[x] * q[y], qy = along[y] * q[x];
        const Float8 p_bound = (magnitude(px) + magnitude(py)) * 0x1p-22f + kMeetUnderflow;
        const Float8 q_bound = (magnitude(qx) + magnitude(qy)) * 0x1p-22f + kMeetUnderflow;
        const Float8 p_side = px - py, q_side = qx - qy;
        apart |= (lanes_above(p_side - p_bound) & lanes_above(-q_side - q_bound)) |
                 (lanes_above(-p_side - p_bound) & lanes_above(q_side - q_bound));
    }
    return apart;
}

// Bit i is set where all points of one triangle lie on one side of the other's plane. The bound is
// that of HeightsAbovePlane, with the unit of float.
GRAZE_INLINE std::uint32_t on_one_side(const Vec3T<Float8> (&c)[6], int plane, int points) {
    const Vec3T<Float8> p = c[plane + 1] - c[plane], q = c[plane + 2] - c[plane];
    const Vec3T<Float8> normal = cross(p, q);
    const Vec3T<Float8> r0 = c[points] - c[plane], r1 = c[points + 1] - c[plane],
                        r2 = c[points + 2] - c[plane];
    const Float8 reach = max_of(max_of(largest_of(r0), largest_of(r1)), largest_of(r2));
    const Float8 area = largest_of(p) * largest_of(q);  // at least half a component of the normal
    const Float8 bound = area * reach * 0x1.9p-19f + (reach + 1) * kMeetUnderflow;
    const Float8 h0 = dot(normal, r0), h1 = dot(normal, r1), h2 = dot(normal, r2);
    const Float8 lowest = min_of(min_of(h0, h1), h2), highest = max_of(max_of(h0, h1), h2);
    return (lanes_above(lowest - bound) | lanes_above(-highest - bound)) &
           lanes_above(spread<Float8>(kMeetLargest) - (area + bound));
}
// Bit i is set where all of the first triangle is above all of the second along the direction
// between their centres. Heights are those above the corner c0: a difference, a product, two sums
// and the heights' difference round, five times u of three products, twice, taken as 48u.
GRAZE_INLINE std::uint32_t apart_by_centres(const Vec3T<Float8> (&c)[6]) {
    Vec3T<Float8> above[6];
    Float8 reach = spread<Float8>(0);
    for (int i = 1; i < 6; ++i) {
        above[i] = c[i] - c[0];
        reach = max_of(reach, largest_of(above[i]));
    }
    const Vec3T<Float8> direction = (above[1] + above[2]) - (above[3] + above[4] + above[5]);
    const Float8 lowest =
        min_of(min_of(dot(above[1], direction), dot(above[2], direction)), spread<Float8>(0));
    const Float8 highest = max_of(max_of(dot(above[3], direction), dot(above[4], direction)),
                                  dot(above[5], direction));
    const Float8 bound = largest_of(direction) * reach * 0x1.8p-19f + kMeetUnderflow;
    return lanes_above(lowest - highest - bound) &
           lanes_above(spread<Float8>(kMeetLargest) - bound);
}

GRAZE_INLINE std::uint32_t apart_unconnected(const Vec3T<Float8> (&c)[6]) {
    return apart_by_centres(c) | on_one_side(c, 0, 3) | on_one_side(c, 3, 0);
}

}  // namespace detail

template <class Tag>
class MeetSieve {
public:
    template <class Keep>
    GRAZE_INLINE void add(const PackedPoint* points, Triangle a, Triangle b, const Tag& tag,
                          Keep&& keep) {
        using detail::begun_at;
        using detail::has_one_bit;
        const unsigned shared_a = detail::shared_corners(a, b);
        if (shared_a == 0) {
            if (unconnected_.push({a[0], a[1], a[2], b[0], b[1], b[2]}, tag))
                run_unconnected(points, keep);
            return;
        }
        const unsigned shared_b = detail::shared_corners(b, a);
        if (has_one_bit(shared_a) && has_one_bit(shared_b)) {
            a = begun_at(a, shared_a);
            b = begun_at(b, shared_b);
            if (around_vertex_.push({a[0], a[1], a[2], b[1], b[2]}, tag))
                run_around_vertex(points, keep);
        } else if (has_one_bit(7u ^ shared_a) && has_one_bit(7u ^ shared_b)) {
            a = begun_at(a, 7u ^ shared_a);
            b = begun_at(b, 7u ^ shared_b);
            if (around_edge_.push({a[1], a[2], a[0], b[0]}, tag)) run_around_edge(points, keep);
        } else {
            keep(tag);
        }
    }
    template <class Keep>
    void finish(const PackedPoint* points, Keep&& keep) {
        run_unconnected(points, keep);
        run_around_vertex(points, keep);
        run_around_edge(points, keep);
    }

private:
    template <int kCornerCount>
    GRAZE_INLINE static void gather(const PackedPoint* points,
                                    const LaneGroup<kCornerCount, Tag>& group,
                                    Vec3T<Float8> (&c)[kCornerCount]) {
        for (int i = 0; i < kCornerCount; ++i)
            c[i] = detail::gather_points(points, group.vertices[i]);
    }
    template <int kCornerCount, class Keep>
    GRAZE_INLINE static void hand_on(std::uint32_t apart, LaneGroup<kCornerCount, Tag>& group,
                                     Keep& keep) {
        const std::uint32_t waiting = group.lanes();
        group.count = 0;
        for (std::uint32_t left = waiting & ~apart; left != 0; left &= left - 1)
            keep(group.tags[__builtin_ctz(left)]);
    }

    template <class Keep>
    void run_unconnected(const PackedPoint* points, Keep& keep) {
        if (unconnected_.count == 0) return;
        Vec3T<Float8> c[6];
        gather(points, unconnected_, c);
        hand_on(detail::apart_unconnected(c), unconnected_, keep);
    }
    template <class Keep>
    void run_around_vertex(const PackedPoint* points, Keep& keep) {
        if (around_vertex_.count == 0) return;
        Vec3T<Float8> c[5];
        gather(points, around_vertex_, c);
        hand_on(detail::apart_around_vertex(c), around_vertex_, keep);
    }
    template <class Keep>
    void run_around_edge(const PackedPoint* points, Keep& keep) {
        if (around_edge_.count == 0) return;
        Vec3T<Float8> c[4];
        gather(points, around_edge_, c);
        hand_on(detail::apart_around_edge(c), around_edge_, keep);
    }

    LaneGroup<6, Tag> unconnected_;
    LaneGroup<5, Tag> around_vertex_;
    LaneGroup<4, Tag> around_edge_;
};

}  // namespace graze
