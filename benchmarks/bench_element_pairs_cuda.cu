// Finds the pairs of triangles whose swept boxes touch on the GPU, by all searches, from boxes in
// device memory to pairs there, timed by events. bench_deforming_cuda measures what the two-level
// grid's paper claims.
#include <cstdio>

#include "benchmarks/cuda_timing.h"
#include "benchmarks/stage_times.h"
#include "broad_phase/element_slot_units.h"
#include "graze/device.h"
#include "parallel/upload.h"
#include "tests/narrow_phase/features/sequence_boxes.h"

namespace graze {
namespace {

constexpr int kTracedCount = 11;

struct Search {
    const char* name;
    PairSearch search;
    Propagation propagation = Propagation::search;
    bool heeds_boxes = true;
};
const Search kSearches[] = {
    {"tree", PairSearch::tree},
    {"one-level grid", PairSearch::one_level_grid},
    {"two-level grid", PairSearch::two_level_grid},
    {"two-level, items by scan", PairSearch::two_level_grid, Propagation::scan},
    {"two-level, by density", PairSearch::two_level_grid, Propagation::search, false}};

void time_stages(CudaExecutor& executor, const Buffer<Aabb>& boxes, const Search& search,
                 ElementPairs& pairs) {
    const auto find = [&] {
        find_element_pairs(executor, boxes.data(), boxes.size(), search.search, pairs);
    };
    trace_calls(executor, kTracedCount, find).print();
}

bool run(const SequenceFrames& sequence) {
    const std::vector<Aabb> host = swept_boxes(sequence);
    if (host.empty()) {
        std::printf("%s: not there\n", sequence.name);
        return true;
    }
    CudaExecutor executor;
    const Buffer<Aabb> boxes = upload(executor, host);
    std::int64_t expected = static_cast<std::int64_t>(sequence.pair_count);
    bool is_right = true;
    std::printf("%s, %zu triangles\n", sequence.name, host.size());
    for (const Search& search : kSearches) {
        ElementPairs pairs(executor.memory());
        pairs.grid.propagation = search.propagation;
        pairs.grid.heeds_boxes = search.heeds_boxes;
        const double ms = median_milliseconds(executor, [&] {
            find_element_pairs(executor, boxes.data(), boxes.size(), search.search, pairs);
        });
        if (expected == 0) expected = pairs.pair_count;
        const GridTotals& totals = pairs.grid.totals;
        std::printf(
            "    %-26s %8.3f ms, %lld pairs%s; %lld items, %lld entries in %lld cells, %lld "
            "candidates, %lld large\n",
            search.name, ms, static_cast<long long>(pairs.pair_count),
            pairs.pair_count == expected ? "" : " INSTEAD OF OTHERS",
            static_cast<long long>(totals.item_count), static_cast<long long>(totals.entry_count),
            static_cast<long long>(totals.cell_count),
            static_cast<long long>(totals.candidate_count),
            static_cast<long long>(totals.large_count));
        is_right = is_right && pairs.pair_count == expected;
        time_stages(executor, boxes, search, pairs);
    }
    return is_right;
}

}  // namespace
}  // namespace graze

int main() {
    if (!graze::find_gpu()) return 0;
    bool is_right = true;
    for (const graze::SequenceFrames& sequence : graze::kSequences)
        is_right = graze::run(sequence) && is_right;
    return is_right ? 0 : 1;
}
