// ProbeBrick: how far a brick is off, measured on the host right after it is filled, while the
// triangles that this found are at hand.
//
// A brick's error is the largest of its probes' (error_probe.h), so a probe matters only where it
// may exceed the largest so far. What is known of its distance before any search: triangles that
// are closest to the corners of its cell bound it from above; and from below the distances at two
// opposite corners do, since d^2 - |x|^2 is concave (evaluate_sampled.h):
//     d^2(x) >= (d^2(x - s) + d^2(x + s)) / 2 - |s|^2.
// Between two distances a probe's error is nowhere larger than at both, as computed too: rounding
// keeps order. So most probes need no search, and most of the others only one for triangles nearer
// than a distance that is well below their own.
#pragma once

#include <algorithm>
#include <functional>

#include "core/lane_target.h"
#include "field/build/error_probe_lanes.h"
#include "field/build/fill_cubes_cpu.h"

GRAZE_LANES_BEGIN
namespace graze {
namespace detail {
inline namespace GRAZE_LANES {

class ProbeBrick {
public:
    // The sign is that of the grid of cell centres; the offset is taken off distances, as in
    // StoreSample.
    ProbeBrick(const PacketSource& source, const SampledFieldView& field, const SampleSign& sign,
               float offset)
        : source_(source), field_(field), sign_(sign), offset_(offset) {
        // Positions in the grid are rounded twice; distances have the slack.
        const Aabb box = field.grid.box();
        const Vec3 far = max_of(max_of(box.max, -box.max), max_of(box.min, -box.min));
        rounding_ = source.slack + length(far) * 0x1p-22f;
    }

    // Returns the error of the brick that begins with first_cell, whose samples are complete.
    float operator()(const Vec3i& first_cell, const FilledCube& cube) const {
        const BlockProbes chosen = choose_probes(field_, first_cell);
        if (chosen.count == 0) return 0;
        BoundedProbe probes[kProbesOfBlock];
        float expected[kProbesOfBlock];
        for (int p = 0; p < chosen.count; ++p) {
            probes[p] = bound(chosen.probes[p], first_cell, cube);
            // What is not a number would not sort.
            expected[p] =
                min_of(error_of(probes[p], probes[p].high), std::numeric_limits<float>::max());
        }
        // Those that are likely to have the largest errors come first; the rest stay in octants.
        float sorted[kProbesOfBlock];
        std::copy_n(expected, chosen.count, sorted);
        const int first_count = std::min(chosen.count, kLaneCount);
        std::nth_element(sorted, sorted + first_count - 1, sorted + chosen.count, std::greater<>());
        const float promising = sorted[first_count - 1];
        bool is_measured[kProbesOfBlock] = {};
        ProbeGroup group;
        for (int p = 0; p < chosen.count && group.count < kLaneCount; ++p) {
            if (expected[p] < promising) continue;
            group.add(probes[p], probes[p].high);
            is_measured[p] = true;
        }
        float worst = largest_error(group, cube, 0);
        group.count = 0;
        for (int p = 0; p < chosen.count; ++p) {
            if (is_measured[p]) continue;
            // Where the upper bound gives more, the distance has to be known, even if it is 0.
            const bool exceeds = expected[p] > worst;
            const float limit = exceeds ? probes[p].high : limit_of(probes[p], worst);
            if (!exceeds && probes[p].low >= limit) continue;
            group.add(probes[p], limit);
            if (group.count < kLaneCount) continue;
            worst = largest_error(group, cube, worst);
            group.count = 0;
        }
        return group.count > 0 ? largest_error(group, cube, worst) : worst;
    }

private:
    struct BoundedProbe {
        Vec3 point;   // [m]
        float value;  // [m]
        bool is_inside;
        float low, high;  // [m] bounds of the distance to the mesh
        float high_sq;    // [m^2]
    };
    // Up to eight probes, and the distances [m] beyond which each does not matter.
    struct ProbeGroup {
        BoundedProbe probes[kLaneCount];
        float limits[kLaneCount];
        int count = 0;
        void add(const BoundedProbe& probe, float limit) {
            probes[count] = probe;
            limits[count++] = limit;
        }
    };

    float error_of(const BoundedProbe& probe, float distance) const {
        return probed_error(field_, probe.value, distance, probe.is_inside, sign_.method, offset_);
    }

    BoundedProbe bound(const ErrorProbe& probe, const Vec3i& first_cell,
                       const FilledCube& cube) const {
        float distance[8];
        const int nearest = measure_corners(probe, distance);
        const float high_sq = upper_bound_sq(probe, probe.cell - first_cell, nearest, cube);
        return {probe.point,
                probe.value,
                sign_.side(probe.cell, probe.point).is_inside,
                lower_bound(distance),
                std::sqrt(high_sq),
                high_sq};
    }

    // Sets lower bounds [m] of the distances of the corners of a probe's cell. Returns which corner
    // is the nearest.
    int measure_corners(const ErrorProbe& probe, float (&distance)[8]) const {
        const CellCorners at = find_corners(field_, centre_of(probe.cell));
        int nearest = 0;
        for (int corner = 0; corner < 8; ++corner) {
            distance[corner] =
                least_distance_at(at.first + (corner & 1) + (corner >> 1 & 1) * at.stride_y +
                                  (corner >> 2) * at.stride_z);
            nearest = distance[corner] < distance[nearest] ? corner : nearest;
        }
        return nearest;
    }

    // [m^2] The bound is the distance to the triangle that is closest to a corner of the cell, or
    // to a sample next to that where the corner is not the brick's own.
    float upper_bound_sq(const ErrorProbe& probe, const Vec3i& in_brick, int corner,
                         const FilledCube& cube) const {
        const int x = std::min(in_brick.x + (corner & 1), kCubeStep - 1);
        const int y = std::min(in_brick.y + (corner >> 1 & 1), kCubeStep - 1);
        const int z = std::min(in_brick.z + (corner >> 2), kCubeStep - 1);
        const std::int32_t slot = cube.slots[x + kCubeStep * (y + kCubeStep * z)];
        return distance_sq_any(source_.triangles[slot], probe.point);
    }

    // [m] The bound follows from the distances of the corners.
    float lower_bound(const float (&distance)[8]) const {
        float largest = 0;
        for (int corner = 0; corner < 4; ++corner) {
            const float a = distance[corner], b = distance[7 - corner];
            largest = max_of(largest, a * a + b * b);
        }
        const float spacing = field_.grid.spacing;
        const float square =
            largest * (0.5f * (1 - 0x1p-20f)) - spacing * spacing * (0.75f * (1 + 0x1p-20f));
        return max_of(std::sqrt(max_of(square, 0.0f)) - rounding_, 0.0f);
    }

    // [m] The least distance from a sample to the mesh. Halves are off by 2^-11, and by 2^-25 next
    // to 0; twice that is taken off.
    float least_distance_at(std::int64_t index) const {
        float value, off;
        if (field_.order == FieldOrder::zero) {
            value = field_.values[index];
            off = std::fabs(value) * 0x1p-20f;
        } else {
            value = float_from_half(field_.samples[index].value) * field_.grid.spacing;
            off = std::fabs(value) * kFieldRelativeError + field_.grid.spacing * 0x1p-24f;
        }
        return max_of(std::fabs(value + offset_) - (off + offset_ * 0x1p-20f + rounding_), 0.0f);
    }

    // [m] Only where the distance is below this may the error exceed worst, which it does not at
    // the upper bound.
    float limit_of(const BoundedProbe& probe, float worst) const {
        const float value = probe.value + offset_;
        const float expected = probe.is_inside ? -value : value;
        const float spare = (std::fabs(probe.value) + offset_ + worst) * 0x1p-20f;
        const float limit = clamp(expected - worst / kProbeSafety + spare, 0.0f, probe.high);
        return error_of(probe, limit) > worst ? probe.high : limit;
    }

    // Returns the larger of worst and the group's largest error.
    float largest_error(const ProbeGroup& group, const FilledCube& cube, float worst) const {
        PointPacket packet;
        packet.box = Aabb::empty();
        Float8 limit_sq, high_sq;
        for (int lane = 0; lane < kLaneCount; ++lane) {
            // Lanes without a probe repeat the last.
            const int p = std::min(lane, group.count - 1);
            const Vec3& point = group.probes[p].point;
            for (int axis = 0; axis < 3; ++axis)
                packet.point[axis][lane] = point[axis];
            packet.box = merge(packet.box, point);
            limit_sq[lane] = inflated_sq(group.limits[p] * group.limits[p], 2 * source_.slack);
            high_sq[lane] = group.probes[p].high_sq;
        }
        start(source_, packet);
        packet.limit_sq = limit_sq;
        packet.distance_sq = high_sq;
        if (cube.triangles.is_whole) {
            search(source_, cube.triangles, packet);
        } else {
            search(source_, packet);
        }
        for (int lane = 0; lane < group.count; ++lane) {
            worst =
                max_of(worst, error_of(group.probes[lane], std::sqrt(packet.distance_sq[lane])));
        }
        return worst;
    }

    PacketSource source_;
    SampledFieldView field_;
    SampleSign sign_;
    float offset_;
    float rounding_;  // [m] of a distance between a position in the grid and the mesh
};

}  // namespace GRAZE_LANES
}  // namespace detail
}  // namespace graze
GRAZE_LANES_END
