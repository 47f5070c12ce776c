// intersect_mesh_triangles against CGAL's Polygon_mesh_processing::self_intersections: the same
// pairs, on small meshes full of degeneracies, on real models and on frames of real cloth
// (GRAZE_DATA names their folder).
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/IO/polygon_soup_io.h>
#include <CGAL/Polygon_mesh_processing/orient_polygon_soup.h>
#include <CGAL/Polygon_mesh_processing/polygon_soup_to_polygon_mesh.h>
#include <CGAL/Polygon_mesh_processing/self_intersections.h>
#include <CGAL/Surface_mesh.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <vector>

#include "geometry/intersect_mesh_triangles.h"
#include "graze/mesh_io.h"
#include "parallel/cpu_executor.h"
#include "tests/narrow_phase/features/intersection_cases.h"
#include "tests/needs_data.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

namespace pmp = CGAL::Polygon_mesh_processing;
using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using SurfaceMesh = CGAL::Surface_mesh<Kernel::Point_3>;
using Pair = std::pair<int, int>;  // faces, the smaller index first
using Pairs = std::vector<Pair>;   // sorted

template <class T>
MeshT<T> to_mesh(const SurfaceMesh& surface) {
    MeshT<T> mesh;
    for (const auto vertex : surface.vertices()) {
        const Kernel::Point_3& p = surface.point(vertex);
        mesh.positions.push_back({T(p.x()), T(p.y()), T(p.z())});
    }
    for (const auto face : surface.faces()) {
        Triangle t{};
        int corner = 0;
        for (const auto vertex : vertices_around_face(surface.halfedge(face), surface))
            t.v[corner++] = std::uint32_t(vertex.idx());
        mesh.triangles.push_back(t);
    }
    return mesh;
}

// Moves the vertices of the surface to those of the mesh, which may hold rounded ones.
template <class T>
void set_positions(SurfaceMesh& surface, const MeshT<T>& mesh) {
    for (const auto vertex : surface.vertices()) {
        const Vec3T<T>& p = mesh.positions[vertex.idx()];
        surface.point(vertex) = {double(p.x), double(p.y), double(p.z)};
    }
}

