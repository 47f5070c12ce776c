// What both feature searches share. A search goes from pairs of elements to pairs of features to
// hits, which have a fixed order: FusedFeatureSearch on the host, StagedFeatureSearch on the
// device.
#pragma once

#include "broad_phase/element_pairs.h"
#include "narrow_phase/features/decide_impact.h"
#include "parallel/buffer.h"

namespace graze {

// Counts of the stages of a search.
struct FeatureCounts {
    std::int64_t element_pairs = 0;  // pairs of elements that were examined
    std::int64_t vertex_faces = 0;   // pairs of features that bounds did not rule out
    std::int64_t edge_edges = 0;     // likewise
    std::int64_t decided = 0;        // of these: that were decided on, and not by Verdict::later
    std::int64_t exhausted = 0;      // hits by Verdict::exhausted
    std::int64_t hits = 0;           // those of Verdict::unwanted included
    std::int64_t slices = 0;         // slices of the broad phase, searched one by one
};

// Packs a pair of features of either kind into a key.
struct FeatureKeys {
    FeatureKey vertex_face;  // vertex, face
    FeatureKey edge_edge;    // edge, edge
    int vertex_face_bits;    // the bits of a whole key
    int edge_edge_bits;

    // This bit of a key tells the kinds apart; all edge-edge pairs sort behind all vertex-face
    // pairs.
    GRAZE_INLINE int kind_bit() const { return max_of(vertex_face_bits, edge_edge_bits); }
    GRAZE_INLINE std::uint64_t of_faces(std::uint32_t vertex, std::uint32_t face) const {
        return vertex_face.of(vertex, face);
    }
    GRAZE_INLINE std::uint64_t of_edges(std::uint32_t a, std::uint32_t b) const {
        return edge_edge.of(a, b) | std::uint64_t{1} << kind_bit();
    }
    GRAZE_INLINE bool is_of_edges(std::uint64_t key) const { return (key >> kind_bit()) != 0; }

    // Write a key's features to a hit, as Impact and Proximity name them.
    template <class Hit>
    GRAZE_INLINE void name_faces(std::uint64_t key, const Element* elements, Hit& hit) const {
        hit.face = vertex_face.low(key);
        list_vertices(elements, vertex_face.high(key), hit.face, hit.vertices);
    }
    template <class Hit>
    GRAZE_INLINE void name_edges(std::uint64_t key, const Edge* edges, Hit& hit) const {
        const std::uint64_t pair = key ^ std::uint64_t{1} << kind_bit();
        hit.face = Impact::kNoFace;
        list_vertices(edges, edge_edge.high(pair), edge_edge.low(pair), hit.vertices);
    }
};

inline int bits_for(std::int64_t count) {
    int bits = 1;
    while ((std::int64_t{1} << bits) < count)
        ++bits;
    return bits;
}

inline FeatureKeys make_feature_keys(std::int64_t vertex_count, std::int64_t triangle_count,
                                     std::int64_t edge_count) {
    const int vertex_bits = bits_for(vertex_count), face_bits = bits_for(triangle_count);
    const int edge_bits = bits_for(edge_count);
    return {{face_bits}, {edge_bits}, vertex_bits + face_bits, 2 * edge_bits};
}

namespace feature_detail {

template <class Hit>
struct GatherHit {
    const std::uint32_t* order;
    const Hit* hits;
    Hit* result;
    GRAZE_HD void operator()(std::int64_t i) const { result[i] = hits[order[i]]; }
};

}  // namespace feature_detail

}  // namespace graze
