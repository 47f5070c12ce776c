// SurfaceBlock: which vertices the extracted surface has in a block of cells, and their indices.
//
// A vertex on an edge of the grid belongs to one of the blocks that have the edge, and so exists
// once. The vertices on edges come first, by axis and row, then those within cells.
#pragma once

#include <bit>

#include "field/sampled/field_cell.h"
#include "field/surface/cell_loops.h"
#include "field/surface/sharp_point.h"

namespace graze {

struct SurfaceBlock {
    // The crossed edges by axis and row of samples, a bit for each along x, and how many are before
    // the row.
    std::uint16_t edges[3][kBrickSamples * kBrickSamples];
    std::uint16_t edges_before[3][kBrickSamples * kBrickSamples];
    // A bit for each cell of a row: those with a vertex within, with a second one, with one on a
    // sharp edge, and with one that may be joined with its neighbours.
    std::uint8_t centres[kBrickCells * kBrickCells];
    std::uint8_t second_centres[kBrickCells * kBrickCells];
    std::uint8_t sharp[kBrickCells * kBrickCells];
    std::uint8_t turnable[kBrickCells * kBrickCells];
    std::uint16_t centres_before[kBrickCells * kBrickCells];  // edges included
    std::uint32_t vertex_count;
    std::uint32_t triangle_count;

    static int count_below(unsigned bits, int i) { return std::popcount(bits & ((1u << i) - 1)); }
    // The index of the vertex on an edge, -1 where the surface does not cross it.
    int vertex_on_edge(int axis, int i, int j, int k) const {
        const int row = j + kBrickSamples * k;
        if (!(edges[axis][row] >> i & 1)) return -1;
        return edges_before[axis][row] + count_below(edges[axis][row], i);
    }
    // The index of the first vertex within a cell.
    int vertex_in_cell(int i, int j, int k) const {
        const int row = j + kBrickCells * k;
        return centres_before[row] + count_below(centres[row], i) +
               count_below(second_centres[row], i);
    }
};

// The signs of a block's samples, and with them what the surface does in its cells.
class BlockSigns {
public:
    // The level is in voxels.
    BlockSigns(const FieldBlock& block, const SampleBox& samples, double level)
        : samples_(samples), level_(level) {
        const unsigned whole = (2u << block.cells[0]) - 1;
        for (int k = 0; k <= block.cells[2]; ++k) {
            for (int j = 0; j <= block.cells[1]; ++j) {
                unsigned bits = 0;
                for (int i = 0; i <= block.cells[0]; ++i)
                    bits |= (samples.value(i, j, k) < level ? 1u : 0u) << i;
                rows_[j + kBrickSamples * k] = static_cast<std::uint16_t>(bits);
                has_inside_ = has_inside_ || bits != 0;
                has_outside_ = has_outside_ || bits != whole;
            }
        }
    }

    bool has_both_sides() const { return has_inside_ && has_outside_; }
    // The edges along an axis from the samples of a row that the surface crosses, a bit for each.
    unsigned crossed_edges(int axis, int j, int k) const {
        const unsigned here = row(j, k);
        return here ^ (axis == 0 ? here >> 1 : (axis == 1 ? row(j + 1, k) : row(j, k + 1)));
    }
    // The cells of a row that have corners on both sides, a bit for each.
    unsigned crossed_cells(int j, int k) const {
        const unsigned any = row(j, k) | row(j + 1, k) | row(j, k + 1) | row(j + 1, k + 1);
        const unsigned all = row(j, k) & row(j + 1, k) & row(j, k + 1) & row(j + 1, k + 1);
        return (any | any >> 1) & ~(all & all >> 1);
    }
    CellLoops loops(int i, int j, int k) const {
        unsigned inside = 0;
        for (int n = 0; n < 4; ++n)
            inside |= (row(j + (n & 1), k + (n >> 1)) >> i & 3) << (2 * n);
        return trace_loops(static_cast<std::uint8_t>(inside),
                           [&](int face) { return face_middle(i, j, k, face) < level_; });
    }

    // The cell with values less the level.
    FieldCell cell(int i, int j, int k) const {
        FieldCell result = samples_.cell(i, j, k);
        for (double& value : result.value)
            value -= level_;
        return result;
    }

private:
    unsigned row(int j, int k) const { return rows_[j + kBrickSamples * k]; }

