#pragma once

#include "field/mesh_source.h"

namespace graze {
namespace source_detail {

struct PrepareTriangle {
    const BvhTriangle* triangles;
    PreparedTriangle* out;
    GRAZE_HD void operator()(std::int64_t slot) const {
        const BvhTriangle t = load_triangle(triangles + slot);
        out[slot] = prepare(t.a, t.b, t.c, t.index);
    }
};

}  // namespace source_detail

template <class Executor>
void prepare_mesh(Executor& executor, const Mesh& mesh, MeshSource& source) {
    const auto vertex_count = static_cast<std::int64_t>(mesh.positions.size());
    const auto triangle_count = static_cast<std::int64_t>(mesh.triangles.size());
    source.positions.resize(vertex_count);
    source.triangles.resize(triangle_count);
    source.prepared.resize(triangle_count);
    executor.copy_from_host("field: copy positions", mesh.positions.data(), source.positions.data(),
                            vertex_count);
    executor.copy_from_host("field: copy triangles", mesh.triangles.data(), source.triangles.data(),
                            triangle_count);
    build_triangle_bvh(executor, source.positions.data(), source.triangles.data(), triangle_count,
                       BvhQuality::high, source.bvh);
    executor.for_each(
        "field: prepare triangles", triangle_count,
        source_detail::PrepareTriangle{source.bvh.triangles.data(), source.prepared.data()});
    if constexpr (Executor::kIsHost) build_wide_bvh(executor, source.bvh, source.wide);
}

}  // namespace graze
