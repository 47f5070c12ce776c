// measure_errors_by_lanes: how far a dense field is off, measured on the host at the points that
// error_probe.h chooses. For a sparse one see probe_brick_cpu.h.
#pragma once

#include "core/lane_target.h"
#include "field/build/error_probe_lanes.h"
#include "field/build/mesh_source.h"
#include "field/build/packet_search.h"
#include "field/build/sample_sign.h"
#include "parallel/cpu_executor.h"

GRAZE_LANES_BEGIN
namespace graze {
namespace detail {
inline namespace GRAZE_LANES {

class ProbeBlock {
public:
    ProbeBlock(const PacketSource& source, const SampledFieldView& field, const SampleSign& sign,
               float offset, float* errors)
        : source_(source), field_(field), sign_(sign), offset_(offset), errors_(errors) {}

    void operator()(std::int64_t n) const {
        const BlockProbes chosen = choose_probes(field_, first_cell(field_.grid, n));
        float worst = 0;
        for (int begin = 0; begin < chosen.count; begin += kLaneCount) {
            const int count = std::min(chosen.count - begin, kLaneCount);
            const ErrorProbe* probes = chosen.probes + begin;
            const PointPacket packet = find_closest(probes, count);
            for (int lane = 0; lane < count; ++lane) {
                worst = max_of(worst, probed_error(field_, probes[lane], packet.distance_sq[lane],
                                                   sign_, offset_));
            }
        }
        errors_[n] = worst;
    }

private:
    PointPacket find_closest(const ErrorProbe* probes, int count) const {
        PointPacket packet;
        packet.box = Aabb::empty();
        Float8 reach_sq, limit_sq;
        for (int lane = 0; lane < kLaneCount; ++lane) {
            // Lanes without a probe repeat the last.
            const ErrorProbe& probe = probes[std::min(lane, count - 1)];
            for (int axis = 0; axis < 3; ++axis)
                packet.point[axis][lane] = probe.point[axis];
            packet.box = merge(packet.box, probe.point);
            const float reach = reach_of(probe);
            reach_sq[lane] = reach * reach;
            limit_sq[lane] = inflated_sq(reach_sq[lane], 2 * source_.slack);
        }
        start(source_, packet);
        packet.limit_sq = limit_sq;
        search(source_, packet);
        // Otherwise a half could not hold a distance, and the reach is no bound.
        if (mask_less_equal(packet.distance_sq, reach_sq) == 0xff) return packet;
        start(source_, packet);
        search(source_, packet);
        return packet;
    }

    // [m] The surface is no farther from a probe than from the nearest corner of its cell, plus
    // half a diagonal from there. The reach is a bit more than that, for what a half may be off and
    // for the rounding of both positions, which build_field() keeps below 1/256 of a voxel.
    float reach_of(const ErrorProbe& probe) const {
        const CellCorners at = find_corners(field_, centre_of(probe.cell));
        const float spacing = field_.grid.spacing;
        float least = std::numeric_limits<float>::infinity();
        for (int corner = 0; corner < 8; ++corner) {
            const std::int64_t index = at.first + (corner & 1) + (corner >> 1 & 1) * at.stride_y +
                                       (corner >> 2) * at.stride_z;
            const float value = field_.order == FieldOrder::zero
                                    ? field_.values[index]
                                    : float_from_half(field_.samples[index].value) * spacing;
            least =
                min_of(least, std::fabs(value + offset_) + std::fabs(value) * kFieldRelativeError);
        }
        return least * (1 + 0x1p-20f) + offset_ * 0x1p-20f + spacing * 0.9f;
    }

    PacketSource source_;
    SampledFieldView field_;
    SampleSign sign_;  // on the grid of cell centres
    float offset_;
    float* errors_;
};

}  // namespace GRAZE_LANES
}  // namespace detail

inline namespace GRAZE_LANES {

// Fills errors[n] for every block of a dense field. The sign is that of the grid of cell centres;
// the offset is taken off distances, as in StoreSample.
inline void measure_errors_by_lanes(CpuExecutor& executor, const MeshSource& source, float slack,
                                    const SampledField& field, const SampleSign& sign, float offset,
                                    float* errors) {
    const PacketSource packets(source, slack);
    executor.for_each("field: measure errors", block_count(field.grid),
                      detail::ProbeBlock(packets, field.view(), sign, offset, errors), 1);
}

}  // namespace GRAZE_LANES
}  // namespace graze
GRAZE_LANES_END
