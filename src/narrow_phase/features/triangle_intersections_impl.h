// Candidates in two stages: a certified filter in double arithmetic, which leaves few in doubt,
// then exact arithmetic for those, gathered so that the threads of a warp all have one. What is
// found is kept as numbers that sort as the pairs do, so that neither the order of candidates,
// which differs between searches, nor that of threads shows.
#pragma once

#include "core/atomics.h"
#include "geometry/filter_mesh_triangles.h"
#include "narrow_phase/features/triangle_intersections.h"
#include "parallel/fill.h"

namespace graze {
namespace intersections_detail {

// Places of candidates have 32 bits.
constexpr std::int64_t kMostAtOnce = std::int64_t{1} << 31;

// A pair as a number.
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

template <class T>
struct FilterCandidate {
    const Vec3T<T>* positions;
    const Triangle* triangles;
    const IndexPair* pairs;
    IntersectionKey key;
    std::uint32_t* doubtful;
    std::uint64_t* keys;
    IntersectionCounters* counters;
    GRAZE_HD void operator()(std::int64_t i) const {
        const IndexPair pair = pairs[i];
        const MeetVerdict verdict =
            filter_mesh_triangles(positions, triangles[pair.a], triangles[pair.b]);
        if (verdict == MeetVerdict::meeting) {
            keys[atomic_take_index(&counters->meeting)] = key.of(pair);
        } else if (verdict == MeetVerdict::doubtful) {
            doubtful[atomic_take_index(&counters->doubtful)] = static_cast<std::uint32_t>(i);
        }
    }
};

// For as many threads as there are candidates: how many are in doubt need not be known to the host.
template <class T>
struct DecideDoubtful {
    const Vec3T<T>* positions;
    const Triangle* triangles;
    const IndexPair* pairs;
    IntersectionKey key;
    const std::uint32_t* doubtful;
    std::uint64_t* keys;
    IntersectionCounters* counters;
    GRAZE_HD void operator()(std::int64_t i) const {
        if (i >= counters->doubtful) return;
        const IndexPair pair = pairs[doubtful[i]];
        if (intersect_mesh_triangles(positions, triangles[pair.a], triangles[pair.b]))
            keys[atomic_take_index(&counters->meeting)] = key.of(pair);
    }
};

// Triangles that share an edge or all corners meet beyond that only in one plane.
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

// Makes room for more keys behind those that are there.
template <class Executor>
void reserve_keys(Executor& executor, std::int64_t count, TriangleIntersectionSearch& search) {
    if (count > search.keys.capacity() && search.key_count > 0) {
        search.grown_keys.resize(count + count / 4);
        executor.copy("intersections: move keys", search.keys.data(), search.grown_keys.data(),
                      search.key_count);
        executor.wait();  // before the old ones are released
        search.keys.swap(search.grown_keys);
    }
    search.keys.resize(count);
}

template <class Executor, class T>
void add_slice(Executor& executor, const Vec3T<T>* positions, const Triangle* triangles,
               const IndexPair* pairs, std::int64_t count, TriangleIntersectionSearch& search) {
    search.counters.resize(1);
    search.doubtful.resize(count);
    reserve_keys(executor, search.key_count + count, search);
    const IntersectionKey key{search.index_bits};
    std::uint64_t* keys = search.keys.data() + search.key_count;
    executor.for_each("intersections: clear", 1,
                      Fill<IntersectionCounters>{search.counters.data(), {}});
    executor.for_each("intersections: filter", count,
                      FilterCandidate<T>{positions, triangles, pairs, key, search.doubtful.data(),
                                         keys, search.counters.data()});
    executor.for_each("intersections: decide", count,
                      DecideDoubtful<T>{positions, triangles, pairs, key, search.doubtful.data(),
                                        keys, search.counters.data()});
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
