// FusedIntersectionSearch goes from pairs of elements to triangles that intersect on the host:
// pairs are decided on where they are found, as in feature_search_fused.h.
#pragma once

#include "narrow_phase/features/feature_search.h"
#include "narrow_phase/features/meet_sieve.h"
#include "narrow_phase/features/triangle_intersections_impl.h"
#include "narrow_phase/features/visit_pairs_fused.h"

namespace graze {

// What one thread has found. It is kept from step to step.
struct IntersectionKeys {
    std::vector<std::uint64_t> keys;
    std::int64_t pair_count = 0;
    MeetSieve<std::uint64_t> sieve;  // holds keys of pairs that wait

    void clear() {
        keys.clear();
        pair_count = 0;
        sieve = {};  // some pairs still wait where the last step has thrown
    }
};

namespace intersections_detail {

template <class T>
struct PackPoint {
    const Vec3T<T>* positions;
    PackedPoint* points;
    const std::uint32_t* moving_vertices;  // which ones; null: all
    void operator()(std::int64_t i) const {
        const std::int64_t vertex = listed(moving_vertices, i);
        const Vec3T<T>& p = positions[vertex];
        points[vertex] = {p.x, p.y, p.z, 0};
    }
};

template <class T>
class FusedMeet {
public:
    // points are the positions for the sieve; null where they are not floats.
    FusedMeet(const DeformingView<T>& view, const MeetingSurfaces& surfaces, IntersectionKey key,
              const PackedPoint* points, IntersectionKeys& found)
        : view_(view),
          surfaces_(surfaces),
          triangles_(surfaces.corners),
          key_(key),
          points_(points),
          found_(found) {}

    // An element is read only where parts or edges matter: reading it takes longer than the rest.
    void operator()(std::uint32_t a, std::uint32_t b) const {
        if (b >= surfaces_.triangle_count && !is_edge_at_triangle(a, b)) return;
        if (!may_collide(view_, view_.elements[a], view_.elements[b])) return;
        ++found_.pair_count;
        if (points_)
            found_.sieve.add(points_, triangles_[a], triangles_[b], key_.of({a, b}), Keep{*this});
        else
            decide(key_.of({a, b}));
    }
    // Decides on the pairs that still wait.
    void finish() const {
        if (points_) found_.sieve.finish(points_, Keep{*this});
    }

private:
    struct Keep {
        const FusedMeet& meet;
        void operator()(std::uint64_t key) const { meet.decide(key); }
    };

    bool is_edge_at_triangle(std::uint32_t a, std::uint32_t b) const {
        return b < surfaces_.count && a < surfaces_.triangle_count &&
               view_.elements[b].is_loose_edge();
    }
    void decide(std::uint64_t key) const {
        const IndexPair pair = key_.pair(key);
        if (meet_mesh_triangles(view_.positions_t0, triangles_[pair.a], triangles_[pair.b]))
            found_.keys.push_back(key);
    }

    const DeformingView<T>& view_;
    const MeetingSurfaces& surfaces_;
    const Triangle* triangles_;
    IntersectionKey key_;
    const PackedPoint* points_;
    IntersectionKeys& found_;
};

}  // namespace intersections_detail

class FusedIntersectionSearch {
public:
    explicit FusedIntersectionSearch(CpuExecutor& executor) : executor_(executor) {}

    // pairs is a search that has been built. Only intersections are stored, so room is not needed.
    template <class T>
    void run(const DeformingView<T>& view, const MeetingSurfaces& surfaces,
             const ElementPairs& pairs, std::int64_t /*room*/) {
        search_.begin(surfaces.count);
        for (IntersectionKeys& list : lists_.all())
            list.clear();
        const IntersectionKey key{search_.index_bits};
        const PackedPoint* points = pack(view);
        const auto make_look = [&](IntersectionKeys& list) {
            return intersections_detail::FusedMeet<T>(view, surfaces, key, points, list);
        };
        visit_pairs_fused(executor_, view, pairs, slot_bounds_, lists_, make_look);
        counts = {};
        counts.slices = 1;
        std::int64_t total = 0;
        for (IntersectionKeys& list : lists_.all()) {
            make_look(list).finish();
            counts.element_pairs += list.pair_count;
            total += static_cast<std::int64_t>(list.keys.size());
        }
        search_.keys.resize(total);
        for (const IntersectionKeys& list : lists_.all()) {
            std::copy(list.keys.begin(), list.keys.end(), search_.keys.data() + search_.key_count);
            search_.key_count += static_cast<std::int64_t>(list.keys.size());
        }
        finish_triangle_intersections(executor_, view.positions_t0, surfaces.corners, search_);
    }

    const Buffer<TriangleIntersection>& result() const { return search_.found; }
    FeatureCounts counts;

private:
    using IntersectionKey = intersections_detail::IntersectionKey;

    template <class T>
    const PackedPoint* pack(const DeformingView<T>& view) {
        if constexpr (sizeof(T) == sizeof(float)) {
            points_.resize(view.vertex_count);
            const MovingVertices vertices = placement_.to_pack(view);
            executor_.for_each("intersections: pack", vertices.count,
                               intersections_detail::PackPoint<T>{view.positions_t0, points_.data(),
                                                                  vertices.list});
            return points_.data();
        } else {
            return nullptr;
        }
    }

    CpuExecutor& executor_;
    PackedPlacement placement_;
    ThreadLists<IntersectionKeys> lists_;
    Buffer<ElementBounds> slot_bounds_{host_memory()};
    Buffer<PackedPoint> points_{host_memory()};
    TriangleIntersectionSearch search_{host_memory()};
};

}  // namespace graze
