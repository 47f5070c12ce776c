#include "graze/build_field.h"

#include <chrono>
#include <cmath>

#include "field/build/build_samples.h"
#include "field/build/check_memory.h"
#include "field/build/lost_surface.h"
#include "field/build/union_surface.h"
#include "field/sampled/error_bound.h"
#include "geometry/tidy_mesh.h"
#include "graze/error.h"
#include "parallel/reductions.h"

namespace graze {

#if GRAZE_WITH_CUDA
// Builds on a GPU and brings the samples to the host; it is in build_samples_cuda.cu.
SampleOutcome build_samples_on_cuda(int device_index, const Mesh& mesh, const SamplePlan& plan,
                                    SampledField& field);
#endif

namespace {

// [bytes] What the mesh's tree and copies take, about 650 a triangle as measured on the host.
std::int64_t memory_of_source(const Mesh& mesh) {
    return static_cast<std::int64_t>(mesh.triangles.size()) * 660 +
           static_cast<std::int64_t>(mesh.positions.size()) * 12;
}

// [voxels] How far a wall may be left to reach into the union of overlapping parts, which is how
// much too short distances inside can be. An eighth is below what interpolation is off.
constexpr float kSeamVoxels = 0.125f;

std::string text_of_count(std::int64_t count, const char* thing) {
    return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

void add_findings(const TidyMesh& tidy, const FieldOptions& options, FieldReport& report) {
    if (tidy.duplicate_count > 0) {
        report.findings.push_back(text_of_count(tidy.duplicate_count, "triangle") +
                                  " over the same corners as another left out");
    }
    if (tidy.joined_count > 0) {
        report.findings.push_back("vertices at the same position taken as one: " +
                                  std::to_string(tidy.joined_count) + " fewer");
    }
    const auto part_count = static_cast<std::int64_t>(tidy.parts.parts.size());
    if (tidy.turned_part_count == part_count) {
        report.findings.push_back("the mesh faces inwards; it was turned around");
    } else if (tidy.turned_part_count > 0) {
        report.findings.push_back(std::to_string(tidy.turned_part_count) + " of the mesh's " +
                                  std::to_string(part_count) +
                                  " parts face inwards and lie in no other; they were turned "
                                  "around");
    }
    if (tidy.inward_part_count > 0 && report.sign != FieldSign::shell) {
        report.findings.push_back(
            (tidy.inward_part_count == part_count
                 ? std::string("the mesh is")
                 : text_of_count(tidy.inward_part_count, "part") + " of the mesh " +
                       (tidy.inward_part_count == 1 ? "is" : "are")) +
            " open and hollow towards the outer side: where a solid is meant, swap two vertices of "
            "each triangle");
    }
    if (!tidy.is_closed() && report.sign == FieldSign::winding) {
        report.findings.push_back("the mesh is open along " +
                                  text_of_count(tidy.open_edge_count, "edge") +
                                  "; inside is where its winding number is above 1/2");
    }
    if (!tidy.is_closed() && options.sign == FieldSign::crossings) {
        report.findings.push_back("the mesh is open along " +
                                  text_of_count(tidy.open_edge_count, "edge") +
                                  ", so that crossings may tell the wrong side: use the sign "
                                  "winding or shell");
    }
}

void add_findings(const UnionSurface& united, FieldReport& report) {
    report.findings.push_back(text_of_count(united.overlapping_part_count, "part") +
                              (united.overlapping_part_count == 1 ? " reaches" : " reach") +
                              " into others: the field is that of their union, without the walls "
                              "within");
}

void add_findings(const SampleOutcome& outcome, FieldReport& report) {
    report.doubtful_sample_count = outcome.doubtful_count;
    report.doubtful_box = outcome.doubtful_box;
    if (outcome.doubtful_count > 0) {
        report.findings.push_back("the side of " + text_of_count(outcome.doubtful_count, "sample") +
                                  " is doubtful: the winding number there is nowhere near a whole "
                                  "number");
    }
    if (outcome.has_inside) return;
    report.findings.push_back(
        report.sign == FieldSign::shell
            ? "nothing is inside: the thickness is too small for the resolution"
        : report.sign == FieldSign::crossings
            ? "nothing is inside: no sample lies in the solid"
            : "nothing is inside: for a sheet, use the sign shell and a thickness");
}

void add_findings(const LostSurface& lost, const FieldGrid& grid, FieldReport& report) {
    // Less than the side of a voxel is a rounded tip.
    if (lost.area < double(grid.spacing) * double(grid.spacing)) return;
    char text[320];
    std::snprintf(text, sizeof text,
                  "%.3g m^2 of the surface fall through the grid, between (%.4g, %.4g, %.4g) and "
                  "(%.4g, %.4g, %.4g): parts of about %.3g m are too thin for voxels of %.3g m and "
                  "are missing from the field; a resolution of %d would hold them",
                  lost.area, double(lost.box.min.x), double(lost.box.min.y), double(lost.box.min.z),
                  double(lost.box.max.x), double(lost.box.max.y), double(lost.box.max.z),
                  double(lost.thickness), double(grid.spacing), resolution_that_holds(lost, grid));
    report.findings.emplace_back(text);
}

void add_findings(const BuriedSurface& buried, const TidyMesh& tidy, const FieldGrid& grid,
                  FieldReport& report) {
    if (buried.area < double(grid.spacing) * double(grid.spacing)) return;
    char text[512];
    std::snprintf(
        text, sizeof text,
        "%.3g m^2 of the surface, between (%.4g, %.4g, %.4g) and (%.4g, %.4g, %.4g), are "
        "walls within the solid, or gaps narrower than a voxel: distances to them stay in "
        "the field and are too short there. %s",
        buried.area, double(buried.box.min.x), double(buried.box.min.y), double(buried.box.min.z),
        double(buried.box.max.x), double(buried.box.max.y), double(buried.box.max.z),
        tidy.is_closed()
            ? "A part that intersects itself keeps its inner walls: unite it with itself "
              "in the program that made it"
            : "Overlapping parts are united only where they are closed and away from open "
              "ones: close the mesh, or unite its parts in the program that made it");
    report.findings.emplace_back(text);
}

// Voxels must be large enough for positions in float to be told apart within them.
void check_precision(const FieldGrid& grid, const FieldOptions& options) {
    const Aabb box = grid.box();
    const Vec3 far = max_of(max_of(box.max, -box.max), max_of(box.min, -box.min));
    const float reach = max_of(far.x, max_of(far.y, far.z));
    if (grid.spacing > reach * 0x1p-16f) return;
    char text[160];
    std::snprintf(text, sizeof text,
                  "voxels of %.3g m are too small for float coordinates up to %.3g m: ",
                  double(grid.spacing), double(reach));
    throw Error(std::string(text) +
                (options.grid ? "use a coarser grid"
                              : "use a lower resolution, or move the mesh to the origin"));
}

}  // namespace

Field build_field(const Mesh& mesh, const FieldOptions& options, FieldReport* report) {
    const auto start = std::chrono::steady_clock::now();
    if (mesh.triangles.empty())
        throw Error("the mesh has no triangles: there is nothing to measure distances to");
    validate(mesh);
    CpuExecutor executor(options.device.threads());
    const TidyMesh tidy = tidy_mesh(executor, mesh);
    FieldReport told;
    told.sign = options.sign;
    if (told.sign == FieldSign::automatic)
        told.sign = tidy.is_closed() ? FieldSign::crossings : FieldSign::winding;

    // Vertices of no triangle do not count for the box.
    const Mesh& kept = tidy.mesh;
    Aabb box;
    executor.reduce(
        "field: box", static_cast<std::int64_t>(kept.triangles.size()),
        [&](std::int64_t i) {
            const Triangle& t = kept.triangles[static_cast<std::size_t>(i)];
            const Vec3 &a = kept.positions[t[0]], &b = kept.positions[t[1]],
                       &c = kept.positions[t[2]];
            return Aabb{min_of(a, min_of(b, c)), max_of(a, max_of(b, c))};
        },
        MergeBoxes{}, Aabb::empty(), &box);
    FieldOptions decided = options;
    decided.sign = told.sign;
    const FieldGrid grid = choose_grid(box, decided);
    const std::int64_t left = check_memory(grid, decided, memory_of_source(tidy.mesh), &box);
    check_precision(grid, decided);
    const float thickness = options.thickness > 0 ? options.thickness : 3 * grid.spacing;
    // Where parts overlap, the walls within their union are no surface.
    std::optional<UnionSurface> united;
    if (told.sign != FieldSign::shell) {
        united = find_union_surface(executor, tidy.mesh, tidy.parts, grid.spacing * kSeamVoxels);
    }
    float band = options.band * grid.spacing;
    if (options.reach > 0) band = std::max(band, options.reach + 2 * grid.spacing);
    const SamplePlan plan{grid,
                          options.order,
                          options.sparse,
                          band,
                          told.sign,
                          told.sign == FieldSign::shell ? thickness * 0.5f : 0.0f,
                          options.measure_error,
                          left,
                          options.progress,
                          united ? &united->mesh : nullptr};
    auto samples = std::make_shared<SampledField>(host_memory());
    SampleOutcome outcome;
#if GRAZE_WITH_CUDA
    if (options.device.is_cuda()) {
        outcome = build_samples_on_cuda(options.device.index(), tidy.mesh, plan, *samples);
    } else
#endif
    {
        outcome = build_samples(executor, tidy.mesh, plan, *samples);
    }
    if (!options.measure_error && !tidy.is_closed() && told.sign != FieldSign::shell) {
        // Around a jump the bound of a closed mesh does not hold.
        samples->error = error_bound_of(executor, *samples);
        std::fill_n(samples->errors.data(), samples->errors.size(), samples->error);
    }
    if (report) {
        add_findings(tidy, options, told);
        if (united) add_findings(*united, told);
        add_findings(outcome, told);
        if (told.sign != FieldSign::shell) {
            add_findings(find_lost_surface(executor, tidy.mesh, tidy.parts, *samples), grid, told);
            const Mesh& surface = united ? united->mesh : tidy.mesh;
            add_findings(find_buried_surface(executor, surface, *samples), tidy, grid, told);
        }
        told.sample_count =
            std::max(samples->values.size(), samples->samples.size()) + samples->coarse.size();
        told.brick_count = samples->brick_count();
        told.memory_bytes = samples->memory_bytes();
        told.error = samples->error;
        told.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        *report = told;
    }
    return make_sampled_field(std::move(samples));
}

}  // namespace graze
