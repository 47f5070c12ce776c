// FusedFeatureSearch goes from pairs of elements to hits on the host: each thread takes a few units
// of the broad phase and carries what it finds through to the end while it is in the cache. No pair
// is ever stored but hits. These are sorted in the end, so that their order depends neither on the
// threads nor on the broad phase.
#pragma once

#include <numeric>
#include <string>
#include <vector>

#include "narrow_phase/features/feature_search.h"
#include "narrow_phase/features/pair_sieve.h"
#include "narrow_phase/features/visit_pairs_fused.h"
#include "parallel/chunked_list.h"

namespace graze {

// What every list of a thread has, whatever it keeps of a hit.
struct FeatureList {
    FeatureCounts counts;
    // Hold the keys of pairs that wait for others, to be filtered together.
    PairSieve<FeaturePair::vertex_face, std::uint64_t> faces;
    PairSieve<FeaturePair::edge_edge, std::uint64_t> edges;

    void begin_anew() {
        counts = {};
        faces = {};  // some pairs still wait where the last step has thrown
        edges = {};
    }
};

// What one thread has found. It is kept from step to step, so that a steady step allocates nothing.
// Hits may take most of what a step takes: they are stored here once, and once in their order.
template <class HitType>
struct FeatureHits : FeatureList {
    using Hit = HitType;
    ChunkedList<std::uint64_t> keys;
    ChunkedList<Hit> hits;

    // Whether a pair is to be looked at.
    static bool wants(std::uint64_t /*key*/) { return true; }
    void add(std::uint64_t key, const Hit& hit) {
        keys.push_back(key);
        hits.push_back(hit);
    }
    void clear() {
        begin_anew();
        keys.clear();
        hits.clear();
    }
};

namespace feature_detail {

template <class T>
struct PackVertex {
    const Vec3T<T>* positions_t0;
    const Vec3T<T>* positions_t1;
    MovingVertex* vertices;
    const std::uint32_t* moving_vertices;  // which ones; null: all
    void operator()(std::int64_t i) const {
        const std::int64_t vertex = listed(moving_vertices, i);
        vertices[vertex] = moving_vertex(positions_t0[vertex], positions_t1[vertex]);
    }
};

template <class T, class Decide, class Found>
class FusedVisitor {
public:
    // motion is what the filter needs, where Decide has one.
    FusedVisitor(const DeformingView<T>& view, const FeatureKeys& keys, const Decide& decide,
                 const SievedMotion& motion, Found& found)
        : view_(view), keys_(keys), decide_(decide), motion_(motion), found_(found) {}

    // Visits a pair of elements that may touch.
    void operator()(std::uint32_t a, std::uint32_t b) {
        const Element &element_a = view_.elements[a], &element_b = view_.elements[b];
        if (!may_collide(view_, element_a, element_b) || are_apart_for_rest(a, b)) return;
        ++found_.counts.element_pairs;
        visit_feature_pairs(element_a, a, element_b, b, *this);
    }

    void vertex_face(std::uint32_t vertex, std::uint32_t face_index, const Element& face) {
        const PointProjections* const points[1] = {view_.projections + vertex};
        const PointProjections* const corners[3] = {view_.projections + face.vertices[0],
                                                    view_.projections + face.vertices[1],
                                                    view_.projections + face.vertices[2]};
        const auto& slacks = decide_.rest().of_faces(view_.slacks, vertex, face.vertices);
        if (lanes::are_apart(points, corners, slacks)) return;
        ++found_.counts.vertex_faces;
        const std::uint64_t key = keys_.of_faces(vertex, face_index);
        if (!found_.wants(key)) return;
        if (is_sieved()) {
            const PairVertices pair{{vertex, face.vertices[0], face.vertices[1], face.vertices[2]}};
            found_.faces.add(motion_, pair, key, KeepFaces{*this});
        } else {
            decide_faces(key);
        }
    }

