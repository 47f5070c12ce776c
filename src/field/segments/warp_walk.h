// Many paths through grids of samples by the threads of a warp; only .cu files include this.
//
// With a thread a path, 3 of a warp's 32 threads are at work on average: most paths end after a few
// looks, one along a surface takes hundreds, and the other 31 wait for it. Here a thread whose path
// ends takes the next one, and all threads look at cubes, or all at cells, as soon as enough of
// them have to. A thread does what GridWalk does, look by look, so that its times have the same
// bits, whichever paths are beside it.
#pragma once

#include "field/segments/level_times.h"
#include "parallel/cuda_executor.h"
#include "parallel/fill.h"

namespace graze {

// A path in the frame of a sampled field.
struct SampledPath {
    const SampledFieldView* field = nullptr;
    Vec3 from{0, 0, 0}, to{0, 0, 0};  // [m]
    FieldLevel level{};
};

// The path through a field that is one grid of samples of the given order; without a field where
// it is anything else.
template <FieldOrder kOrder>
__device__ inline SampledPath sampled_path(const FieldView& field, const Vec3& from, const Vec3& to,
                                           float level, const WalkSettings& settings) {
    using namespace level_times_detail;
    SampledPath path;
    if (field.node_count != 1 || field.nodes[0].kind != FieldKind::sampled) return path;
    const FieldNode& node = field.nodes[0];
    const SampledFieldView& samples = field.sampled[node.index];
    if (samples.order != kOrder || samples.tree.level_count == 0) return path;
    const LeafPath leaf = path_of_leaf(node, from, to, level);
    path.field = &samples;
    path.from = leaf.from;
    path.to = leaf.to;
    path.level = make_field_level(samples, leaf.level, leaf.orientation, settings.steepness,
                                  planes_of(field, node));
    return path;
}

namespace warp_walk_detail {

constexpr int kWarpSize = 32;
constexpr int kBlockSize = 128;
// Tuned on 10^6 segments through the bunny's box: new paths are taken when so many threads have
// none, and cells are looked at when so many threads are at one.
constexpr int kIdleThreads = 8;
constexpr int kCellThreads = 12;
constexpr int kCubeLooks = 4;  // between two such questions

// Items: see walk_by_warps().
template <FieldOrder kOrder, class Items>
class WarpWalk {
public:
    using Changes = typename Items::Changes;
    using Walk = GridWalk<SegmentWalk::tree, CellRule::exact, kOrder, Changes>;

    __device__ __forceinline__ WarpWalk(const Items& items, std::int64_t count,
                                        std::uint64_t* cursor, SampledPath& path, GridLine& line,
                                        Changes& changes, Walk& walk)
        : items_(items),
          count_(static_cast<std::uint64_t>(count)),
          cursor_(cursor),
          path_(path),
          line_(line),
          changes_(changes),
          walk_(walk) {}

    __device__ __forceinline__ void run() {
        bool has_more = true;
        for (;;) {
            const std::uint32_t idle = __ballot_sync(~0u, !is_walking_);
            if ((has_more && __popc(idle) >= kIdleThreads) || idle == ~0u) {
                if (!is_walking_) finish();
                if (!has_more) return;
                has_more = take_items(idle);
                continue;
            }
#pragma unroll 1
            for (int look = 0; look < kCubeLooks; ++look) {
                if (is_walking_ && !walk_.is_in_cube()) after(walk_.look_at_cube());
            }
            const std::uint32_t at_cells = __ballot_sync(~0u, is_walking_ && walk_.is_in_cube());
            const std::uint32_t at_cubes = __ballot_sync(~0u, is_walking_ && !walk_.is_in_cube());
            if (__popc(at_cells) >= kCellThreads || at_cubes == 0) {
                if (is_walking_ && walk_.is_in_cube()) after(walk_.look_at_cells());
            }
        }
    }

private:
    // Gives an item to each thread without one. Returns whether there may be more.
    __device__ __forceinline__ bool take_items(std::uint32_t idle) {
        const int lane = static_cast<int>(threadIdx.x) % kWarpSize;
        const int leader = __ffs(static_cast<int>(idle)) - 1;
        const auto taken = static_cast<unsigned long long>(__popc(idle));
        unsigned long long first = 0;
        if (lane == leader)
            first = atomicAdd(reinterpret_cast<unsigned long long*>(cursor_), taken);
        first = __shfl_sync(~0u, first, leader);
        if (!is_walking_) {
            const std::uint64_t item =
                first + static_cast<std::uint64_t>(__popc(idle & ((1u << lane) - 1)));
            if (item < count_) begin(static_cast<std::int64_t>(item));
        }
        return first + taken < count_;
    }

