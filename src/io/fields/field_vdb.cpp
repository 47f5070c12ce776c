// The only file that includes OpenVDB, which takes long to compile.
#include "io/fields/field_vdb.h"

#include <openvdb/io/Stream.h>
#include <openvdb/openvdb.h>
#include <openvdb/tools/Prune.h>
#include <openvdb/tools/VolumeToMesh.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <istream>
#include <optional>
#include <ostream>

#include "field/build/build_samples.h"
#include "geometry/tidy_mesh.h"
#include "graze/error.h"
#include "io/atomic_file.h"
#include "io/bytes_buffer.h"
#include "io/fields/check_sampled_field.h"
#include "io/fields/sample_array_sizes.h"
#include "io/fields/stored_distance.h"
#include "io/fields/vdb_archive.h"
#include "io/read_file.h"
#include "io/sink_buffer.h"
#include "parallel/available_memory.h"
#include "parallel/reductions.h"

namespace graze::io {
namespace {

using openvdb::Coord;
using openvdb::FloatGrid;
using openvdb::FloatTree;
using Leaf = FloatTree::LeafNodeType;
static_assert(Leaf::DIM == kBrickCells,
              "a leaf holds the samples of a brick but for its far faces");

// graze writes these beside a grid, so that it finds its own grid again.
constexpr const char* kCellsName = "graze_cells";
constexpr const char* kSparseName = "graze_sparse";

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& cause) {
    throw Error(path.string() + ": " + cause);
}

// LeafWriter turns a field into leaves: samples become active voxels, those of a sparse field only
// within its band.
class LeafWriter {
public:
    LeafWriter(const SampledFieldView& field, FloatTree& tree)
        : field_(field), tree_(tree), background_(tree.background()) {}

    void write(const Coord& origin) {
        float values[Leaf::SIZE];
        bool is_active[Leaf::SIZE];
        bool has_active = false;
        for (openvdb::Index n = 0; n < Leaf::SIZE; ++n) {
            is_active[n] = voxel(origin + Leaf::offsetToLocalCoord(n), values[n]);
            has_active = has_active || is_active[n];
        }
        if (!has_active) {
            // No voxel is within the band, so all are on one side; the tree itself says outside.
            if (values[0] < 0) tree_.addTile(1, origin, -background_, false);
            return;
        }
        Leaf* leaf = tree_.touchLeaf(origin);
        for (openvdb::Index n = 0; n < Leaf::SIZE; ++n) {
            if (is_active[n])
                leaf->setValueOn(n, values[n]);
            else
                leaf->setValueOff(n, values[n]);
        }
    }

private:
    // True where the voxel is active. Its value is the background with the right sign where it is
    // not.
    bool voxel(const Coord& at, float& value) const {
        std::int64_t index[3];
        bool is_inside = true;
        for (int axis = 0; axis < 3; ++axis) {
            const std::int64_t last = field_.grid.cells[axis];
            index[axis] = std::min<std::int64_t>(at[axis], last);
            is_inside = is_inside && at[axis] <= last;
        }
        if (!find_stored_distance(field_, index, value)) {
            value = coarse_of_block(index);
            is_inside = false;
        }
        if (is_inside && (!field_.is_sparse || std::fabs(value) < background_)) return true;
        value = std::copysign(background_, value);
        return false;
    }
    // A block without a brick has all its coarse samples on one side.
    float coarse_of_block(const std::int64_t (&index)[3]) const {
        const std::int64_t size_x = block_count(field_.grid, 0) + 1,
                           size_y = block_count(field_.grid, 1) + 1;
        return field_.coarse[index[0] / kBrickCells +
                             size_x * (index[1] / kBrickCells + size_y * (index[2] / kBrickCells))];
    }

