// StagedFeatureSearch goes from pairs of elements to hits on the device, in stages over whole
// arrays:
//
//     pairs of elements -> which of their features are not ruled out by bounds (a mask each), and
//     how many -> scan -> keys of pairs of features -> filter -> decide -> sort -> hits
//
// The storage of pairs is exact: their count is known before any is written (Fan et al. 2011).
// A step whose pairs would take too much memory is searched in slices of the broad phase, with the
// same result, since hits are sorted in the end.
#pragma once

#include "core/atomics.h"
#include "narrow_phase/features/feature_search.h"
#include "narrow_phase/features/grow_list.h"
#include "parallel/fill.h"

namespace graze {
namespace feature_detail {

// A pair of elements has at most nine pairs of edges, and those of a slice are counted in 32 bits.
constexpr std::int64_t kMaxSlicePairs = std::int64_t{1} << 28;

// Marks the pairs of features that may touch, with one bit for each pair of a pair of elements, in
// the order of visit_feature_pairs: vertex-face pairs come first.
template <class T, class Rest>
struct MarkFeatures {
    const DeformingView<T>& view;
    const Rest& rest;
    std::uint32_t mask = 0;
    std::uint32_t next_bit = 1;
    std::uint32_t vertex_faces = 0, edge_edges = 0;

    GRAZE_INLINE void vertex_face(std::uint32_t vertex, std::uint32_t, const Element& face) {
        const PointProjections* const points[1] = {view.projections + vertex};
        const PointProjections* const corners[3] = {view.projections + face.vertices[0],
                                                    view.projections + face.vertices[1],
                                                    view.projections + face.vertices[2]};
        if (!are_apart(points, corners, rest.of_faces(view.slacks, vertex, face.vertices))) {
            mask |= next_bit;
            ++vertex_faces;
        }
        next_bit <<= 1;
    }
    GRAZE_INLINE void edge_edge(std::uint32_t, std::uint32_t, std::uint32_t a0, std::uint32_t a1,
                                std::uint32_t b0, std::uint32_t b1) {
        const PointProjections* const ends_a[2] = {view.projections + a0, view.projections + a1};
        const PointProjections* const ends_b[2] = {view.projections + b0, view.projections + b1};
        if (!are_apart(ends_a, ends_b, rest.of_edges(view.slacks, a0, a1, b0, b1))) {
            mask |= next_bit;
            ++edge_edges;
        }
        next_bit <<= 1;
    }
};

struct StoreFeatures {
    FeatureKeys keys;
    std::uint32_t mask;
    std::uint64_t* next_vertex_face;
    std::uint64_t* next_edge_edge;

    GRAZE_INLINE void vertex_face(std::uint32_t vertex, std::uint32_t face, const Element&) {
        if (mask & 1) *next_vertex_face++ = keys.of_faces(vertex, face);
        mask >>= 1;
    }
    GRAZE_INLINE void edge_edge(std::uint32_t a, std::uint32_t b, std::uint32_t, std::uint32_t,
                                std::uint32_t, std::uint32_t) {
        if (mask & 1) *next_edge_edge++ = keys.of_edges(a, b);
        mask >>= 1;
    }
};

// Packs two counts into one number, so that one scan serves both: vertex-face pairs are in the low
// half, edge-edge pairs in the high one. A slice has fewer than 2^32 of either (kMaxSlicePairs).
template <class T, class Rest>
struct CountFeatures {
    DeformingView<T> view;
    Rest rest;
    const IndexPair* pairs;
    std::uint16_t* masks;
    std::uint64_t* counts;
    GRAZE_HD void operator()(std::int64_t i) const {
        const IndexPair pair = pairs[i];
        MarkFeatures<T, Rest> mark{view, rest};
        if (!are_apart(view.bounds[pair.a], view.bounds[pair.b],
                       rest.of_elements(view.slacks, pair.a, pair.b)))
            visit_feature_pairs(view.elements[pair.a], pair.a, view.elements[pair.b], pair.b, mark);
        masks[i] = static_cast<std::uint16_t>(mark.mask);
        counts[i] = std::uint64_t{mark.edge_edges} << 32 | mark.vertex_faces;
    }
};

struct ListFeatures {
    const Element* elements;
    FeatureKeys keys;
    const IndexPair* pairs;
    const std::uint16_t* masks;
    const std::uint64_t* offsets;
    std::uint64_t* vertex_faces;
    std::uint64_t* edge_edges;
    GRAZE_HD void operator()(std::int64_t i) const {
        if (masks[i] == 0) return;
        const IndexPair pair = pairs[i];
        StoreFeatures store{keys, masks[i], vertex_faces + static_cast<std::uint32_t>(offsets[i]),
                            edge_edges + (offsets[i] >> 32)};
        visit_feature_pairs(elements[pair.a], pair.a, elements[pair.b], pair.b, store);
    }
};

// Counters that kernels raise.
struct FeatureCounters {
    std::uint32_t kept;  // the pairs of a piece that the filter leaves
    std::uint32_t hits;  // of all pieces and slices
    std::uint32_t exhausted;
    std::uint32_t later;  // by Verdict::later
};
struct ClearKept {
    FeatureCounters* counters;
    GRAZE_HD void operator()(std::int64_t) const { counters->kept = 0; }
};

// The features that keys stand for.
struct KeyedFeatures {
    const Element* elements;
    const Edge* edges;
    FeatureKeys keys;