    __device__ __forceinline__ void begin(std::int64_t item) {
        path_ = items_.template path<kOrder>(item);
        if (!path_.field) return;
        item_ = item;
        changes_ = items_.changes(item);
        line_ = make_grid_line(path_.field->grid, path_.from, path_.to);
        const TimeRange in_box = times_in_box(line_, path_.field->grid.cells, 0);
        is_stopped_ = false;
        end_in_box_ = 0;
        if (!(in_box.begin < in_box.end)) return;
        end_in_box_ = in_box.end;
        if (in_box.begin > 0 && !walk_beyond(0, in_box.begin)) {
            is_stopped_ = true;
            return;
        }
        walk_.go_to_field(*path_.field);
        walk_.start_looks(in_box.begin, in_box.end, Items::kFirstDepth);
        is_walking_ = true;
    }

    // After a look, which says whether the walk goes on.
    __device__ __forceinline__ void after(bool goes_on) {
        is_stopped_ = !goes_on;
        is_walking_ = goes_on && !walk_.is_done();
    }

    // Ends the item whose walk through the box has ended, if there is one.
    __device__ __forceinline__ void finish() {
        if (item_ < 0) return;
        if (!is_stopped_ && end_in_box_ < 1) walk_beyond(end_in_box_, 1);
        items_.finish(item_, changes_);
        item_ = -1;
    }

    // Copies are handed out, so that what is walked here can stay in registers.
    __device__ __forceinline__ bool walk_beyond(float begin, float end) {
        const SampleWalk<SegmentWalk::tree, CellRule::exact, kOrder> walk{*path_.field, path_.from,
                                                                          path_.to, path_.level};
        const GridLine line = line_;
        Changes changes = changes_;
        const bool goes_on = walk.run_beyond(line, begin, end, changes);
        changes_ = changes;
        return goes_on;
    }

    const Items& items_;
    const std::uint64_t count_;
    std::uint64_t* cursor_;
    SampledPath& path_;
    GridLine& line_;
    Changes& changes_;
    Walk& walk_;              // of the three above
    float end_in_box_ = 0;    // when the path leaves the box
    std::int64_t item_ = -1;  // below 0: none
    bool is_walking_ = false;
    bool is_stopped_ = false;  // by what takes the changes
};

template <FieldOrder kOrder, class Items>
__global__ void __launch_bounds__(kBlockSize)
    walk_items(Items items, std::int64_t count, std::uint64_t* cursor) {
    // What has pointers to variables beside itself in an object is kept in memory by the compiler,
    // so these are apart.
    SampledPath path{};
    GridLine line{};
    typename Items::Changes changes{};
    typename WarpWalk<kOrder, Items>::Walk walk(line, path.level, changes);
    WarpWalk<kOrder, Items>(items, count, cursor, path, line, changes, walk).run();
}

}  // namespace warp_walk_detail

// Walks [0, count) items side by side. Items has
//     Changes             what takes the changes along a path (level_times.h)
//     kFirstDepth         see GridWalk::start_looks()
//     changes(i)          what takes those of item i, at the beginning
//     path<order>(i)      its SampledPath; without a field where it is not to be walked here
//     finish(i, changes)  stores what was found
// and is called by the threads of a GPU. cursor: a number in the device's memory.
template <FieldOrder kOrder, class Items>
void walk_by_warps(CudaExecutor& executor, const char* name, std::int64_t count, const Items& items,
                   std::uint64_t* cursor) {
    using namespace warp_walk_detail;
    executor.for_each("segments: reset", 1, Fill<std::uint64_t>{cursor, 0});
    int blocks = 0;
    check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, walk_items<kOrder, Items>,
                                                             kBlockSize, 0),
               name);
    const std::int64_t most = static_cast<std::int64_t>(blocks) * executor.multiprocessor_count();
    executor.launch(name, min_of((count + kBlockSize - 1) / kBlockSize, most), kBlockSize,
                    walk_items<kOrder, Items>, items, count, cursor);
}

}  // namespace graze
