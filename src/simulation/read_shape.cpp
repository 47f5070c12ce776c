#include "simulation/read_shape.h"

#include <algorithm>
#include <cstdlib>

#include "core/nearest_name.h"
#include "graze/mesh_io.h"
#include "simulation/read_formula.h"
#include "simulation/read_generated.h"
#include "simulation/read_pose.h"

namespace graze {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxAlternatives = 16;

FieldOptions read_field_options(const JsonCursor& at, int detail_limit, bool is_of_mesh) {
    std::vector<std::string> known{"resolution", "order", "sparse", "band", "padding"};
    if (is_of_mesh)
        known.insert(known.end(), {"finest_resolution", "sign", "thickness", "measure_error"});
    at.require_members(known);
    FieldOptions field;
    at.read("resolution", field.resolution, 2, detail_limit);
    at.read("finest_resolution", field.finest_resolution, 0, detail_limit);
    if (const auto order = at.find("order"))
        field.order = order->integer(0, 1) == 0 ? FieldOrder::zero : FieldOrder::one;
    at.read("sparse", field.sparse);
    at.read("band", field.band, {1, 1000});
    at.read("padding", field.padding, {1, 1000});
    at.read("sign", field.sign);
    at.read("thickness", field.thickness, kNotNegative);
    at.read("measure_error", field.measure_error);
    return field;
}

// Returns the rotation, exact to the last bit, that takes an axis of the file to z.
Mat3d rotation_from_up(const JsonCursor& at) {
    const Vec3d x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
    return at.choice<Mat3d>({{"x", Mat3d{{z, y, -x}}},
                             {"y", Mat3d{{x, z, -y}}},
                             {"z", Mat3d::identity()},
                             {"-x", Mat3d{{-z, y, x}}},
                             {"-y", Mat3d{{x, -z, y}}},
                             {"-z", Mat3d{{x, -y, -z}}}});
}

ModelAlignment read_alignment(const JsonCursor& at) {
    ModelAlignment alignment;
    if (at.has("up") && at.has("rotation")) at.fail("has up and rotation; keep one of them");
    if (const auto up = at.find("up")) alignment.rotation = rotation_from_up(*up);
    if (const auto rotation = at.find("rotation"))
        alignment.rotation = to_matrix(read_rotation(*rotation));
    at.read("size", alignment.size, kPositive);
    if (const auto centre = at.find("centre")) {
        using Origin = ModelAlignment::Origin;
        if (centre->is_string()) {
            alignment.origin = centre->choice<Origin>({{"base", Origin::base}});
        } else {
            alignment.origin = centre->boolean() ? Origin::centre : Origin::as_is;
        }
    }
    return alignment;
}

std::optional<fs::path> find_mesh(const std::string& file, const MeshFolders& folders) {
    for (const fs::path& folder : folders.folders) {
        std::error_code ignored;
        if (fs::is_regular_file(folder / file, ignored)) return folder / file;
    }
    return std::nullopt;
}

// Reads what mesh and generated share.
ShapePlan plan_model(const JsonCursor& at, const std::string& name, int detail_limit) {
    ShapePlan plan{.at = at, .name = name, .origin = {}};
    plan.alignment = read_alignment(at);
    const auto field = at.find("field");
    plan.field = field ? read_field_options(*field, detail_limit, true) : FieldOptions{};
    plan.field->resolution = std::min(plan.field->resolution, detail_limit);
    if (const auto points = at.find("points")) {
        points->require_members({"spacing"});
        points->read("spacing", plan.points.spacing, kNotNegative);
    }
    if (const auto from = at.find("mass_from")) plan.mass_from = from->named<MassSource>();
    return plan;
}

ShapePlan plan_formula(const JsonCursor& at, const std::string& name, int detail_limit) {
    ShapePlan plan{.at = at, .name = name, .origin = "formula"};
    plan.formula = read_formula(at.at("formula"));
    if (const auto sampled = at.find("sampled"))
        plan.field = read_field_options(*sampled, detail_limit, false);
    if (const auto from = at.find("mass_from"))
        plan.mass_from =
            from->choice<MassSource>({{name_of(MassSource::field), MassSource::field}});
    return plan;
}

// Reads a shape that is no list of alternatives; returns none where its file is not there.
std::optional<ShapePlan> read_one(const JsonCursor& at, const std::string& name,
                                  const MeshFolders& folders, int detail_limit) {
    const std::string kind = at.require_one_of({"mesh", "generated", "formula"});
    if (kind == "formula") {
        at.require_members({"formula", "sampled", "mass_from"});
        return plan_formula(at, name, detail_limit);
    }
    at.require_members({kind, "up", "rotation", "size", "centre", "field", "points", "mass_from"});
    ShapePlan plan = plan_model(at, name, detail_limit);
    if (kind == "generated") {
        GeneratedMesh generated = read_generated(at.at(kind), detail_limit);
        plan.origin = "generated " + generated.kind;
        plan.make_mesh = std::move(generated.make);
        return plan;
    }
    const JsonCursor file_at = at.at(kind);
    const std::string& file = file_at.string();
    file_at.located([&] { return mesh_format(file); });
    const std::optional<fs::path> found = find_mesh(file, folders);
    if (!found) return std::nullopt;
    plan.origin = file;
    plan.make_mesh = [path = *found] { return load_mesh(path); };
    return plan;
}

std::string folder_list(const MeshFolders& folders) {
    std::string text;
    for (const fs::path& folder : folders.folders)
        text += (text.empty() ? "" : ", ") + (folder.empty() ? "." : folder.string());
    return text;
}

ShapePlan read_first_of(const JsonCursor& at, const std::string& name, const MeshFolders& folders,
                        int detail_limit) {
    at.require_members({"first_of"});
    const JsonCursor list = at.at("first_of");
    std::optional<ShapePlan> taken;
    // Those that are not taken are checked as well: another machine may take them.
    const std::size_t count = list.size(1, kMaxAlternatives);
    for (std::size_t i = 0; i < count; ++i) {
        std::optional<ShapePlan> plan = read_one(list[i], name, folders, detail_limit);
        if (!taken) taken = std::move(plan);
    }
    if (!taken) {
        list.fail("none of the files is there; looked in " + folder_list(folders) +
                  "; end the list with a generated shape");
    }
    return *std::move(taken);
}

}  // namespace

