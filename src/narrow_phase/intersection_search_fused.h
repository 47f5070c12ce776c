// The host's way from pairs of elements to triangles that intersect: decided where they are found,
// as in feature_search_fused.h.
#pragma once

#include "geometry/filter_mesh_triangles.h"
#include "narrow_phase/feature_search.h"
#include "narrow_phase/triangle_intersections_impl.h"
#include "narrow_phase/visit_pairs_fused.h"

namespace graze {

struct IntersectionKeys {
    std::vector<std::uint64_t> keys;
    std::int64_t pair_count = 0;
};

namespace intersections_detail {

template <class T>
struct FusedMeet {
    const DeformingView<T>& view;
    const Triangle* triangles;
    IntersectionKey key;
    IntersectionKeys& found;

    void operator()(std::uint32_t a, std::uint32_t b) const {
        const Element &element_a = view.elements[a], &element_b = view.elements[b];
        if (!element_a.is_face() || !element_b.is_face() ||
            !may_collide(view, element_a, element_b))
            return;
        ++found.pair_count;
        if (meet_mesh_triangles(view.positions_t0, triangles[a], triangles[b]))
            found.keys.push_back(key.of({a, b}));
    }
};

}  // namespace intersections_detail

class FusedIntersectionSearch {
public:
    explicit FusedIntersectionSearch(CpuExecutor& executor) : executor_(executor) {}

    // pairs: a search that was built. Nothing but what intersects is stored, so room does not
    // matter.
    template <class T>
    void run(const DeformingView<T>& view, const Buffer<Triangle>& triangles,
             const ElementPairs& pairs, std::int64_t /*room*/) {
        using namespace intersections_detail;
        search_.begin(triangles.size());
        for (IntersectionKeys& list : lists_.all()) {
            list.keys.clear();
            list.pair_count = 0;
        }
        const IntersectionKey key{search_.index_bits};
        visit_pairs_fused(executor_, view, pairs, slot_bounds_, lists_,
                          [&](IntersectionKeys& list) {
                              return FusedMeet<T>{view, triangles.data(), key, list};
                          });
        counts = {};
        counts.slices = 1;
        std::int64_t total = 0;
        for (const IntersectionKeys& list : lists_.all()) {
            counts.element_pairs += list.pair_count;
            total += static_cast<std::int64_t>(list.keys.size());
        }
        search_.keys.resize(total);
        search_.counts.resize(1);
        for (const IntersectionKeys& list : lists_.all()) {
            std::copy(list.keys.begin(), list.keys.end(), search_.keys.data() + search_.key_count);
            search_.key_count += static_cast<std::int64_t>(list.keys.size());
        }
        finish_triangle_intersections(executor_, view.positions_t0, triangles.data(), search_);
    }

    const Buffer<TriangleIntersection>& result() const { return search_.found; }
    FeatureCounts counts;

private:
    CpuExecutor& executor_;
    ThreadLists<IntersectionKeys> lists_;
    Buffer<ElementBounds> slot_bounds_{host_memory()};
    TriangleIntersectionSearch search_{host_memory()};
};

}  // namespace graze
