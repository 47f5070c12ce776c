// Watertight rays: closed surfaces that no ray may leave unseen, and answers against quadruple
// precision.
#include "geometry/intersect_ray_triangle.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "graze/mesh.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/closest_brute.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

using oracle::Quad;
using oracle::RandomPoints;
using oracle::Vec3q;

// An octahedron, each face split `levels` times into four, pushed out to random radii: closed, and
// every point of space inside the unit octahedron's middle is inside it.
template <class T>
MeshT<T> make_star(RandomPoints<T>& random, int levels, T roughness) {
    MeshT<T> mesh;
    mesh.positions = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    mesh.triangles = {{{0, 2, 4}}, {{2, 1, 4}}, {{1, 3, 4}}, {{3, 0, 4}},
                      {{2, 0, 5}}, {{1, 2, 5}}, {{3, 1, 5}}, {{0, 3, 5}}};
    for (int level = 0; level < levels; ++level) {
        std::vector<Triangle> finer;
        std::vector<std::array<std::uint32_t, 3>> middles;  // edge ends (low, high), middle vertex
        const auto middle = [&](std::uint32_t i, std::uint32_t j) {
            if (i > j) std::swap(i, j);
            for (const auto& m : middles)
                if (m[0] == i && m[1] == j) return m[2];
            const auto index = std::uint32_t(mesh.positions.size());
            mesh.positions.push_back((mesh.positions[i] + mesh.positions[j]) * T(0.5));
            middles.push_back({i, j, index});
            return index;
        };
        for (const Triangle& t : mesh.triangles) {
            const std::uint32_t a = middle(t[0], t[1]), b = middle(t[1], t[2]),
                                c = middle(t[2], t[0]);
            finer.insert(finer.end(),
                         {{{t[0], a, c}}, {{t[1], b, a}}, {{t[2], c, b}}, {{a, b, c}}});
        }
        mesh.triangles = finer;
    }
    for (auto& p : mesh.positions)
        p = normalized(p) * random.uniform(1, 1 + roughness);
    return mesh;
}

template <class T>
int count_hits(const MeshT<T>& mesh, const Vec3T<T>& origin, const Vec3T<T>& direction) {
    const RayShear<T> ray = make_ray_shear(origin, direction);
    int count = 0;
    for (const Triangle& t : mesh.triangles) {
        RayTriangleHit<T> hit;
        count += intersect_ray_triangle(ray, mesh.positions[t[0]], mesh.positions[t[1]],
                                        mesh.positions[t[2]], T(0),
                                        std::numeric_limits<T>::infinity(), hit);
    }
    return count;
}

// A vertex, or a point rounded from an edge: what slips through an ordinary test.
template <class T>
Vec3T<T> target_on_seam(RandomPoints<T>& random, const MeshT<T>& mesh) {
    const Triangle t = mesh.triangles[random.integer(0, int(mesh.triangles.size()) - 1)];
    const Vec3T<T> a = mesh.positions[t[0]], b = mesh.positions[t[1]];
    const int kind = random.integer(0, 3);
    if (kind == 0) return a;
    return kind == 1 ? (a + b) * T(0.5) : a + (b - a) * random.uniform(0, 1);
}

template <class T>
class IntersectRayTriangle : public testing::Test {};
using Coordinates = testing::Types<float, double>;
TYPED_TEST_SUITE(IntersectRayTriangle, Coordinates);

