// How far a field is off, measured on the host at the places that error_probe.h chooses.
#pragma once

#include "field/error_probe.h"
#include "field/mesh_source.h"
#include "field/packet_search.h"
#include "field/sample_sign.h"
#include "parallel/cpu_executor.h"

namespace graze {
namespace detail {

class ProbeBlock {
public:
    ProbeBlock(const PacketSource& source, const SampledFieldView& field, const SampleSign& sign,
               float offset, const std::int32_t* block_of_brick, float* errors)
        : source_(source),
          field_(field),
          sign_(sign),
          offset_(offset),
          block_of_brick_(block_of_brick),
          errors_(errors) {}

    void operator()(std::int64_t n) const {
        const Vec3i first = first_cell(field_.grid, block_of_brick_ ? block_of_brick_[n] : n);
        float worst = 0;
        for (int group = 0; group < kProbesOfBlock; group += kLaneCount) {
            ErrorProbe probes[kLaneCount];
            PointPacket packet;
            packet.box = Aabb::empty();
            for (int lane = 0; lane < kLaneCount; ++lane) {
                probes[lane] = choose_probe(field_, first, group + lane);
                // A group without a cell repeats a point that has one.
                const ErrorProbe& probe = probes[lane].cell.x < 0 ? probes[0] : probes[lane];
                packet.point.x[lane] = probe.point.x;
                packet.point.y[lane] = probe.point.y;
                packet.point.z[lane] = probe.point.z;
                packet.box = merge(packet.box, probe.point);
            }
            // Then none of the eight has a cell: theirs differ in x alone, and this one's is 0.
            if (probes[0].cell.x < 0) continue;
            start(source_, packet);
            search(source_, packet);
            for (int lane = 0; lane < kLaneCount; ++lane) {
                worst = max_of(worst, probed_error(field_, probes[lane], packet.distance_sq[lane],
                                                   sign_, offset_));
            }
        }
        errors_[n] = worst;
    }

private:
    PacketSource source_;
    SampledFieldView field_;
    SampleSign sign_;  // on the grid of cell centres
    float offset_;
    const std::int32_t* block_of_brick_;
    float* errors_;
};

}  // namespace detail

// Fills errors[n] for every block of a dense field, every brick of a sparse one. sign is that of
// the grid of cell centres; offset is taken off distances, as in StoreSample.
inline void measure_errors(CpuExecutor& executor, const MeshSource& source, float slack,
                           const SampledField& field, const SampleSign& sign, float offset,
                           float* errors) {
    const PacketSource packets(source, slack);
    const std::int64_t count = field.is_sparse ? field.brick_count() : block_count(field.grid);
    executor.for_each(
        "field: measure errors", count,
        detail::ProbeBlock(packets, field.view(), sign, offset,
                           field.is_sparse ? field.block_of_brick.data() : nullptr, errors),
        1);
}

}  // namespace graze
