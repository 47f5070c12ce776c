#include "geometry/bvh/winding_number.h"

#include "graze/mesh_io.h"
#include "parallel/cpu_executor.h"
#include "tests/geometry/bvh/bvh_cases.h"

namespace graze {
namespace {

struct Solid {
    explicit Solid(const Mesh& mesh, int thread_count = 2) : executor(thread_count) {
        build_triangle_bvh(executor, mesh.positions.data(), mesh.triangles.data(),
                           static_cast<std::int64_t>(mesh.triangles.size()), BvhQuality::high, bvh);
        build_winding_tree(executor, bvh, tree);
    }
    double winding(const Vec3& p) const {
        return winding_number(bvh.view(), tree.moments.data(), p);
    }

    CpuExecutor executor;
    TriangleBvh bvh{host_memory()};
    WindingTree tree{host_memory()};
};

// The sum over all triangles, in long double.
double direct_winding(const Mesh& mesh, const Vec3& point) {
    long double sum = 0;
    using V = Vec3T<long double>;
    for (const Triangle& t : mesh.triangles) {
        const V p = static_cast<V>(point);
        const V a = static_cast<V>(mesh.positions[t[0]]) - p,
                b = static_cast<V>(mesh.positions[t[1]]) - p,
                c = static_cast<V>(mesh.positions[t[2]]) - p;
        const long double numerator = dot(a, cross(b, c));
        const long double denominator = length(a) * length(b) * length(c) + dot(a, b) * length(c) +
                                        dot(b, c) * length(a) + dot(c, a) * length(b);
        sum += 2 * std::atan2(numerator, denominator);
    }
    return static_cast<double>(sum / (4 * 3.14159265358979323846L));
}

// Inside the torus of make_torus: closer than the tube's radius to its centre line.
double torus_depth(const Vec3& p) {
    const double ring = std::hypot(p.x, p.y) - 1.0;
    return 0.35 - std::hypot(ring, static_cast<double>(p.z));
}

TEST(WindingNumber, OneInsideZeroOutside) {
    const Mesh mesh = make_torus(120, 80);
    const Solid solid(mesh);
    int inside_count = 0;
    for (const Vec3& p : probe_points(mesh, 4000)) {
        const double depth = torus_depth(p);
        if (std::fabs(depth) < 1e-3) continue;  // between the torus and its polyhedron
        EXPECT_NEAR(solid.winding(p), depth > 0 ? 1.0 : 0.0, 0.02)
            << p.x << " " << p.y << " " << p.z;
        EXPECT_EQ(is_inside(solid.bvh.view(), solid.tree.moments.data(), p), depth > 0);
        inside_count += depth > 0;
    }
    EXPECT_GT(inside_count, 100);
}

TEST(WindingNumber, FollowsTheDirectSumOnOpenMeshesAndSoups) {
    Mesh open = make_torus(40, 30);
    open.triangles.resize(open.triangles.size() * 2 / 3);
    Mesh reversed = make_torus(20, 20);
    for (Triangle& t : reversed.triangles)
        std::swap(t.v[0], t.v[1]);
    for (const NamedMesh& m : {NamedMesh{"open torus", open}, NamedMesh{"reversed torus", reversed},
                               NamedMesh{"soup", random_soup(300, 0.5f, 9)},
                               NamedMesh{"one triangle", random_soup(1, 0.5f, 9)}}) {
        const Solid solid(m.mesh);
        for (const Vec3& p : probe_points(m.mesh, 300)) {
            const bool at_vertex = std::any_of(m.mesh.positions.begin(), m.mesh.positions.end(),
                                               [&](const Vec3& v) { return v == p; });
            if (at_vertex) continue;  // the winding number jumps there
            EXPECT_NEAR(solid.winding(p), direct_winding(m.mesh, p), 0.02) << m.name;
        }
    }
}

// Just beside faces, edges and vertices, where a wrong sum would flip the answer.
TEST(WindingNumber, DecidesNextToTheSurface) {
    const Mesh mesh = make_torus(60, 40);
    const Solid solid(mesh);
    for (std::size_t i = 0; i < mesh.triangles.size(); i += 23) {
        const Triangle& t = mesh.triangles[i];
        const Vec3 a = mesh.positions[t[0]], b = mesh.positions[t[1]], c = mesh.positions[t[2]];
        const Vec3 normal = normalized(cross(b - a, c - a));
        for (const Vec3& on :
             {(a + b + c) * (1.0f / 3.0f), (a + b) * 0.5f, a * 0.99f + b * 0.005f + c * 0.005f}) {
            for (const float step : {1e-4f, -1e-4f}) {
                const Vec3 p = on + normal * step;
                EXPECT_EQ(is_inside(solid.bvh.view(), solid.tree.moments.data(), p),
                          direct_winding(mesh, p) > 0.5);
            }
        }
    }
}

TEST(WindingNumber, EmptyAndCollapsedMeshesCountNothing) {
    EXPECT_EQ(Solid(Mesh{}).winding({0, 0, 0}), 0.0);
    Mesh point;
    point.positions.assign(3, {1, 2, 3});
    point.triangles.assign(10, Triangle{{0, 1, 2}});
    const Solid solid(point);
    EXPECT_EQ(solid.winding({0, 0, 0}), 0.0);
    EXPECT_EQ(solid.winding({1, 2, 3}), 0.0);
}

TEST(WindingNumber, SameForAnyThreadCount) {
    const Mesh mesh = random_soup(5000, 0.1f, 17);
    const Solid one(mesh, 1), three(mesh, 3);
    for (const Vec3& p : probe_points(mesh, 100))
        EXPECT_EQ(one.winding(p), three.winding(p));
}

}  // namespace
}  // namespace graze
