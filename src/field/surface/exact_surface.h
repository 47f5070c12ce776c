// ExactSurface: a field whose samples are only a stand-in for it while its surface is extracted;
// vertices are moved from the one's surface to the other's. Positions are in voxels from the origin
// of the grid.
#pragma once

#include "field/field_view.h"
#include "field/surface/surface_block.h"

namespace graze {

class ExactSurface {
public:
    ExactSurface(const FieldView& field, const FieldGrid& grid, float level)
        : field_(field), grid_(grid), level_(level) {}

    // Finds where the surface crosses the edge from a sample to the next along an axis, near a
    // guess, both from 0 to 1, by secants kept between the ends (the Illinois algorithm).
    double find_crossing(const Vec3d& start, int axis, double guess) const {
        constexpr double kExact = 1e-4;  // [voxels]
        const auto value = [&](double s) {
            Vec3d position = start;
            position[axis] += s;
            return to_voxels(evaluate_at(position).distance);
        };
        double low = 0, high = 1, low_value = value(0), high_value = value(1), crossing = guess;
        if ((low_value < 0) == (high_value < 0)) return guess;
        bool was_low = false;
        for (int round = 0; round < 8; ++round) {
            const double here = value(crossing);
            if (std::fabs(here) < kExact) break;
            const bool is_low = (here < 0) == (low_value < 0);
            (is_low ? low : high) = crossing;
            (is_low ? low_value : high_value) = here;
            // An end that stays would hold the secants back.
            if (round > 0 && is_low == was_low) (is_low ? high_value : low_value) /= 2;
            was_low = is_low;
            crossing = low + (high - low) * (low_value / (low_value - high_value));
        }
        return keep_inside(crossing);
    }

    // Finds the sharp point of the surface's loop in a cell around the given middle; result and
    // middle are in the cell's frame.
    SharpPoint find_sharp(const Vec3d& cell, const Vec3d& middle) const {
        const SharpPoint rough = find_sharp_point(cell_at(cell, 1), middle);
        if (!rough.is_sharp) return rough;
        // A second look from nearby is better, as the planes are only tangents.
        constexpr double kSide = 0.25;
        const Vec3d half{0.5, 0.5, 0.5}, corner = rough.position - half * kSide;
        const SharpPoint fine = find_sharp_point(cell_at(cell + corner, kSide), half);
        return {true, fine.is_sharp ? corner + fine.position * kSide : rough.position};
    }

private:
    FieldValue evaluate_at(const Vec3d& position) const {
        return evaluate(field_, static_cast<Vec3>(static_cast<Vec3d>(grid_.origin) +
                                                  position * double(grid_.spacing)));
    }
    double to_voxels(float distance) const {
        return (double(distance) - double(level_)) / double(grid_.spacing);
    }
    // Makes a cell of the cube of the given side [voxels].
    FieldCell cell_at(const Vec3d& first, double side) const {
        FieldCell result;
        for (int n = 0; n < 8; ++n) {
            const FieldValue value = evaluate_at(first + corner_position(n) * side);
            result.value[n] = to_voxels(value.distance) / side;
            for (int axis = 0; axis < 3; ++axis)
                result.slope[axis][n] = double(value.gradient[axis]) / 2;
        }
        return result;
    }

    FieldView field_;
    FieldGrid grid_;
    float level_;  // [m]
};

}  // namespace graze
