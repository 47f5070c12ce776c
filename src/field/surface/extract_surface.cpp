// extract_surface: marching cubes by loops (cell_loops.h), block by block, in three steps that
// count vertices and triangles, scan, and fill.
//
// A loop of three or four vertices, or more, becomes a fan from the one of them that gives the
// shortest diagonals. No diagonal may lie in a face of the cell, where the neighbour could have the
// same one; that can only be where the loop goes through a face twice, and there, as on sharp edges
// of the surface, the fan is around a vertex of its own within the cell. Where both cells at a face
// have a vertex on a sharp edge, the two triangles at that face are cut in the other direction, so
// that the vertices are joined and the sharp edge is an edge of the mesh.
#include "graze/extract_surface.h"

#include <atomic>
#include <limits>
#include <string>

#include "core/grid_coordinates.h"
#include "field/field_program.h"
#include "field/sampled/cube_bounds.h"
#include "field/sampled/sample_near_surface.h"
#include "field/surface/edge_owner.h"
#include "field/surface/exact_surface.h"
#include "field/surface/triangulate_loop.h"
#include "graze/error.h"
#include "parallel/fill.h"

namespace graze {
namespace {

class SurfaceExtractor {
public:
    SurfaceExtractor(CpuExecutor& executor, const SampledFieldView& field, float level,
                     bool is_sharp, const ExactSurface* exact)
        : executor_(executor),
          field_(field),
          level_(double(level) / double(field.grid.spacing)),
          // Slopes from differences are blurred, and know no edges.
          is_sharp_(is_sharp && (field.order == FieldOrder::one || exact)),
          exact_(exact) {}

    Mesh run() {
        find_blocks();
        executor_.for_each("surface: count", active_count_, [&](std::int64_t n) { count(n); }, 1);
        auto counts = executor_.make_buffer<std::int64_t>(active_count_);
        first_vertex_.resize(active_count_ + 1);
        first_triangle_.resize(active_count_ + 1);
        scan(counts, &SurfaceBlock::vertex_count, first_vertex_);
        scan(counts, &SurfaceBlock::triangle_count, first_triangle_);
        const std::int64_t vertex_count = first_vertex_.data()[active_count_];
        if (vertex_count > std::numeric_limits<std::uint32_t>::max()) {
            throw Error("the surface has " + std::to_string(vertex_count) +
                        " vertices, more than a mesh can number; choose a coarser field");
        }
        mesh_.positions.resize(static_cast<std::size_t>(vertex_count));
        mesh_.triangles.resize(static_cast<std::size_t>(first_triangle_.data()[active_count_]));
        executor_.for_each(
            "surface: vertices", active_count_, [&](std::int64_t n) { fill_positions(n); }, 1);
        executor_.for_each(
            "surface: triangles", active_count_, [&](std::int64_t n) { make_triangles(n); }, 1);
        if (is_torn_) {
            throw Error(
                "the samples of neighbouring bricks contradict each other; the field was not "
                "built or read correctly, build it again");
        }
        return std::move(mesh_);
    }

private:
    FieldBlock block_at(std::int64_t index) const {
        const GridCoordinates at =
            coordinates_of(index, block_count(field_.grid, 0), block_count(field_.grid, 1));
        return FieldBlock(field_, at.x, at.y, at.z);
    }
    FieldBlock active_block(std::int64_t n) const { return block_at(active_.data()[n]); }

    // Whether the surface may enter a block, by the min/max tree, and by the samples, which are on
    // both sides then.
    bool is_active(std::int64_t index) const {
        const FieldBlock block = block_at(index);
        if (block.brick < 0) return false;
        if (field_.tree.level_count > 1) {
            const DistanceBounds bounds =
                cube_bounds(field_, {1, {block.index[0], block.index[1], block.index[2]}});
            const double level = level_ * double(field_.grid.spacing);
            if (!(bounds.min <= level && bounds.max >= level)) return false;
        }
        return BlockSigns(block, block.samples(field_), level_).has_both_sides();
    }
    void find_blocks() {
        const std::int64_t count = block_count(field_.grid);
        active_.resize(count);
        executor_.compact(
            "surface: find blocks", count, [&](std::int64_t b) { return is_active(b); },
            active_.data(), &active_count_);
        active_of_block_.resize(count);
        executor_.for_each("surface: number blocks", count,
                           Fill<std::int64_t>{active_of_block_.data(), -1});
        executor_.for_each("surface: number active blocks", active_count_,
                           [&](std::int64_t n) { active_of_block_.data()[active_.data()[n]] = n; });
        blocks_.resize(active_count_);
    }

