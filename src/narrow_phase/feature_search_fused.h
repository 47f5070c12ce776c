// The host's way from pairs of elements to hits: each thread takes a few units of the broad phase
// and carries what it finds through to the end while it is in the cache. No pair is ever stored but
// hits. These are sorted in the end, so that neither threads nor the search have a say in the
// order.
#pragma once

#include <vector>

#include "narrow_phase/feature_search.h"
#include "narrow_phase/visit_pairs_fused.h"

namespace graze {

// What one thread has found; kept from step to step, so that a steady step allocates nothing.
template <class Hit>
struct FeatureHits {
    std::vector<std::uint64_t> keys[2];  // of vertices and faces, of edges
    std::vector<Hit> hits[2];
    FeatureCounts counts;

    void clear() {
        for (int kind = 0; kind < 2; ++kind) {
            keys[kind].clear();
            hits[kind].clear();
        }
        counts = {};
    }
};

namespace feature_detail {

template <class T, class Decide>
class FusedVisitor {
public:
    FusedVisitor(const DeformingView<T>& view, const FeatureKeys& keys, const Decide& decide,
                 FeatureHits<typename Decide::Hit>& found)
        : view_(view), keys_(keys), decide_(decide), found_(found) {}

    // A pair of elements that may touch.
    void operator()(std::uint32_t a, std::uint32_t b) {
        const Element &element_a = view_.elements[a], &element_b = view_.elements[b];
        if (!may_collide(view_, element_a, element_b)) return;
        ++found_.counts.element_pairs;
        visit_feature_pairs(element_a, a, element_b, b, *this);
    }

    void vertex_face(std::uint32_t vertex, std::uint32_t face_index, const Element& face) {
        const PointProjections* const points[1] = {view_.projections + vertex};
        const PointProjections* const corners[3] = {view_.projections + face.vertices[0],
                                                    view_.projections + face.vertices[1],
                                                    view_.projections + face.vertices[2]};
        if (lanes::are_apart(points, corners, view_.slacks)) return;
        ++found_.counts.vertex_faces;
        typename Decide::Hit hit{};
        list_vertices(view_.elements, vertex, face_index, hit.vertices);
        hit.face = face_index;
        keep(decide_.template decide<FeaturePair::vertex_face>(hit), 0,
             keys_.vertex_face.of(vertex, face_index), hit);
    }

    void edge_edge(std::uint32_t a, std::uint32_t b, std::uint32_t a0, std::uint32_t a1,
                   std::uint32_t b0, std::uint32_t b1) {
        const PointProjections* const ends_a[2] = {view_.projections + a0, view_.projections + a1};
        const PointProjections* const ends_b[2] = {view_.projections + b0, view_.projections + b1};
        if (lanes::are_apart(ends_a, ends_b, view_.slacks)) return;
        ++found_.counts.edge_edges;
        typename Decide::Hit hit{};
        list_vertices(view_.edges, a, b, hit.vertices);
        hit.face = Impact::kNoFace;
        keep(decide_.template decide<FeaturePair::edge_edge>(hit), 1, keys_.edge_edge.of(a, b),
             hit);
    }

private:
    void keep(Verdict verdict, int kind, std::uint64_t key, const typename Decide::Hit& hit) {
        if (verdict == Verdict::apart) return;
        if (verdict == Verdict::exhausted) ++found_.counts.exhausted;
        found_.keys[kind].push_back(key);
        found_.hits[kind].push_back(hit);
    }

    const DeformingView<T>& view_;
    const FeatureKeys& keys_;
    const Decide& decide_;
    FeatureHits<typename Decide::Hit>& found_;
};

}  // namespace feature_detail

template <class Hit>
class FusedFeatureSearch {
public:
    explicit FusedFeatureSearch(CpuExecutor& executor) : executor_(executor) {}

    // pairs: a search that was built. Nothing but hits is stored, so room does not matter.
    template <class T, class Decide>
    void run(const DeformingView<T>& view, const FeatureKeys& keys, const ElementPairs& pairs,
             std::int64_t /*room*/, const Decide& decide) {
        for (FeatureHits<Hit>& list : lists_.all())
            list.clear();
        visit_pairs_fused(
            executor_, view, pairs, slot_bounds_, lists_, [&](FeatureHits<Hit>& list) {
                return feature_detail::FusedVisitor<T, Decide>(view, keys, decide, list);
            });
        counts = {};
        counts.slices = 1;
        std::int64_t total = 0;
        for (const FeatureHits<Hit>& list : lists_.all()) {
            counts.element_pairs += list.counts.element_pairs;
            counts.vertex_faces += list.counts.vertex_faces;
            counts.edge_edges += list.counts.edge_edges;
            counts.exhausted += list.counts.exhausted;
            total += static_cast<std::int64_t>(list.hits[0].size() + list.hits[1].size());
        }
        result.resize(total);
        const std::int64_t vertex_faces = sort_into(0, keys.vertex_face_bits, 0);
        sort_into(1, keys.edge_edge_bits, vertex_faces);
    }

    Buffer<Hit> result{host_memory()};
    FeatureCounts counts;

private:
    // Puts the hits of one kind, sorted, to a place of the result; returns how many they are.
    std::int64_t sort_into(int kind, int key_bits, std::int64_t place) {
        std::int64_t count = 0;
        for (const FeatureHits<Hit>& list : lists_.all())
            count += static_cast<std::int64_t>(list.hits[kind].size());
        keys_.resize(count);
        hits_.resize(count);
        places_.resize(count);
        sorted_keys_.resize(count);
        order_.resize(count);
        std::int64_t next = 0;
        for (const FeatureHits<Hit>& list : lists_.all()) {
            for (std::size_t i = 0; i < list.hits[kind].size(); ++i, ++next) {
                keys_.data()[next] = list.keys[kind][i];
                hits_.data()[next] = list.hits[kind][i];
                places_.data()[next] = static_cast<std::uint32_t>(next);
            }
        }
        executor_.sort_by_key("features: sort", keys_.data(), sorted_keys_.data(), places_.data(),
                              order_.data(), count, key_bits);
        for (std::int64_t i = 0; i < count; ++i)
            result.data()[place + i] = hits_.data()[order_.data()[i]];
        return count;
    }

    CpuExecutor& executor_;
    ThreadLists<FeatureHits<Hit>> lists_;
    Buffer<ElementBounds> slot_bounds_{host_memory()};
    Buffer<std::uint64_t> keys_{host_memory()}, sorted_keys_{host_memory()};
    Buffer<Hit> hits_{host_memory()};
    Buffer<std::uint32_t> places_{host_memory()}, order_{host_memory()};
};

}  // namespace graze
