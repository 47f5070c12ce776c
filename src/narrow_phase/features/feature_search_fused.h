// FusedFeatureSearch goes from pairs of elements to hits on the host: each thread takes a few units
// of the broad phase and carries what it finds through to the end while it is in the cache. No pair
// is ever stored but hits. These are sorted in the end, so that their order depends neither on the
// threads nor on the broad phase.
#pragma once

#include <vector>

#include "narrow_phase/features/feature_search.h"
#include "narrow_phase/features/pair_sieve.h"
#include "narrow_phase/features/visit_pairs_fused.h"

namespace graze {

// What one thread has found. It is kept from step to step, so that a steady step allocates nothing.
template <class Hit>
struct FeatureHits {
    std::vector<std::uint64_t> keys;
    std::vector<Hit> hits;
    FeatureCounts counts;
    // Hold the keys of pairs that wait for others, to be filtered together.
    PairSieve<FeaturePair::vertex_face, std::uint64_t> faces;
    PairSieve<FeaturePair::edge_edge, std::uint64_t> edges;

    void clear() {
        keys.clear();
        hits.clear();
        counts = {};
        faces = {};  // some pairs still wait where the last step has thrown
        edges = {};
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

template <class T, class Decide>
class FusedVisitor {
public:
    // motion is what the filter needs, where Decide has one.
    FusedVisitor(const DeformingView<T>& view, const FeatureKeys& keys, const Decide& decide,
                 const SievedMotion& motion, FeatureHits<typename Decide::Hit>& found)
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
        if (verdict == Verdict::exhausted) ++found_.counts.exhausted;
        found_.keys.push_back(key);
        found_.hits.push_back(hit);
    }

    const DeformingView<T>& view_;
    const FeatureKeys& keys_;
    const Decide& decide_;
    const SievedMotion& motion_;
    FeatureHits<typename Decide::Hit>& found_;
};

}  // namespace feature_detail

template <class Hit>
class FusedFeatureSearch {
public:
    explicit FusedFeatureSearch(CpuExecutor& executor) : executor_(executor) {}

    // pairs is a search that has been built. Only hits are stored, so room is not needed.
    template <class T, class Decide>
    void run(const DeformingView<T>& view, const FeatureKeys& keys, const ElementPairs& pairs,
             std::int64_t /*room*/, const Decide& decide) {
        const SievedMotion motion = pack(view, decide);
        for (FeatureHits<Hit>& list : lists_.all())
            list.clear();
        const auto make_visitor = [&](FeatureHits<Hit>& list) {
            return feature_detail::FusedVisitor<T, Decide>(view, keys, decide, motion, list);
        };
        visit_pairs_fused(executor_, view, pairs, slot_bounds_, lists_, make_visitor);
        counts = {};
        counts.slices = 1;
        std::int64_t total = 0;
        for (FeatureHits<Hit>& list : lists_.all()) {
            make_visitor(list).finish();
            counts.element_pairs += list.counts.element_pairs;
            counts.vertex_faces += list.counts.vertex_faces;
            counts.edge_edges += list.counts.edge_edges;
            counts.decided += list.counts.decided;
            counts.exhausted += list.counts.exhausted;
            total += static_cast<std::int64_t>(list.hits.size());
        }
        sort_hits(total, keys.kind_bit() + 1);
    }

    Buffer<Hit> result{host_memory()};
    FeatureCounts counts;

private:
    // Packs what the filter needs of the motion; the result is empty where there is no filter.
    template <class T, class Decide>
    SievedMotion pack(const DeformingView<T>& view, const Decide& decide) {
        if constexpr (Decide::kHasFilter) {
            if (!decide.filter.is_on) return {};
            vertices_.resize(view.vertex_count);
            const MovingVertices vertices = placement_.to_pack(view);
            executor_.for_each("features: pack", vertices.count,
                               feature_detail::PackVertex<T>{view.positions_t0, view.positions_t1,
                                                             vertices_.data(), vertices.list});
            return {vertices_.data(), decide.filter.min_separation, decide.filter.coordinate_error};
        } else {
            return {};
        }
    }

    void sort_hits(std::int64_t count, int key_bits) {
        result.resize(count);
        keys_.resize(count);
        hits_.resize(count);
        indices_.resize(count);
        sorted_keys_.resize(count);
        order_.resize(count);
        std::int64_t next = 0;
        for (const FeatureHits<Hit>& list : lists_.all()) {
            for (std::size_t i = 0; i < list.hits.size(); ++i, ++next) {
                keys_.data()[next] = list.keys[i];
                hits_.data()[next] = list.hits[i];
                indices_.data()[next] = static_cast<std::uint32_t>(next);
            }
        }
        executor_.sort_by_key("features: sort", keys_.data(), sorted_keys_.data(), indices_.data(),
                              order_.data(), count, key_bits);
        executor_.for_each(
            "features: gather", count,
            feature_detail::GatherHit<Hit>{order_.data(), hits_.data(), result.data()});
    }

    CpuExecutor& executor_;
    ThreadLists<FeatureHits<Hit>> lists_;
    Buffer<ElementBounds> slot_bounds_{host_memory()};
    Buffer<MovingVertex> vertices_{host_memory()};
    PackedPlacement placement_;
    Buffer<std::uint64_t> keys_{host_memory()}, sorted_keys_{host_memory()};
    Buffer<Hit> hits_{host_memory()};
    Buffer<std::uint32_t> indices_{host_memory()}, order_{host_memory()};
};

}  // namespace graze