// From inside, every ray must hit. Scales from tiny to huge; a million rays at seams.
TYPED_TEST(IntersectRayTriangle, NoRayLeavesAClosedSurface) {
    using T = TypeParam;
    RandomPoints<T> random(61);
    const int scale_reach = sizeof(T) == 4 ? 60 : 300;
    for (int i = 0; i < 500; ++i) {
        MeshT<T> mesh = make_star(random, i % 3, T(0.5));
        const T scale =
            std::ldexp(T(1), i % 2 == 0 ? 0 : random.integer(-scale_reach, scale_reach));
        const Vec3T<T> shift = i % 5 == 0 ? random.in_box(100 * scale) : Vec3T<T>{0, 0, 0};
        for (auto& p : mesh.positions)
            p = p * scale + shift;
        for (int k = 0; k < 2000; ++k) {
            const Vec3T<T> origin = k % 2 == 0 ? shift : shift + random.in_box(scale / 8);
            const Vec3T<T> direction = target_on_seam(random, mesh) - origin;
            ASSERT_GT(count_hits(mesh, origin, direction), 0) << "mesh " << i << " ray " << k;
        }
    }
}

// Small-integer shapes and axis-parallel rays: edge functions that are exactly zero, triangles seen
// edge-on.
TYPED_TEST(IntersectRayTriangle, NoRayLeavesAnOctahedronOrCubeOnTheGrid) {
    using T = TypeParam;
    RandomPoints<T> random(62);
    MeshT<T> octahedron = make_star(random, 0, T(0));
    MeshT<T> cube;
    for (int i = 0; i < 8; ++i)
        cube.positions.push_back(
            {T((i & 1) * 2 - 1), T((i >> 1 & 1) * 2 - 1), T((i >> 2) * 2 - 1)});
    cube.triangles = {{{0, 2, 1}}, {{1, 2, 3}}, {{4, 5, 6}}, {{5, 7, 6}}, {{0, 1, 4}}, {{1, 5, 4}},
                      {{2, 6, 3}}, {{3, 6, 7}}, {{0, 4, 2}}, {{2, 4, 6}}, {{1, 3, 5}}, {{3, 7, 5}}};
    for (int i = 0; i < oracle::case_count(200000); ++i) {
        const Vec3T<T> direction = random.on_grid(3);
        if (direction == Vec3T<T>{0, 0, 0}) continue;
        const Vec3T<T> inside = random.on_grid(1) * T(0.25);
        ASSERT_GT(count_hits(octahedron, inside, direction), 0);
        ASSERT_GT(count_hits(cube, inside * T(2), direction), 0);
        // Along the surface itself: the origin lies on a face, an edge or a corner of the cube.
        ASSERT_GT(count_hits(cube, random.on_grid(1), direction), 0);
    }
}

// A height field of random heights seen from far above: rays aimed at its vertices and edges.
TYPED_TEST(IntersectRayTriangle, NoGapInATerrain) {
    using T = TypeParam;
    RandomPoints<T> random(63);
    const int side = 6;
    for (int i = 0; i < 200; ++i) {
        MeshT<T> mesh;
        for (int y = 0; y < side; ++y)
            for (int x = 0; x < side; ++x)
                mesh.positions.push_back(Vec3T<T>{T(x), T(y), 0} + random.in_box(T(0.3)));
        for (std::uint32_t y = 0; y + 1 < side; ++y)
            for (std::uint32_t x = 0; x + 1 < side; ++x) {
                const std::uint32_t corner = y * side + x;
                mesh.triangles.push_back({{corner, corner + 1, corner + side}});
                mesh.triangles.push_back({{corner + 1, corner + side + 1, corner + side}});
            }
        for (int k = 0; k < 2000; ++k) {
            // Inner vertices and edges only: the rim belongs to one triangle, and rays may miss it.
            const auto x = std::uint32_t(random.integer(1, side - 3)),
                       y = std::uint32_t(random.integer(1, side - 3));
            const Vec3T<T> a = mesh.positions[y * side + x];
            const Vec3T<T> b = mesh.positions[(y + k % 2) * side + x + 1 - k % 2];
            const Vec3T<T> target = k % 3 == 0 ? a : a + (b - a) * random.uniform(0, 1);
            const Vec3T<T> origin =
                target + Vec3T<T>{random.uniform(-5, 5), random.uniform(-5, 5), 20};
            ASSERT_GT(count_hits(mesh, origin, target - origin), 0) << "mesh " << i << " ray " << k;
        }
    }
}

