// The models of the paper on points against fields (Xu and Barbic, 2014), as near as they are at
// hand, with its figures: tables 3 and 4.
#pragma once

#include <cstdio>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "graze/field_cache.h"
#include "graze/mesh_io.h"
#include "graze/shape.h"
#include "tests/data_folder.h"

namespace graze {

// What the paper says of a model. [s] Table 3 is of 1,000 pairs of poses, table 4 of a simulation.
struct PaperModel {
    const char* name;
    const char* file;
    const char* scene;        // of table 4, in scenes/
    std::size_t point_count;  // 0: all vertices, which are as many as the paper's
    double random_linear, random_tree;
    int frame_count;
    double drop_linear, drop_tree;
};

// The paper's bunny has 777 vertices and its china bowl 2,072. These are not to be had; the points
// are so many vertices of the bunny and the bowl of the data folder, spread evenly.
inline constexpr PaperModel kPaperModels[] = {
    {"bunny", "bunny_hr.obj", "paper_bunny.json", 777, 1.8, 0.7, 2600, 8, 2.5},
    {"china bowl", "bowl.obj", "paper_bowl.json", 2072, 3.4, 0.3, 2000, 20.3, 4.5},
    {"dragon", "dragon_vrip.ply", "paper_dragon.json", 0, 761.2, 9.9, 1160, 671.6, 2.6},
};

// Finds a model's file in the folder of models, or where scripts/model puts it.
inline std::optional<std::filesystem::path> find_model(const std::string& file) {
    for (const std::filesystem::path& path :
         {data_folder() / "models" / file, std::filesystem::path(GRAZE_DRAGON)}) {
        if (path.filename() == file && std::filesystem::exists(path)) return path;
    }
    return std::nullopt;
}

// Keeps `count` vertices, each as far from those before it as can be, and joins those whose
// neighbourhoods meet in a triangle.
inline Mesh keep_spread_vertices(const Mesh& mesh, std::size_t count) {
    const std::size_t vertex_count = mesh.positions.size();
    if (count == 0 || count >= vertex_count) return mesh;
    std::vector<float> distance_sq(vertex_count, std::numeric_limits<float>::infinity());
    std::vector<std::uint32_t> nearest(vertex_count, 0);
    Mesh kept;
    std::size_t next = 0;
    for (std::uint32_t k = 0; k < count; ++k) {
        kept.positions.push_back(mesh.positions[next]);
        std::size_t farthest = 0;
        for (std::size_t v = 0; v < vertex_count; ++v) {
            const float d = length_sq(mesh.positions[v] - kept.positions.back());
            if (d < distance_sq[v]) {
                distance_sq[v] = d;
                nearest[v] = k;
            }
            if (distance_sq[v] > distance_sq[farthest]) farthest = v;
        }
        next = farthest;
    }
    std::set<std::set<std::uint32_t>> seen;
    for (const Triangle& t : mesh.triangles) {
        const std::uint32_t a = nearest[t[0]], b = nearest[t[1]], c = nearest[t[2]];
        if (a == b || b == c || c == a || !seen.insert({a, b, c}).second) continue;
        kept.triangles.push_back({{a, b, c}});
    }
    return kept;
}

struct SweepModel {
    const PaperModel* paper;
    Shape shape;  // its points are its mesh's vertices
    Aabb box;     // [m] of the grid of its field
};

// The grid of the paper's fields is a cube, with 2 voxels around the mesh: n^3 samples, or n^3
// cells where it is sparse.
inline FieldGrid cubic_grid(const Mesh& mesh, int n, bool is_sparse) {
    const Aabb box = bounds(mesh);
    const Vec3 size = extent(box);
    const std::int32_t cells = is_sparse ? n : n - 1;
    FieldGrid grid{};
    grid.spacing = max_of(max_of(size.x, size.y), size.z) / static_cast<float>(cells - 4);
    for (int axis = 0; axis < 3; ++axis) {
        grid.cells[axis] = cells;
        grid.origin[axis] = centre(box)[axis] - grid.spacing * (static_cast<float>(cells) * 0.5f);
    }
    return grid;
}

// The options of the paper's fields: values alone, blended trilinearly. Above 256^3 they are sparse
// here.
inline FieldOptions sweep_field_options(const Mesh& mesh, int resolution, const Device& device) {
    FieldOptions options{.resolution = resolution, .order = FieldOrder::zero, .device = device};
    options.sparse = resolution > 256;
    options.grid = cubic_grid(mesh, resolution, options.sparse);
    return options;
}

// The field is built from the whole mesh and kept in build/fields. file: the mesh, where it is not
// where find_model() looks.
inline std::optional<SweepModel> load_sweep_model(const PaperModel& paper, int resolution,
                                                  const Device& device,
                                                  const char* file = nullptr) {
    const std::optional<std::filesystem::path> path =
        file ? std::filesystem::path(file) : find_model(paper.file);
    if (!path) {
        std::printf("%s: %s is not there; set GRAZE_DATA or run scripts/model\n", paper.name,
                    paper.file);
        return std::nullopt;
    }
    const Mesh mesh = load_mesh(*path);
    const FieldOptions options = sweep_field_options(mesh, resolution, device);
    const FieldCacheOptions cache{
        .folder = std::filesystem::path(GRAZE_SOURCE_DIR) / "build/fields",
        .limit_bytes = std::int64_t{16} << 30};
    const Field field = cached_build_field(mesh, options, nullptr, cache);
    Mesh points = keep_spread_vertices(mesh, paper.point_count);
    return SweepModel{&paper, Shape::from_mesh(std::move(points), field), options.grid->box()};
}

}  // namespace graze
