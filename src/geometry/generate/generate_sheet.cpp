#include "geometry/generate/check_generated.h"
#include "geometry/generate/ring_mesh.h"
#include "graze/generate_mesh.h"

namespace graze {

Mesh make_sheet(const SheetMeshOptions& options) {
    require_ranges("sheet", options);

    const auto along = [](float size, int i, int count) {
        return double{size} * i / count - double{size} / 2;
    };
    Mesh mesh;
    for (int j = 0; j <= options.rows; ++j) {
        for (int i = 0; i <= options.columns; ++i) {
            add_vertex(mesh, {along(options.width, i, options.columns),
                              along(options.depth, j, options.rows), 0});
        }
    }
    const auto at = [&](int i, int j) {
        return static_cast<std::uint32_t>(j * (options.columns + 1) + i);
    };
    for (int j = 0; j < options.rows; ++j) {
        for (int i = 0; i < options.columns; ++i) {
            const std::uint32_t a = at(i, j), b = at(i + 1, j), c = at(i + 1, j + 1),
                                d = at(i, j + 1);
            // By turns, so that the sheet is as stiff along one diagonal as along the other.
            if ((i + j) % 2 == 0) {
                mesh.triangles.push_back({{a, b, c}});
                mesh.triangles.push_back({{a, c, d}});
            } else {
                mesh.triangles.push_back({{a, b, d}});
                mesh.triangles.push_back({{b, c, d}});
            }
        }
    }
    return mesh;
}

}  // namespace graze