    void edge_edge(std::uint32_t a, std::uint32_t b, std::uint32_t a0, std::uint32_t a1,
                   std::uint32_t b0, std::uint32_t b1) {
        const PointProjections* const ends_a[2] = {view_.projections + a0, view_.projections + a1};
        const PointProjections* const ends_b[2] = {view_.projections + b0, view_.projections + b1};
        const auto& slacks = decide_.rest().of_edges(view_.slacks, a0, a1, b0, b1);
        if (lanes::are_apart(ends_a, ends_b, slacks)) return;
        ++found_.counts.edge_edges;
        const std::uint64_t key = keys_.of_edges(a, b);
        if (!found_.wants(key)) return;
        if (is_sieved()) {
            // The vertices are in the order of the edges, so that rounding is as on the device.
            const PairVertices pair{
                {min_of(a0, a1), max_of(a0, a1), min_of(b0, b1), max_of(b0, b1)}};
            found_.edges.add(motion_, pair, key, KeepEdges{*this});
        } else {
            decide_edges(key);
        }
    }

    // Decides on the pairs that still wait.
    void finish() {
        found_.faces.finish(motion_, KeepFaces{*this});
        found_.edges.finish(motion_, KeepEdges{*this});
    }

private:
    struct KeepFaces {
        FusedVisitor& visitor;
        void operator()(std::uint64_t key) const { visitor.decide_faces(key); }
    };
    struct KeepEdges {
        FusedVisitor& visitor;
        void operator()(std::uint64_t key) const { visitor.decide_edges(key); }
    };

    // The bounds have been compared with the slacks of the view before.
    bool are_apart_for_rest(std::uint32_t a, std::uint32_t b) const {
        const auto& rest = decide_.rest();
        if constexpr (std::decay_t<decltype(rest)>::kIsThere) {
            return lanes::are_apart_now(view_.bounds[a], view_.bounds[b],
                                        rest.of_elements(view_.slacks, a, b));
        } else {
            return false;
        }
    }

    bool is_sieved() const { return Decide::kHasFilter && motion_.vertices != nullptr; }

    void decide_faces(std::uint64_t key) {
        typename Decide::Hit hit{};
        keys_.name_faces(key, view_.elements, hit);
        keep(decide_.template decide<FeaturePair::vertex_face>(hit), key, hit);
    }
    void decide_edges(std::uint64_t key) {
        typename Decide::Hit hit{};
        keys_.name_edges(key, view_.edges, hit);
        keep(decide_.template decide<FeaturePair::edge_edge>(hit), key, hit);
    }
    void keep(Verdict verdict, std::uint64_t key, const typename Decide::Hit& hit) {
        if (verdict == Verdict::later) return;
        ++found_.counts.decided;
        if (verdict == Verdict::apart) return;
        ++found_.counts.hits;
        if (verdict == Verdict::unwanted) return;
        if (verdict == Verdict::exhausted) ++found_.counts.exhausted;
        found_.add(key, hit);
    }

    const DeformingView<T>& view_;
    const FeatureKeys& keys_;
    const Decide& decide_;
    const SievedMotion& motion_;
    Found& found_;
};

// Packs what the filter needs of the motion; the result is empty where there is no filter.
class PackedMotion {
public:
    template <class T, class Decide>
    SievedMotion pack(CpuExecutor& executor, const DeformingView<T>& view, const Decide& decide) {
        if constexpr (Decide::kHasFilter) {
            if (!decide.filter.is_on) return {};
            vertices_.resize(view.vertex_count);
            const MovingVertices vertices = placement_.to_pack(view);
            executor.for_each("features: pack", vertices.count,
                              PackVertex<T>{view.positions_t0, view.positions_t1, vertices_.data(),
                                            vertices.list});
            return {vertices_.data(), decide.filter.min_separation, decide.filter.coordinate_error};
        } else {
            return {};
        }
    }

private:
    Buffer<MovingVertex> vertices_{host_memory()};
    PackedPlacement placement_;
};

// The hits of all lists, counted through one after the other.
template <class Hit>
struct GatherListedHit {
    const FeatureHits<Hit>* const* lists;
    const std::int64_t* ends;  // by list: hits of it and of those before it
    const std::uint32_t* order;
    Hit* result;
    void operator()(std::int64_t i) const {
        const std::int64_t place = order[i];
        std::int64_t list = 0;
        while (place >= ends[list])
            ++list;
        result[i] = lists[list]->hits[list == 0 ? place : place - ends[list - 1]];
    }
};

inline void add_counts(const FeatureCounts& more, FeatureCounts& sum) {
    sum.element_pairs += more.element_pairs;
    sum.vertex_faces += more.vertex_faces;
    sum.edge_edges += more.edge_edges;
    sum.decided += more.decided;
    sum.exhausted += more.exhausted;
    sum.hits += more.hits;
}

}  // namespace feature_detail

template <class Hit>
class FusedFeatureSearch {
public:
    explicit FusedFeatureSearch(CpuExecutor& executor) : executor_(executor) {}