    SampledFieldView field_;
    FloatTree& tree_;
    float background_;
};

float largest_distance(const SampledField& field) {
    float largest = 0;
    for (std::int64_t i = 0; i < field.grid.sample_count(); ++i)
        largest = std::max(largest, std::fabs(distance_at(field.view(), i)));
    return largest;
}

FloatGrid::Ptr to_grid(const SampledField& field) {
    const FieldGrid& field_grid = field.grid;
    const float background = field.is_sparse ? field.band : largest_distance(field);
    // A level set's background must be positive.
    FloatGrid::Ptr grid = FloatGrid::create(std::max(background, field_grid.spacing * 0x1p-10f));
    auto transform = openvdb::math::Transform::createLinearTransform(double(field_grid.spacing));
    transform->postTranslate(
        {double(field_grid.origin.x), double(field_grid.origin.y), double(field_grid.origin.z)});
    grid->setTransform(transform);
    grid->setName("surface");
    grid->setGridClass(openvdb::GRID_LEVEL_SET);
    grid->setCreator("graze");
    grid->insertMeta(kCellsName, openvdb::Vec3IMetadata(openvdb::Vec3i(field_grid.cells)));
    grid->insertMeta(kSparseName, openvdb::BoolMetadata(field.is_sparse));

    LeafWriter writer(field.view(), grid->tree());
    for (std::int32_t z = 0; z <= field_grid.cells[2]; z += kBrickCells)
        for (std::int32_t y = 0; y <= field_grid.cells[1]; y += kBrickCells)
            for (std::int32_t x = 0; x <= field_grid.cells[0]; x += kBrickCells)
                writer.write({x, y, z});
    if (field.is_sparse) openvdb::tools::pruneLevelSet(grid->tree());
    return grid;
}

// A level set as it was found in a file, and the grid of the field that graze makes of it.
struct VdbLevelSet {
    FloatGrid::Ptr grid;
    Mesh mesh;             // its surface
    FieldGrid field_grid;  // of the field
    Coord first;           // the voxel of the field's first sample
    bool is_sparse;
    float background;  // [m]

