// Visits the pairs of a search that has been built without storing them, as the host's narrow phase
// does. Host only.
#pragma once

#include <atomic>

#include "broad_phase/element_pairs_impl.h"

namespace graze {

struct SumPairs {
    std::uint64_t count = 0, sum = 0;
    void operator()(std::uint32_t a, std::uint32_t b) {
        sum += a ^ b;  // so that the indices are used
        ++count;
    }
};

template <class Executor>
struct StreamUnits {
    Executor& executor;
    std::uint64_t& count;
    template <class Units>
    void operator()(const Units& units) const {
        std::atomic<std::uint64_t> total{0}, rest{0};
        executor.for_each_range(units.count(), Units::kGrain,
                                [&](std::int64_t first, std::int64_t last) {
                                    SumPairs report;
                                    for (std::int64_t unit = first; unit < last; ++unit)
                                        units.visit(unit, report);
                                    total += report.count;
                                    rest += report.sum;
                                });
        count = total + (rest == 1 ? 1 : 0);
    }
};

// Returns the count of pairs.
template <class Executor>
std::uint64_t stream_element_pairs(Executor& executor, const ElementPairs& pairs) {
    std::uint64_t count = 0;
    with_units<Executor>(pairs, StreamUnits<Executor>{executor, count});
    return count;
}

}  // namespace graze
