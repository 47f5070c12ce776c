// The device's way from pairs of elements to hits, stage by stage over whole arrays:
//
//     pairs of elements -> which of their features are not ruled out by bounds (a mask each), and
//     how many -> scan -> keys of pairs of features -> decide -> compact -> sort -> hits
//
// Storage is exact: counts are known before anything is written (Fan et al. 2011 save 89% by that).
// A step whose pairs would take too much memory is done in slices of the broad phase, with the same
// result, since hits are sorted in the end.
#pragma once

#include "narrow_phase/feature_search.h"

namespace graze {
namespace feature_detail {

// Features of a pair that may touch: a bit each, vertex-face pairs first, in the order of
// visit_feature_pairs.
template <class T>
struct MarkFeatures {
    const DeformingView<T>& view;
    std::uint32_t mask = 0;
    std::uint32_t next_bit = 1;
    std::uint32_t vertex_faces = 0, edge_edges = 0;

    GRAZE_INLINE void vertex_face(std::uint32_t vertex, std::uint32_t, const Element& face) {
        const PointProjections* const points[1] = {view.projections + vertex};
        const PointProjections* const corners[3] = {view.projections + face.vertices[0],
                                                    view.projections + face.vertices[1],
                                                    view.projections + face.vertices[2]};
        if (!are_apart(points, corners, view.slacks)) {
            mask |= next_bit;
            ++vertex_faces;
        }
        next_bit <<= 1;
    }
    GRAZE_INLINE void edge_edge(std::uint32_t, std::uint32_t, std::uint32_t a0, std::uint32_t a1,
                                std::uint32_t b0, std::uint32_t b1) {
        const PointProjections* const ends_a[2] = {view.projections + a0, view.projections + a1};
        const PointProjections* const ends_b[2] = {view.projections + b0, view.projections + b1};
        if (!are_apart(ends_a, ends_b, view.slacks)) {
            mask |= next_bit;
            ++edge_edges;
        }
        next_bit <<= 1;
    }
};

struct StoreFeatures {
    FeatureKeys keys;
    std::uint32_t mask;
    std::uint64_t* vertex_face_place;
    std::uint64_t* edge_edge_place;

