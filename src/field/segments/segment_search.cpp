#include "graze/segment_search.h"

#include <cmath>
#include <string>

#include "field/field_program.h"
#include "field/segments/field_steepness.h"
#include "field/segments/level_times.h"
#include "field/segments/segment_engine.h"
#include "graze/error.h"

namespace graze {
namespace {

bool is_finite_point(const Vec3& v) {
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

void require_segments(std::span<const Segment> segments, const SegmentOptions& options) {
    if (!std::isfinite(options.level)) {
        throw Error("segment search: the level is " + std::to_string(options.level) +
                    "; give a finite number of metres");
    }
    // A sum is finite where all of its parts are, but for overflow, which the second look excludes.
    for (std::size_t i = 0; i < segments.size(); ++i) {
        const Vec3 sum = (segments[i].from + segments[i].to) * 0.0f;
        if (sum.x + sum.y + sum.z == 0) continue;
        if (!is_finite_point(segments[i].from) || !is_finite_point(segments[i].to)) {
            throw Error("segment search: a coordinate of segment " + std::to_string(i) +
                        " is not finite; give finite positions");
        }
    }
}

void measure_steepness(SegmentEngine& engine, const SegmentOptions& options) {
    if (options.walk != SegmentWalk::distance || engine.steepness() >= 0) return;
    CpuExecutor executor;
    engine.set_steepness(field_steepness(executor, engine.field()));
}

}  // namespace

SegmentSearch::SegmentSearch(const Field& field, const Device& device) {
    const int leaf_count = level_times_detail::count_leaves(view_of(field));
    if (leaf_count > kMaxWalkedLeaves) {
        throw Error("segment search: the field is a combination of " + std::to_string(leaf_count) +
                    " fields, and " + std::to_string(kMaxWalkedLeaves) +
                    " is the most; sample parts of it into grids (sample_field) and combine those");
    }
#if GRAZE_WITH_CUDA
    if (device.is_cuda()) {
        engine_ = make_cuda_segment_engine(field, device);
        return;
    }
#endif
    engine_ = make_cpu_segment_engine(field, device);
}
SegmentSearch::~SegmentSearch() = default;
SegmentSearch::SegmentSearch(SegmentSearch&&) noexcept = default;
SegmentSearch& SegmentSearch::operator=(SegmentSearch&&) noexcept = default;

SegmentIntervals SegmentSearch::find_intervals(std::span<const Segment> segments,
                                               const SegmentOptions& options) {
    require_segments(segments, options);
    measure_steepness(*engine_, options);
    return engine_->find_intervals(segments, options);
}

std::span<const float> SegmentSearch::find_first_times(std::span<const Segment> segments,
                                                       const SegmentOptions& options) {
    require_segments(segments, options);
    measure_steepness(*engine_, options);
    return engine_->find_first_times(segments, options);
}

}  // namespace graze
