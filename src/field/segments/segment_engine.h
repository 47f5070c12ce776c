// SegmentEngine: what is behind a SegmentSearch, on one machine.
#pragma once

#include <cstdint>
#include <memory>

#include "graze/segment_search.h"

namespace graze {

class SegmentEngine {
public:
    virtual ~SegmentEngine() = default;

    virtual SegmentIntervals find_intervals(std::span<const Segment> segments,
                                            const SegmentOptions& options) = 0;
    virtual std::span<const float> find_first_times(std::span<const Segment> segments,
                                                    const SegmentOptions& options) = 0;
};

std::unique_ptr<SegmentEngine> make_cpu_segment_engine(const Field& field, const Device& device);
std::unique_ptr<SegmentEngine> make_cuda_segment_engine(const Field& field, const Device& device);

}  // namespace graze
