#include "geometry/sample_surface.h"

#include "geometry/topology.h"
#include "parallel/cpu_executor.h"

namespace graze {

SurfacePoints points_of_vertices(const Mesh& mesh, int threads) {
    CpuExecutor executor(threads);
    TopologyWorkspace workspace(executor.memory());
    Topology topology(executor.memory());
    build_topology(executor, mesh.triangles.data(),
                   static_cast<std::int64_t>(mesh.triangles.size()),
                   static_cast<std::int64_t>(mesh.positions.size()), workspace, topology);
    Pseudonormals normals(executor.memory());
    compute_pseudonormals(executor, mesh.positions.data(), mesh.triangles.data(), topology.view(),
                          normals);
    SurfacePoints points{mesh.positions, {}};
    points.normals.assign(normals.vertices.data(), normals.vertices.data() + mesh.positions.size());
    return points;
}

}  // namespace graze