    void scan(Buffer<std::int64_t>& counts, std::uint32_t SurfaceBlock::* member,
              Buffer<std::int64_t>& first) {
        executor_.for_each("surface: gather counts", active_count_,
                           [&](std::int64_t n) { counts.data()[n] = blocks_.data()[n].*member; });
        executor_.exclusive_scan("surface: scan", counts.data(), first.data(), active_count_);
    }

    // Calls visit(i, j, k, loops) for the cells of a block that the surface crosses.
    template <class Visit>
    static void for_each_crossed_cell(const FieldBlock& block, const BlockSigns& signs,
                                      const Visit& visit) {
        for (int k = 0; k < block.cells[2]; ++k) {
            for (int j = 0; j < block.cells[1]; ++j) {
                for (unsigned rest = signs.crossed_cells(j, k) & ((1u << block.cells[0]) - 1);
                     rest != 0; rest &= rest - 1) {
                    const int i = std::countr_zero(rest);
                    visit(i, j, k, signs.loops(i, j, k));
                }
            }
        }
    }

    void count(std::int64_t n) {
        const FieldBlock block = active_block(n);
        const BlockSigns signs(block, block.samples(field_), level_);
        SurfaceBlock& result = blocks_.data()[n];
        result = {};
        int vertex_count = 0;
        for (int axis = 0; axis < 3; ++axis)
            vertex_count = count_edges(block, signs, axis, vertex_count, result);

        std::uint32_t triangle_count = 0;
        for_each_crossed_cell(block, signs, [&](int i, int j, int k, const CellLoops& loops) {
            const int row = j + kBrickCells * k;
            const auto bit = static_cast<std::uint8_t>(1u << i);
            const bool is_sharp = find_sharp(block, signs, i, j, k, loops).is_sharp;
            const int centre_count = is_sharp ? 1 : std::popcount(loops.doubled);
            if (is_sharp) result.sharp[row] |= bit;
            if (is_sharp && loops.ambiguous == 0) result.turnable[row] |= bit;
            if (centre_count > 0) result.centres[row] |= bit;
            if (centre_count > 1) result.second_centres[row] |= bit;
            // A fan around a vertex has two triangles more.
            triangle_count += static_cast<std::uint32_t>(loops.begin[loops.loop_count] -
                                                         2 * (loops.loop_count - centre_count));
        });
        for (int row = 0; row < kBrickCells * kBrickCells; ++row) {
            result.centres_before[row] = static_cast<std::uint16_t>(vertex_count);
            vertex_count +=
                std::popcount(result.centres[row]) + std::popcount(result.second_centres[row]);
        }
        result.vertex_count = static_cast<std::uint32_t>(vertex_count);
        result.triangle_count = triangle_count;
    }

    int count_edges(const FieldBlock& block, const BlockSigns& signs, int axis, int vertex_count,
                    SurfaceBlock& result) const {
        int last[3];  // samples that edges start at
        for (int a = 0; a < 3; ++a)
            last[a] = block.cells[a] - (a == axis ? 1 : 0);
        for (int k = 0; k < kBrickSamples; ++k) {
            for (int j = 0; j < kBrickSamples; ++j) {
                const int row = j + kBrickSamples * k;
                unsigned owned = 0;
                if (j <= last[1] && k <= last[2])
                    owned = signs.crossed_edges(axis, j, k) & ((2u << last[0]) - 1);
                // Those at the far end may belong to a neighbour.
                for (unsigned rest = owned; rest != 0; rest &= rest - 1) {
                    const int at[3] = {std::countr_zero(rest), j, k};
                    const bool is_far =
                        at[0] == block.cells[0] || j == block.cells[1] || k == block.cells[2];
                    if (is_far && find_owner(field_, block, axis, at).block !=
                                      block_index(field_.grid, block.index))
                        owned &= ~(1u << at[0]);
                }
                result.edges[axis][row] = static_cast<std::uint16_t>(owned);
                result.edges_before[axis][row] = static_cast<std::uint16_t>(vertex_count);
                vertex_count += std::popcount(owned);
            }
        }
        return vertex_count;
    }

    SharpPoint find_sharp(const FieldBlock& block, const BlockSigns& signs, int i, int j, int k,
                          const CellLoops& loops) const {
        if (!is_sharp_ || loops.loop_count != 1) return {false, {}};
        const FieldCell cell = signs.cell(i, j, k);
        const Vec3d middle = loop_middle(cell, loops, 0);
        return exact_ ? exact_->find_sharp(corner_of(block, i, j, k), middle)
                      : find_sharp_point(cell, middle);
    }