// Rays that pass an edge at a clear distance: hit or miss, t, u, v and side must agree with the
// exact answer.
TYPED_TEST(IntersectRayTriangle, AgreesWithQuadruplePrecision) {
    using T = TypeParam;
    RandomPoints<T> random(64);
    const double epsilon = std::numeric_limits<T>::epsilon();
    int hit_count = 0, checked_count = 0;
    for (int i = 0; i < oracle::case_count(300000); ++i) {
        const Vec3T<T> a = random.in_box(1), b = random.in_box(1), c = random.in_box(1);
        const Vec3T<T> o = random.in_box(3), d = random.in_box(1) - o;
        const auto qa = static_cast<Vec3q>(a), qb = static_cast<Vec3q>(b),
                   qc = static_cast<Vec3q>(c), qo = static_cast<Vec3q>(o),
                   qd = static_cast<Vec3q>(d);
        const Vec3q normal = cross(qb - qa, qc - qa);
        const Quad facing = dot(normal, qd);
        const double slant = double(facing) / (double(length(d)) * oracle::root(length_sq(normal)));
        if (std::abs(slant) < 0.05 || length(cross(b - a, c - a)) < T(0.05)) continue;
        const Quad t = dot(normal, qa - qo) / facing;
        const Vec3q p = qo + qd * t;
        const double u = double(dot(cross(p - qa, qc - qa), normal) / length_sq(normal));
        const double v = double(dot(cross(qb - qa, p - qa), normal) / length_sq(normal));
        const double inside = std::min({u, v, 1 - u - v, double(t)});
        if (std::abs(inside) < 1e4 * epsilon) continue;
        ++checked_count;
        RayTriangleHit<T> hit;
        const bool found = intersect_ray_triangle(make_ray_shear(o, d), a, b, c, T(0),
                                                  std::numeric_limits<T>::infinity(), hit);
        ASSERT_EQ(found, inside > 0) << i;
        if (!found) continue;
        ++hit_count;
        ASSERT_NEAR(hit.t, double(t), 2000 * epsilon * (1 + double(t)));
        ASSERT_NEAR(hit.u, u, 10000 * epsilon);
        ASSERT_NEAR(hit.v, v, 10000 * epsilon);
        ASSERT_EQ(hit.front, facing < 0);
    }
    EXPECT_GT(hit_count, oracle::case_count(5000));
    EXPECT_GT(checked_count, oracle::case_count(100000));
}

