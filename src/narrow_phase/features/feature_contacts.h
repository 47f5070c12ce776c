// Impacts, proximities and intersections of triangles as Contacts, one at a time, on either
// machine. include/graze/deforming_contacts.h says what each field of such a contact is.
//
//     impact_contact, proximity_contact, intersection_contact   from values alone: the points of a
//                                                               hit and the names of its features
//     contact_of                                                from arrays of all vertices
#pragma once

#include "graze/contact.h"
#include "graze/deforming.h"
#include "narrow_phase/features/flat_overlap.h"
#include "narrow_phase/features/least_shift.h"

namespace graze {

// What a contact calls one of its two sides.
struct BodyFeature {
    std::uint32_t body;
    Feature feature;
};

GRAZE_INLINE constexpr Feature make_feature(FeatureKind kind, std::uint32_t index) {
    Feature feature{kind, 0};
    feature.index = index & 0x3fffffffu;
    return feature;
}

namespace detail {

// The normal points from the second side to the first. The body with the lower index becomes a;
// within one body the first side does.
GRAZE_INLINE Contact ordered_contact(const BodyFeature& first, const BodyFeature& second,
                                     const Vec3d& position, float distance, const Vec3& normal,
                                     float time) {
    const bool is_swapped = second.body < first.body;
    const BodyFeature &a = is_swapped ? second : first, &b = is_swapped ? first : second;
    return {a.body,
            b.body,
            a.feature,
            b.feature,
            static_cast<Vec3>(position),
            distance,
            is_swapped ? -normal : normal,
            time};
}

// Not above the value: times and distances are bounds.
GRAZE_INLINE float rounded_down(double value) {
    constexpr float kLeast = -std::numeric_limits<float>::infinity();
    const auto nearest = static_cast<float>(value);
    return static_cast<double>(nearest) > value ? std::nextafter(nearest, kLeast) : nearest;
}

// The point of the feature that has points first to last - 1 of a hit.
template <class T>
GRAZE_INLINE Vec3d weighted_point(const Vec3T<T> (&points)[4], const float (&weights)[4], int first,
                                  int last) {
    Vec3d sum{0, 0, 0};
    for (int i = first; i < last; ++i)
        sum += static_cast<Vec3d>(points[i]) * static_cast<double>(weights[i]);
    return sum;
}

}  // namespace detail

// Points at t0 and t1 [m] in the order of impact.vertices; min_separation [m]: the detector's.
template <class T>
GRAZE_HD Contact impact_contact(const Impact& impact, const Vec3T<T> (&points_t0)[4],
                                const Vec3T<T> (&points_t1)[4], const BodyFeature& first,
                                const BodyFeature& second, double min_separation) {
    const int count = impact.face != Impact::kNoFace ? 1 : 2;
    const Vec3d begin = detail::weighted_point(points_t0, impact.weights, 0, count);
    const Vec3d end = detail::weighted_point(points_t1, impact.weights, 0, count);
    return detail::ordered_contact(first, second, begin * (1 - impact.time) + end * impact.time,
                                   detail::rounded_down(min_separation), impact.normal,
                                   detail::rounded_down(impact.time));
}

// Points [m] in the order of proximity.vertices.
template <class T>
GRAZE_HD Contact proximity_contact(const Proximity& proximity, const Vec3T<T> (&points)[4],
                                   const BodyFeature& first, const BodyFeature& second) {
    const int count = proximity.face != Impact::kNoFace ? 1 : 2;
    const Vec3d sum = detail::weighted_point(points, proximity.weights, 0, count) +
                      detail::weighted_point(points, proximity.weights, count, 4);
    return detail::ordered_contact(first, second, sum * 0.5,
                                   detail::rounded_down(proximity.distance), proximity.normal, 0);
}

// The corners of both triangles [m].
template <class T>
GRAZE_HD Contact intersection_contact(const TriangleIntersection& intersection,
                                      const Vec3T<T> (&a)[3], const Vec3T<T> (&b)[3],
                                      const BodyFeature& first, const BodyFeature& second) {
    const Vec3d position = intersection.is_flat ? middle_of_flat_overlap(a, b)
                                                : (intersection.start + intersection.end) * 0.5;
    const LeastShift shift = least_shift(a, b);
    return detail::ordered_contact(first, second, position, detail::rounded_down(-shift.length),
                                   static_cast<Vec3>(shift.direction), 0);
}

// Which body the vertices, faces and edges of a detector belong to, and their indices in its mesh;
// arrays in the memory of the machine that reads them. Null: the index is the same.
struct BodyFeaturesView {
    const std::uint32_t* bodies;          // by vertex; null: all are body 0
    const std::uint32_t* vertex_indices;  // by vertex
    const std::uint32_t* face_indices;    // by face
    const Edge* edges;                    // unique, sorted by (v[0], v[1])
    const std::uint32_t* edge_indices;    // by edge
    std::int64_t edge_count;

