// Pairs of triangles whose swept boxes touch, on the GPU, by all searches, from boxes in device
// memory to pairs there, by events; and what the two-level grid's paper claims.
#include <cstdio>

#include "benchmarks/cuda_timing.h"
#include "benchmarks/element_pairs_stages.h"
#include "benchmarks/top_down_assignment.h"
#include "broad_phase/element_slot_units.h"
#include "graze/device.h"
#include "tests/sequence_boxes.h"

namespace graze {
namespace {

constexpr int kTracedCount = 11;

struct Search {
    const char* name;
    PairSearch search;
    bool always_updates = false;
    Propagation propagation = Propagation::search;
    bool heeds_boxes = true;
};
const Search kSearches[] = {
    {"tree", PairSearch::tree},
    {"one-level grid", PairSearch::one_level_grid},
    {"two-level grid", PairSearch::two_level_grid},
    {"two-level, items by scan", PairSearch::two_level_grid, false, Propagation::scan},
    {"two-level, full update", PairSearch::two_level_grid, true},
    {"two-level, by density", PairSearch::two_level_grid, false, Propagation::search, false}};

void time_stages(CudaExecutor& executor, const Buffer<Aabb>& boxes, const Search& search,
                 ElementPairs& pairs) {
    Trace trace;
    executor.set_trace(&trace);
    for (int i = 0; i < kTracedCount; ++i)
        find_element_pairs(executor, boxes.data(), boxes.size(), search.search, pairs);
    executor.wait();
    print_stages(trace, kTracedCount);
    if (search.search == PairSearch::two_level_grid) {
        TopDownAssignment top_down(executor.memory());
        const GridView view = element_grid_detail::view_of(pairs.grid);
        for (int i = 0; i < kTracedCount; ++i)
            assign_top_down(executor, view, boxes.data(), boxes.size(), top_down);
        executor.wait();
        std::printf(
            "      assignment, bottom to top %.3f ms, top to bottom in two passes %.3f ms%s\n",
            assignment_milliseconds(trace, kTracedCount),
            top_down_milliseconds(trace, kTracedCount),
            top_down.cells.size() == pairs.grid.totals.entry_count ? "" : "  OTHER ENTRIES");
    }
    executor.set_trace(nullptr);
}

bool run(const SequenceFrames& sequence) {
    const std::vector<Aabb> host = swept_boxes(sequence);
    if (host.empty()) {
        std::printf("%s: not there\n", sequence.name);
        return true;
    }
    CudaExecutor executor;
    auto boxes = executor.make_buffer<Aabb>(static_cast<std::int64_t>(host.size()));
    executor.copy_from_host("upload", host.data(), boxes.data(), boxes.size());
    executor.wait();
    std::int64_t expected = static_cast<std::int64_t>(sequence.pair_count);
    bool is_right = true;
    std::printf("%s, %zu triangles\n", sequence.name, host.size());
    for (const Search& search : kSearches) {
        ElementPairs pairs(executor.memory());
        pairs.grid.always_updates = search.always_updates;
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
    if (graze::Device::list().size() < 2) {
        std::printf("no GPU\n");
        return 0;
    }
    bool is_right = true;
    for (const graze::SequenceFrames& sequence : graze::kSequences)
        is_right = graze::run(sequence) && is_right;
    return is_right ? 0 : 1;
}