    // Writes the features of a key to hit, then returns run<kPair>() for the kind of pair.
    template <class Hit, class Run>
    GRAZE_INLINE auto with_kind(std::uint64_t key, Hit& hit, const Run& run) const {
        if (keys.is_of_edges(key)) {
            keys.name_edges(key, edges, hit);
            return run.template operator()<FeaturePair::edge_edge>();
        }
        keys.name_faces(key, elements, hit);
        return run.template operator()<FeaturePair::vertex_face>();
    }
};

// Lists the pairs that the filter leaves, in any order. Without a list only few threads of a warp
// would have a time of impact to compute.
template <class Decide>
struct FilterFeature {
    KeyedFeatures features;
    Decide decide;
    const std::uint64_t* keys;
    std::uint64_t* kept;
    FeatureCounters* counters;
    GRAZE_HD void operator()(std::int64_t i) const {
        const std::uint64_t key = keys[i];
        typename Decide::Hit hit{};
        const bool may_hit = features.with_kind(key, hit, [&]<FeaturePair kPair>() {
            return decide.template may_hit<kPair>(hit.vertices);
        });
        if (may_hit) kept[atomic_take_index(&counters->kept)] = key;
    }
};

// Decides on pairs and appends the hits to a list, in any order.
template <class Decide>
struct DecideFeature {
    KeyedFeatures features;
    Decide decide;
    const std::uint64_t* keys;
    bool is_filtered;  // there are counters->kept keys; otherwise one for each thread
    std::uint64_t* hit_keys;
    typename Decide::Hit* hits;
    FeatureCounters* counters;
    GRAZE_HD void operator()(std::int64_t i) const {
        if (is_filtered && i >= counters->kept) return;
        const std::uint64_t key = keys[i];
        typename Decide::Hit hit{};
        const Verdict verdict = features.with_kind(
            key, hit, [&]<FeaturePair kPair>() { return decide.template decide<kPair>(hit); });
        if (verdict == Verdict::later) atomic_take_index(&counters->later);
        if (verdict == Verdict::apart || verdict == Verdict::later) return;
        const std::uint32_t index = atomic_take_index(&counters->hits);
        hit_keys[index] = key;
        hits[index] = hit;
        if (verdict == Verdict::exhausted) atomic_take_index(&counters->exhausted);
    }
};

struct NumberHits {
    std::uint32_t* indices;
    GRAZE_HD void operator()(std::int64_t i) const { indices[i] = static_cast<std::uint32_t>(i); }
};

}  // namespace feature_detail

// The hits, to which every slice appends.
template <class Hit>
struct HitList {
    explicit HitList(Memory& memory)
        : keys(memory), hits(memory), spare_keys(memory), spare_hits(memory) {}
    Buffer<std::uint64_t> keys;
    Buffer<Hit> hits;
    Buffer<std::uint64_t> spare_keys;  // used while the lists grow
    Buffer<Hit> spare_hits;
    std::int64_t count = 0;
};

template <class Executor, class Hit>
class StagedFeatureSearch {
    using FeatureCounters = feature_detail::FeatureCounters;

public:
    explicit StagedFeatureSearch(Executor& executor)
        : result(executor.memory()),
          executor_(executor),
          list_(executor.memory()),
          masks_(executor.memory()),
          counts_(executor.memory()),
          offsets_(executor.memory()),
          keys_(executor.memory()),
          kept_(executor.memory()),
          counters_(executor.memory(), 1),
          indices_(executor.memory()),
          order_(executor.memory()),
          sorted_keys_(executor.memory()) {}

    // pairs is a search that has been built; room is the largest count of pairs of elements to have
    // in memory.
    template <class T, class Decide>
    void run(const DeformingView<T>& view, const FeatureKeys& keys, ElementPairs& pairs,
             std::int64_t room, const Decide& decide) {
        counts = {};
        list_.count = 0;
        later_count_ = 0;
        executor_.for_each("features: clear", 1, Fill<FeatureCounters>{counters_.data(), {}});
        const AcceptPair accept{view.elements, view.ignored_parts, view.ignored_part_count, false,
                                view.patch_names};
        counts.element_pairs = count_element_pairs(executor_, accept, pairs);
        const std::int64_t most = min_of(room, feature_detail::kMaxSlicePairs);
        for (UnitSlice slice; next_slice(executor_, most, pairs, slice);) {
            if (slice.pair_count == 0) continue;
            store_element_pairs(executor_, accept, slice, pairs);
            search_slice(view, keys, pairs.pairs.data(), slice.pair_count, decide);
            ++counts.slices;
        }
        sort_hits(keys.kind_bit() + 1);
    }