    GRAZE_INLINE std::uint32_t body_of(std::uint32_t vertex) const {
        return bodies ? bodies[vertex] : 0;
    }
    GRAZE_INLINE BodyFeature vertex(std::uint32_t v) const {
        return {body_of(v),
                make_feature(FeatureKind::vertex, vertex_indices ? vertex_indices[v] : v)};
    }
    // v: one of its corners.
    GRAZE_INLINE BodyFeature face(std::uint32_t f, std::uint32_t v) const {
        return {body_of(v), make_feature(FeatureKind::face, face_indices ? face_indices[f] : f)};
    }
    // The edge between two vertices, v0 < v1; a loose vertex is one from itself to itself.
    GRAZE_INLINE BodyFeature edge(std::uint32_t v0, std::uint32_t v1) const {
        if (v0 == v1) return vertex(v0);
        const std::int64_t e = find_edge(v0, v1);
        return {body_of(v0),
                make_feature(FeatureKind::edge,
                             edge_indices ? edge_indices[e] : static_cast<std::uint32_t>(e))};
    }
    // The first that does not come before it; edge_count where there is none.
    GRAZE_INLINE std::int64_t find_edge(std::uint32_t v0, std::uint32_t v1) const {
        std::int64_t first = 0, last = edge_count;
        while (first < last) {
            const std::int64_t middle = (first + last) / 2;
            const Edge& edge = edges[middle];
            if (edge[0] < v0 || (edge[0] == v0 && edge[1] < v1))
                first = middle + 1;
            else
                last = middle;
        }
        return first;
    }
};

namespace detail {

struct HitSides {
    BodyFeature first, second;
};
// Of an Impact or a Proximity.
template <class Hit>
GRAZE_INLINE HitSides sides_of(const Hit& hit, const BodyFeaturesView& features) {
    const std::uint32_t(&v)[4] = hit.vertices;
    if (hit.face != Impact::kNoFace) return {features.vertex(v[0]), features.face(hit.face, v[1])};
    return {features.edge(v[0], v[1]), features.edge(v[2], v[3])};
}

template <class T, int kCount>
GRAZE_INLINE void gather(const Vec3T<T>* positions, const std::uint32_t (&vertices)[kCount],
                         Vec3T<T> (&points)[kCount]) {
    for (int i = 0; i < kCount; ++i)
        points[i] = positions[vertices[i]];
}

}  // namespace detail

template <class T>
GRAZE_HD Contact contact_of(const Impact& impact, const Vec3T<T>* positions_t0,
                            const Vec3T<T>* positions_t1, const BodyFeaturesView& features,
                            double min_separation) {
    Vec3T<T> points_t0[4], points_t1[4];
    detail::gather(positions_t0, impact.vertices, points_t0);
    detail::gather(positions_t1, impact.vertices, points_t1);
    const auto [first, second] = detail::sides_of(impact, features);
    return impact_contact(impact, points_t0, points_t1, first, second, min_separation);
}

template <class T>
GRAZE_HD Contact contact_of(const Proximity& proximity, const Vec3T<T>* positions,
                            const BodyFeaturesView& features) {
    Vec3T<T> points[4];
    detail::gather(positions, proximity.vertices, points);
    const auto [first, second] = detail::sides_of(proximity, features);
    return proximity_contact(proximity, points, first, second);
}

template <class T>
GRAZE_HD Contact contact_of(const TriangleIntersection& intersection, const Triangle* triangles,
                            const Vec3T<T>* positions, const BodyFeaturesView& features) {
    const Triangle &a = triangles[intersection.a], &b = triangles[intersection.b];
    Vec3T<T> a_points[3], b_points[3];
    detail::gather(positions, a.v, a_points);
    detail::gather(positions, b.v, b_points);
    return intersection_contact(intersection, a_points, b_points,
                                features.face(intersection.a, a[0]),
                                features.face(intersection.b, b[0]));
}

}  // namespace graze
