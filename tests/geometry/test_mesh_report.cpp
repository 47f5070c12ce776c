#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "graze/error.h"
#include "graze/generate_mesh.h"
#include "graze/mesh_io.h"
#include "graze/mesh_report.h"
#include "graze/names.h"
#include "tests/needs_data.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/sample_meshes.h"
#include "tests/oracle/topology_oracle.h"

namespace graze {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string explained(const Mesh& mesh) {
    std::string text;
    for (const std::string& sentence : explain(inspect(mesh)))
        text += sentence + "\n";
    return text;
}

void flip(Mesh& mesh) {
    for (Triangle& t : mesh.triangles)
        std::swap(t.v[1], t.v[2]);
}

void append(Mesh& mesh, Mesh other, const Vec3& offset) {
    const auto base = static_cast<std::uint32_t>(mesh.positions.size());
    for (const Vec3& p : other.positions)
        mesh.positions.push_back(p + offset);
    for (const Triangle& t : other.triangles) {
        mesh.triangles.push_back({{t[0] + base, t[1] + base, t[2] + base}});
    }
}

TEST(MeshReport, Cube) {
    const MeshReport report = inspect(sample::cube());
    EXPECT_EQ(report.vertex_count, 8);
    EXPECT_EQ(report.triangle_count, 12);
    EXPECT_EQ(report.edge_count, 18);
    EXPECT_EQ(report.component_count, 1);
    EXPECT_EQ(report.euler_characteristic, 2);
    EXPECT_EQ(report.boundary_edge_count, 0);
    EXPECT_EQ(report.non_manifold_edge_count, 0);
    EXPECT_EQ(report.inconsistent_edge_count, 0);
    EXPECT_EQ(report.duplicate_triangle_count, 0);
    EXPECT_EQ(report.degenerate_triangle_count, 0);
    EXPECT_EQ(report.isolated_vertex_count, 0);
    EXPECT_EQ(report.self_intersection_count, 0);
    EXPECT_DOUBLE_EQ(report.volume, 8);
    EXPECT_DOUBLE_EQ(report.area, 24);
    EXPECT_EQ(report.min, (Vec3d{-1, -1, -1}));
    EXPECT_EQ(report.max, (Vec3d{1, 1, 1}));
    EXPECT_TRUE(report.is_closed());
    EXPECT_THAT(explain(report), ElementsAre(AllOf(HasSubstr("closed"), HasSubstr("all methods"),
                                                   HasSubstr("particles"), HasSubstr("features"))));
}

// The file is good; floats that far from the origin are not.
TEST(MeshReport, SaysWhatRoundingFarFromTheOriginDoes) {
    const Mesh near = make_sphere(0.5f, 3);
    EXPECT_THAT(explained(near), ::testing::Not(HasSubstr("rounded")));
    Mesh far = near;
    for (Vec3& p : far.positions)
        p.x += 1e7f;
    EXPECT_THAT(explain(inspect(far)).front(),
                AllOf(HasSubstr("Coordinates of up to 1e+07 m are rounded to steps of up to 1.2 m"),
                      HasSubstr("Move the mesh to the origin")));
    Mesh moved = near;
    for (Vec3& p : moved.positions)
        p.x += 100;
    EXPECT_THAT(explained(moved), ::testing::Not(HasSubstr("rounded")));
}

TEST(MeshReport, EmptyMesh) {
    const MeshReport report = inspect({});
    EXPECT_EQ(report.vertex_count, 0);
    EXPECT_EQ(report.component_count, 0);
    EXPECT_EQ(report.euler_characteristic, 0);
    EXPECT_EQ(report.self_intersection_count, 0);
    EXPECT_EQ(report.min, (Vec3d{0, 0, 0}));
    EXPECT_EQ(report.max, (Vec3d{0, 0, 0}));
    EXPECT_FALSE(report.is_closed());
    EXPECT_THAT(explain(report), ElementsAre(HasSubstr("empty")));
}

TEST(MeshReport, VerticesWithoutTriangles) {
    const MeshReport report = inspect({{{1, 2, 3}, {-1, 5, 0}}, {}});
    EXPECT_EQ(report.isolated_vertex_count, 2);
    EXPECT_EQ(report.component_count, 0);
    EXPECT_EQ(report.min, (Vec3d{-1, 2, 0}));
    EXPECT_EQ(report.max, (Vec3d{1, 5, 3}));
    EXPECT_THAT(explain(report), ElementsAre(HasSubstr("no triangles")));
}

TEST(MeshReport, OpenMesh) {
    const MeshReport report = inspect(sample::single_triangle());
    EXPECT_EQ(report.boundary_edge_count, 3);
    EXPECT_EQ(report.euler_characteristic, 1);
    EXPECT_DOUBLE_EQ(report.area, 0.5);
    EXPECT_FALSE(report.is_closed());
    EXPECT_THAT(explain(report), ElementsAre(AllOf(HasSubstr("open (3 boundary edges)"),
                                                   HasSubstr("winding number"))));
    EXPECT_THAT(explain(inspect(sample::fan(20000), {.self_intersections = false}))[0],
                HasSubstr("open (20,002 boundary edges)"));
}

TEST(MeshReport, Torus) {
    const MeshReport report = inspect(sample::torus(300, 200), {.self_intersections = false});
    EXPECT_EQ(report.euler_characteristic, 0);
    EXPECT_TRUE(report.is_closed());
    EXPECT_FALSE(report.self_intersection_count.has_value());
    const double pi =
        3.141592653589793;  // 2 pi^2 R r^2 and 4 pi^2 R r, less what the facets cut off
    EXPECT_NEAR(report.volume, 4 * pi * pi, 0.02);
    EXPECT_NEAR(report.area, 8 * pi * pi, 0.02);
    EXPECT_THAT(explain(report), ElementsAre(HasSubstr("not counted")));
}

TEST(MeshReport, InsideOut) {
    Mesh mesh = sample::cube();
    flip(mesh);
    EXPECT_DOUBLE_EQ(inspect(mesh).volume, -8);
    EXPECT_TRUE(inspect(mesh).is_closed());
    EXPECT_THAT(explained(mesh), AllOf(HasSubstr("inside out"), HasSubstr("turn it around")));
    mesh.triangles.pop_back();
    EXPECT_THAT(explained(mesh), AllOf(HasSubstr("open"), HasSubstr("inside out")));
}

// Two cubes that are apart, the second one inside out.
Mesh with_turned_cube() {
    Mesh mesh = sample::cube(), other = sample::cube();
    flip(other);
    append(mesh, other, {5, 0, 0});
    return mesh;
}

TEST(MeshReport, NamesPartsThatAreTurnedAround) {
    const MeshReport report = inspect(with_turned_cube());
    EXPECT_EQ(report.part_count, 2);
    EXPECT_EQ(report.turned_part_count, 1);
    EXPECT_EQ(report.inward_part_count, 0);
    ASSERT_EQ(report.inward_parts.size(), 1u);
    EXPECT_EQ(report.inward_parts[0].triangle_count, 12);
    EXPECT_TRUE(report.inward_parts[0].is_closed);
    EXPECT_TRUE(report.inward_parts[0].is_turned);
    EXPECT_EQ(report.inward_parts[0].min, (Vec3d{4, -1, -1}));
    EXPECT_EQ(report.inward_parts[0].max, (Vec3d{6, 1, 1}));
    EXPECT_THAT(explain(report),
                ElementsAre(AllOf(HasSubstr("1 of the mesh's 2 parts is inside out"),
                                  HasSubstr("12 triangles between (4, -1, -1) and (6, 1, 1)"),
                                  HasSubstr("particles, sweep and rays turn it around"))));
    EXPECT_EQ(inspect(with_turned_cube(), {.parts = false}).turned_part_count, 0);
}

// A cavity is meant; one whose solid is inside out is turned with it.
TEST(MeshReport, CavitiesAreNotInsideOut) {
    Mesh hollow = sample::cube(), inner = sample::cube();
    for (Vec3& p : inner.positions)
        p = p * 0.5f;
    flip(inner);
    append(hollow, inner, {0, 0, 0});
    EXPECT_EQ(inspect(hollow).turned_part_count, 0);
    EXPECT_THAT(explain(inspect(hollow)), ElementsAre(HasSubstr("all methods")));
    flip(hollow);
    EXPECT_EQ(inspect(hollow).turned_part_count, 2);
    EXPECT_THAT(explained(hollow), HasSubstr("so the mesh is inside out"));
    append(hollow, sample::cube(), {9, 0, 0});
    EXPECT_THAT(explained(hollow), AllOf(HasSubstr("2 of the mesh's 3 parts are inside out"),
                                         HasSubstr("sweep and rays turn them around")));
}

// An open part that faces inwards is turned where that is clear, and else named and left.
TEST(MeshReport, OpenPartsThatFaceInwards) {
    Mesh ball = make_sphere(1, 3);
    ball.triangles.pop_back();
    flip(ball);
    EXPECT_THAT(explained(ball),
                AllOf(HasSubstr("The mesh is open and inside out"), HasSubstr("turn it around")));
    Mesh cup = make_sphere(1, 3);
    std::erase_if(cup.triangles, [&](const Triangle& t) { return cup.positions[t[0]].z > 0.2f; });
    flip(cup);
    append(cup, sample::cube(), {5, 0, 0});
    const MeshReport report = inspect(cup);
    EXPECT_EQ(report.turned_part_count, 0);
    EXPECT_EQ(report.inward_part_count, 1);
    ASSERT_EQ(report.inward_parts.size(), 1u);
    EXPECT_FALSE(report.inward_parts[0].is_closed);
    EXPECT_FALSE(report.inward_parts[0].is_turned);
    EXPECT_THAT(
        explained(cup),
        AllOf(HasSubstr("1 of the mesh's 2 parts is open and hollow towards the outer side"),
              HasSubstr("sweep and rays take it so"), HasSubstr("swap two vertices")));
}

// A triangle by itself faces neither way, whatever rounding makes of it.
TEST(MeshReport, SingleTrianglesDoNotFaceInwards) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        const MeshReport report =
            inspect(sample::random_soup(60, 20, seed), {.join_vertices = true});
        for (const InwardPart& part : report.inward_parts)
            EXPECT_GT(part.triangle_count, 1);
    }
    Mesh apart;
    for (unsigned n = 0; n < 100; ++n) {
        const Mesh one = sample::random_soup(3, 1, n);
        append(apart, one, {0, 0, static_cast<float>(n)});
    }
    EXPECT_EQ(inspect(apart).inward_part_count, 0);
}

