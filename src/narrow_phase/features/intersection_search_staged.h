// StagedIntersectionSearch goes from pairs of elements to triangles that intersect on the device:
// pairs are stored, slice by slice, and then decided on.
#pragma once

#include "narrow_phase/features/feature_search.h"
#include "narrow_phase/features/triangle_intersections.h"

namespace graze {

template <class Executor>
class StagedIntersectionSearch {
public:
    explicit StagedIntersectionSearch(Executor& executor)
        : executor_(executor), search_(executor.memory()) {}

    // pairs is a search that has been built; room is the largest count of pairs to have in memory.
    template <class T>
    void run(const DeformingView<T>& view, const MeetingSurfaces& surfaces, ElementPairs& pairs,
             std::int64_t room) {
        const AcceptPair accept{
            view.elements,           view.ignored_parts,
            view.ignored_part_count, view.element_count > surfaces.triangle_count,
            view.patch_names,        surfaces.count > surfaces.triangle_count};
        counts = {};
        counts.element_pairs = count_element_pairs(executor_, accept, pairs);
        search_.begin(surfaces.count);
        for (UnitSlice slice; next_slice(executor_, room, pairs, slice);) {
            if (slice.pair_count == 0) continue;
            store_element_pairs(executor_, accept, slice, pairs);
            add_triangle_candidates(executor_, view.positions_t0, surfaces.corners,
                                    pairs.pairs.data(), slice.pair_count, search_);
            ++counts.slices;
        }
        finish_triangle_intersections(executor_, view.positions_t0, surfaces.corners, search_);
    }

    const Buffer<TriangleIntersection>& result() const { return search_.found; }
    FeatureCounts counts;

private:
    Executor& executor_;
    TriangleIntersectionSearch search_;
};

}  // namespace graze
