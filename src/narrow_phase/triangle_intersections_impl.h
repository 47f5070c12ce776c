// Candidates in two stages: a certified filter in double arithmetic, which leaves few in doubt,
// then exact arithmetic for those, gathered so that the threads of a warp all have one. What is
// found is kept as numbers that sort as the pairs do, so that the order of candidates, which
// differs between searches, does not show.
#pragma once

#include "geometry/filter_mesh_triangles.h"
#include "narrow_phase/triangle_intersections.h"

namespace graze {
namespace intersections_detail {

// A place of `kept` has 32 bits.
constexpr std::int64_t kMostAtOnce = std::int64_t{1} << 31;

// A pair as a number; kDropped sorts last and is no pair, since a < b.
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
    GRAZE_INLINE std::uint64_t dropped() const {
        return ~std::uint64_t{0} >> (64 - 2 * index_bits);
    }
};

template <class T>
struct FilterCandidate {
    const Vec3T<T>* positions;
    const Triangle* triangles;
    const IndexPair* pairs;
    std::uint8_t* verdicts;
    GRAZE_HD void operator()(std::int64_t i) const {
        const IndexPair pair = pairs[i];
        verdicts[i] = static_cast<std::uint8_t>(
            filter_mesh_triangles(positions, triangles[pair.a], triangles[pair.b]));
    }
};

struct IsKept {
    const std::uint8_t* verdicts;
    GRAZE_HD bool operator()(std::int64_t i) const {
        return verdicts[i] != static_cast<std::uint8_t>(MeetVerdict::apart);
    }
};
struct CountKept {
    const std::uint8_t* verdicts;
    GRAZE_HD std::uint64_t operator()(std::int64_t i) const { return IsKept{verdicts}(i) ? 1 : 0; }
};
struct CountKey {
    const std::uint64_t* keys;
    std::uint64_t dropped;
    GRAZE_HD std::uint64_t operator()(std::int64_t i) const { return keys[i] != dropped ? 1 : 0; }
};
struct Sum {
    GRAZE_HD std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const { return a + b; }
};

template <class T>
struct DecideKept {
    const Vec3T<T>* positions;
    const Triangle* triangles;
    const IndexPair* pairs;
    const std::uint8_t* verdicts;
    const std::uint32_t* kept;
    IntersectionKey key;
    std::uint64_t* keys;
    GRAZE_HD void operator()(std::int64_t i) const {
        const std::uint32_t candidate = kept[i];
        const IndexPair pair = pairs[candidate];
        const bool meets =
            verdicts[candidate] == static_cast<std::uint8_t>(MeetVerdict::meeting) ||
            intersect_mesh_triangles(positions, triangles[pair.a], triangles[pair.b]);
        keys[i] = meets ? key.of(pair) : key.dropped();
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
    search.verdicts.resize(count);
    search.counts.resize(1);
    executor.for_each("intersections: filter", count,
                      FilterCandidate<T>{positions, triangles, pairs, search.verdicts.data()});
    executor.reduce("intersections: count", count, CountKept{search.verdicts.data()}, Sum{},
                    std::uint64_t{0}, search.counts.data());
    const auto kept_count = static_cast<std::int64_t>(executor.read(search.counts.data()));
    if (kept_count == 0) return;
    search.kept.resize(kept_count + 1);
    // The number of those kept, known by now, goes behind them.
    executor.compact("intersections: keep", count, IsKept{search.verdicts.data()},
                     search.kept.data(), search.kept.data() + kept_count);
    reserve_keys(executor, search.key_count + kept_count, search);
    executor.for_each(
        "intersections: decide", kept_count,
        DecideKept<T>{positions, triangles, pairs, search.verdicts.data(), search.kept.data(),
                      IntersectionKey{search.index_bits}, search.keys.data() + search.key_count},
        64);
    search.key_count += kept_count;
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
    executor.reduce("intersections: count found", search.key_count,
                    CountKey{search.keys.data(), key.dropped()}, Sum{}, std::uint64_t{0},
                    search.counts.data());
    executor.sort_keys("intersections: sort", search.keys.data(), search.sorted_keys.data(),
                       search.key_count, 2 * search.index_bits);
    search.found.resize(static_cast<std::int64_t>(executor.read(search.counts.data())));
    executor.for_each("intersections: segments", search.found.size(),
                      DescribeIntersection<T>{positions, triangles, search.sorted_keys.data(), key,
                                              search.found.data()},
                      64);
}

}  // namespace graze