// Of many parts a few are named, and all are counted.
TEST(MeshReport, CountsAllPartsThatAreTurned) {
    Mesh mesh, cube = sample::cube();
    append(mesh, cube, {-9, 0, 0});
    flip(cube);
    for (int n = 0; n < 40; ++n)
        append(mesh, cube, {static_cast<float>(5 * n), 0, 0});
    const MeshReport report = inspect(mesh);
    EXPECT_EQ(report.turned_part_count, 40);
    EXPECT_EQ(report.inward_parts.size(), MeshReport::kMostInwardParts);
    EXPECT_THAT(explained(mesh),
                AllOf(HasSubstr("40 of the mesh's 41 parts are"), HasSubstr("and 36 more")));
}

TEST(MeshReport, InconsistentOrientation) {
    EXPECT_EQ(inspect(sample::twisted_pair()).inconsistent_edge_count, 1);
    Mesh mesh = sample::cube();
    std::swap(mesh.triangles[5].v[0], mesh.triangles[5].v[1]);
    const MeshReport report = inspect(mesh);
    EXPECT_EQ(report.inconsistent_edge_count, 3);
    EXPECT_EQ(report.boundary_edge_count, 0);
    EXPECT_FALSE(report.is_closed());
    EXPECT_THAT(explained(mesh), HasSubstr("3 edges lie between triangles of opposite"));
}