    Coord coord(std::int64_t i, std::int64_t j, std::int64_t k) const {
        return first.offsetBy(static_cast<std::int32_t>(i), static_cast<std::int32_t>(j),
                              static_cast<std::int32_t>(k));
    }
};

FloatGrid::Ptr load_grid(const std::string& archive, const std::filesystem::path& path) {
    BytesBuffer buffer(archive, path.string());
    std::istream stream(&buffer);
    stream.exceptions(std::ios::badbit | std::ios::failbit | std::ios::eofbit);
    const openvdb::GridPtrVecPtr grids =
        openvdb::io::Stream(stream, /*delayLoad=*/false).getGrids();
    const FloatGrid::Ptr chosen = openvdb::gridPtrCast<FloatGrid>(grids->front());
    if (chosen->getGridClass() == openvdb::GRID_FOG_VOLUME)
        fail(path, "the grid " + chosen->getName() + " is a fog volume; make a level set of it");
    return chosen;
}

// [m] Returns the size of a voxel; refuses those that are no cubes along the axes.
double voxel_size(const FloatGrid& grid, const std::filesystem::path& path) {
    const openvdb::Vec3d origin = grid.indexToWorld(openvdb::Vec3d(0, 0, 0));
    const double size = grid.voxelSize()[0];
    for (int axis = 0; axis < 3; ++axis) {
        openvdb::Vec3d unit(0, 0, 0), expected(0, 0, 0);
        unit[axis] = 1;
        expected[axis] = size;
        if (!grid.transform().isLinear() ||
            !((grid.indexToWorld(unit) - origin - expected).length() <= 1e-6 * size))
            fail(path, "voxels must be cubes along the axes: resample the grid in OpenVDB first");
    }
    if (!(size > 0) || !std::isfinite(size)) fail(path, "the size of a voxel is not positive");
    return size;
}

Mesh extract_surface(const FloatGrid& grid) {
    std::vector<openvdb::Vec3s> points;
    std::vector<openvdb::Vec3I> triangles;
    std::vector<openvdb::Vec4I> quads;
    openvdb::tools::volumeToMesh(grid, points, triangles, quads, 0.0, 0.0);
    Mesh mesh;
    mesh.positions.reserve(points.size());
    for (const openvdb::Vec3s& p : points)
        mesh.positions.push_back({p.x(), p.y(), p.z()});
    mesh.triangles.reserve(triangles.size() + 2 * quads.size());
    for (const openvdb::Vec3I& t : triangles)
        mesh.triangles.push_back({{t[0], t[1], t[2]}});
    for (const openvdb::Vec4I& q : quads) {
        mesh.triangles.push_back({{q[0], q[1], q[2]}});
        mesh.triangles.push_back({{q[0], q[2], q[3]}});
    }
    return mesh;
}

std::int32_t down_to_block(std::int64_t x) {
    return static_cast<std::int32_t>(x & -std::int64_t{kBrickCells});
}

// True where the voxels can be those of a field that graze wrote with so many cells: all samples of
// a dense one are active.
bool are_own_cells(const FloatGrid& grid, const Coord& cells, bool is_sparse,
                   const openvdb::CoordBBox& active) {
    const openvdb::CoordBBox samples(Coord(0), cells);
    if (!samples.isInside(active)) return false;
    return is_sparse || (samples == active && grid.activeVoxelCount() == samples.volume());
}

// A few bytes must not stand for a field of any size: the coarse level of one with a narrow band
// spans everything between its voxels.
std::string fault_of_span(const FloatGrid& grid, const FieldGrid& field_grid) {
    constexpr std::int64_t kMostBlocks = 1 << 18;  // to each leaf
    const auto leaf_count = static_cast<std::int64_t>(grid.tree().leafCount());
    if (block_count(field_grid) <= kMostBlocks * std::max(leaf_count, std::int64_t{1})) return {};
    return "its few voxels lie too far apart for a field: cut the level set into parts";
}

// Chooses the field's grid: that which graze wrote, or else whole bricks around all active voxels.
void choose_field_grid(VdbLevelSet& set, const std::filesystem::path& path) {
    const FloatGrid& grid = *set.grid;
    openvdb::CoordBBox box = grid.evalActiveVoxelBoundingBox();
    if (box.empty()) fail(path, "the grid has no active voxels");
    set.field_grid.spacing = static_cast<float>(voxel_size(grid, path));
    set.is_sparse = true;
    const auto cells = grid.getMetadata<openvdb::Vec3IMetadata>(kCellsName);
    const auto sparse = grid.getMetadata<openvdb::BoolMetadata>(kSparseName);
    const bool is_own =
        cells && sparse && are_own_cells(grid, Coord(cells->value()), sparse->value(), box);
    if (is_own) {
        set.first = Coord(0);
        set.is_sparse = sparse->value();
        for (int axis = 0; axis < 3; ++axis)
            set.field_grid.cells[axis] = cells->value()[axis];
    } else {
        for (int axis = 0; axis < 3; ++axis) {
            set.first[axis] = down_to_block(std::int64_t{box.min()[axis]} - 1);
            const std::int64_t last = std::int64_t{box.max()[axis]} + 1 - set.first[axis];
            set.field_grid.cells[axis] = down_to_block(last + kBrickCells - 1);
        }
    }
    const openvdb::Vec3d origin = grid.indexToWorld(set.first);
    for (int axis = 0; axis < 3; ++axis)
        set.field_grid.origin[axis] = static_cast<float>(origin[axis]);
    std::string fault = fault_of({set.field_grid, FieldOrder::zero, set.is_sparse, true, 0});
    if (fault.empty()) fault = fault_of_span(grid, set.field_grid);
    if (!fault.empty()) fail(path, fault);
}

VdbLevelSet load_level_set(const std::string& archive, const std::filesystem::path& path) {
    VdbLevelSet set{};
    set.grid = load_grid(archive, path);
    set.background = set.grid->background();
    if (!(set.background > 0) || !std::isfinite(set.background))
        fail(path, "the background of a level set must be positive");
    for (auto voxel = set.grid->cbeginValueOn(); voxel; ++voxel)
        if (!std::isfinite(*voxel)) fail(path, "an active voxel is not a number");
    choose_field_grid(set, path);
    set.mesh = extract_surface(*set.grid);
    if (set.mesh.triangles.empty())
        fail(path, "there is no surface in it: no distance changes sign");
    return set;
}

// Loads the first level set of a file that can be read, and tells of all else that it holds.
VdbLevelSet load_first_level_set(const std::filesystem::path& path,
                                 std::vector<std::string>& findings) {
    VdbGrids grids = [&] {
        const FileBytes file = read_file(path);
        return read_float_grids(file.view(), path.string());
    }();
    std::vector<std::string> left_out;
    std::exception_ptr first_fault;
    std::optional<VdbLevelSet> set;
    std::string name;
    for (FloatGridArchive& grid : grids.grids) {
        if (set) {
            left_out.push_back(grid.grid + " (float)");
            continue;
        }
        try {
            set = load_level_set(grid.bytes, path);
            name = grid.grid;
        } catch (const std::bad_alloc&) {
            throw;
        } catch (const std::exception& error) {
            if (!first_fault) first_fault = std::current_exception();
            left_out.push_back(grid.grid + " (float): " + error.what());
        }
        grid.bytes = {};
    }
    if (!set) std::rethrow_exception(first_fault);
    left_out.insert(left_out.end(), grids.left_out.begin(), grids.left_out.end());
    if (!left_out.empty()) {
        std::string text = "of the grids in the file only " + name + " was read; left out: ";
        for (std::size_t n = 0; n < left_out.size(); ++n)
            text += (n > 0 ? ", " : "") + left_out[n];
        findings.push_back(std::move(text));
    }
    return *std::move(set);
}

// Builds the field from the surface, with the same grid and the band of the level set.
void build_from_surface(CpuExecutor& executor, const VdbLevelSet& set,
                        const std::filesystem::path& path, SampledField& field) {
    const TidyMesh tidy = tidy_mesh(executor, set.mesh);
    FieldOptions options;
    options.order = FieldOrder::zero;
    options.sparse = set.is_sparse;
    options.sign = tidy.is_closed() ? FieldSign::crossings : FieldSign::winding;
    const std::int64_t left =
        available_memory(Device::cpu()) - memory_needed(set.field_grid, options);
    if (left < 0)
        fail(path, "the field does not fit into memory; give one of a smaller resolution");
    // The band is wider by half a voxel, so that no active voxel is missed where the surface, which
    // is made of triangles, is a little farther than the voxel says.
    const SamplePlan plan{set.field_grid,
                          FieldOrder::zero,
                          set.is_sparse,
                          set.background + 0.5f * set.field_grid.spacing,
                          options.sign,
                          0.0f,
                          /*measures_error=*/true,
                          left,
                          nullptr};
    build_samples(executor, tidy.mesh, plan, field);
    field.band = set.is_sparse ? set.background : 0;
}

// VoxelReader reads voxels; each thread has its own.
class VoxelReader {
public:
    explicit VoxelReader(const VdbLevelSet& set) : set_(set), accessor_(set.grid->constTree()) {}

