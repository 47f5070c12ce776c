// The intervals of many segments: count, scan, fill.
//
// The first pass walks every segment, counts its intervals and keeps the first few in slots of its
// own. The second copies these to where they belong; only segments with more are walked again.
#pragma once

#include <optional>

#include "field/field_upload.h"
#include "field/segments/level_times.h"
#include "field/segments/segment_engine.h"

namespace graze {
namespace segment_detail {

constexpr std::int64_t kSegmentGrain = 256;  // some 0.1 ms

// Of random segments through the bunny's box 1 in 200 has more than two intervals; on a GPU one
// that is walked again holds up the 31 beside it.
constexpr int kSlots = 4;

// Whether machines have passes of their own for them.
constexpr bool has_lanes(SegmentWalk walk, CellRule rule) {
    return walk == SegmentWalk::tree && rule == CellRule::exact;
}

// What such a pass goes by.
struct LanePass {
    std::optional<FieldOrder> order;  // of the samples, where the field is one grid with a tree
    std::uint64_t* cursor;            // a number in the executor's memory, for its own use
};

// Writes as many intervals as there is room for, and counts all.
struct KeepIntervals {
    TimeInterval* out = nullptr;
    std::uint64_t room = 0;
    std::uint64_t count = 0;

    GRAZE_INLINE bool operator()(float begin, float end) {
        if (count < room) out[count] = {begin, end};
        ++count;
        return true;
    }
};

template <SegmentWalk kWalk, CellRule kRule>
struct CountIntervals {
    static constexpr bool kHasLanes = has_lanes(kWalk, kRule);
    FieldView field;
    const Segment* segments;
    float level;
    WalkSettings settings;
    TimeInterval* slots;
    std::uint64_t* counts;

    GRAZE_HD void operator()(std::int64_t i) const {
        const Segment segment = segments[i];
        KeepIntervals keep{slots + i * kSlots, kSlots};
        visit_times_inside<kWalk, kRule>(field, segment.from, segment.to, level, keep, settings);
        counts[i] = keep.count;
    }
};

// Those with more are walked by the tree, as all walks find the same.
template <CellRule kRule>
struct FillIntervals {
    FieldView field;
    const Segment* segments;
    float level;
    WalkSettings settings;
    const TimeInterval* slots;
    const std::uint64_t* offsets;
    TimeInterval* intervals;

    GRAZE_HD void operator()(std::int64_t i) const {
        const std::uint64_t count = offsets[i + 1] - offsets[i];
        TimeInterval* out = intervals + offsets[i];
        if (count <= kSlots) {
            for (std::uint64_t k = 0; k < count; ++k)
                out[k] = slots[i * kSlots + static_cast<std::int64_t>(k)];
        } else {
            KeepIntervals keep{out, count};
            visit_times_inside<SegmentWalk::tree, kRule>(field, segments[i].from, segments[i].to,
                                                         level, keep, settings);
        }
    }
};

template <SegmentWalk kWalk, CellRule kRule>
struct FindFirstTime {
    static constexpr bool kHasLanes = has_lanes(kWalk, kRule);
    FieldView field;
    const Segment* segments;
    float level;
    WalkSettings settings;
    float* times;

    GRAZE_HD void operator()(std::int64_t i) const {
        const Segment segment = segments[i];
        times[i] =
            first_time_inside<kWalk, kRule>(field, segment.from, segment.to, level, settings);
    }
};

// Runs the first pass, or the search for first times. segment_engine_lanes.h has the host's own for
// what has lanes, segment_engine_warps.h a GPU's.
template <class Executor, class Work>
void walk_segments(Executor& executor, const char* name, std::int64_t count, const Work& work,
                   const LanePass&) {
    static_assert(!Work::kHasLanes, "include segment_engine_lanes.h or segment_engine_warps.h");
    executor.for_each(name, count, work, kSegmentGrain);
}

// Calls call.operator()<walk, rule>() with what the options say.
template <class Call>
void with_options(const SegmentOptions& options, const Call& call) {
    const auto with_rule = [&]<SegmentWalk kWalk>() {
        if (options.rule == CellRule::exact) {
            call.template operator()<kWalk, CellRule::exact>();
        } else {
            call.template operator()<kWalk, CellRule::single>();
        }
    };
    switch (options.walk) {
        case SegmentWalk::cells:
            return with_rule.template operator()<SegmentWalk::cells>();
        case SegmentWalk::tree:
            return with_rule.template operator()<SegmentWalk::tree>();
        case SegmentWalk::distance:
            return with_rule.template operator()<SegmentWalk::distance>();
    }
}

}  // namespace segment_detail

// The search in an executor's memory, by which it is timed too.
template <class Executor>
class SegmentFinder {
public:
    SegmentFinder(Executor& executor, const Field& field)
        : executor_(executor),
          field_(field),
          slots_(executor.memory()),
          counts_(executor.memory()),
          offsets_(executor.memory()),
          intervals_(executor.memory()),
          times_(executor.memory()),
          cursor_(executor.memory(), 1) {
        const FieldProgram& program = program_of(field);
        if (program.nodes.size() == 1 && program.nodes[0].kind == FieldKind::sampled &&
            program.sampled_views[0].tree.level_count > 0)
            grid_order_ = program.sampled_views[0].order;
        if constexpr (Executor::kIsHost) {
            view_ = view_of(field);
            planes_.emplace(executor, program_of(field).sampled_views);
        } else {
            view_ = device_field_.emplace(executor, field).view();
            planes_.emplace(executor, device_field_->sampled_views());
        }
        view_.planes = planes_->list();
    }