TEST(MeshReport, NonManifoldEdges) {
    EXPECT_EQ(inspect(sample::book(3)).non_manifold_edge_count, 1);
    EXPECT_EQ(inspect(sample::book(4)).non_manifold_edge_count, 1);
    EXPECT_EQ(inspect(sample::book(4)).boundary_edge_count, 8);
    EXPECT_EQ(inspect(sample::book(4)).inconsistent_edge_count, 0);
    EXPECT_THAT(explained(sample::book(3)), HasSubstr("1 edge joins three or more triangles"));
}

TEST(MeshReport, DuplicatesInAnyOrder) {
    EXPECT_EQ(inspect(sample::repeated_triangle()).duplicate_triangle_count, 2);
    EXPECT_THAT(explained(sample::repeated_triangle()), HasSubstr("2 triangles repeat"));
    // {0,0,1} and {0,1,1} name the same positions, but are not the same three vertices.
    const Mesh mesh{{{0, 0, 0}, {1, 0, 0}}, {{{0, 0, 1}}, {{0, 1, 1}}, {{1, 0, 0}}}};
    EXPECT_EQ(inspect(mesh, {.self_intersections = false}).duplicate_triangle_count, 1);
}

TEST(MeshReport, DegenerateTrianglesExactly) {
    Mesh mesh{{{0, 0, 0}, {0.1f, 0.1f, 0.1f}, {0.2f, 0.2f, 0.2f}, {0.3f, 0.3f, 0.3f}, {0, 0, 0}},
              {}};
    mesh.triangles = {{{0, 1, 2}}};  // on a line, exactly: twice 0.1f is 0.2f
    EXPECT_EQ(inspect(mesh).degenerate_triangle_count, 1);
    mesh.triangles = {{{1, 2, 3}}};  // so are these: all three coordinates are equal
    EXPECT_EQ(inspect(mesh).degenerate_triangle_count, 1);
    mesh.positions[3].z = std::nextafter(0.3f, 1.0f);  // off the line by one bit
    EXPECT_EQ(inspect(mesh).degenerate_triangle_count, 0);
    mesh.triangles = {{{0, 4, 3}}};  // two corners at one position
    EXPECT_EQ(inspect(mesh).degenerate_triangle_count, 1);
    mesh.triangles = {{{3, 3, 1}}};  // a vertex twice
    EXPECT_EQ(inspect(mesh).degenerate_triangle_count, 1);
    EXPECT_EQ(inspect(mesh).edge_count, 0);
    EXPECT_FALSE(inspect(mesh).is_closed());
    EXPECT_THAT(explained(mesh), HasSubstr("1 triangle is degenerate"));
}

