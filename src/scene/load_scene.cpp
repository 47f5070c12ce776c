// Reading a scene: first all of the file, which is quick, then the shapes are built.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "graze/scene_description.h"
#include "io/read_file.h"
#include "scene/nearest_name.h"
#include "scene/parse_json.h"
#include "scene/read_bodies.h"
#include "scene/read_settings.h"
#include "scene/read_shape.h"

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
        const auto part_of_all = [&](double part) {
            const double done = (static_cast<double>(i) + part) / static_cast<double>(plans.size());
            return !options.progress || options.progress(done);
        };
        scene.shapes.push_back(build_shape(plans[i], scene, options, part_of_all));
        if (!part_of_all(1)) throw Error("stopped while the shapes were built");
    }
}

// What moves freely needs a mass.
void check_masses(const JsonCursor& bodies, const std::vector<BodyOrigin>& origins,
                  const SceneDescription& scene) {
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
        const SceneBody& body = scene.bodies[i];
        const SceneShape& shape = scene.shapes[body.shape];
        if (body.motion != BodyMotion::dynamic || shape.mass) continue;
        const auto after = std::upper_bound(
            origins.begin(), origins.end(), i,
            [](std::size_t index, const BodyOrigin& origin) { return index < origin.first_body; });
        const JsonCursor at = bodies[(after - 1)->entry];
        at.fail("the shape " + in_quotes(shape.name) +
                " has no end or no volume, so that its bodies have no mass; make them fixed or "
                "kinematic");
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
