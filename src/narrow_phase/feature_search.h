// FeatureSearch: from pairs of elements to pairs of features to what touches, in a fixed order.
// feature_search_fused.h has it for the host, feature_search_staged.h for the device.
#pragma once

#include "broad_phase/element_pairs.h"
#include "narrow_phase/decide_impact.h"
#include "parallel/buffer.h"

namespace graze {

// How many pairs there were on the way.
struct FeatureCounts {
    std::int64_t element_pairs = 0;  // that their bounds did not rule out
    std::int64_t vertex_faces = 0;   // likewise, pairs of features
    std::int64_t edge_edges = 0;
    std::int64_t exhausted = 0;  // hits for want of iterations
    std::int64_t slices = 0;
};

// Tells pairs of features of one kind from those of the other, and numbers them.
struct FeatureKeys {
    FeatureKey vertex_face;  // vertex, face
    FeatureKey edge_edge;    // edge, edge
    int vertex_face_bits;    // of a whole key
    int edge_edge_bits;
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

}  // namespace graze