TEST(MeshReport, TrianglesThatNameAVertexTwiceDoNotOpenTheMesh) {
    const MeshReport report = inspect(sample::collapsed_triangles(), {.self_intersections = false});
    EXPECT_EQ(report.triangle_count, 7);
    EXPECT_EQ(report.degenerate_triangle_count, 3);
    EXPECT_EQ(report.euler_characteristic, 2);
    EXPECT_TRUE(report.is_closed());
}

TEST(MeshReport, IsolatedVertices) {
    Mesh mesh = sample::cube();
    mesh.positions.insert(mesh.positions.end(), {{5, 0, 0}, {0, 6, 0}});
    const MeshReport report = inspect(mesh);
    EXPECT_EQ(report.isolated_vertex_count, 2);
    EXPECT_EQ(report.euler_characteristic, 2);
    EXPECT_EQ(report.max, (Vec3d{5, 6, 1}));
    EXPECT_THAT(explain(report), ElementsAre(HasSubstr("2 vertices belong to no triangle")));
}

TEST(MeshReport, ComponentsMeetInVertices) {
    Mesh mesh = sample::cube();
    append(mesh, sample::cube(), {5, 0, 0});
    append(mesh, sample::tetrahedron(), {0, 9, 0});
    EXPECT_EQ(inspect(mesh).component_count, 3);
    EXPECT_EQ(inspect(mesh).euler_characteristic, 6);
    mesh.triangles.push_back({{7, 8, 16}});  // one corner in each
    EXPECT_EQ(inspect(mesh).component_count, 1);
}

TEST(MeshReport, SelfIntersections) {
    Mesh mesh = sample::single_triangle();
    append(mesh, sample::single_triangle(), {0, 0, 1});
    EXPECT_EQ(inspect(mesh).self_intersection_count, 0);
    for (std::size_t i = 3; i < 6; ++i)
        mesh.positions[i] = {0.2f, 0.2f, static_cast<float>(i) - 4};
    mesh.positions[5].x = 0.4f;  // a triangle through the other's inside
    EXPECT_EQ(inspect(mesh).self_intersection_count, 1);
    EXPECT_EQ(inspect(mesh, {.self_intersections = false}).self_intersection_count, std::nullopt);
    EXPECT_THAT(explained(mesh), HasSubstr("1 pair of triangles intersects"));
}

