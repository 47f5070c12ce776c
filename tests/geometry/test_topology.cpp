#include <gtest/gtest.h>

#include <cstring>

#include "geometry/topology_impl.h"
#include "parallel/cpu_executor.h"
#include "tests/oracle/sample_meshes.h"
#include "tests/oracle/topology_oracle.h"

namespace graze {
namespace {

struct Built {
    TopologyWorkspace workspace{host_memory()};
    Topology topology{host_memory()};
    Pseudonormals normals{host_memory()};

    void build(CpuExecutor& executor, const Mesh& mesh) {
        build_topology(executor, mesh.triangles.data(),
                       static_cast<std::int64_t>(mesh.triangles.size()),
                       static_cast<std::int64_t>(mesh.positions.size()), workspace, topology);
        compute_pseudonormals(executor, mesh.positions.data(), mesh.triangles.data(),
                              topology.view(), normals);
    }
    Built() = default;
    explicit Built(const Mesh& mesh, int thread_count = 0) {
        CpuExecutor executor(thread_count);
        build(executor, mesh);
    }
};

template <class T>
bool same_bits(const Buffer<T>& a, const Buffer<T>& b, std::int64_t count) {
    return a.size() >= count && b.size() >= count &&
           (count == 0 ||
            std::memcmp(a.data(), b.data(), static_cast<std::size_t>(count) * sizeof(T)) == 0);
}
template <class T>
bool same_bits(const Buffer<T>& a, const Buffer<T>& b) {
    return a.size() == b.size() && same_bits(a, b, a.size());
}

std::vector<std::uint32_t> row(const std::uint32_t* offsets, const std::uint32_t* values,
                               std::int64_t i) {
    return {values + offsets[i], values + offsets[i + 1]};
}

void expect_edges(const Mesh& mesh, const TopologyView& view) {
    const oracle::TopologyTruth truth = oracle::find_topology(mesh);
    ASSERT_EQ(view.edge_count, static_cast<std::int64_t>(truth.sides_of_edge.size()));
    ASSERT_EQ(view.edge_offsets[0], 0u);
    std::map<oracle::EdgeEnds, std::uint32_t> id_of_edge;
    std::uint32_t e = 0;
    for (const auto& [ends, sides] : truth.sides_of_edge) {  // a map walks in (u, v) order
        ASSERT_EQ(view.edges[e], (Edge{{ends.first, ends.second}}));
        ASSERT_EQ(row(view.edge_offsets, view.edge_corners, e), sides);
        id_of_edge[ends] = e++;
    }
    for (std::uint32_t c = 0; c < 3 * mesh.triangles.size(); ++c) {
        const auto edge = truth.edge_of_side.find(c);
        const auto neighbour = truth.neighbour_of_side.find(c);
        ASSERT_EQ(view.triangle_edges[c],
                  edge == truth.edge_of_side.end() ? kNoIndex : id_of_edge.at(edge->second));
        ASSERT_EQ(view.triangle_neighbours[c],
                  neighbour == truth.neighbour_of_side.end() ? kNoIndex : neighbour->second);
    }
}

void expect_fans(const Mesh& mesh, const TopologyView& view) {
    oracle::TopologyTruth truth = oracle::find_topology(mesh);
    ASSERT_EQ(view.vertex_count, static_cast<std::int64_t>(mesh.positions.size()));
    ASSERT_EQ(view.vertex_offsets[0], 0u);
    for (std::uint32_t v = 0; v < mesh.positions.size(); ++v) {
        ASSERT_EQ(row(view.vertex_offsets, view.vertex_corners, v), truth.fan_of_vertex[v]);
    }
}

// Where the sum cancels, its direction is not defined.
void expect_direction(const Vec3& normal, const Vec3d& sum) {
    if (length(sum) < 1e-5) return;
    ASSERT_NEAR(distance(static_cast<Vec3d>(normal), normalized(sum)), 0, 1e-6);
}

void expect_normals(const Mesh& mesh, const TopologyView& view, const Pseudonormals& normals) {
    oracle::TopologyTruth truth = oracle::find_topology(mesh);
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
        const Vec3d truth_normal = oracle::unit_normal(mesh, mesh.triangles[i]);
        ASSERT_NEAR(distance(static_cast<Vec3d>(normals.faces.data()[i]), truth_normal), 0, 1e-6);
    }
    for (std::uint32_t v = 0; v < mesh.positions.size(); ++v) {
        expect_direction(normals.vertices.data()[v],
                         oracle::vertex_normal_sum(mesh, truth.fan_of_vertex[v]));
    }
    std::int64_t e = 0;
    for (const auto& [ends, sides] : truth.sides_of_edge) {
        expect_direction(normals.edges.data()[e++], oracle::edge_normal_sum(mesh, sides));
    }
    ASSERT_EQ(e, view.edge_count);
}

TEST(Topology, AgreesWithTheOracle) {
    for (const auto& [name, mesh] : sample::all_meshes()) {
        SCOPED_TRACE(name);
        const Built built(mesh);
        expect_edges(mesh, built.topology.view());
        expect_fans(mesh, built.topology.view());
        expect_normals(mesh, built.topology.view(), built.normals);
    }
}

TEST(Topology, ManySmallSoups) {
    for (unsigned seed = 0; seed < 300; ++seed) {
        SCOPED_TRACE(seed);
        const Mesh mesh = sample::random_soup(1 + seed % 13, static_cast<int>(seed % 29), seed);
        const Built built(mesh);
        expect_edges(mesh, built.topology.view());
        expect_fans(mesh, built.topology.view());
        expect_normals(mesh, built.topology.view(), built.normals);
    }
}

TEST(Topology, SameBitsForAnyNumberOfThreads) {
    for (const auto& [name, mesh] : sample::all_meshes()) {
        SCOPED_TRACE(name);
        const Built one(mesh, 1);
        for (const int thread_count : {2, 5}) {
            const Built many(mesh, thread_count);
            const TopologyView view = one.topology.view();
            EXPECT_TRUE(same_bits(one.topology.edges, many.topology.edges));
            EXPECT_TRUE(same_bits(one.topology.edge_offsets, many.topology.edge_offsets));
            EXPECT_TRUE(same_bits(one.topology.vertex_offsets, many.topology.vertex_offsets));
            EXPECT_TRUE(same_bits(one.topology.edge_corners, many.topology.edge_corners,
                                  view.edge_offsets[view.edge_count]));
            EXPECT_TRUE(same_bits(one.topology.vertex_corners, many.topology.vertex_corners,
                                  view.vertex_offsets[view.vertex_count]));
            EXPECT_TRUE(same_bits(one.topology.triangle_edges, many.topology.triangle_edges));
            EXPECT_TRUE(
                same_bits(one.topology.triangle_neighbours, many.topology.triangle_neighbours));
            EXPECT_TRUE(same_bits(one.normals.faces, many.normals.faces));
            EXPECT_TRUE(same_bits(one.normals.edges, many.normals.edges));
            EXPECT_TRUE(same_bits(one.normals.vertices, many.normals.vertices));
        }
    }
}

TEST(Topology, SecondBuildAllocatesNothing) {
    const Mesh mesh = sample::torus(100, 80);
    CpuExecutor executor(2);
    Built built;
    built.build(executor, mesh);
    const std::int64_t before = host_memory().allocation_count();
    built.build(executor, mesh);
    built.build(executor, sample::cube());
    built.build(executor, mesh);
    EXPECT_EQ(host_memory().allocation_count(), before);
}

TEST(Topology, NeighboursAroundABookFormARing) {
    const Built built(sample::book(4));
    const TopologyView view = built.topology.view();
    for (std::uint32_t page = 0; page < 4; ++page) {
        EXPECT_EQ(view.triangle_neighbours[3 * page], (page + 1) % 4);
        EXPECT_EQ(view.triangle_neighbours[3 * page + 1], kNoIndex);
    }
}

TEST(Topology, CollapsedTrianglesLeaveTheRestAsItIs) {
    const Built with(sample::collapsed_triangles());
    const Built without(sample::tetrahedron());
    EXPECT_TRUE(same_bits(with.topology.edges, without.topology.edges));
    EXPECT_TRUE(same_bits(with.topology.edge_offsets, without.topology.edge_offsets));
    EXPECT_TRUE(same_bits(with.normals.edges, without.normals.edges));
    EXPECT_TRUE(same_bits(with.normals.vertices, without.normals.vertices));
}

TEST(Topology, SidesTellTheirDirection) {
    const Mesh mesh = sample::twisted_pair();
    EXPECT_TRUE(is_ascending(mesh.triangles.data(), 0));   // 0 -> 1
    EXPECT_TRUE(is_ascending(mesh.triangles.data(), 1));   // 1 -> 2
    EXPECT_FALSE(is_ascending(mesh.triangles.data(), 2));  // 2 -> 0
}

TEST(Topology, RefusesMeshesBeyondItsIndices) {
    CpuExecutor executor(1);
    Built built;
    EXPECT_THROW(build_topology(executor, nullptr, std::int64_t{1} << 31, 8, built.workspace,
                                built.topology),
                 Error);
    EXPECT_THROW(build_topology(executor, nullptr, 0, std::int64_t{1} << 32, built.workspace,
                                built.topology),
                 Error);
}

TEST(Pseudonormals, AnglesAreGoodToTheLastBits) {
    std::mt19937_64 random(7);
    for (int i = 0; i < 50000; ++i) {
        const double angle = 3.141592653589793 * std::ldexp(static_cast<double>(random()), -64);
        const double y = std::sin(angle), x = std::cos(angle);
        const double truth = std::atan2(y, x);
        ASSERT_NEAR(topology_detail::angle_between(y, x), truth, 0x1p-51 * truth);
    }
    EXPECT_EQ(topology_detail::angle_between(0, 0), 0);
    EXPECT_EQ(topology_detail::angle_between(0, 2), 0);
    EXPECT_EQ(topology_detail::angle_between(0, -2), topology_detail::kPi);
    EXPECT_EQ(topology_detail::angle_between(3, 0), topology_detail::kPi / 2);
}

TEST(Pseudonormals, CornersOfACubePointAlongItsDiagonals) {
    for (unsigned diagonals = 0; diagonals < 64; ++diagonals) {
        const Mesh mesh = sample::cube(diagonals);
        const Built built(mesh, 1);
        for (std::size_t v = 0; v < 8; ++v) {
            const Vec3 expected = mesh.positions[v] / std::sqrt(3.0f);
            EXPECT_LT(distance(built.normals.vertices.data()[v], expected), 2e-7f) << diagonals;
        }
    }
}

TEST(Pseudonormals, EdgesOfACubePointBetweenItsFaces) {
    const Mesh mesh = sample::cube();
    const Built built(mesh);
    const TopologyView view = built.topology.view();
    for (std::int64_t e = 0; e < view.edge_count; ++e) {
        const Vec3 mid = mesh.positions[view.edges[e][0]] + mesh.positions[view.edges[e][1]];
        EXPECT_LT(distance(built.normals.edges.data()[e], normalized(mid)), 1e-6f);
    }
}

TEST(Pseudonormals, SheetsThatCancelHaveNone) {
    // The same triangle in both orientations: every sum is zero, whatever corner it starts with.
    Mesh mesh{{{0.1f, 0.2f, 0.3f}, {1.7f, 0.4f, -0.6f}, {0.5f, 2.1f, 0.9f}},
              {{{0, 1, 2}}, {{1, 0, 2}}}};
    const Built built(mesh);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(built.normals.vertices.data()[i], (Vec3{0, 0, 0}));
        EXPECT_EQ(built.normals.edges.data()[i], (Vec3{0, 0, 0}));
    }
}