MeshFolders mesh_folders(const fs::path& scene_folder, const SceneLoadOptions& options) {
    MeshFolders result{{scene_folder}};
    result.folders.insert(result.folders.end(), options.mesh_folders.begin(),
                          options.mesh_folders.end());
    // A checkout's scenes find the real models that lie beside it, as its tests do.
    const char* given = std::getenv("GRAZE_DATA");
    const bool is_given = given != nullptr && *given != '\0';
    const fs::path root = is_given ? fs::path(given) : scene_folder / "../../shared/data";
    std::error_code ignored;
    if (is_given || fs::is_directory(root, ignored)) {
        result.folders.push_back(root);
        result.folders.push_back(root / "models");
    }
    return result;
}

ShapePlan read_shape(const JsonCursor& at, const std::string& name, const MeshFolders& folders,
                     int detail_limit) {
    at.require_members({"mesh", "generated", "formula", "first_of", "up", "rotation", "size",
                        "centre", "field", "points", "sampled", "mass_from"});
    const std::string kind = at.require_one_of({"mesh", "generated", "formula", "first_of"});
    if (kind == "first_of") return read_first_of(at, name, folders, detail_limit);
    std::optional<ShapePlan> plan = read_one(at, name, folders, detail_limit);
    if (!plan) {
        const JsonCursor file = at.at("mesh");
        file.fail("there is no file " + in_quotes(file.string()) + "; looked in " +
                  folder_list(folders));
    }
    return *std::move(plan);
}

}  // namespace graze
