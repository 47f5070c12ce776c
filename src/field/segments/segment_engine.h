// SegmentEngine: what is behind a SegmentSearch, on one machine.
#pragma once

#include <cstdint>
#include <memory>

#include "graze/segment_search.h"

namespace graze {

class SegmentEngine {
public:
    explicit SegmentEngine(const Field& field) : field_(field) {}
    virtual ~SegmentEngine() = default;

    const Field& field() const { return field_; }
    // See field_steepness.h; it is measured when it is first needed, and below 0 until then.
    float steepness() const { return steepness_; }
    void set_steepness(float steepness) { steepness_ = steepness; }

    virtual SegmentIntervals find_intervals(std::span<const Segment> segments,
                                            const SegmentOptions& options) = 0;
    virtual std::span<const float> find_first_times(std::span<const Segment> segments,
                                                    const SegmentOptions& options) = 0;

private:
    Field field_;
    float steepness_ = -1;
};

std::unique_ptr<SegmentEngine> make_cpu_segment_engine(const Field& field, const Device& device);
std::unique_ptr<SegmentEngine> make_cuda_segment_engine(const Field& field, const Device& device);

}  // namespace graze