// CGAL pairs a collapsed face with itself, so those pairs name the collapsed faces.
Pairs pairs_of_cgal(const SurfaceMesh& surface) {
    std::vector<std::pair<SurfaceMesh::Face_index, SurfaceMesh::Face_index>> found;
    pmp::self_intersections(surface, std::back_inserter(found));
    Pairs pairs;
    for (const auto& [f, g] : found)
        pairs.emplace_back(std::minmax(int(f.idx()), int(g.idx())));
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

// The same convention with graze's predicates; boxes sorted by their left side and swept.
template <class T>
Pairs pairs_of_graze(const MeshT<T>& mesh) {
    const auto& p = mesh.positions;
    Pairs pairs;
    std::vector<AabbT<T>> boxes;
    std::vector<int> order;
    for (int i = 0; i < int(mesh.triangles.size()); ++i) {
        const Triangle& t = mesh.triangles[i];
        boxes.push_back(box_of(p[t[0]], p[t[1]], p[t[2]]));
        if (are_collinear(p[t[0]], p[t[1]], p[t[2]]))
            pairs.emplace_back(i, i);
        else
            order.push_back(i);
    }
    std::sort(order.begin(), order.end(),
              [&](int i, int j) { return boxes[i].min.x < boxes[j].min.x; });
    for (std::size_t i = 0; i < order.size(); ++i) {
        const int f = order[i];
        for (std::size_t j = i + 1; j < order.size(); ++j) {
            const int g = order[j];
            if (boxes[g].min.x > boxes[f].max.x) break;
            if (overlap(boxes[f], boxes[g]) &&
                intersect_mesh_triangles(p.data(), mesh.triangles[f], mesh.triangles[g]))
                pairs.emplace_back(std::minmax(f, g));
        }
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

// A sheet, tube or torus of side x side vertices: all shapes of neighbourhood occur.
SurfaceMesh make_sheet(int side, bool wrap_x, bool wrap_y) {
    SurfaceMesh surface;
    std::vector<SurfaceMesh::Vertex_index> v;
    v.reserve(std::size_t(side) * side);
    for (int i = 0; i < side * side; ++i)
        v.push_back(surface.add_vertex({0, 0, 0}));
    for (int y = 0; y < (wrap_y ? side : side - 1); ++y)
        for (int x = 0; x < (wrap_x ? side : side - 1); ++x) {
            const int x1 = (x + 1) % side, y1 = (y + 1) % side;
            surface.add_face(v[y * side + x], v[y * side + x1], v[y1 * side + x]);
            surface.add_face(v[y * side + x1], v[y1 * side + x1], v[y1 * side + x]);
        }
    return surface;
}

template <class T>
class SelfIntersectionsCgal : public testing::Test {};
using Coordinates = testing::Types<float, double>;
TYPED_TEST_SUITE(SelfIntersectionsCgal, Coordinates);

TYPED_TEST(SelfIntersectionsCgal, SamePairsOnSmallMeshes) {
    oracle::RandomPoints<TypeParam> random(71);
    long pair_count = 0, face_count = 0;
    for (int i = 0; i < oracle::case_count(3000); ++i) {
        SurfaceMesh surface = make_sheet(4 + i % 3, i % 2 == 0, i % 4 == 0);
        MeshT<TypeParam> mesh = to_mesh<TypeParam>(surface);
        for (auto& p : mesh.positions) {
            p = i % 3 == 0 ? random.in_box(1) : random.on_grid(1 + i % 5);
            if (i % 3 == 2) p = random.nudged(p, 1);
        }
        set_positions(surface, mesh);
        const Pairs expected = pairs_of_cgal(surface);
        ASSERT_EQ(pairs_of_graze(mesh), expected) << "mesh " << i;
        pair_count += long(expected.size());
        face_count += long(mesh.triangles.size());
    }
    EXPECT_GT(pair_count, face_count / 2);
}

// Sheets that are nearly right: neighbours folded, touching and flat, as in a crumpled cloth.
TYPED_TEST(SelfIntersectionsCgal, SamePairsOnCrumpledSheets) {
    oracle::RandomPoints<TypeParam> random(72);
    for (int i = 0; i < oracle::case_count(1000); ++i) {
        SurfaceMesh surface = make_sheet(8, false, false);
        MeshT<TypeParam> mesh = to_mesh<TypeParam>(surface);
        for (int k = 0; k < 64; ++k) {
            const int column = k % 8, row = k / 8;
            mesh.positions[k] = {TypeParam(column), TypeParam(row), 0};
            if (random.integer(0, 5) == 0) mesh.positions[k] += random.on_grid(1);
            if (random.integer(0, 5) == 0) mesh.positions[k] = random.nudged(mesh.positions[k], 1);
        }
        set_positions(surface, mesh);
        ASSERT_EQ(pairs_of_graze(mesh), pairs_of_cgal(surface)) << "mesh " << i;
    }
}

// ---- real models ----

std::filesystem::path models_folder() {
    return data_folder() / "models";
}

// False where the file is no polygon soup that CGAL reads. Non-manifold edges and vertices are cut
// open, which gives both sides the same vertices.
bool read_surface(const std::filesystem::path& file, SurfaceMesh& surface) {
    std::vector<Kernel::Point_3> points;
    std::vector<std::vector<std::size_t>> polygons, triangles;
    if (!CGAL::IO::read_polygon_soup(file.string(), points, polygons)) return false;
    for (const auto& polygon : polygons)
        for (std::size_t k = 2; k < polygon.size(); ++k)
            triangles.push_back({polygon[0], polygon[k - 1], polygon[k]});
    std::erase_if(triangles,
                  [](const auto& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; });
    pmp::orient_polygon_soup(points, triangles);
    pmp::polygon_soup_to_polygon_mesh(points, triangles, surface);
    return true;
}

TYPED_TEST(SelfIntersectionsCgal, SamePairsOnModels) {
    GRAZE_NEEDS_DATA("models");
    int model_count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(models_folder())) {
        SurfaceMesh surface;
        if (!read_surface(entry.path(), surface)) continue;
        const MeshT<TypeParam> mesh = to_mesh<TypeParam>(surface);
        set_positions(surface, mesh);
        const Pairs expected = pairs_of_cgal(surface);
        EXPECT_TRUE(pairs_of_graze(mesh) == expected) << entry.path();
        this->RecordProperty(entry.path().stem().string(), int(expected.size()));
        ++model_count;
    }
    EXPECT_GT(model_count, 0);
}

// ---- frames of deforming meshes, by the search that detectors use ----

// Empty where the mesh is no manifold.
SurfaceMesh to_surface(const MeshD& mesh) {
    SurfaceMesh surface;
    for (const Vec3d& p : mesh.positions)
        surface.add_vertex({p.x, p.y, p.z});
    using Vertex = SurfaceMesh::Vertex_index;
    for (const Triangle& t : mesh.triangles)
        if (surface.add_face(Vertex(t[0]), Vertex(t[1]), Vertex(t[2])) == SurfaceMesh::null_face())
            return {};
    return surface;
}

template <class T>
Pairs pairs_found(const MeshT<T>& mesh) {
    CpuExecutor executor;
    Pairs pairs;
    for (const TriangleIntersection& found : find_intersections(executor, mesh))
        pairs.emplace_back(int(found.a), int(found.b));
    return pairs;
}

TEST(SelfIntersectionsCgal, SamePairsOnFrames) {
    GRAZE_NEEDS_DATA("sequences");
    const std::filesystem::path sequences = data_folder() / "sequences";
    int frame_count = 0;
    for (const char* sequence : {"cloth-ball", "cloth-funnel", "n-body"}) {
        for (const auto& entry :
             std::filesystem::directory_iterator(sequences / sequence / "frames")) {
            const MeshD mesh = load_mesh_double(entry.path());
            const SurfaceMesh surface = to_surface(mesh);
            ASSERT_EQ(surface.number_of_faces(), mesh.triangles.size()) << entry.path();
            const Pairs expected = pairs_of_cgal(surface);
            EXPECT_TRUE(pairs_found(mesh) == expected) << entry.path();
            // Floats where the file has floats.
            const Mesh rounded = load_mesh(entry.path());
            bool has_floats = true;
            for (std::size_t i = 0; i < mesh.positions.size(); ++i)
                has_floats &= static_cast<Vec3d>(rounded.positions[i]) == mesh.positions[i];
            if (has_floats) {
                EXPECT_TRUE(pairs_found(rounded) == expected) << entry.path();
            }
            RecordProperty(entry.path().stem().string(), int(expected.size()));
            ++frame_count;
        }
    }
    EXPECT_EQ(frame_count, 6);
}

}  // namespace
}  // namespace graze
