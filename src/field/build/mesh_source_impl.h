// prepare_mesh: copies a mesh to one machine, and builds its tree and what searches need of its
// triangles; prepare_winding: builds what tells sides of an open one.
#pragma once

#include "field/build/mesh_source.h"
#include "geometry/split_caps.h"
#include "parallel/upload.h"

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
    const auto triangle_count = static_cast<std::int64_t>(mesh.triangles.size());
    source.prepared.resize(triangle_count);
    upload(executor, "field: copy positions", mesh.positions, source.positions);
    upload(executor, "field: copy triangles", mesh.triangles, source.triangles);
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

template <class Executor>
void prepare_winding(Executor& executor, const Mesh& mesh, bool is_part, MeshSource& source) {
    std::vector<OpenEdge> open_edges;
    if constexpr (Executor::kIsHost) {
        open_edges = find_open_edges(executor, mesh.triangles);
    } else {
        CpuExecutor host;
        open_edges = find_open_edges(host, mesh.triangles);
    }
    if (open_edges.empty()) return;
    const std::vector<Triangle> whole_caps = cap_holes(open_edges);
    const auto [positions, caps, slivers] = split_caps(
        mesh.positions, open_edges, whole_caps, choose_cap_length(mesh.positions, whole_caps));
    std::vector<Triangle> closed = mesh.triangles;
    closed.insert(closed.end(), caps.begin(), caps.end());
    closed.insert(closed.end(), slivers.begin(), slivers.end());
    upload(executor, "field: copy caps", closed, source.triangles);
    std::vector<Vec3> all_positions = mesh.positions;
    if (!positions.empty()) {
        all_positions.insert(all_positions.end(), positions.begin(), positions.end());
        upload(executor, "field: copy positions", all_positions, source.positions);
    }
    build_triangle_bvh(executor, source.positions.data(),
                       source.triangles.data() + mesh.triangles.size(),
                       static_cast<std::int64_t>(caps.size()), BvhQuality::high, source.caps);
    build_winding_tree(executor, source.caps, source.cap_winding);
    if (is_part) {
        build_triangle_bvh(executor, source.positions.data(), source.triangles.data(),
                           static_cast<std::int64_t>(mesh.triangles.size()), BvhQuality::high,
                           source.whole);
    }
    build_winding_tree(executor, is_part ? source.whole : source.bvh, source.winding);
    executor.wait();  // before the lists are given back
}

}  // namespace graze