    // [voxels] from the origin of the grid.
    static Vec3d corner_of(const FieldBlock& block, int i, int j, int k) {
        return {double(block.begin[0] + i), double(block.begin[1] + j), double(block.begin[2] + k)};
    }
    Vec3 to_position(const Vec3d& voxels) const {
        return static_cast<Vec3>(static_cast<Vec3d>(field_.grid.origin) +
                                 voxels * double(field_.grid.spacing));
    }

    void fill_positions(std::int64_t n) {
        const FieldBlock block = active_block(n);
        const SampleBox samples = block.samples(field_);
        const SurfaceBlock& surface = blocks_.data()[n];
        Vec3* out = mesh_.positions.data() + first_vertex_.data()[n];
        for (int axis = 0; axis < 3; ++axis) {
            for (int row = 0; row < kBrickSamples * kBrickSamples; ++row) {
                for (unsigned rest = surface.edges[axis][row]; rest != 0; rest &= rest - 1) {
                    const int at[3] = {std::countr_zero(rest), row % kBrickSamples,
                                       row / kBrickSamples};
                    Vec3d voxels = corner_of(block, at[0], at[1], at[2]);
                    const double guess = crossing_of_edge(samples, at, axis);
                    voxels[axis] += exact_ ? exact_->find_crossing(voxels, axis, guess) : guess;
                    *out++ = to_position(voxels);
                }
            }
        }
        if (surface.vertex_count > surface.centres_before[0])
            fill_centre_positions(n, block, samples);
    }

    void fill_centre_positions(std::int64_t n, const FieldBlock& block, const SampleBox& samples) {
        const SurfaceBlock& surface = blocks_.data()[n];
        const BlockSigns signs(block, samples, level_);
        for_each_crossed_cell(block, signs, [&](int i, int j, int k, const CellLoops& loops) {
            const int row = j + kBrickCells * k;
            if (!(surface.centres[row] >> i & 1)) return;
            Vec3* out =
                mesh_.positions.data() + first_vertex_.data()[n] + surface.vertex_in_cell(i, j, k);
            const Vec3d corner = corner_of(block, i, j, k);
            if (surface.sharp[row] >> i & 1) {
                *out = to_position(corner + find_sharp(block, signs, i, j, k, loops).position);
                return;
            }
            const FieldCell cell = signs.cell(i, j, k);
            for (int loop = 0; loop < loops.loop_count; ++loop) {
                if (!(loops.doubled >> loop & 1)) continue;
                const Vec3d middle = loop_middle(cell, loops, loop);
                *out++ = to_position(corner + move_to_surface(cell, middle));
            }
        });
    }

    // Where the surface crosses the edge along an axis from a sample, from 0 to 1.
    double crossing_of_edge(const SampleBox& samples, const int (&at)[3], int axis) const {
        int end[3] = {at[0], at[1], at[2]};
        ++end[axis];
        const double value0 = samples.value(at[0], at[1], at[2]) - level_;
        const double value1 = samples.value(end[0], end[1], end[2]) - level_;
        const double slope0 = samples.slope(at, axis, 1), slope1 = samples.slope(end, axis, -1);
        if (is_sharp_ && !exact_) return find_sharp_crossing(value0, slope0, value1, slope1);
        return find_crossing({value0, value1 - value0 + slope0 - slope1, slope1 - slope0});
    }

    void make_triangles(std::int64_t n) {
        const FieldBlock block = active_block(n);
        const BlockSigns signs(block, block.samples(field_), level_);
        const SurfaceBlock& surface = blocks_.data()[n];
        Triangle* out = mesh_.triangles.data() + first_triangle_.data()[n];
        for_each_crossed_cell(block, signs, [&](int i, int j, int k, const CellLoops& loops) {
            const int cell[3] = {i, j, k};
            std::uint32_t centre = static_cast<std::uint32_t>(first_vertex_.data()[n] +
                                                              surface.vertex_in_cell(i, j, k));
            const bool is_sharp = surface.sharp[j + kBrickCells * k] >> i & 1;
            for (int loop = 0; loop < loops.loop_count; ++loop) {
                std::uint32_t vertices[kCellEdgeCount];
                const int begin = loops.begin[loop], count = loops.begin[loop + 1] - begin;
                for (int m = 0; m < count; ++m)
                    vertices[m] = vertex_on_edge(block, cell, loops.edges[begin + m]);
                if (is_torn_) return;
                if (is_sharp) {
                    const bool may_turn = loops.ambiguous == 0;
                    for (int m = 0; m < count; ++m) {
                        *out++ = sharp_triangle(block, cell, may_turn ? loops.faces[begin + m] : -1,
                                                centre, vertices[m], vertices[(m + 1) % count]);
                    }
                } else if (loops.doubled >> loop & 1) {
                    for (int m = 0; m < count; ++m)
                        *out++ = {{centre, vertices[m], vertices[(m + 1) % count]}};
                    ++centre;
                } else {
                    out = make_fan(mesh_.positions.data(), vertices, count, out);
                }
            }
        });
    }