    // Sets the distance to what the level set says of the sample. An inactive voxel tells only the
    // side and that the surface is no nearer than the background; then the distance is kept as far
    // as it agrees with that. Returns by how much it changed.
    float correct(std::int64_t i, std::int64_t j, std::int64_t k, float& distance) {
        float value = 0;
        const float before = distance;
        const bool is_active = accessor_.probeValue(set_.coord(i, j, k), value);
        distance =
            is_active ? value : std::copysign(std::max(std::fabs(before), set_.background), value);
        return std::fabs(distance - before);
    }

private:
    const VdbLevelSet& set_;
    openvdb::tree::ValueAccessor<const FloatTree, /*IsSafe=*/false> accessor_;
};

struct CorrectBrick {
    const VdbLevelSet& set;
    SampledField& field;
    void operator()(std::int64_t brick) const {
        VoxelReader reader(set);
        const std::int64_t block = field.block_of_brick.data()[brick];
        const std::int64_t size_x = block_count(field.grid, 0), size_y = block_count(field.grid, 1);
        const std::int64_t i = block % size_x * kBrickCells,
                           j = block / size_x % size_y * kBrickCells,
                           k = block / size_x / size_y * kBrickCells;
        float* values = field.values.data() + brick * kBrickSize;
        float largest = 0;
        for (int n = 0; n < kBrickSize; ++n) {
            const int x = n % kBrickSamples, y = n / kBrickSamples % kBrickSamples,
                      z = n / kBrickSamples / kBrickSamples;
            largest = std::max(largest, reader.correct(i + x, j + y, k + z, values[n]));
        }
        field.errors.data()[brick] += largest;
    }
};
// CorrectRow corrects one row along x of samples that are step apart.
struct CorrectRow {
    const VdbLevelSet& set;
    float* values;
    std::int64_t size_x, size_y, step;
    float operator()(std::int64_t row) const {
        VoxelReader reader(set);
        float largest = 0;
        for (std::int64_t i = 0; i < size_x; ++i) {
            largest =
                std::max(largest, reader.correct(i * step, row % size_y * step, row / size_y * step,
                                                 values[row * size_x + i]));
        }
        return largest;
    }
};
void correct_by_voxels(CpuExecutor& executor, const VdbLevelSet& set, SampledField& field) {
    const FieldGrid& grid = field.grid;
    float change = 0;
    if (set.is_sparse) {
        executor.for_each("correct bricks", field.brick_count(), CorrectBrick{set, field}, 4);
        const std::int64_t size[3] = {block_count(grid, 0) + 1, block_count(grid, 1) + 1,
                                      block_count(grid, 2) + 1};
        executor.reduce("correct coarse level", size[1] * size[2],
                        CorrectRow{set, field.coarse.data(), size[0], size[1], kBrickCells},
                        LargerValue{}, 0.0f, &change);
    } else {
        executor.reduce("correct samples", grid.samples(1) * grid.samples(2),
                        CorrectRow{set, field.values.data(), grid.samples(0), grid.samples(1), 1},
                        LargerValue{}, 0.0f, &change);
        for (std::int64_t block = 0; block < field.errors.size(); ++block)
            field.errors.data()[block] += change;
    }
    field.error = 0;
    for (std::int64_t i = 0; i < field.errors.size(); ++i)
        field.error = std::max(field.error, field.errors.data()[i]);
}

}  // namespace

