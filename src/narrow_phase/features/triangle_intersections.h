// Which of many pairs of triangles intersect, exactly, and in which segment; on either machine.
//
//     search.begin(triangle_count);
//     add_triangle_candidates(executor, positions, triangles, pairs, pair_count, search);  // often
//     finish_triangle_intersections(executor, positions, triangles, search);
//     ... search.found
#pragma once

#include "core/bits.h"
#include "geometry/bvh/bvh_pairs.h"
#include "graze/deforming.h"

namespace graze {

// What a search found, and the memory that it needs; keep it to search again without allocation.
struct TriangleIntersectionSearch {
    explicit TriangleIntersectionSearch(Memory& memory)
        : doubtful(memory),
          counters(memory),
          keys(memory),
          grown_keys(memory),
          sorted_keys(memory),
          found(memory) {}

    // Forgets what was found.
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
    Buffer<Counters> counters;         // one
    Buffer<std::uint64_t> keys;        // pairs that were found so far, key_count of them
    Buffer<std::uint64_t> grown_keys;  // in whose place keys grows
    Buffer<std::uint64_t> sorted_keys;
    std::int64_t key_count = 0;
    int index_bits = 1;  // of a triangle in a key

    Buffer<TriangleIntersection> found;  // the answer, by (a, b)
};

// Decides on pairs a < b of triangles, in any order, each named once in the whole search: whether
// they meet is intersect_mesh_triangles()' rule. Everything is in the executor's memory. Waits
// for the number of pairs that meet, once every 2^31 candidates.
template <class Executor, class T>
void add_triangle_candidates(Executor& executor, const Vec3T<T>* positions,
                             const Triangle* triangles, const IndexPair* pairs,
                             std::int64_t pair_count, TriangleIntersectionSearch& search);

// Sorts what was found and tells its segments. Does not wait.
template <class Executor, class T>
void finish_triangle_intersections(Executor& executor, const Vec3T<T>* positions,
                                   const Triangle* triangles, TriangleIntersectionSearch& search);

}  // namespace graze
