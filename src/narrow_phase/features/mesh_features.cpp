#include "narrow_phase/features/mesh_features.h"

#include "graze/error.h"

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

void box_triangles_of(CpuExecutor& executor, const Mesh& mesh, MeshFeatures& features) {
    const auto count = static_cast<std::int64_t>(mesh.triangles.size());
    features.boxes.resize(count);
    executor.for_each(
        "features: boxes", count,
        TriangleBox{mesh.positions.data(), mesh.triangles.data(), features.boxes.data()});
}

void box_blocks(MeshFeatures& features) {
    features.block_boxes.clear();
    for (std::int64_t slot = 0; slot < features.boxes.size(); ++slot) {
        if (slot % ShapeMesh::kBlockTriangles == 0) features.block_boxes.push_back(Aabb::empty());
        Aabb& block = features.block_boxes.back();
        block = merge(block, features.boxes.data()[features.tree.primitives.data()[slot]]);
    }
}

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
    box_triangles_of(executor, mesh, features);
    BvhWorkspace workspace(executor.memory());
    build_bvh(executor, features.boxes.data(), features.boxes.size(), BvhQuality::high,
              features.tree, workspace);
    box_blocks(features);
    report(1);
    return features;
}

void refit_mesh_features(CpuExecutor& executor, const Mesh& mesh, MeshFeatures& features) {
    box_triangles_of(executor, mesh, features);
    refit_bvh(executor, features.boxes.data(), features.tree, features.workspace);
    box_blocks(features);
}

}  // namespace graze
