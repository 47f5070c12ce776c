// Candidates are decided on in two stages: a certified filter in double arithmetic leaves few in
// doubt, and exact arithmetic decides on those, gathered so that all threads of a warp have one.
// Found pairs are kept as numbers that sort as the pairs do, so that the result depends neither on
// the order of candidates, which differs between searches, nor on that of threads.
#pragma once

#include "core/atomics.h"
#include "geometry/filter_mesh_triangles.h"
#include "narrow_phase/features/grow_list.h"
#include "narrow_phase/features/triangle_intersections.h"
#include "parallel/fill.h"

namespace graze {
namespace intersections_detail {

// Indices of candidates have 32 bits.
constexpr std::int64_t kMostAtOnce = std::int64_t{1} << 31;

// Packs a pair into a number.
struct IntersectionKey {
    int index_bits;
    GRAZE_INLINE std::uint64_t of(const IndexPair& pair) const {
        return std::uint64_t{pair.a} << index_bits | pair.b;
    }
    GRAZE_INLINE IndexPair pair(std::uint64_t key) const {
        const std::uint64_t mask = (std::uint64_t{1} << index_bits) - 1;
        return {static_cast<std::uint32_t>(key >> index_bits),
                static_cast<std::uint32_t>(key & mask)};
    }
};

using IntersectionCounters = TriangleIntersectionSearch::Counters;

// A slice of candidates and the lists that its two stages fill.
template <class T>
struct CandidateSlice {
    const Vec3T<T>* positions;
    const Triangle* triangles;
    const IndexPair* pairs;
    IntersectionKey key;
    std::uint32_t* doubtful;
    std::uint64_t* keys;
    IntersectionCounters* counters;

    GRAZE_INLINE void add_meeting(const IndexPair& pair) const {
        keys[atomic_take_index(&counters->meeting)] = key.of(pair);
    }
};

template <class T>
struct FilterCandidate {
    CandidateSlice<T> slice;
    GRAZE_HD void operator()(std::int64_t i) const {
        const IndexPair pair = slice.pairs[i];
        const MeetVerdict verdict = filter_mesh_triangles(slice.positions, slice.triangles[pair.a],
                                                          slice.triangles[pair.b]);
        if (verdict == MeetVerdict::meeting) {
            slice.add_meeting(pair);
        } else if (verdict == MeetVerdict::doubtful) {
            slice.doubtful[atomic_take_index(&slice.counters->doubtful)] =
                static_cast<std::uint32_t>(i);
        }
    }
};

// Runs with as many threads as there are candidates, so that the host need not know how many are in
// doubt.
template <class T>
struct DecideDoubtful {
    CandidateSlice<T> slice;
    GRAZE_HD void operator()(std::int64_t i) const {
        if (i >= slice.counters->doubtful) return;
        const IndexPair pair = slice.pairs[slice.doubtful[i]];
        if (intersect_mesh_triangles(slice.positions, slice.triangles[pair.a],
                                     slice.triangles[pair.b]))
            slice.add_meeting(pair);
    }
};

// Triangles that share an edge or all corners meet beyond that only in one plane, so such a pair is
// flat.
template <class T>
struct DescribeIntersection {
    const Vec3T<T>* positions;
    const Triangle* triangles;
    const std::uint64_t* keys;
    IntersectionKey key;
    TriangleIntersection* found;
    GRAZE_HD void operator()(std::int64_t i) const {
        const IndexPair pair = key.pair(keys[i]);
        const Triangle a = triangles[pair.a], b = triangles[pair.b];
        const TriangleTriangleSegment segment =
            intersection_segment(positions[a[0]], positions[a[1]], positions[a[2]], positions[b[0]],
                                 positions[b[1]], positions[b[2]]);
        const bool is_flat = segment.kind != TriangleTriangleSegment::Kind::segment;
        found[i] = {pair.a, pair.b, is_flat, segment.start, segment.end};
    }
};

template <class Executor, class T>
void add_slice(Executor& executor, const Vec3T<T>* positions, const Triangle* triangles,
               const IndexPair* pairs, std::int64_t count, TriangleIntersectionSearch& search) {
    search.counters.resize(1);
    search.doubtful.resize(count);
    grow_list(executor, "intersections: move keys", search.key_count, search.key_count + count,
              search.keys, search.spare_keys);
    const CandidateSlice<T> slice{positions,
                                  triangles,
                                  pairs,
                                  {search.index_bits},
                                  search.doubtful.data(),
                                  search.keys.data() + search.key_count,
                                  search.counters.data()};
    executor.for_each("intersections: clear", 1,
                      Fill<IntersectionCounters>{search.counters.data(), {}});
    executor.for_each("intersections: filter", count, FilterCandidate<T>{slice});
    executor.for_each("intersections: decide", count, DecideDoubtful<T>{slice});
    search.key_count += executor.read(search.counters.data()).meeting;
}

}  // namespace intersections_detail

template <class Executor, class T>
void add_triangle_candidates(Executor& executor, const Vec3T<T>* positions,
                             const Triangle* triangles, const IndexPair* pairs,
                             std::int64_t pair_count, TriangleIntersectionSearch& search) {
    using namespace intersections_detail;
    for (std::int64_t first = 0; first < pair_count; first += kMostAtOnce) {
        add_slice(executor, positions, triangles, pairs + first,
                  min_of(pair_count - first, kMostAtOnce), search);
    }
}

template <class Executor, class T>
void finish_triangle_intersections(Executor& executor, const Vec3T<T>* positions,
                                   const Triangle* triangles, TriangleIntersectionSearch& search) {
    using namespace intersections_detail;
    if (search.key_count == 0) {
        search.found.resize(0);
        return;
    }
    const IntersectionKey key{search.index_bits};
    search.sorted_keys.resize(search.key_count);
    search.found.resize(search.key_count);
    executor.sort_keys("intersections: sort", search.keys.data(), search.sorted_keys.data(),
                       search.key_count, 2 * search.index_bits);
    executor.for_each("intersections: segments", search.found.size(),
                      DescribeIntersection<T>{positions, triangles, search.sorted_keys.data(), key,
                                              search.found.data()},
                      64);
}

}  // namespace graze