    // The index of the vertex on an edge of a cell, in whichever block it is.
    std::uint32_t vertex_on_edge(const FieldBlock& block, const int (&cell)[3], int edge) {
        const int corner = cell_edge_corner(edge), axis = cell_edge_axis(edge);
        int at[3];
        for (int a = 0; a < 3; ++a)
            at[a] = cell[a] + (corner >> a & 1);
        const EdgeOwner owner = find_owner(field_, block, axis, at);
        const std::int64_t n = active_of_block_.data()[owner.block];
        const int vertex =
            n < 0 ? -1
                  : blocks_.data()[n].vertex_on_edge(axis, owner.at[0], owner.at[1], owner.at[2]);
        if (vertex < 0) {
            is_torn_ = true;
            return 0;
        }
        return static_cast<std::uint32_t>(first_vertex_.data()[n] + vertex);
    }

    // Returns the triangle from a sharp vertex to a side of its loop, on the given face. Where the
    // cell beyond has a sharp vertex too and the quadrilateral of the four is better cut between
    // the two, it returns this cell's half of that. The face is -1 where that must not be.
    Triangle sharp_triangle(const FieldBlock& block, const int (&cell)[3], int face,
                            std::uint32_t centre, std::uint32_t a, std::uint32_t b) const {
        const Triangle plain{{centre, a, b}};
        if (face < 0) return plain;
        const int axis = face / 2, side = face & 1;
        std::int32_t neighbour[3] = {block.index[0], block.index[1], block.index[2]};
        int beyond[3] = {cell[0], cell[1], cell[2]};
        beyond[axis] += side ? 1 : -1;
        if (beyond[axis] < 0) {
            beyond[axis] = kBrickCells - 1;
            --neighbour[axis];
        } else if (beyond[axis] == block.cells[axis]) {
            beyond[axis] = 0;
            ++neighbour[axis];
        }
        if (!has_samples(field_, neighbour)) return plain;
        const std::int64_t n = active_of_block_.data()[block_index(field_.grid, neighbour)];
        if (n < 0) return plain;
        const SurfaceBlock& other = blocks_.data()[n];
        const int row = beyond[1] + kBrickCells * beyond[2];
        if (!(other.turnable[row] >> beyond[0] & 1)) return plain;
        const auto across = static_cast<std::uint32_t>(
            first_vertex_.data()[n] + other.vertex_in_cell(beyond[0], beyond[1], beyond[2]));
        // The order is the same from both sides, so that both cells decide alike.
        const Vec3* positions = mesh_.positions.data();
        const bool turns = side ? may_be_cut_across(positions, centre, a, across, b)
                                : may_be_cut_across(positions, across, b, centre, a);
        return turns ? Triangle{{centre, a, across}} : plain;
    }

    CpuExecutor& executor_;
    SampledFieldView field_;
    double level_;  // [voxels]
    bool is_sharp_;
    const ExactSurface* exact_;

    // The indices of the active blocks, those with work; and for each block its index among the
    // active ones, or -1.
    Buffer<std::int64_t> active_{host_memory()};
    Buffer<std::int64_t> active_of_block_{host_memory()};
    std::int64_t active_count_ = 0;
    Buffer<SurfaceBlock> blocks_{host_memory()};
    Buffer<std::int64_t> first_vertex_{host_memory()}, first_triangle_{host_memory()};
    std::atomic<bool> is_torn_ = false;
    Mesh mesh_;
};

}  // namespace

Mesh extract_surface(const Field& field, const SurfaceOptions& options) {
    if (!std::isfinite(options.level)) throw Error("the level of a surface must be a number");
    CpuExecutor executor(options.device.threads());
    if (field.is_sampled()) {
        const SampledFieldView view = samples_of(field)->view();
        if (view.is_sparse && std::fabs(options.level) > view.band) {
            throw Error("the level is " + std::to_string(options.level) +
                        ", but the sparse field has samples only up to a distance of " +
                        std::to_string(view.band) + "; build it with a wider band");
        }
        return SurfaceExtractor(executor, view, options.level, options.sharp, nullptr).run();
    }
    const FieldGrid grid = grid_around(field, options.resolution, options.level);
    if (grid.cells[0] == 0) return {};
    const SampledField samples = sample_near_surface(executor, field, grid, options.level);
    const ExactSurface exact(view_of(field), grid, options.level);
    return SurfaceExtractor(executor, samples.view(), 0, options.sharp, &exact).run();
}

}  // namespace graze
