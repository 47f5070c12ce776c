#include "geometry/bvh/winding_number.h"

#include "graze/mesh_io.h"
#include "parallel/cpu_executor.h"
#include "tests/geometry/bvh/bvh_cases.h"
#include "tests/oracle/random_points.h"
#include "tests/oracle/sample_meshes.h"

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

// A third of its ring is missing.
Mesh open_torus(const Vec3& centre = {0, 0, 0}) {
    Mesh open = make_torus(40, 30);
    open.triangles.resize(open.triangles.size() * 2 / 3);
    for (Vec3& p : open.positions)
        p += centre;
    return open;
}

// Pairs of points a float's rounding apart, between which the winding number of open_torus() passes
// 1/2: in its openings, on circles along the ring.
std::vector<Vec3> undecided_points(const Mesh& mesh, const Vec3& centre, int count) {
    std::vector<Vec3> result;
    oracle::RandomPoints<float> random(8);
    for (int i = 0; i < count; ++i) {
        const Vec3 in_tube = random.in_box(0.18f);
        const auto along = [&](float angle) {
            const float radius = 1 + in_tube.x;
            return centre + Vec3{radius * std::cos(angle), radius * std::sin(angle), in_tube.y};
        };
        const float half_way = 2.1f;  // [rad]
        float in = half_way, out = half_way + (i % 2 == 0 ? 3.14f : -3.14f);
        for (int step = 0; step < 40; ++step) {
            const float middle = (in + out) / 2;
            (direct_winding(mesh, along(middle)) > 0.5 ? in : out) = middle;
        }
        result.push_back(along(in));
        result.push_back(along(out));
    }
    return result;
}

TEST(WindingNumber, DecidesWhereMomentsCannot) {
    for (const Vec3& centre : {Vec3{0, 0, 0}, Vec3{300, -200, 100}}) {
        const Mesh mesh = open_torus(centre);
        const Solid solid(mesh);
        int wrong_count = 0, certain_count = 0;
        for (const Vec3& p : undecided_points(mesh, centre, 40)) {
            const double winding = direct_winding(mesh, p);
            EXPECT_NEAR(winding, 0.5, 1e-3);
            if (std::fabs(winding - 0.5) < 2e-9) continue;  // it is 1/2
            ++certain_count;
            const bool is_in = winding > 0.5;
            wrong_count += (solid.winding(p) > 0.5) != is_in;
            EXPECT_EQ(is_inside(solid.bvh.view(), solid.tree.moments.data(), p), is_in) << winding;
        }
        EXPECT_GT(certain_count, 30);
        EXPECT_GT(wrong_count, 10) << "moments at their usual accuracy would do";
    }
}

TEST(WindingNumber, IsInsideOnAFace) {
    const Solid cube(sample::cube());
    for (const Vec3& p : {Vec3{1, 0.25f, 0.5f}, Vec3{0.5f, -1, 0.25f}, Vec3{-0.5f, 0.25f, 1}})
        EXPECT_TRUE(is_inside(cube.bvh.view(), cube.tree.moments.data(), p));
    EXPECT_FALSE(is_inside(cube.bvh.view(), cube.tree.moments.data(), {1.00001f, 0.25f, 0.5f}));
}

TEST(WindingNumber, IsWrongByLessThanItsBound) {
    Mesh needles = random_soup(200, 0.3f, 4);
    for (const Triangle& t : needles.triangles)
        needles.positions[t[2]] = needles.positions[t[1]] + Vec3{1e-4f, 0, 0};
    Mesh far_away = make_torus(40, 30);
    for (Vec3& p : far_away.positions)
        p += Vec3{3000, -200, 100};
    for (const NamedMesh& m :
         {NamedMesh{"torus", make_torus(40, 30)}, NamedMesh{"open torus", open_torus()},
          NamedMesh{"far from the origin", far_away}, NamedMesh{"soup", random_soup(300, 0.5f, 9)},
          NamedMesh{"needles", needles}}) {
        const Solid solid(m.mesh);
        for (Vec3 p : probe_points(m.mesh, 100)) {
            if (length(p) < 3) p += centre(bounds(m.mesh));
            const double direct = direct_winding(m.mesh, p);
            for (const float accuracy : {1.5f, 3.0f, 6.0f, 24.0f}) {
                WindingBesideTriangle of_triangle{p};
                BoundedWindingOfMoment of_moment{p};
                const double winding = sum_winding(solid.bvh.view(), solid.tree.moments.data(), p,
                                                   accuracy, of_triangle, of_moment);
                if (of_triangle.is_on) continue;  // it jumps there
                EXPECT_NEAR(winding, direct, of_moment.error + 1e-10) << m.name << ", " << accuracy;
            }
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
