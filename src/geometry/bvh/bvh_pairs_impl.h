// Every primitive looks for partners in higher slots; count, scan, fill. In an ordered tree whole
// subtrees of lower slots are skipped, so that no pair is met twice.
#pragma once

#include "geometry/bvh/bvh_pairs.h"
#include "geometry/bvh/bvh_queries.h"

namespace graze {
namespace bvh_detail {

template <class Report>
class HigherOverlap : public BoxOverlap<Report> {
public:
    GRAZE_INLINE HigherOverlap(const Aabb& box, std::int32_t slot, bool is_ordered, Report& report)
        : BoxOverlap<Report>(box, report), slot_(slot), is_ordered_(is_ordered) {}

    GRAZE_INLINE bool can_skip(std::int32_t child, int side) const {
        return child < 0 ? ~child <= slot_ : is_ordered_ && side == 0 && child <= slot_;
    }

private:
    std::int32_t slot_;
    bool is_ordered_;
};

// Turns the slot of a partner into the pair.
template <class Report>
struct PairWithSlot {
    const std::uint32_t* primitives;
    std::uint32_t own;
    Report& report;
    GRAZE_INLINE void operator()(std::uint32_t slot) const {
        const std::uint32_t other = primitives[slot];
        report(min_of(own, other), max_of(own, other));
    }
};

}  // namespace bvh_detail

// Calls report(a, b), a < b, for the primitive in a slot and each one in a higher slot whose box
// touches its own. boxes are by primitive.
template <class Report>
GRAZE_INLINE void visit_higher_overlaps(const BvhView& bvh, const Aabb* boxes, std::int64_t slot,
                                        Report& report) {
    const std::uint32_t own = bvh.primitives[slot];
    bvh_detail::PairWithSlot<Report> partner{bvh.primitives, own, report};
    bvh_detail::HigherOverlap query(boxes[own], static_cast<std::int32_t>(slot), bvh.is_ordered,
                                    partner);
    traverse(bvh, query);
}

// Reports that count the pairs which accept(a, b) takes, and that store them.
template <class Accept>
struct CountPair {
    const Accept& accept;
    std::uint64_t count = 0;
    GRAZE_INLINE void operator()(std::uint32_t a, std::uint32_t b) {
        count += accept(a, b) ? 1 : 0;
    }
};
template <class Accept>
struct StorePair {
    const Accept& accept;
    IndexPair* next;
    GRAZE_INLINE void operator()(std::uint32_t a, std::uint32_t b) {
        if (accept(a, b)) *next++ = {a, b};
    }
};

namespace bvh_detail {

template <class Accept>
struct CountOverlaps {
    BvhView bvh;
    const Aabb* boxes;
    Accept accept;
    std::uint64_t* counts;
    GRAZE_HD void operator()(std::int64_t slot) const {
        CountPair<Accept> report{accept};
        visit_higher_overlaps(bvh, boxes, slot, report);
        counts[slot] = report.count;
    }
};

template <class Accept>
struct StoreOverlaps {
    BvhView bvh;
    const Aabb* boxes;
    Accept accept;
    const std::uint64_t* offsets;
    IndexPair* pairs;
    GRAZE_HD void operator()(std::int64_t slot) const {
        if (offsets[slot] == offsets[slot + 1]) return;
        StorePair<Accept> report{accept, pairs + offsets[slot]};
        visit_higher_overlaps(bvh, boxes, slot, report);
    }
};

}  // namespace bvh_detail

// How many pairs with touching boxes accept(a, b), a < b, takes; fills the counts and offsets of
// result.
template <class Executor, class Accept>
std::int64_t count_overlaps(Executor& executor, const Bvh& bvh, const Aabb* boxes,
                            const Accept& accept, BvhPairs& result) {
    const BvhView view = bvh.view();
    result.counts.resize(view.primitive_count);
    result.offsets.resize(view.primitive_count + 1);
    executor.for_each("bvh pairs: count", view.primitive_count,
                      bvh_detail::CountOverlaps<Accept>{view, boxes, accept, result.counts.data()},
                      64);
    executor.exclusive_scan("bvh pairs: offsets", result.counts.data(), result.offsets.data(),
                            view.primitive_count);
    return static_cast<std::int64_t>(executor.read(result.offsets.data() + view.primitive_count));
}

// Finds those pairs. accept is asked twice about each candidate, so that only what it takes needs
// memory.
template <class Executor, class Accept>
void find_overlaps(Executor& executor, const Bvh& bvh, const Aabb* boxes, const Accept& accept,
                   BvhPairs& result) {
    result.pairs.resize(count_overlaps(executor, bvh, boxes, accept, result));
    executor.for_each("bvh pairs: store", bvh.primitives.size(),
                      bvh_detail::StoreOverlaps<Accept>{bvh.view(), boxes, accept,
                                                        result.offsets.data(), result.pairs.data()},
                      64);
}

template <class Executor>
void find_self_overlaps(Executor& executor, const Bvh& bvh, const Aabb* boxes, BvhPairs& result) {
    find_overlaps(executor, bvh, boxes, AcceptAll{}, result);
}

}  // namespace graze
