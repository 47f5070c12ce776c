// Every primitive looks for partners in higher slots; count, scan, fill. In an ordered tree whole
// subtrees of lower slots are skipped, so that no pair is met twice.
#pragma once

#include "geometry/bvh_pairs.h"
#include "geometry/bvh_queries.h"

namespace graze {
namespace bvh_detail {

template <class Report>
class HigherOverlap : public BoxOverlap<Report> {
public:
    GRAZE_INLINE HigherOverlap(const Aabb& box, std::int32_t slot, bool is_ordered, Report& report)
        : BoxOverlap<Report>(box, report), slot_(slot), is_ordered_(is_ordered) {}

    GRAZE_INLINE bool skips(std::int32_t child, int side) const {
        return child < 0 ? ~child <= slot_ : is_ordered_ && side == 0 && child <= slot_;
    }

private:
    std::int32_t slot_;
    bool is_ordered_;
};

struct CountPartner {
    std::uint64_t count = 0;
    GRAZE_INLINE void operator()(std::uint32_t) { ++count; }
};
struct StorePartner {
    const std::uint32_t* primitives;
    std::uint32_t own;
    IndexPair* place;
    GRAZE_INLINE void operator()(std::uint32_t slot) {
        const std::uint32_t other = primitives[slot];
        *place++ = {min_of(own, other), max_of(own, other)};
    }
};

struct CountOverlaps {
    BvhView bvh;
    const Aabb* boxes;
    std::uint64_t* counts;
    GRAZE_HD void operator()(std::int64_t slot) const {
        CountPartner report;
        HigherOverlap query(boxes[bvh.primitives[slot]], static_cast<std::int32_t>(slot),
                            bvh.is_ordered, report);
        traverse(bvh, query);
        counts[slot] = report.count;
    }
};

struct StoreOverlaps {
    BvhView bvh;
    const Aabb* boxes;
    const std::uint64_t* offsets;
    IndexPair* pairs;
    GRAZE_HD void operator()(std::int64_t slot) const {
        if (offsets[slot] == offsets[slot + 1]) return;
        const std::uint32_t own = bvh.primitives[slot];
        StorePartner report{bvh.primitives, own, pairs + offsets[slot]};
        HigherOverlap query(boxes[own], static_cast<std::int32_t>(slot), bvh.is_ordered, report);
        traverse(bvh, query);
    }
};

}  // namespace bvh_detail

template <class Executor>
void find_self_overlaps(Executor& executor, const Bvh& bvh, const Aabb* boxes, BvhPairs& result) {
    using namespace bvh_detail;
    const BvhView view = bvh.view();
    result.counts.resize(view.primitive_count);
    result.offsets.resize(view.primitive_count + 1);
    executor.for_each("bvh pairs: count", view.primitive_count,
                      CountOverlaps{view, boxes, result.counts.data()}, 64);
    executor.exclusive_scan("bvh pairs: place", result.counts.data(), result.offsets.data(),
                            view.primitive_count);
    const std::uint64_t pair_count = executor.read(result.offsets.data() + view.primitive_count);
    result.pairs.resize(static_cast<std::int64_t>(pair_count));
    executor.for_each("bvh pairs: store", view.primitive_count,
                      StoreOverlaps{view, boxes, result.offsets.data(), result.pairs.data()}, 64);
}

}  // namespace graze
