#include "graze/build_field.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

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
    throw GridTooFine(std::string(text) +
                      (options.grid ? "use a coarser grid"
                                    : "use a lower resolution, or move the mesh to the origin"));
}

Aabb box_of_triangles(CpuExecutor& executor, const Mesh& mesh) {
    // Vertices of no triangle do not count.
    Aabb box;
    executor.reduce(
        "field: box", static_cast<std::int64_t>(mesh.triangles.size()),
        [&](std::int64_t i) {
            const Triangle& t = mesh.triangles[static_cast<std::size_t>(i)];
            const Vec3 &a = mesh.positions[t[0]], &b = mesh.positions[t[1]],
                       &c = mesh.positions[t[2]];
            return Aabb{min_of(a, min_of(b, c)), max_of(a, max_of(b, c))};
        },
        MergeBoxes{}, Aabb::empty(), &box);
    return box;
}

// A field of one resolution, and what of the mesh it does not hold.
struct BuiltSamples {
    std::shared_ptr<SampledField> samples;
    SampleOutcome outcome;
    std::optional<UnionSurface> united;
    LostSurface lost;
};

class FieldBuild {
public:
    // The sign is not automatic.
    FieldBuild(CpuExecutor& executor, const TidyMesh& tidy, const FieldOptions& options)
        : executor_(executor),
          tidy_(tidy),
          options_(options),
          box_(box_of_triangles(executor, tidy.mesh)) {}

    // Builds once, or again and again where thin parts are to be held; findings say where it did.
    BuiltSamples run(bool finds_lost, std::vector<std::string>& findings) const {
        const bool may_rise = options_.finest_resolution > options_.resolution && !options_.grid &&
                              options_.sign != FieldSign::shell;
        if (!may_rise) return build(options_, finds_lost, 0);
        FieldOptions tried = options_;
        tried.progress = part_of_progress(0);
        BuiltSamples best = build(tried, true, 0);
        for (int pass = 1; is_much(best.lost, best.samples->grid); ++pass) {
            // What is thinner than most of the rest is met only when the rest is held, and may turn
            // out to be too little to matter: so the steps are limited.
            constexpr int kMostRise = 4;
            const int needed = resolution_that_holds(best.lost, best.samples->grid);
            FieldOptions finer = tried;
            finer.resolution = std::min({needed, options_.finest_resolution, kMostResolution,
                                         kMostRise * std::min(tried.resolution, kMostResolution)});
            if (finer.resolution <= tried.resolution) break;
            finer.progress = part_of_progress(pass);
            try {
                best = build(finer, true, best.samples->memory_bytes());
            } catch (const GridTooFine& error) {
                findings.push_back(
                    "a resolution of " + std::to_string(finer.resolution) +
                    " for parts that fall through the grid was not to be had: " + error.what());
                break;
            }
            tried = finer;
        }
        if (tried.resolution > options_.resolution) {
            findings.push_back(
                "parts too thin for a resolution of " + std::to_string(options_.resolution) +
                ": the field was built at one of " + std::to_string(tried.resolution) +
                ", and takes " + std::to_string(best.samples->memory_bytes() >> 20) + " MiB");
        }
        if (options_.progress && !options_.progress(1)) throw Error(kStopped);
        return best;
    }

    // Whether more is lost than the rounded tips that every grid loses.
    static bool is_much(const LostSurface& lost, const FieldGrid& grid) {
        return lost.area >= double(grid.spacing) * double(grid.spacing);
    }

private:
    static constexpr int kMostResolution = 1 << 22;  // beyond it grids have too many cells
    static constexpr const char* kStopped = "stopped before the field was complete";

    // Each pass takes half of what is left, so that what is told grows.
    Progress part_of_progress(int pass) const {
        if (!options_.progress) return nullptr;
        const double from = 1 - std::ldexp(1.0, -pass), to = 1 - std::ldexp(1.0, -pass - 1);
        return [this, from, to](double fraction) {
            return options_.progress(from + (to - from) * fraction);
        };
    }