    Buffer<Hit> result;
    FeatureCounts counts;

private:
    template <class T, class Decide>
    void search_slice(const DeformingView<T>& view, const FeatureKeys& keys, const IndexPair* pairs,
                      std::int64_t pair_count, const Decide& decide) {
        if (pair_count > feature_detail::kMaxSlicePairs) {
            throw Error("deforming detector: " + std::to_string(pair_count) +
                        " pairs of elements that can not be looked at in parts; cut the largest "
                        "elements into smaller ones");
        }
        masks_.resize(pair_count);
        counts_.resize(pair_count);
        offsets_.resize(pair_count + 1);
        using Rest = std::decay_t<decltype(decide.rest())>;
        executor_.for_each("features: count", pair_count,
                           feature_detail::CountFeatures<T, Rest>{view, decide.rest(), pairs,
                                                                  masks_.data(), counts_.data()});
        executor_.exclusive_scan("features: scan", counts_.data(), offsets_.data(), pair_count);
        const std::uint64_t total = executor_.read(offsets_.data() + pair_count);
        const auto vertex_faces = static_cast<std::int64_t>(total & 0xffffffffu);
        const auto edge_edges = static_cast<std::int64_t>(total >> 32);
        keys_.resize(vertex_faces + edge_edges);
        executor_.for_each(
            "features: list", pair_count,
            feature_detail::ListFeatures{view.elements, keys, pairs, masks_.data(), offsets_.data(),
                                         keys_.data(), keys_.data() + vertex_faces});
        counts.vertex_faces += vertex_faces;
        counts.edge_edges += edge_edges;
        decide_all(view, keys, decide);
    }

    // Works on pieces of the keys, so that room for a hit of each key takes little memory.
    template <class T, class Decide>
    void decide_all(const DeformingView<T>& view, const FeatureKeys& keys, const Decide& decide) {
        constexpr std::int64_t kPiece = std::int64_t{1} << 21;
        for (std::int64_t first = 0; first < keys_.size(); first += kPiece) {
            const std::int64_t count = min_of(kPiece, keys_.size() - first);
            const std::uint64_t* piece = keys_.data() + first;
            const std::uint64_t* left = filter(view, keys, decide, piece, count);
            grow_hits(list_.count + count);
            executor_.for_each(
                "features: decide", count,
                feature_detail::DecideFeature<Decide>{{view.elements, view.edges, keys},
                                                      decide,
                                                      left,
                                                      left != piece,
                                                      list_.keys.data(),
                                                      list_.hits.data(),
                                                      counters_.data()});
            const FeatureCounters counters = executor_.read(counters_.data());
            counts.decided += left != piece ? counters.kept : count;
            counts.decided -= counters.later - later_count_;
            later_count_ = counters.later;
            counts.exhausted = counters.exhausted;
            list_.count = counters.hits;
        }
    }

    // Returns the keys that the filter leaves of a piece, or the piece where there is no filter.
    template <class T, class Decide>
    const std::uint64_t* filter(const DeformingView<T>& view, const FeatureKeys& keys,
                                const Decide& decide, const std::uint64_t* piece,
                                std::int64_t count) {
        if constexpr (Decide::kHasFilter) {
            kept_.resize(count);
            executor_.for_each("features: clear", 1, feature_detail::ClearKept{counters_.data()});
            executor_.for_each(
                "features: filter", count,
                feature_detail::FilterFeature<Decide>{{view.elements, view.edges, keys},
                                                      decide,
                                                      piece,
                                                      kept_.data(),
                                                      counters_.data()});
            return kept_.data();
        } else {
            return piece;
        }
    }

    void grow_hits(std::int64_t count) {
        grow_list(executor_, "features: grow", list_.count, count, list_.keys, list_.spare_keys);
        grow_list(executor_, "features: grow", list_.count, count, list_.hits, list_.spare_hits);
    }

    void sort_hits(int key_bits) {
        const std::int64_t count = list_.count;
        counts.hits = count;
        result.resize(count);
        indices_.resize(count);
        order_.resize(count);
        sorted_keys_.resize(count);
        executor_.for_each("features: number", count, feature_detail::NumberHits{indices_.data()});
        executor_.sort_by_key("features: sort", list_.keys.data(), sorted_keys_.data(),
                              indices_.data(), order_.data(), count, key_bits);
        executor_.for_each(
            "features: gather", count,
            feature_detail::GatherHit<Hit>{order_.data(), list_.hits.data(), result.data()});
    }

    Executor& executor_;
    HitList<Hit> list_;
    std::int64_t later_count_ = 0;  // of this step so far
    Buffer<std::uint16_t> masks_;
    Buffer<std::uint64_t> counts_, offsets_;
    Buffer<std::uint64_t> keys_;  // of vertex-face pairs, then of edge-edge pairs
    Buffer<std::uint64_t> kept_;
    Buffer<FeatureCounters> counters_;  // one
    Buffer<std::uint32_t> indices_, order_;
    Buffer<std::uint64_t> sorted_keys_;
};

}  // namespace graze
