// Pairs of triangles whose swept boxes touch, on real sequences, by all searches, beside Embree's
// rtcCollide with the same boxes in the same run; and what the two-level grid's paper claims.
//
//     bench_element_pairs [sequence]
#include <embree3/rtcore.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>

#include "benchmarks/element_pairs_stages.h"
#include "benchmarks/top_down_assignment.h"
#include "broad_phase/element_leaf_units.h"
#include "broad_phase/element_slot_units.h"
#include "tests/sequence_boxes.h"

namespace graze {
namespace {

constexpr int kStepCount = 7;

// [ms] The fastest of several calls: what else runs on the machine only ever adds.
struct StepTime {
    double wall = 1e30, cpu = 1e30;  // cpu: of all threads together
    StepTime operator+(const StepTime& o) const { return {wall + o.wall, cpu + o.cpu}; }
};

template <class Work>
StepTime fastest(const Work& work) {
    StepTime best;
    for (int i = 0; i < kStepCount; ++i) {
        const auto start = std::chrono::steady_clock::now();
        const std::clock_t cpu_start = std::clock();
        work();
        const std::clock_t cpu = std::clock() - cpu_start;
        const std::chrono::duration<double, std::milli> wall =
            std::chrono::steady_clock::now() - start;
        best.wall = std::min(best.wall, wall.count());
        best.cpu = std::min(best.cpu, static_cast<double>(cpu) * 1e3 / CLOCKS_PER_SEC);
    }
    return best;
}

// ---- Embree

struct Embree {
    Embree(const std::vector<Aabb>& all, int thread_count)
        : boxes(all),
          device(rtcNewDevice(("threads=" + std::to_string(thread_count)).c_str())),
          scene(rtcNewScene(device)) {
        RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
        rtcSetGeometryUserPrimitiveCount(geometry, static_cast<unsigned>(boxes.size()));
        rtcSetGeometryUserData(geometry, this);
        rtcSetGeometryBoundsFunction(geometry, bound, nullptr);
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene, geometry);
        rtcReleaseGeometry(geometry);
    }
    ~Embree() {
        rtcReleaseScene(scene);
        rtcReleaseDevice(device);
    }
    Embree(const Embree&) = delete;
    Embree& operator=(const Embree&) = delete;

    void build() {
        RTCGeometry geometry = rtcGetGeometry(scene, 0);
        rtcCommitGeometry(geometry);  // marks it as changed
        rtcCommitScene(scene);
    }
    // Each pair once: it reports both orders, and every box with itself.
    std::uint64_t collide() {
        count = 0;
        rtcCollide(scene, scene, take, this);
        return count;
    }

    static void bound(const RTCBoundsFunctionArguments* arguments) {
        const auto* self = static_cast<const Embree*>(arguments->geometryUserPtr);
        const Aabb& box = self->boxes[arguments->primID];
        RTCBounds& out = *arguments->bounds_o;
        out.lower_x = box.min.x;
        out.lower_y = box.min.y;
        out.lower_z = box.min.z;
        out.upper_x = box.max.x;
        out.upper_y = box.max.y;
        out.upper_z = box.max.z;
    }
    static void take(void* user, RTCCollision* collisions, unsigned collision_count) {
        auto* self = static_cast<Embree*>(user);
        std::uint64_t mine = 0;
        for (unsigned i = 0; i < collision_count; ++i) {
            const unsigned a = collisions[i].primID0, b = collisions[i].primID1;
            mine += a < b && overlap(self->boxes[a], self->boxes[b]) ? 1 : 0;
        }
        self->count.fetch_add(mine, std::memory_order_relaxed);
    }

    const std::vector<Aabb>& boxes;
    RTCDevice device;
    RTCScene scene;
    std::atomic<std::uint64_t> count{0};
};

// ---- graze

struct SumPairs {
    std::uint64_t count = 0, sum = 0;
    void operator()(std::uint32_t a, std::uint32_t b) {
        sum += a ^ b;  // so that they are looked at
        ++count;
    }
};
struct StreamUnits {
    CpuExecutor& executor;
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

struct Search {
    const char* name;
    PairSearch search;
    bool by_slot = false;  // the device's tree
    bool always_updates = false;
    bool heeds_boxes = true;
};
constexpr Search kSearches[] = {
    {"tree", PairSearch::tree},
    {"tree as on the device", PairSearch::tree, true},
    {"one-level grid", PairSearch::one_level_grid},
    {"two-level grid", PairSearch::two_level_grid},
    {"two-level, full update", PairSearch::two_level_grid, false, true},
    {"two-level, by density", PairSearch::two_level_grid, false, false, false}};

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
    std::uint64_t count = 0;
    const StreamUnits work{executor, count};
    if (search.by_slot) {
        work(ElementTree<CudaExecutor>::units(pairs));
    } else {
        with_units<CpuExecutor>(pairs, work);
    }
    return count;
}

// Returns whether the pairs were as many as expected.
bool time_search(const std::vector<Aabb>& boxes, int thread_count, const Search& search,
                 std::uint64_t expected, const StepTime& embree) {
    CpuExecutor executor(thread_count);
    ElementPairs pairs(executor.memory());
    pairs.grid.always_updates = search.always_updates;
    pairs.grid.heeds_boxes = search.heeds_boxes;
    std::uint64_t count = 0;
    const StepTime build_time = fastest([&] { build(executor, boxes, search, pairs); });
    const StepTime whole = fastest([&] {
        build(executor, boxes, search, pairs);
        count = stream(executor, search, pairs);
    });
    std::printf(
        "    %-24s build %7.2f ms, all %8.2f ms, CPU time %8.2f ms; %5.2f times as fast as Embree, "
        "%5.2f by CPU time%s\n",
        search.name, build_time.wall, whole.wall, whole.cpu, embree.wall / whole.wall,
        embree.cpu / whole.cpu, count == expected ? "" : "  OTHER PAIRS");
    if (search.search != PairSearch::tree && !search.always_updates) {
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
    find_element_pairs(executor, boxes.data(), count, search, pairs);
    Trace trace;
    executor.set_trace(&trace);
    for (int i = 0; i < kStepCount; ++i)
        find_element_pairs(executor, boxes.data(), count, search, pairs);
    print_stages(trace, kStepCount);
    if (search != PairSearch::two_level_grid) return;
    TopDownAssignment top_down(executor.memory());
    for (int i = 0; i < kStepCount; ++i)
        assign_top_down(executor, element_grid_detail::view_of(pairs.grid), boxes.data(), count,
                        top_down);
    std::printf("      assignment, bottom to top %.3f ms, top to bottom in two passes %.3f ms%s\n",
                assignment_milliseconds(trace, kStepCount),
                top_down_milliseconds(trace, kStepCount),
                top_down.cells.size() == pairs.grid.totals.entry_count ? "" : "  OTHER ENTRIES");
}

bool run(const SequenceFrames& sequence) {
    const std::vector<Aabb> boxes = swept_boxes(sequence);
    if (boxes.empty()) {
        std::printf("%s: not there\n", sequence.name);
        return true;
    }
    bool is_right = true;
    for (const int thread_count : {1, 2}) {
        Embree embree(boxes, thread_count);
        const StepTime embree_build = fastest([&] { embree.build(); });
        std::uint64_t expected = 0;
        const StepTime collide = fastest([&] { expected = embree.collide(); });
        const StepTime whole = embree_build + collide;
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