    // Segments and results are in the executor's memory. Waits once, for the count of intervals.
    void find_intervals(const Segment* segments, std::int64_t count, const SegmentOptions& options,
                        const WalkSettings& settings);
    // Does not wait.
    void find_first_times(const Segment* segments, std::int64_t count,
                          const SegmentOptions& options, const WalkSettings& settings);

    const Buffer<TimeInterval>& intervals() const { return intervals_; }
    const Buffer<std::uint64_t>& offsets() const { return offsets_; }
    const Buffer<float>& times() const { return times_; }

private:
    segment_detail::LanePass lane_pass() { return {grid_order_, cursor_.data()}; }

    Executor& executor_;
    Field field_;  // keeps the samples alive
    std::optional<DeviceField> device_field_;
    std::optional<FieldPlanes> planes_;
    FieldView view_{};
    Buffer<TimeInterval> slots_;
    Buffer<std::uint64_t> counts_;
    Buffer<std::uint64_t> offsets_;
    Buffer<TimeInterval> intervals_;
    Buffer<float> times_;
    std::optional<FieldOrder> grid_order_;
    Buffer<std::uint64_t> cursor_;
};

// Not in the class, so that a benchmark can take those that the library has.
template <class Executor>
void SegmentFinder<Executor>::find_intervals(const Segment* segments, std::int64_t count,
                                             const SegmentOptions& options,
                                             const WalkSettings& settings) {
    using namespace segment_detail;
    slots_.resize(count * kSlots);
    counts_.resize(count);
    offsets_.resize(count + 1);
    with_options(options, [&]<SegmentWalk kWalk, CellRule kRule>() {
        walk_segments(executor_, "segments: walk", count,
                      CountIntervals<kWalk, kRule>{view_, segments, options.level, settings,
                                                   slots_.data(), counts_.data()},
                      lane_pass());
    });
    executor_.exclusive_scan("segments: offsets", counts_.data(), offsets_.data(), count);
    intervals_.resize(static_cast<std::int64_t>(executor_.read(offsets_.data() + count)));
    with_options(options, [&]<SegmentWalk kWalk, CellRule kRule>() {
        executor_.for_each("segments: fill", count,
                           FillIntervals<kRule>{view_, segments, options.level, settings,
                                                slots_.data(), offsets_.data(), intervals_.data()});
    });
}

template <class Executor>
void SegmentFinder<Executor>::find_first_times(const Segment* segments, std::int64_t count,
                                               const SegmentOptions& options,
                                               const WalkSettings& settings) {
    using namespace segment_detail;
    times_.resize(count);
    with_options(options, [&]<SegmentWalk kWalk, CellRule kRule>() {
        walk_segments(
            executor_, "segments: first times", count,
            FindFirstTime<kWalk, kRule>{view_, segments, options.level, settings, times_.data()},
            lane_pass());
    });
}

template <class Executor>
class SegmentEngineOn : public SegmentEngine {
public:
    template <class... Arguments>
    SegmentEngineOn(const Field& field, const Arguments&... arguments)
        : SegmentEngine(field),
          executor_(arguments...),
          finder_(executor_, field),
          segments_(executor_.memory()) {}

    SegmentIntervals find_intervals(std::span<const Segment> segments,
                                    const SegmentOptions& options) override {
        const auto count = static_cast<std::int64_t>(segments.size());
        finder_.find_intervals(on_machine(segments), count, options, settings());
        return {on_host(finder_.intervals(), host_intervals_),
                on_host(finder_.offsets(), host_offsets_)};
    }
    std::span<const float> find_first_times(std::span<const Segment> segments,
                                            const SegmentOptions& options) override {
        const auto count = static_cast<std::int64_t>(segments.size());
        finder_.find_first_times(on_machine(segments), count, options, settings());
        return on_host(finder_.times(), host_times_);
    }

private:
    WalkSettings settings() const { return {max_of(steepness(), 0.0f)}; }
    const Segment* on_machine(std::span<const Segment> segments) {
        if constexpr (Executor::kIsHost) {
            return segments.data();
        } else {
            upload(executor_, "segments: upload", segments, segments_);
            return segments_.data();
        }
    }
    template <class T>
    std::span<const T> on_host(const Buffer<T>& found, Buffer<T>& copy) {
        if constexpr (Executor::kIsHost) {
            return {found.data(), static_cast<std::size_t>(found.size())};
        } else {
            copy.resize(found.size());
            executor_.copy_to_host("segments: download", found.data(), copy.data(), found.size());
            executor_.wait();
            return {copy.data(), static_cast<std::size_t>(copy.size())};
        }
    }

    Executor executor_;
    SegmentFinder<Executor> finder_;
    Buffer<Segment> segments_;
    Buffer<TimeInterval> host_intervals_{host_memory()};
    Buffer<std::uint64_t> host_offsets_{host_memory()};
    Buffer<float> host_times_{host_memory()};
};

}  // namespace graze