TEST(MeshReport, NamesAllMethods) {
    const std::string sentence = explained(sample::cube());
    for (const EnumName<Method>& method : names_of<Method>())
        EXPECT_THAT(sentence, HasSubstr(method.name));
}

TEST(MeshReport, FlatClosedMeshHasNoInside) {
    const Mesh mesh{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}},
                    {{{0, 1, 2}}, {{0, 2, 3}}, {{0, 3, 1}}, {{1, 3, 2}}}};
    EXPECT_TRUE(inspect(mesh).is_closed());
    EXPECT_THAT(explained(mesh), HasSubstr("encloses no volume"));
}

TEST(MeshReport, VolumeKeepsItsDigitsFarAway) {
    Mesh mesh = sample::cube();
    for (Vec3& p : mesh.positions)
        p += Vec3{1e6f, -1e6f, 1e6f};
    EXPECT_DOUBLE_EQ(inspect(mesh).volume, 8);
}

TEST(MeshReport, RefusesInvalidMeshes) {
    Mesh mesh = sample::cube();
    mesh.triangles[3].v[1] = 8;
    EXPECT_THROW(inspect(mesh), Error);
    mesh = sample::cube();
    mesh.positions[3].y = std::numeric_limits<float>::quiet_NaN();
    EXPECT_THROW(inspect(mesh), Error);
}

void expect_counts(const Mesh& mesh) {
    const MeshReport report = inspect(mesh, {.self_intersections = false});
    const oracle::MeshCounts truth = oracle::count_defects(mesh);
    EXPECT_EQ(report.edge_count, truth.edges);
    EXPECT_EQ(report.boundary_edge_count, truth.boundary);
    EXPECT_EQ(report.non_manifold_edge_count, truth.non_manifold);
    EXPECT_EQ(report.inconsistent_edge_count, truth.inconsistent);
    EXPECT_EQ(report.component_count, truth.components);
    EXPECT_EQ(report.euler_characteristic, truth.euler);
    EXPECT_EQ(report.duplicate_triangle_count, truth.duplicates);
    EXPECT_EQ(report.degenerate_triangle_count, truth.degenerate);
    EXPECT_EQ(report.isolated_vertex_count, truth.isolated);
}

TEST(MeshReport, AgreesWithTheOracle) {
    for (const auto& [name, mesh] : sample::all_meshes()) {
        SCOPED_TRACE(name);
        expect_counts(mesh);
    }
    for (unsigned seed = 0; seed < unsigned{oracle::case_count(200)}; ++seed) {
        SCOPED_TRACE(seed);
        expect_counts(sample::random_soup(1 + seed % 17, static_cast<int>(seed % 40), seed));
    }
}

TEST(MeshReport, SameBitsForAnyNumberOfThreads) {
    const Mesh mesh = sample::torus(400, 300);
    const MeshReport one = inspect(mesh, {.device = Device::cpu(1), .self_intersections = false});
    const MeshReport two = inspect(mesh, {.device = Device::cpu(2), .self_intersections = false});
    EXPECT_EQ(one.volume, two.volume);
    EXPECT_EQ(one.area, two.area);
}

// Real models do not belong to the project; the test uses them where there are any.
TEST(MeshReport, RealModels) {
    GRAZE_NEEDS_DATA("models");
    GRAZE_NEEDS_DATA("broken");
    const std::filesystem::path root = data_folder();
    int model_count = 0;
    for (const char* folder : {"models", "broken"}) {
        for (const auto& entry : std::filesystem::directory_iterator(root / folder)) {
            const std::string kind = entry.path().extension();
            if (kind != ".obj" && kind != ".ply" && kind != ".stl" && kind != ".off") continue;
            SCOPED_TRACE(entry.path().filename().string());
            expect_counts(load_mesh(entry.path()));
            ++model_count;
        }
    }
    EXPECT_GT(model_count, 0);
}

}  // namespace
}  // namespace graze
