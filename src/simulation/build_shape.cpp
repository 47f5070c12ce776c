#include <algorithm>
#include <cmath>

#include "graze/mesh_report.h"
#include "simulation/read_shape.h"

namespace graze {

namespace {

bool is_bounded(const Field& field) {
    return is_finite(field.bounds().min) && is_finite(field.bounds().max);
}

std::optional<MassProperties> with_volume(const MassProperties& mass) {
    const bool is_solid = mass.volume > 0 && std::isfinite(mass.volume) && is_finite(mass.centre);
    return is_solid ? std::optional(mass) : std::nullopt;
}

std::optional<MassProperties> mass_of_field(const Field& field, const SceneLoadOptions& options,
                                            const Device& device) {
    if (!is_bounded(field)) return std::nullopt;
    MassOptions mass{.device = device};
    mass.resolution = std::min(mass.resolution, options.detail_limit);
    return with_volume(mass_properties(field, mass));
}

// Integrates over the solid that the mesh bounds; returns none where the mesh is not closed.
std::optional<MassProperties> mass_of_mesh(const Mesh& mesh, const Device& device) {
    const MeshReport report =
        inspect(mesh, {.device = device, .self_intersections = false, .parts = false});
    if (!report.is_closed()) return std::nullopt;
    return with_volume(mass_properties(mesh, device));
}

Mesh make_model(const ShapePlan& plan) {
    Mesh mesh = plan.make_mesh();
    validate(mesh);
    align_model(plan.alignment, mesh);
    return mesh;
}

SceneShape build_model(const ShapePlan& plan, FieldOptions field_options,
                       const SceneLoadOptions& options) {
    const Device device = field_options.device;
    Mesh mesh = make_model(plan);
    FieldReport report;
    Field field = cached_build_field(mesh, field_options, &report, options.cache);
    std::optional<MassProperties> mass;
    // A shell is the wall around the mesh, not what the mesh encloses.
    const bool may_use_mesh =
        plan.mass_from != MassSource::field && (plan.mass_from || report.sign != FieldSign::shell);
    if (may_use_mesh) mass = mass_of_mesh(mesh, device);
    if (!mass && plan.mass_from == MassSource::mesh) {
        plan.at.at("mass_from")
            .fail("the mesh is not closed, or flat, so that it has no volume; take the field");
    }
    const MassSource source = mass ? MassSource::mesh : MassSource::field;
    if (!mass) mass = mass_of_field(field, options, device);
    return {plan.name,   Shape::from_mesh(std::move(mesh), std::move(field), plan.points),
            plan.origin, mass,
            source,      std::move(report.findings)};
}

// Builds a shape without a field: cloth and what it meets are triangles.
SceneShape build_bare(const ShapePlan& plan, const Device& device) {
    if (!plan.make_mesh)
        plan.at.fail("is a formula; the solver cloth needs meshes, from a file or generated");
    Mesh mesh = make_model(plan);
    std::optional<MassProperties> mass = mass_of_mesh(mesh, device);
    return {plan.name, Shape::from_mesh(std::move(mesh)), plan.origin, mass, MassSource::mesh, {}};
}

SceneShape build_formula(const ShapePlan& plan, const std::optional<FieldOptions>& sampling,
                         const SceneLoadOptions& options, const Device& device) {
    Field field = *plan.formula;
    if (sampling) {
        if (!is_bounded(field))
            plan.at.at("sampled").fail("the solid has no end, so that no grid can hold it");
        field = sample_field(field, choose_grid(field.bounds(), *sampling), *sampling);
    }
    return {plan.name,         Shape::from_field(field),
            plan.origin,       mass_of_field(field, options, device),
            MassSource::field, {}};
}

}  // namespace

void align_model(const ModelAlignment& alignment, Mesh& mesh) {
    AabbT<double> box = AabbT<double>::empty();
    std::vector<Vec3d> positions;
    positions.reserve(mesh.positions.size());
    for (const Vec3& position : mesh.positions) {
        positions.push_back(alignment.rotation * static_cast<Vec3d>(position));
        box = merge(box, positions.back());
    }
    if (positions.empty()) throw Error("the mesh is empty");
    const Vec3d sides = extent(box);
    const double longest = std::max({sides.x, sides.y, sides.z});
    if (alignment.size > 0 && !(longest > 0))
        throw Error("the mesh is a point, so that it cannot be given a size");
    const double factor = alignment.size > 0 ? alignment.size / longest : 1;
    Vec3d origin{0, 0, 0};
    if (alignment.origin != ModelAlignment::Origin::as_is) origin = centre(box);
    if (alignment.origin == ModelAlignment::Origin::base) origin.z = box.min.z;
    for (std::size_t i = 0; i < positions.size(); ++i)
        mesh.positions[i] = static_cast<Vec3>((positions[i] - origin) * factor);
}

SceneShape build_shape(const ShapePlan& plan, const SceneDescription& scene,
                       const SceneLoadOptions& options, const Progress& progress) {
    const Device& device = scene.device;
    if (scene.solver.kind == SolverKind::cloth)
        return plan.at.located([&] { return build_bare(plan, device); });
    std::optional<FieldOptions> field = plan.field;
    if (field) {
        field->device = scene.device;
        field->progress = progress;
    }
    return plan.at.located([&] {
        return plan.make_mesh ? build_model(plan, field.value(), options)
                              : build_formula(plan, field, options, device);
    });
}

}  // namespace graze