    GRAZE_INLINE void vertex_face(std::uint32_t vertex, std::uint32_t face, const Element&) {
        if (mask & 1) *vertex_face_place++ = keys.vertex_face.of(vertex, face);
        mask >>= 1;
    }
    GRAZE_INLINE void edge_edge(std::uint32_t a, std::uint32_t b, std::uint32_t, std::uint32_t,
                                std::uint32_t, std::uint32_t) {
        if (mask & 1) *edge_edge_place++ = keys.edge_edge.of(a, b);
        mask >>= 1;
    }
};

// Two counts in one number, so that one scan does for both: vertex-face pairs below, edge-edge
// pairs above. A slice has fewer than 2^32 of either.
template <class T>
struct CountFeatures {
    DeformingView<T> view;
    const IndexPair* pairs;
    std::uint16_t* masks;
    std::uint64_t* counts;
    GRAZE_HD void operator()(std::int64_t i) const {
        const IndexPair pair = pairs[i];
        MarkFeatures<T> mark{view};
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

template <FeaturePair kPair, class Decide>
struct DecideFeature {
    const Element* elements;
    const Edge* edges;
    FeatureKey key;
    Decide decide;
    const std::uint64_t* keys;
    typename Decide::Hit* hits;
    Verdict* verdicts;
    GRAZE_HD void operator()(std::int64_t i) const {
        const std::uint32_t high = key.high(keys[i]), low = key.low(keys[i]);
        typename Decide::Hit hit{};
        if constexpr (kPair == FeaturePair::vertex_face) {
            list_vertices(elements, high, low, hit.vertices);
            hit.face = low;
        } else {
            list_vertices(edges, high, low, hit.vertices);
            hit.face = Impact::kNoFace;
        }
        const Verdict verdict = decide.template decide<kPair>(hit);
        verdicts[i] = verdict;
        if (verdict != Verdict::apart) hits[i] = hit;
    }
};

struct IsHit {
    const Verdict* verdicts;
    GRAZE_HD bool operator()(std::int64_t i) const { return verdicts[i] != Verdict::apart; }
};
struct IsExhausted {
    const Verdict* verdicts;
    GRAZE_HD std::uint32_t operator()(std::int64_t i) const {
        return verdicts[i] == Verdict::exhausted ? 1 : 0;
    }
};
struct AddCounts {
    GRAZE_HD std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const { return a + b; }
};

template <class Hit>
struct AppendHit {
    const std::uint32_t* kept;
    const std::uint64_t* keys;
    const Hit* hits;
    std::uint64_t* to_keys;
    Hit* to_hits;
    GRAZE_HD void operator()(std::int64_t i) const {
        to_keys[i] = keys[kept[i]];
        to_hits[i] = hits[kept[i]];
    }
};

struct NumberPlaces {
    std::uint32_t* places;
    GRAZE_HD void operator()(std::int64_t i) const { places[i] = static_cast<std::uint32_t>(i); }
};

template <class Hit>
struct GatherHit {
    const std::uint32_t* order;
    const Hit* hits;
    Hit* result;
    GRAZE_HD void operator()(std::int64_t i) const { result[i] = hits[order[i]]; }
};

}  // namespace feature_detail

// Hits of one kind, as they are found slice by slice.
template <class Hit>
struct HitList {
    explicit HitList(Memory& memory)
        : keys(memory), hits(memory), spare_keys(memory), spare_hits(memory) {}
    Buffer<std::uint64_t> keys;
    Buffer<Hit> hits;
    Buffer<std::uint64_t> spare_keys;  // while the lists grow
    Buffer<Hit> spare_hits;
    std::int64_t count = 0;
};

template <class Executor, class Hit>
class StagedFeatureSearch {
public:
    explicit StagedFeatureSearch(Executor& executor)
        : result(executor.memory()),
          executor_(executor),
          lists_{HitList<Hit>(executor.memory()), HitList<Hit>(executor.memory())},
          masks_(executor.memory()),
          counts_(executor.memory()),
          offsets_(executor.memory()),
          keys_{Buffer<std::uint64_t>(executor.memory()), Buffer<std::uint64_t>(executor.memory())},
          hits_(executor.memory()),
          verdicts_(executor.memory()),
          kept_(executor.memory()),
          kept_count_(executor.memory(), 2),
          places_(executor.memory()),
          order_(executor.memory()),
          sorted_keys_(executor.memory()) {}

    // pairs: a search that was built. room: the most pairs of elements to have in memory.
    template <class T, class Decide>
    void run(const DeformingView<T>& view, const FeatureKeys& keys, ElementPairs& pairs,
             std::int64_t room, const Decide& decide) {
        counts = {};
        lists_[0].count = lists_[1].count = 0;
        const AcceptPair accept{view.elements,           view.bounds, view.ignored_parts,
                                view.ignored_part_count, view.slacks, false};
        counts.element_pairs = count_element_pairs(executor_, accept, pairs);
        for (UnitSlice slice; next_slice(executor_, room, pairs, slice);) {
            if (slice.pair_count == 0) continue;
            store_element_pairs(executor_, accept, slice, pairs);
            look_at(view, keys, pairs.pairs.data(), slice.pair_count, decide);
            ++counts.slices;
        }
        result.resize(lists_[0].count + lists_[1].count);
        sort_into(lists_[0], keys.vertex_face_bits, result.data());
        sort_into(lists_[1], keys.edge_edge_bits, result.data() + lists_[0].count);
    }

    Buffer<Hit> result;
    FeatureCounts counts;

private:
    template <class T, class Decide>
    void look_at(const DeformingView<T>& view, const FeatureKeys& keys, const IndexPair* pairs,
                 std::int64_t pair_count, const Decide& decide) {
        masks_.resize(pair_count);
        counts_.resize(pair_count);
        offsets_.resize(pair_count + 1);
        executor_.for_each(
            "features: count", pair_count,
            feature_detail::CountFeatures<T>{view, pairs, masks_.data(), counts_.data()});
        executor_.exclusive_scan("features: place", counts_.data(), offsets_.data(), pair_count);
        const std::uint64_t total = executor_.read(offsets_.data() + pair_count);
        const auto vertex_faces = static_cast<std::int64_t>(total & 0xffffffffu);
        const auto edge_edges = static_cast<std::int64_t>(total >> 32);
        keys_[0].resize(vertex_faces);
        keys_[1].resize(edge_edges);
        executor_.for_each(
            "features: list", pair_count,
            feature_detail::ListFeatures{view.elements, keys, pairs, masks_.data(), offsets_.data(),
                                         keys_[0].data(), keys_[1].data()});
        counts.vertex_faces += vertex_faces;
        counts.edge_edges += edge_edges;
        using feature_detail::DecideFeature;
        decide_all<DecideFeature<FeaturePair::vertex_face, Decide>>(
            "features: vertex-face", view.elements, view.edges, keys.vertex_face, decide, keys_[0],
            lists_[0]);
        decide_all<DecideFeature<FeaturePair::edge_edge, Decide>>(
            "features: edge-edge", view.elements, view.edges, keys.edge_edge, decide, keys_[1],
            lists_[1]);
    }

