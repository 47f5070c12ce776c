#pragma once

#include "field/build/mesh_source.h"

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

struct GatherSags {
    const TrianglePacket* packets;
    const PreparedTriangle* triangles;
    PacketSags* out;
    void operator()(std::int64_t packet) const {
        for (int lane = 0; lane < kWideBvhWidth; ++lane)
            out[packet].sag_sq[lane] = triangles[packets[packet].slot[lane]].sag_sq;
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
    if constexpr (Executor::kIsHost) {
        build_wide_bvh(executor, source.bvh, source.wide);
        const std::int64_t packet_count = source.wide.packets.size();
        source.sags.resize(packet_count);
        executor.for_each("field: gather sags", packet_count,
                          source_detail::GatherSags{source.wide.packets.data(),
                                                    source.prepared.data(), source.sags.data()});
    }
}

}  // namespace graze