    // pairs is a search that has been built. Only hits are stored, so room is not needed.
    template <class T, class Decide>
    void run(const DeformingView<T>& view, const FeatureKeys& keys, const ElementPairs& pairs,
             std::int64_t /*room*/, const Decide& decide) {
        const SievedMotion motion = motion_.pack(executor_, view, decide);
        for (FeatureHits<Hit>& list : lists_.all())
            list.clear();
        const auto make_visitor = [&](FeatureHits<Hit>& list) {
            return feature_detail::FusedVisitor<T, Decide, FeatureHits<Hit>>(view, keys, decide,
                                                                             motion, list);
        };
        visit_pairs_fused(executor_, view, pairs, slot_bounds_, lists_, make_visitor);
        counts = {};
        counts.slices = 1;
        for (FeatureHits<Hit>& list : lists_.all()) {
            make_visitor(list).finish();
            feature_detail::add_counts(list.counts, counts);
        }
        sort_hits(keys.kind_bit() + 1);
    }

    Buffer<Hit> result{host_memory()};
    FeatureCounts counts;

private:
    void sort_hits(int key_bits) {
        list_pointers_.clear();
        list_ends_.clear();
        std::int64_t count = 0;
        for (const FeatureHits<Hit>& list : lists_.all()) {
            list_pointers_.push_back(&list);
            list_ends_.push_back(count += list.hits.size());
        }
        if (count > std::int64_t{0xffffffff}) {
            throw Error("deforming detector: " + std::to_string(count) +
                        " hits, more than one answer holds; ask for the earliest time, or for "
                        "impacts piece by piece (begin_impacts)");
        }
        result.resize(count);
        order_.resize(count);
        if (count == 0) return;
        // What is sorted lies where the result comes to be.
        static_assert(sizeof(Hit) >= 2 * sizeof(std::uint64_t) + sizeof(std::uint32_t));
        auto* const keys = reinterpret_cast<std::uint64_t*>(result.data());
        auto* const sorted_keys = keys + count;
        auto* const places = reinterpret_cast<std::uint32_t*>(sorted_keys + count);
        std::uint64_t* next = keys;
        for (const FeatureHits<Hit>& list : lists_.all()) {
            list.keys.copy_to(next);
            next += list.keys.size();
        }
        std::iota(places, places + count, std::uint32_t{0});
        executor_.sort_by_key("features: sort", keys, sorted_keys, places, order_.data(), count,
                              key_bits);
        executor_.for_each(
            "features: gather", count,
            feature_detail::GatherListedHit<Hit>{list_pointers_.data(), list_ends_.data(),
                                                 order_.data(), result.data()});
    }

    CpuExecutor& executor_;
    ThreadLists<FeatureHits<Hit>> lists_;
    std::vector<const FeatureHits<Hit>*> list_pointers_;
    std::vector<std::int64_t> list_ends_;
    Buffer<ElementBounds> slot_bounds_{host_memory()};
    feature_detail::PackedMotion motion_;
    Buffer<std::uint32_t> order_{host_memory()};
};

}  // namespace graze