TYPED_TEST(IntersectRayTriangle, NamedCases) {
    using T = TypeParam;
    using V = Vec3T<T>;
    const V a{0, 0, 0}, b{4, 0, 0}, c{0, 4, 0};
    const auto cast = [](V o, V d, V p, V q, V r, T low, T high, RayTriangleHit<T>& hit) {
        return intersect_ray_triangle(make_ray_shear(o, d), p, q, r, low, high, hit);
    };
    RayTriangleHit<T> hit{};
    EXPECT_TRUE(cast({1, 2, 8}, {0, 0, -2}, a, b, c, 0, 4, hit));  // t_max is included
    EXPECT_EQ(hit.t, T(4));
    EXPECT_EQ(hit.u, T(0.25));
    EXPECT_EQ(hit.v, T(0.5));
    EXPECT_TRUE(hit.front);
    EXPECT_TRUE(cast({1, 2, 8}, {0, 0, -2}, a, b, c, 4, 9, hit));  // and t_min
    EXPECT_FALSE(cast({1, 2, 8}, {0, 0, -2}, a, b, c, 0, T(3.99), hit));
    EXPECT_FALSE(cast({1, 2, 8}, {0, 0, -2}, a, b, c, T(4.01), 9, hit));
    EXPECT_TRUE(cast({1, 2, -8}, {0, 0, 2}, a, b, c, 0, 9, hit));
    EXPECT_FALSE(hit.front);
    EXPECT_TRUE(cast({1, 2, 0}, {0, 0, 1}, a, b, c, 0, 1, hit));  // starts on the face
    EXPECT_EQ(hit.t, T(0));
    EXPECT_TRUE(cast({0, 0, 1}, {0, 0, -1}, a, b, c, 0, 9, hit));   // a corner
    EXPECT_TRUE(cast({2, 2, 1}, {0, 0, -1}, a, b, c, 0, 9, hit));   // an edge
    EXPECT_FALSE(cast({-1, 1, 0}, {1, 0, 0}, a, b, c, 0, 9, hit));  // edge-on
    EXPECT_FALSE(cast({1, 1, 1}, {0, 0, 0}, a, b, c, 0, 9, hit));   // no direction
    EXPECT_FALSE(cast({1, 0, 1}, {0, 0, -1}, a, b, b, 0, 9, hit));  // collapsed to a segment
    EXPECT_FALSE(cast({0, 0, 1}, {0, 0, -1}, a, a, a, 0, 9, hit));  // and to a point
    const T tiny = std::numeric_limits<T>::min();
    EXPECT_TRUE(cast({1, 1, 1}, {0, 0, -tiny}, a, b, c, 0, 2 / tiny, hit));
    // Along every axis and with every sign, the same triangle is hit alike.
    for (int axis = 0; axis < 3; ++axis) {
        V p{0, 0, 0}, q{0, 0, 0}, r{0, 0, 0}, d{0, 0, 0}, o{0, 0, 0};
        q[(axis + 1) % 3] = 4;
        r[(axis + 2) % 3] = 4;
        d[axis] = -1;
        o[axis] = 3;
        o[(axis + 1) % 3] = o[(axis + 2) % 3] = 1;
        EXPECT_TRUE(cast(o, d, p, q, r, 0, 9, hit));
        EXPECT_TRUE(hit.front);
        EXPECT_EQ(hit.t, T(3));
        EXPECT_TRUE(cast(o * T(-1) + (q + r) * T(0.5), d * T(-1), p, q, r, 0, 9, hit));
        EXPECT_FALSE(hit.front);
    }
}

// Products of projected coordinates beyond the range of float, on both sides.
TEST(IntersectRayTriangleFloat, HugeAndTinyTriangles) {
    for (const int exponent : {-120, -80, -60, 60, 63, 80, 120}) {
        const float s = std::ldexp(1.0f, exponent);
        RayTriangleHit<float> hit{};
        const RayShear<float> ray = make_ray_shear<float>({s, s, 2 * s}, {0, 0, -1});
        EXPECT_TRUE(intersect_ray_triangle<float>(ray, {0, 0, 0}, {4 * s, 0, 0}, {0, 4 * s, 0}, 0,
                                                  std::numeric_limits<float>::max(), hit))
            << exponent;
        EXPECT_EQ(hit.t, 2 * s);
        EXPECT_EQ(hit.u, 0.25f);
        EXPECT_EQ(hit.v, 0.25f);
    }
}

TEST(IntersectRayTriangle, TellsTheSideAlsoOnEdgesAndCorners) {
    const Vec3 a{0, 0, 0}, b{2, 0, 0}, c{0, 2, 0};
    for (const Vec3& target : {Vec3{0.5f, 0.25f, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, a, b, c}) {
        for (const Vec3& offset : {Vec3{0, 0, 1}, {0.5f, 0.25f, 1}, {-0.25f, 1, 0.5f}}) {
            for (const float sign : {1.0f, -1.0f}) {
                const Vec3 from = target + offset * sign;
                RayTriangleHit<float> hit;
                ASSERT_TRUE(intersect_ray_triangle(make_ray_shear(from, -offset * sign), a, b, c,
                                                   0.0f, 2.0f, hit));
                EXPECT_EQ(hit.front, sign > 0);
                EXPECT_EQ(hit.t, 1);
            }
        }
    }
}

}  // namespace
}  // namespace graze
