#include "narrow_phase/features/mesh_features.h"

#include "graze/error.h"
#include "parallel/cpu_executor.h"

namespace graze {

namespace {

struct TriangleBox {
    const Vec3* positions;
    const Triangle* triangles;
    Aabb* boxes;
    GRAZE_HD void operator()(std::int64_t i) const {
        const Triangle& t = triangles[i];
        boxes[i] = box_of(positions[t[0]], positions[t[1]], positions[t[2]]);
    }
};

}  // namespace

MeshFeatures make_mesh_features(const Mesh& mesh, int threads,
                                const std::function<bool(double fraction)>& progress) {
    const auto report = [&](double fraction) {
        if (progress && !progress(fraction))
            throw Error("the preparation of a mesh was stopped by its caller");
    };
    report(0);
    CpuExecutor executor(threads);
    MeshFeatures features(executor.memory());
    DeformingTopology topology;
    topology.vertex_count = static_cast<std::int64_t>(mesh.positions.size());
    topology.triangles = mesh.triangles;
    features.elements = make_elements(topology);
    report(0.5);
    const auto count = static_cast<std::int64_t>(mesh.triangles.size());
    Buffer<Aabb> boxes = executor.make_buffer<Aabb>(count);
    executor.for_each("features: boxes", count,
                      TriangleBox{mesh.positions.data(), mesh.triangles.data(), boxes.data()});
    BvhWorkspace workspace(executor.memory());
    build_bvh(executor, boxes.data(), count, BvhQuality::high, features.tree, workspace);
    for (std::int64_t slot = 0; slot < count; ++slot) {
        if (slot % ShapeMesh::kBlockTriangles == 0) features.block_boxes.push_back(Aabb::empty());
        Aabb& block = features.block_boxes.back();
        block = merge(block, boxes.data()[features.tree.primitives.data()[slot]]);
    }
    report(1);
    return features;
}

}  // namespace graze
