// The shapes of a scene file. First all are read, which is quick and finds mistakes; then they are
// built.
#pragma once

#include <functional>
#include <optional>

#include "graze/scene_description.h"
#include "simulation/json_cursor.h"

namespace graze {

// The folders in which meshes are looked for, in this order.
struct MeshFolders {
    std::vector<std::filesystem::path> folders;
};
// Returns the scene's own folder, then those of the options, then those of the environment.
MeshFolders mesh_folders(const std::filesystem::path& scene_folder,
                         const SceneLoadOptions& options);

// How a model is turned, scaled and moved before anything is built from it; in this order.
struct ModelAlignment {
    Mat3d rotation = Mat3d::identity();
    double size = 0;  // [m] of the longest side; 0: the model keeps its size
    enum class Origin { as_is, centre, base } origin = Origin::as_is;
};
// Throws Error where the mesh has no size to go by, or ends up beyond what a scene can hold.
void align_model(const ModelAlignment& alignment, Mesh& mesh);

// A shape that was read and not yet built.
struct ShapePlan {
    JsonCursor at;                      // where it stands in the file, for messages
    std::string name;                   // its name in the scene
    std::string origin;                 // SceneShape::origin
    std::function<Mesh()> make_mesh{};  // null for a formula
    ModelAlignment alignment{};
    std::optional<Field> formula = std::nullopt;
    std::optional<FieldOptions> field = std::nullopt;  // absent for a formula that is not sampled
    PointOptions points{};                             // of a mesh
    std::optional<MassSource> mass_from = std::nullopt;
};

ShapePlan read_shape(const JsonCursor& at, const std::string& name, const MeshFolders& folders,
                     int detail_limit);
// Builds a shape on the scene's device. progress is told the fraction of this shape alone.
SceneShape build_shape(const ShapePlan& plan, const SceneDescription& scene,
                       const SceneLoadOptions& options, const Progress& progress);

}  // namespace graze