TEST(Pseudonormals, NeedlesAndTinyOrHugeFacesHaveANormal) {
    for (const float size : {1e-30f, 1e-3f, 1.0f, 1e30f}) {
        Mesh mesh = sample::tetrahedron();
        for (Vec3& p : mesh.positions)
            p = p * size;
        const Built built(mesh);
        const float component = 1 / std::sqrt(3.0f);
        EXPECT_LT(
            distance(built.normals.vertices.data()[0], Vec3{-component, -component, -component}),
            1e-6f);
    }
    const Mesh needle{{{0, 0, 0}, {1000, 0, 0}, {500, 1e-30f, 0}}, {{{0, 1, 2}}}};
    const Built built(needle);
    for (int v = 0; v < 3; ++v)
        EXPECT_EQ(built.normals.vertices.data()[v], (Vec3{0, 0, 1}));
}

TEST(Pseudonormals, ADegenerateTriangleContributesNothing) {
    Mesh mesh = sample::cube();
    mesh.positions.push_back({0, -1, -1});  // in the middle of the edge from 0 to 1
    mesh.triangles.push_back({{0, 8, 1}});
    const Built with(mesh);
    const Built without(sample::cube());
    EXPECT_EQ(with.normals.faces.data()[12], (Vec3{0, 0, 0}));
    EXPECT_TRUE(same_bits(with.normals.vertices, without.normals.vertices, 8));
    EXPECT_EQ(with.normals.vertices.data()[8], (Vec3{0, 0, 0}));
}

}  // namespace
}  // namespace graze
