// From a mesh, or from any function of space, to a sampled distance field.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graze/device.h"
#include "graze/field.h"
#include "graze/mesh.h"

namespace graze {

// How inside is told from outside.
enum class FieldSign {
    automatic,  // crossings where the mesh is closed, else winding
    crossings,  // by the exact winding number; for closed meshes, which may intersect themselves
    winding,    // where the generalised winding number is above 1/2; for meshes with holes
    shell,      // near the mesh: the distance to it less half a thickness, for sheets
};

// Long work calls this now and then, from one thread at a time, with the fraction that is done, 0
// to 1. Returning false stops the work with an Error.
using Progress = std::function<bool(double fraction)>;

struct FieldOptions {
    // How many samples there are along the longest side of the box, at least 2. For a sparse field
    // it counts cells, which are rounded up to a multiple of 8.
    int resolution = 128;
    FieldOrder order = FieldOrder::one;
    // A sparse field has samples only near the surface: in every brick of 8 x 8 x 8 cells that
    // comes within band voxels of it. Elsewhere a coarse level answers with a lower bound.
    bool sparse = false;
    float band = 3;
    // [voxels] The distance between the mesh's box and the grid's.
    float padding = 2;
    // [m] How far outside the mesh surfaces will be asked for (SurfaceOptions::level): the grid
    // goes so much farther, and so does the band of a sparse field.
    float reach = 0;
    FieldSign sign = FieldSign::automatic;
    // [m] How thick the solid of FieldSign::shell is; 0 means three voxels.
    float thickness = 0;
    // A grid to use instead of resolution, padding and reach. It must contain the mesh.
    std::optional<FieldGrid> grid = std::nullopt;
    Device device = Device::cpu();
    // [bytes] How much memory the build may take; 0 means what the machine has free.
    std::int64_t memory_limit = 0;
    // Where parts of the solid are so thin that they fall through the grid, the field is built
    // again at a resolution that holds them (FieldReport::findings says so), but at none above
    // this, and only as far as the memory goes. 0, the default, means never. A sparse field grows
    // with the surface, a dense one with the box. Shells and given grids are left as they are.
    int finest_resolution = 0;
    // Whether the build measures how far the interpolated distance is off (Field::error), which
    // takes a tenth to a half more time. Without that the error is FieldSummary::error_bound, about
    // a voxel, and more where the side of an open mesh jumps.
    bool measure_error = true;
    Progress progress = nullptr;
};

// FieldReport: what a build did, for people and programs.
struct FieldReport {
    FieldSign sign = FieldSign::automatic;  // the one used
    // Defects that mattered and what was done about them, in plain words.
    std::vector<std::string> findings;
    // How many samples have a winding number that is not near a whole number, and their box.
    std::int64_t doubtful_sample_count = 0;
    Aabb doubtful_box = Aabb::empty();
    std::int64_t sample_count = 0;
    std::int64_t brick_count = 0;
    std::int64_t memory_bytes = 0;  // of the samples with all that belongs to them
    float error = 0;                // [m] see Field::error
    double seconds = 0;
};

// Builds the distance field of a mesh. Throws Error where the mesh is empty or not finite, the
// options make no sense or the memory would not do; that is known before anything large is
// allocated.
Field build_field(const Mesh& mesh, const FieldOptions& options = {},
                  FieldReport* report = nullptr);

// The grid that build_field takes for a box: options.grid, or one from resolution, padding and
// reach.
FieldGrid choose_grid(const Aabb& box, const FieldOptions& options);
// [bytes] The memory of a dense field, or of the coarse level of a sparse one, and of its build.
std::int64_t memory_needed(const FieldGrid& grid, const FieldOptions& options);

// Samples any function of space that gives distances, or lower bounds of them, and gradients (used
// for order 1). The function is called from several threads at once. Of the options it uses order,
// sparse, band, device (its threads of the CPU), memory_limit and progress.
Field sample_field(const std::function<FieldValue(const Vec3& point)>& function,
                   const FieldGrid& grid, const FieldOptions& options = {});
// Samples a field likewise.
Field sample_field(const Field& field, const FieldGrid& grid, const FieldOptions& options = {});

}  // namespace graze
