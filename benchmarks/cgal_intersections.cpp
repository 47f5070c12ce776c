#include "benchmarks/cgal_intersections.h"

#define CGAL_LINKED_WITH_TBB
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Surface_mesh.h>
#include <tbb/task_arena.h>

#include <utility>
#include <vector>

namespace graze {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using SurfaceMesh = CGAL::Surface_mesh<Kernel::Point_3>;

struct CgalIntersections::Surface {
    SurfaceMesh mesh;

    template <class Tag>
    std::size_t find() const {
        std::vector<std::pair<SurfaceMesh::Face_index, SurfaceMesh::Face_index>> found;
        CGAL::Polygon_mesh_processing::self_intersections<Tag>(mesh.faces(), mesh,
                                                               std::back_inserter(found));
        return found.size();
    }
};

CgalIntersections::CgalIntersections(std::span<const Vec3> positions,
                                     std::span<const Triangle> triangles)
    : surface_(std::make_unique<Surface>()) {
    for (const Vec3& p : positions)
        surface_->mesh.add_vertex({double(p.x), double(p.y), double(p.z)});
    using Vertex = SurfaceMesh::Vertex_index;
    for (const Triangle& t : triangles)
        surface_->mesh.add_face(Vertex(t[0]), Vertex(t[1]), Vertex(t[2]));
}

CgalIntersections::~CgalIntersections() = default;

std::size_t CgalIntersections::find(int thread_count) const {
    if (thread_count == 1) return surface_->find<CGAL::Sequential_tag>();
    tbb::task_arena arena(thread_count);
    return arena.execute([&] { return surface_->find<CGAL::Parallel_tag>(); });
}

}  // namespace graze
