// Finds which of many pairs of triangles intersect, exactly, and in which segments, on either
// machine.
//
//     search.begin(triangle_count);
//     add_triangle_candidates(executor, positions, triangles, pairs, pair_count, search);  //
//     repeat finish_triangle_intersections(executor, positions, triangles, search);
//     ... search.found
#pragma once

#include "core/bits.h"
#include "geometry/bvh/bvh_pairs.h"
#include "graze/deforming.h"

namespace graze {

// What is searched: triangles, and loose edges behind them where these are looked for, too. An edge
// names its second vertex twice: it is a triangle that has collapsed, about which
// intersect_mesh_triangles() is as exact as about others.
struct MeetingSurfaces {
    const Triangle* corners;
    std::int64_t triangle_count;
    std::int64_t count;  // with the edges
};

// The result of a search and the memory that it needs; keep it to search again without allocation.
struct TriangleIntersectionSearch {
    explicit TriangleIntersectionSearch(Memory& memory)
        : doubtful(memory),
          counters(memory),
          keys(memory),
          spare_keys(memory),
          sorted_keys(memory),
          found(memory) {}

    // Begins a new search and forgets what was found.
    void begin(std::int64_t triangle_count) {
        key_count = 0;
        index_bits = triangle_count < 2
                         ? 1
                         : 32 - leading_zeros(static_cast<std::uint32_t>(triangle_count - 1));
    }

    struct Counters {
        std::uint32_t doubtful;  // of a slice
        std::uint32_t meeting;
    };
    Buffer<std::uint32_t> doubtful;    // candidates that need exact arithmetic, in any order
    Buffer<Counters> counters;         // one element
    Buffer<std::uint64_t> keys;        // the pairs found so far, key_count of them
    Buffer<std::uint64_t> spare_keys;  // used while keys grows
    Buffer<std::uint64_t> sorted_keys;
    std::int64_t key_count = 0;
    int index_bits = 1;  // the bits of a triangle's index in a key

    Buffer<TriangleIntersection> found;  // the answer, sorted by (a, b)
};

// Decides on pairs a < b of triangles, which may be in any order; each pair must be named only once
// in the whole search. Pairs meet by the rule of intersect_mesh_triangles(). All arrays are in the
// executor's memory. Waits for the count of pairs that meet, once every 2^31 candidates.
template <class Executor, class T>
void add_triangle_candidates(Executor& executor, const Vec3T<T>* positions,
                             const Triangle* triangles, const IndexPair* pairs,
                             std::int64_t pair_count, TriangleIntersectionSearch& search);

// Sorts what was found and computes the segments. Does not wait.
template <class Executor, class T>
void finish_triangle_intersections(Executor& executor, const Vec3T<T>* positions,
                                   const Triangle* triangles, TriangleIntersectionSearch& search);

}  // namespace graze
