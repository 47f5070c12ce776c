// mass_properties() of a mesh. Over a closed surface the tetrahedra from any point to its triangles
// add up to the solid, those seen from behind being negative (the divergence theorem). The point is
// the middle of the box, so that nothing large cancels however far away the mesh lies.
#include "geometry/moments.h"
#include "parallel/cpu_executor.h"
#include "parallel/reductions.h"

namespace graze {

MassProperties mass_properties(const Mesh& mesh, Device device) {
    validate(mesh);
    if (mesh.triangles.empty()) return {};
    const Aabb box = bounds(mesh);
    const Vec3d middle = (static_cast<Vec3d>(box.min) + static_cast<Vec3d>(box.max)) * 0.5;
    const auto moments_of = [&](std::int64_t i) {
        const Triangle t = mesh.triangles[static_cast<std::size_t>(i)];
        return moments_of_tetrahedron(static_cast<Vec3d>(mesh.positions[t[0]]) - middle,
                                      static_cast<Vec3d>(mesh.positions[t[1]]) - middle,
                                      static_cast<Vec3d>(mesh.positions[t[2]]) - middle);
    };
    Moments sum;
    CpuExecutor(device.threads())
        .reduce("mass properties: triangles", static_cast<std::int64_t>(mesh.triangles.size()),
                moments_of, AddValues{}, Moments{}, &sum);
    return to_mass_properties(sum, middle);
}

}  // namespace graze