    // The interpolated value in the middle of a cell's face, from its four corners alone and in an
    // order that is the same for both cells at the face.
    double face_middle(int i, int j, int k, int face) const {
        const int axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        double sum = 0;
        for (int n = 0; n < 4; ++n) {
            int corner[3] = {i, j, k};
            corner[axis] += face & 1;
            corner[u] += n & 1;
            corner[v] += n >> 1;
            sum += samples_.value(corner[0], corner[1], corner[2]);
            if (samples_.samples) {
                const FirstOrderSample& s =
                    samples_.samples[samples_.offset(corner[0], corner[1], corner[2])];
                sum += float_from_half(s.slope[u]) * (0.5 - (n & 1)) +
                       float_from_half(s.slope[v]) * (0.5 - (n >> 1));
            }
        }
        return sum / 4;
    }

    SampleBox samples_;
    double level_;
    bool has_inside_ = false, has_outside_ = false;
    std::uint16_t rows_[kBrickSamples * kBrickSamples];
};

// Keeps a crossing away from the ends of its edge, so that vertices on edges that meet at a sample
// stay apart.
inline double keep_inside(double crossing) {
    constexpr double kMargin = 0x1p-10;
    return clamp(crossing, kMargin, 1 - kMargin);
}
// Finds where a function with ends of different sign is zero, from 0 to 1.
inline double find_crossing(const Quadratic& f) {
    const double last = f.c0 + f.c1 + f.c2;
    double crossing = f.c0 / (f.c0 - last);
    const double discriminant = f.c1 * f.c1 - 4 * f.c2 * f.c0;
    if (discriminant > 0) {
        const double root = std::sqrt(discriminant);
        const double q = -0.5 * (f.c1 + (f.c1 < 0 ? -root : root));
        for (const double s : {q / f.c2, f.c0 / q}) {
            if (s >= 0 && s <= 1) crossing = s;
        }
    }
    return keep_inside(crossing);
}

// Finds the same where the function is the distance to a surface that may have a sharp edge nearby.
// The two samples, with values of different sign and slopes of half the gradient along the edge,
// know one plane each. Where these are much the same, the interpolated distance is best. Else the
// solid is between both planes if the distance bends up, beyond one of them if it bends down, and
// of the points where they cross the edge the first or the last as seen from within is on the
// surface.
inline double find_sharp_crossing(double value0, double slope0, double value1, double slope1) {
    constexpr double kSmooth = 0.3;  // of the gradient; as on a ball with a radius of three voxels
    const double bend = slope0 - slope1;
    const double smooth = find_crossing({value0, value1 - value0 + bend, -bend});
    if (2 * std::fabs(bend) < kSmooth) return smooth;
    const double first = -value0 / (2 * slope0), second = 1 - value1 / (2 * slope1);
    const bool has_first = first >= 0 && first <= 1, has_second = second >= 0 && second <= 1;
    const bool takes_lower = (bend < 0) == (value0 < 0);
    double crossing = smooth;
    if (has_first && has_second) {
        crossing = takes_lower ? min_of(first, second) : max_of(first, second);
    } else if (has_first || has_second) {
        crossing = has_first ? first : second;
    }
    // The surface is no closer to a sample than its distance.
    return keep_inside(min_of(max_of(crossing, std::fabs(value0)), 1 - std::fabs(value1)));
}

// The position of the vertex on an edge of the cell, in the cell's frame.
inline Vec3d vertex_position(const FieldCell& cell, int edge) {
    const int axis = cell_edge_axis(edge), low = cell_edge_corner(edge), high = low | 1 << axis;
    const double bend = cell.slope[axis][low] - cell.slope[axis][high];
    Vec3d position = corner_position(low);
    position[axis] =
        find_crossing({cell.value[low], cell.value[high] - cell.value[low] + bend, -bend});
    return position;
}

inline Vec3d loop_middle(const FieldCell& cell, const CellLoops& loops, int loop) {
    Vec3d sum{0, 0, 0};
    for (int n = loops.begin[loop]; n < loops.begin[loop + 1]; ++n)
        sum += vertex_position(cell, loops.edges[n]);
    return sum / double(loops.begin[loop + 1] - loops.begin[loop]);
}

// Moves a point of the cell onto the interpolated surface, as far as that is within the cell.
inline Vec3d move_to_surface(const FieldCell& cell, Vec3d point) {
    for (int round = 0; round < 3; ++round) {
        Vec3d gradient;
        for (int axis = 0; axis < 3; ++axis) {
            const Quadratic f = cell.along(axis, point[(axis + 1) % 3], point[(axis + 2) % 3]);
            gradient[axis] = f.c1 + 2 * f.c2 * point[axis];
        }
        if (!(length_sq(gradient) > 1e-6)) break;
        const double value = cell.along(0, point.y, point.z)(point.x);
        point -= gradient * (value / length_sq(gradient));
        for (int axis = 0; axis < 3; ++axis)
            point[axis] = keep_inside(point[axis]);
    }
    return point;
}

}  // namespace graze
