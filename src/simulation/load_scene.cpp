// load_scene: first all of the file is read, which is quick, then the shapes are built.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/nearest_name.h"
#include "graze/scene_description.h"
#include "io/read_file.h"
#include "simulation/parse_json.h"
#include "simulation/read_bodies.h"
#include "simulation/read_settings.h"
#include "simulation/read_shape.h"

namespace graze {

namespace {

constexpr std::size_t kMaxShapes = 10'000;

std::vector<ShapePlan> read_shapes(const JsonCursor& at, const MeshFolders& folders,
                                   const SceneLoadOptions& options) {
    const std::vector<std::string> names = at.names();
    if (names.size() > kMaxShapes)
        at.fail("there are more than " + std::to_string(kMaxShapes) + " shapes");
    std::vector<ShapePlan> plans;
    for (const std::string& name : names) {
        if (name.empty() || name.size() > 200) at.fail("give shapes names of 1 to 200 bytes");
        plans.push_back(read_shape(at.at(name), name, folders, options.detail_limit));
    }
    return plans;
}

void build_shapes(const std::vector<ShapePlan>& plans, const SceneLoadOptions& options,
                  SceneDescription& scene) {
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const auto report_all = [&](double fraction) {
            const double done =
                (static_cast<double>(i) + fraction) / static_cast<double>(plans.size());
            return !options.progress || options.progress(done);
        };
        scene.shapes.push_back(build_shape(plans[i], scene, options, report_all));
        if (!report_all(1)) throw Error("stopped while the shapes were built");
    }
}

// Solvers compute masses and inertias with floats, and divide by both.
bool is_float(double value) {
    return value >= double{std::numeric_limits<float>::min()} &&
           value <= double{std::numeric_limits<float>::max()};
}

// Says what is wrong with the mass of a dynamic body; empty where nothing is.
std::string mass_defect(const SceneDescription& scene, const SceneBody& body) {
    const SceneShape& shape = scene.shapes[body.shape];
    if (!shape.mass) {
        return "the shape " + in_quotes(shape.name) +
               " has no end or no volume, so that its bodies have no mass; make them fixed or "
               "kinematic";
    }
    const double scale = body.pose.scale, density = scene.materials[body.material].density;
    const double mass = shape.mass->volume * density * scale * scale * scale;
    const double factor = density * scale * scale * scale * scale * scale;
    const Mat3d& inertia = shape.mass->inertia;
    const Vec3d moments =
        Vec3d{inertia.columns[0].x, inertia.columns[1].y, inertia.columns[2].z} * factor;
    if (is_float(mass) && is_float(moments.x) && is_float(moments.y) && is_float(moments.z))
        return "";
    char figures[120];
    std::snprintf(figures, sizeof figures, "%.3g kg and an inertia of %.3g, %.3g, %.3g kg m^2",
                  mass, moments.x, moments.y, moments.z);
    return "the body " + in_quotes(body.name) + " has a mass of " + figures +
           ", which must be within 1.2e-38 and 3.4e+38; change its size, scale or density";
}

// Refuses bodies that move freely and have no mass.
void check_masses(const JsonCursor& bodies, const std::vector<BodyOrigin>& origins,
                  const SceneDescription& scene) {
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
        if (scene.bodies[i].motion != BodyMotion::dynamic) continue;
        const std::string defect = mass_defect(scene, scene.bodies[i]);
        if (defect.empty()) continue;
        const auto after = std::upper_bound(
            origins.begin(), origins.end(), i,
            [](std::size_t index, const BodyOrigin& origin) { return index < origin.first_body; });
        bodies[(after - 1)->entry].fail(defect);
    }
}

std::string stem_of(const std::string& name) {
    const std::string stem = std::filesystem::path(name).stem().string();
    return stem.empty() ? "scene" : stem;
}

}  // namespace

SceneDescription parse_scene(std::string_view text, const std::string& name,
                             const std::filesystem::path& folder, const SceneLoadOptions& options) {
    const nlohmann::json value = parse_json(text, name);
    const JsonCursor root(value, name);
    std::vector<std::string> known{"shapes", "bodies"};
    const std::vector<std::string> settings = setting_names();
    known.insert(known.end(), settings.begin(), settings.end());
    root.require_members(known);

    SceneDescription scene;
    scene.name = stem_of(name);
    read_settings(root, options, scene);
    const std::vector<ShapePlan> plans =
        read_shapes(root.at("shapes"), mesh_folders(folder, options), options);
    std::vector<std::string> shape_names;
    shape_names.reserve(plans.size());
    for (const ShapePlan& plan : plans)
        shape_names.push_back(plan.name);
    const JsonCursor bodies = root.at("bodies");
    const std::vector<BodyOrigin> origins =
        read_bodies(bodies, shape_names, options.body_limit, scene);
    build_shapes(plans, options, scene);
    check_masses(bodies, origins, scene);
    return scene;
}

SceneDescription load_scene(const std::filesystem::path& file, const SceneLoadOptions& options) {
    const io::FileBytes bytes = io::read_file(file);
    return parse_scene(bytes.view(), file.string(), file.parent_path(), options);
}

}  // namespace graze