    // In pieces, so that what is not a hit takes little memory.
    template <class Work, class Decide>
    void decide_all(const char* name, const Element* elements, const Edge* edges, FeatureKey key,
                    const Decide& decide, const Buffer<std::uint64_t>& keys, HitList<Hit>& list) {
        constexpr std::int64_t kPiece = std::int64_t{1} << 22;
        for (std::int64_t first = 0; first < keys.size(); first += kPiece) {
            const std::int64_t count = min_of(kPiece, keys.size() - first);
            hits_.resize(count);
            verdicts_.resize(count);
            kept_.resize(count);
            executor_.for_each(name, count,
                               Work{elements, edges, key, decide, keys.data() + first, hits_.data(),
                                    verdicts_.data()});
            executor_.compact("features: hits", count, feature_detail::IsHit{verdicts_.data()},
                              kept_.data(), kept_count_.data());
            executor_.template reduce<std::uint32_t>(
                "features: exhausted", count, feature_detail::IsExhausted{verdicts_.data()},
                feature_detail::AddCounts{}, 0u, kept_count_.data() + 1);
            struct Two {
                std::uint32_t kept, exhausted;
            };
            const Two two = executor_.read(reinterpret_cast<const Two*>(kept_count_.data()));
            counts.exhausted += two.exhausted;
            append(keys.data() + first, two.kept, list);
        }
    }

    void append(const std::uint64_t* keys, std::int64_t count, HitList<Hit>& list) {
        grow(list, list.count + count);
        executor_.for_each("features: append", count,
                           feature_detail::AppendHit<Hit>{kept_.data(), keys, hits_.data(),
                                                          list.keys.data() + list.count,
                                                          list.hits.data() + list.count});
        list.count += count;
    }

    // Room for that many, with what is there kept.
    void grow(HitList<Hit>& list, std::int64_t count) {
        if (count <= list.keys.capacity()) {
            list.keys.resize(count);
            list.hits.resize(count);
            return;
        }
        list.spare_keys.resize(count);
        list.spare_hits.resize(count);
        executor_.copy("features: grow", list.keys.data(), list.spare_keys.data(), list.count);
        executor_.copy("features: grow", list.hits.data(), list.spare_hits.data(), list.count);
        executor_.wait();
        list.keys.swap(list.spare_keys);
        list.hits.swap(list.spare_hits);
    }

    void sort_into(HitList<Hit>& list, int key_bits, Hit* to) {
        const std::int64_t count = list.count;
        places_.resize(count);
        order_.resize(count);
        sorted_keys_.resize(count);
        executor_.for_each("features: number", count, feature_detail::NumberPlaces{places_.data()});
        executor_.sort_by_key("features: sort", list.keys.data(), sorted_keys_.data(),
                              places_.data(), order_.data(), count, key_bits);
        executor_.for_each("features: gather", count,
                           feature_detail::GatherHit<Hit>{order_.data(), list.hits.data(), to});
    }

    Executor& executor_;
    HitList<Hit> lists_[2];
    Buffer<std::uint16_t> masks_;
    Buffer<std::uint64_t> counts_, offsets_;
    Buffer<std::uint64_t> keys_[2];
    Buffer<Hit> hits_;
    Buffer<Verdict> verdicts_;
    Buffer<std::uint32_t> kept_, kept_count_;
    Buffer<std::uint32_t> places_, order_;
    Buffer<std::uint64_t> sorted_keys_;
};

}  // namespace graze
