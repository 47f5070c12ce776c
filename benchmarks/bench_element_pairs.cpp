// Finds the pairs of triangles whose swept boxes touch, on real sequences, by all searches, beside
// Embree's rtcCollide with the same boxes in the same run. bench_deforming measures what the
// two-level grid's paper claims.
//
//     bench_element_pairs [sequence]
#include <cstdio>
#include <string>

#include "benchmarks/embree_pairs.h"
#include "benchmarks/stage_times.h"
#include "benchmarks/stream_element_pairs.h"
#include "broad_phase/element_leaf_units.h"
#include "broad_phase/element_slot_units.h"
#include "tests/narrow_phase/features/sequence_boxes.h"

namespace graze {
namespace {

constexpr int kStepCount = 7;

template <class Work>
CallTime fastest(const Work& work) {
    return time_calls(0, kStepCount, work).fastest();
}

struct Search {
    const char* name;
    PairSearch search;
    bool by_slot = false;  // uses the device's tree
    bool heeds_boxes = true;
};
constexpr Search kSearches[] = {
    {"tree", PairSearch::tree},
    {"tree as on the device", PairSearch::tree, true},
    {"one-level grid", PairSearch::one_level_grid},
    {"two-level grid", PairSearch::two_level_grid},
    {"two-level, by density", PairSearch::two_level_grid, false, false}};

void build(CpuExecutor& executor, const std::vector<Aabb>& boxes, const Search& search,
           ElementPairs& pairs) {
    if (search.by_slot) {
        pairs.boxes = boxes.data();
        pairs.element_count = static_cast<std::int64_t>(boxes.size());
        ElementTree<CudaExecutor>::build(executor, pairs);
        return;
    }
    build_element_search(executor, boxes.data(), static_cast<std::int64_t>(boxes.size()),
                         search.search, pairs);
}

std::uint64_t stream(CpuExecutor& executor, const Search& search, const ElementPairs& pairs) {
    if (!search.by_slot) return stream_element_pairs(executor, pairs);
    std::uint64_t count = 0;
    StreamUnits<CpuExecutor>{executor, count}(ElementTree<CudaExecutor>::units(pairs));
    return count;
}

// Returns whether the count of pairs is as expected.
bool time_search(const std::vector<Aabb>& boxes, int thread_count, const Search& search,
                 std::uint64_t expected, const CallTime& embree) {
    CpuExecutor executor(thread_count);
    ElementPairs pairs(executor.memory());
    pairs.grid.heeds_boxes = search.heeds_boxes;
    std::uint64_t count = 0;
    const CallTime build_time = fastest([&] { build(executor, boxes, search, pairs); });
    const CallTime whole = fastest([&] {
        build(executor, boxes, search, pairs);
        count = stream(executor, search, pairs);
    });
    std::printf(
        "    %-24s build %7.2f ms, all %8.2f ms, CPU time %8.2f ms; %5.2f times as fast as Embree, "
        "%5.2f by CPU time%s\n",
        search.name, build_time.wall, whole.wall, whole.cpu, embree.wall / whole.wall,
        embree.cpu / whole.cpu, count == expected ? "" : "  OTHER PAIRS");
    if (search.search != PairSearch::tree) {
        const GridTotals& totals = pairs.grid.totals;
        std::printf("        %lld items, %lld entries in %lld cells, %lld candidates, %lld large\n",
                    static_cast<long long>(totals.item_count),
                    static_cast<long long>(totals.entry_count),
                    static_cast<long long>(totals.cell_count),
                    static_cast<long long>(totals.candidate_count),
                    static_cast<long long>(totals.large_count));
    }
    return count == expected;
}

void time_stages(const std::vector<Aabb>& boxes, int thread_count, PairSearch search) {
    CpuExecutor executor(thread_count);
    ElementPairs pairs(executor.memory());
    const auto count = static_cast<std::int64_t>(boxes.size());
    const auto find = [&] { find_element_pairs(executor, boxes.data(), count, search, pairs); };
    find();  // makes room
    trace_calls(executor, kStepCount, find).print();
}

bool run(const SequenceFrames& sequence) {
    const std::vector<Aabb> boxes = swept_boxes(sequence);
    if (boxes.empty()) {
        std::printf("%s: not there\n", sequence.name);
        return true;
    }
    bool is_right = true;
    for (const int thread_count : {1, 2}) {
        EmbreePairs embree(boxes, thread_count);
        const CallTime embree_build = fastest([&] { embree.build(); });
        std::uint64_t expected = 0;
        const CallTime collide = fastest([&] { expected = embree.collide(); });
        const CallTime whole = embree_build + collide;
        std::printf("%s, %zu triangles, %llu pairs, %d thread%s\n", sequence.name, boxes.size(),
                    static_cast<unsigned long long>(expected), thread_count,
                    thread_count == 1 ? "" : "s");
        std::printf("    %-24s build %7.2f ms, all %8.2f ms, CPU time %8.2f ms\n", "Embree",
                    embree_build.wall, whole.wall, whole.cpu);
        is_right = is_right && (sequence.pair_count == 0 || expected == sequence.pair_count);
        for (const Search& search : kSearches)
            is_right = time_search(boxes, thread_count, search, expected, whole) && is_right;
    }
    for (const PairSearch search :
         {PairSearch::tree, PairSearch::one_level_grid, PairSearch::two_level_grid}) {
        std::printf("    stored, 2 threads: %s\n", search == PairSearch::tree ? "tree"
                                                   : search == PairSearch::one_level_grid
                                                       ? "one-level grid"
                                                       : "two-level grid");
        time_stages(boxes, 2, search);
    }
    return is_right;
}

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    bool is_right = true;
    for (const graze::SequenceFrames& sequence : graze::kSequences) {
        if (argc > 1 && std::string(argv[1]) != sequence.name) continue;
        is_right = graze::run(sequence) && is_right;
    }
    return is_right ? 0 : 1;
}
