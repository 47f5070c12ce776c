// mass_properties() of a mesh. Over a closed surface the tetrahedra from any point to its triangles
// add up to the solid, those seen from behind being negative (the divergence theorem). The point is
// the middle of the box, so that nothing large cancels however far away the mesh lies.
//
// The sum counts a region as often as the surface goes around it. The solid is what a field takes
// for inside, and so where parts overlap, or one runs through itself, the field is integrated.
#include "field/build/union_surface.h"
#include "geometry/moments.h"
#include "geometry/self_intersections.h"
#include "geometry/tidy_mesh.h"
#include "graze/build_field.h"
#include "parallel/reductions.h"

namespace graze {

namespace {

// Whether the sum counts something twice, or less than nothing. Parts that only touch do not.
bool counts_wrong(CpuExecutor& executor, const TidyMesh& tidy) {
    // The seam only decides how finely walls are cut.
    const float seam = length(extent(bounds(tidy.mesh))) * 0.01f;
    if (find_union_surface(executor, tidy.mesh, tidy.parts, seam)) return true;
    for (const IndexPair& pair : find_self_intersections(executor, tidy.mesh)) {
        if (tidy.parts.part_of_triangle[pair.a] == tidy.parts.part_of_triangle[pair.b]) return true;
    }
    return false;
}

}  // namespace

MassProperties mass_properties(const Mesh& mesh, Device device) {
    validate(mesh);
    if (mesh.triangles.empty()) return {};
    CpuExecutor executor(device.threads());
    const TidyMesh tidy = tidy_mesh(executor, mesh);
    if (tidy.is_closed() && counts_wrong(executor, tidy)) {
        FieldOptions options;
        options.measure_error = false;
        options.device = Device::cpu(device.threads());
        MassOptions of_field;
        of_field.device = options.device;
        return mass_properties(build_field(mesh, options), of_field);
    }
    const Mesh& solid = tidy.mesh;
    const Aabb box = bounds(mesh);
    const Vec3d middle = (static_cast<Vec3d>(box.min) + static_cast<Vec3d>(box.max)) * 0.5;
    const auto moments_of = [&](std::int64_t i) {
        const Triangle t = solid.triangles[static_cast<std::size_t>(i)];
        return moments_of_tetrahedron(static_cast<Vec3d>(solid.positions[t[0]]) - middle,
                                      static_cast<Vec3d>(solid.positions[t[1]]) - middle,
                                      static_cast<Vec3d>(solid.positions[t[2]]) - middle);
    };
    Moments sum;
    executor.reduce("mass properties: triangles", static_cast<std::int64_t>(solid.triangles.size()),
                    moments_of, AddValues{}, Moments{}, &sum);
    return to_mass_properties(sum, middle);
}

}  // namespace graze