void write_vdb(CpuExecutor& executor, const SampledField& field,
               const std::filesystem::path& path) {
    check_sampled_field(executor, field, path.string() + ": cannot write");
    try {
        openvdb::initialize();
        AtomicFile file(path);
        SinkBuffer buffer(file);
        std::ostream stream(&buffer);
        stream.exceptions(std::ios::badbit | std::ios::failbit);
        openvdb::io::Stream(stream).write(openvdb::GridCPtrVec{to_grid(field)});
        stream.flush();
        file.commit();
    } catch (const openvdb::Exception& error) {
        fail(path, std::string("cannot write: OpenVDB: ") + error.what());
    }
}

std::shared_ptr<SampledField> read_vdb(CpuExecutor& executor, const std::filesystem::path& path,
                                       std::vector<std::string>& findings) {
    try {
        openvdb::initialize();
        const VdbLevelSet set = load_first_level_set(path, findings);
        auto field = std::make_shared<SampledField>(executor.memory());
        build_from_surface(executor, set, path, *field);
        correct_by_voxels(executor, set, *field);
        build_min_max_tree(executor, *field);
        check_sampled_field(executor, *field, path.string());
        return field;
    } catch (const Error&) {
        throw;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {  // OpenVDB throws its own and, for broken files, others
        fail(path, std::string("cannot read: OpenVDB: ") + error.what());
    }
}

}  // namespace graze::io