    BuiltSamples build(const FieldOptions& options, bool finds_lost,
                       std::int64_t kept_bytes) const {
        const FieldGrid grid = choose_grid(box_, options);
        const std::int64_t left =
            check_memory(grid, options, memory_of_source(tidy_.mesh) + kept_bytes, &box_);
        check_precision(grid, options);
        const bool is_shell = options.sign == FieldSign::shell;
        const float thickness = options.thickness > 0 ? options.thickness : 3 * grid.spacing;
        BuiltSamples built;
        // Where parts overlap, the walls within their union are no surface.
        const float seam = grid.spacing * kSeamVoxels;
        if (!is_shell) built.united = find_union_surface(executor_, tidy_.mesh, tidy_.parts, seam);
        float band = options.band * grid.spacing;
        if (options.reach > 0) band = std::max(band, options.reach + 2 * grid.spacing);
        const SamplePlan plan{grid,
                              options.order,
                              options.sparse,
                              band,
                              options.sign,
                              is_shell ? thickness * 0.5f : 0.0f,
                              options.measure_error,
                              left,
                              options.progress,
                              built.united ? &built.united->mesh : nullptr};
        built.samples = std::make_shared<SampledField>(host_memory());
        SampledField& samples = *built.samples;
#if GRAZE_WITH_CUDA
        if (options.device.is_cuda()) {
            built.outcome =
                build_samples_on_cuda(options.device.index(), tidy_.mesh, plan, samples);
        } else
#endif
        {
            built.outcome = build_samples(executor_, tidy_.mesh, plan, samples);
        }
        if (built.united) samples.seam = seam;
        if (!options.measure_error && !is_shell && (!tidy_.is_closed() || built.united)) {
            // Around a jump, and in a union, the bound of a closed mesh does not hold.
            samples.error = error_bound_of(executor_, samples);
            std::fill_n(samples.errors.data(), samples.errors.size(), samples.error);
        }
        if (finds_lost && !is_shell)
            built.lost = find_lost_surface(executor_, tidy_.mesh, tidy_.parts, samples);
        return built;
    }

    CpuExecutor& executor_;
    const TidyMesh& tidy_;
    const FieldOptions& options_;
    Aabb box_;
};

}  // namespace

Field build_field(const Mesh& mesh, const FieldOptions& options, FieldReport* report) {
    const auto start = std::chrono::steady_clock::now();
    if (mesh.triangles.empty())
        throw Error("the mesh has no triangles: there is nothing to measure distances to");
    validate(mesh);
    CpuExecutor executor(options.device.threads());
    const TidyMesh tidy = tidy_mesh(executor, mesh);
    FieldOptions decided = options;
    if (options.sign == FieldSign::automatic)
        decided.sign = tidy.is_closed() ? FieldSign::crossings : FieldSign::winding;
    std::vector<std::string> rise;
    BuiltSamples built = FieldBuild(executor, tidy, decided).run(report != nullptr, rise);
    const SampledField& samples = *built.samples;
    if (report) {
        FieldReport told;
        told.sign = decided.sign;
        add_findings(tidy, options, told);
        if (built.united) add_findings(*built.united, told);
        add_findings(built.outcome, told);
        told.findings.insert(told.findings.end(), rise.begin(), rise.end());
        if (told.sign != FieldSign::shell) {
            add_findings(built.lost, samples.grid, told);
            const Mesh& surface = built.united ? built.united->mesh : tidy.mesh;
            add_findings(find_buried_surface(executor, surface, samples), tidy, samples.grid, told);
        }
        told.sample_count =
            std::max(samples.values.size(), samples.samples.size()) + samples.coarse.size();
        told.brick_count = samples.brick_count();
        told.memory_bytes = samples.memory_bytes();
        told.error = samples.error;
        told.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        *report = told;
    }
    return make_sampled_field(std::move(built.samples));
}

}  // namespace graze
