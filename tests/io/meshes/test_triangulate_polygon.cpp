#include "io/meshes/triangulate_polygon.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace graze {
namespace {

using Points = std::vector<Vec3d>;

std::vector<std::uint32_t> all_corners(std::size_t count) {
    std::vector<std::uint32_t> corners(count);
    std::iota(corners.begin(), corners.end(), 0u);
    return corners;
}

std::vector<Triangle> triangulate(const Points& points, const std::vector<std::uint32_t>& corners) {
    constexpr Triangle kUnwritten{{~0u, ~0u, ~0u}};
    std::vector<Triangle> triangles(corners.size() - 2, kUnwritten);
    io::triangulate_polygon<double>(points, corners, triangles.data());
    for (const Triangle& triangle : triangles)
        EXPECT_FALSE(triangle == kUnwritten);
    return triangles;
}
std::vector<Triangle> triangulate(const Points& points) {
    return triangulate(points, all_corners(points.size()));
}

Vec3d area_vector(const Points& points, const Triangle& t) {
    return cross(points[t[1]] - points[t[0]], points[t[2]] - points[t[0]]) * 0.5;
}

// Each side of the polygon belongs to one triangle; each diagonal to two that run against each
// other.
void expect_edges_pair_up(const std::vector<Triangle>& triangles, std::size_t corner_count) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (const Triangle& t : triangles)
        for (int i = 0; i < 3; ++i)
            edges.emplace_back(t[i], t[(i + 1) % 3]);
    std::sort(edges.begin(), edges.end());
    EXPECT_EQ(std::adjacent_find(edges.begin(), edges.end()), edges.end());
    std::size_t sides = 0;
    for (const auto& [a, b] : edges)
        if (!std::binary_search(edges.begin(), edges.end(), std::pair(b, a))) {
            EXPECT_EQ(b, (a + 1) % corner_count);
            ++sides;
        }
    EXPECT_EQ(sides, corner_count);
}

// All triangles face along the polygon's normal, so that with paired edges none overlaps another.
void expect_good(const Points& points) {
    const std::vector<Triangle> triangles = triangulate(points);
    expect_edges_pair_up(triangles, points.size());
    Vec3d total{0, 0, 0};
    for (const Triangle& t : triangles)
        total += area_vector(points, t);
    for (const Triangle& t : triangles)
        EXPECT_GT(dot(area_vector(points, t), total), 0.0);
}

// Returns a simple star-shaped outline, concave nearly everywhere, in a tilted plane.
Points random_star(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> radius(0.2, 1.0);
    Points points;
    for (std::size_t i = 0; i < count; ++i) {
        const double angle =
            6.283185307179586 * static_cast<double>(i) / static_cast<double>(count);
        const double x = radius(random), u = x * std::cos(angle), v = x * std::sin(angle);
        points.push_back({u + 0.3 * v, v, 0.5 * u - 0.7 * v + 3});
    }
    return points;
}

Points circle(std::size_t count) {
    Points points;
    for (std::size_t i = 0; i < count; ++i) {
        const double angle =
            6.283185307179586 * static_cast<double>(i) / static_cast<double>(count);
        points.push_back({0, std::cos(angle), std::sin(angle)});
    }
    return points;
}

TEST(TriangulatePolygon, ConvexIsAFan) {
    for (const std::size_t count : {3u, 4u, 5u, 6u, 100u}) {
        expect_good(circle(count));
        const std::vector<Triangle> triangles = triangulate(circle(count));
        for (std::size_t i = 0; i < triangles.size(); ++i)
            EXPECT_EQ(triangles[i], (Triangle{{0, static_cast<std::uint32_t>(i + 1),
                                               static_cast<std::uint32_t>(i + 2)}}));
    }
}

TEST(TriangulatePolygon, ConcaveQuadsWithAnyFirstCorner) {
    const Points arrow = {{0, 0, 0}, {4, 0, 0}, {1, 1, 0}, {0, 4, 0}};
    for (std::ptrdiff_t shift = 0; shift < 4; ++shift) {
        Points points = arrow;
        std::rotate(points.begin(), points.begin() + shift, points.end());
        expect_good(points);
        std::reverse(points.begin(), points.end());
        expect_good(points);
    }
}

TEST(TriangulatePolygon, BentQuadKeepsItsSide) {
    expect_good({{0, 0, 0}, {1, 0, 0.3}, {1, 1, 0}, {0, 1, 0.3}});
}

TEST(TriangulatePolygon, ConcavePolygonsInAllDirections) {
    const Points letter = {{0, 0, 0}, {3, 0, 0}, {3, 1, 0}, {1, 1, 0},
                           {1, 2, 0}, {3, 2, 0}, {3, 3, 0}, {0, 3, 0}};
    for (std::ptrdiff_t shift = 0; shift < 8; ++shift) {
        Points points = letter;
        std::rotate(points.begin(), points.begin() + shift, points.end());
        expect_good(points);
        for (Vec3d& p : points)
            p = {p.z, p.x, p.y};
        expect_good(points);
        for (Vec3d& p : points)
            p = {p.z * 1e-20, p.x * 1e-20, p.y * 1e-20};
        expect_good(points);
        std::reverse(points.begin(), points.end());
        expect_good(points);
    }
}

TEST(TriangulatePolygon, RandomStars) {
    for (unsigned seed = 0; seed < 200; ++seed)
        expect_good(random_star(5 + seed, seed));
}

TEST(TriangulatePolygon, CollinearCornersStayOnTheOutline) {
    Points square;
    for (int i = 0; i < 5; ++i)
        square.push_back({double(i), 0, 0});
    for (int i = 0; i < 5; ++i)
        square.push_back({5, double(i), 0});
    for (int i = 0; i < 5; ++i)
        square.push_back({5.0 - i, 5, 0});
    for (int i = 0; i < 5; ++i)
        square.push_back({0, 5.0 - i, 0});
    for (std::ptrdiff_t shift = 0; shift < 20; ++shift) {
        Points points = square;
        std::rotate(points.begin(), points.begin() + shift, points.end());
        expect_good(points);
    }
}

TEST(TriangulatePolygon, KeyholeAroundAHole) {
    // This is a square ring: the outline visits two corners twice to reach the hole.
    const Points points = {{0, 0, 0}, {6, 0, 0}, {6, 6, 0}, {0, 6, 0},
                           {2, 2, 0}, {2, 4, 0}, {4, 4, 0}, {4, 2, 0}};
    const std::vector<std::uint32_t> corners = {0, 1, 2, 3, 0, 4, 5, 6, 7, 4};
    double area = 0;
    for (const Triangle& t : triangulate(points, corners)) {
        EXPECT_GE(area_vector(points, t).z, 0.0);
        area += area_vector(points, t).z;
    }
    EXPECT_DOUBLE_EQ(area, 32.0);
}

TEST(TriangulatePolygon, DegenerateOnesKeepTheirCount) {
    const Points points = {{0, 0, 0},     {1, 0, 0},          {2, 0, 0},    {1, 1, 0},
                           {0, 1e300, 0}, {0, -1e308, 1e308}, {0, 1e308, 0}};
    const std::vector<std::vector<std::uint32_t>> polygons = {
        {0, 0, 0, 0, 0},           // one point
        {0, 1, 2, 1, 0, 2},        // one line
        {0, 1, 1, 3, 3},           // repeated corners
        {0, 3, 1, 2, 0, 3, 1, 2},  // twice round
        {0, 2, 1, 3, 0, 1},        // crossing
        {0, 1, 4, 5, 6, 3},        // overflowing
        {0, 1, 3, 3},
        {0, 0, 0, 0},
        {0, 1, 2, 1},
    };
    for (const auto& corners : polygons) {
        const std::vector<Triangle> triangles = triangulate(points, corners);
        for (const Triangle& t : triangles)
            for (const std::uint32_t v : t.v)
                EXPECT_NE(std::find(corners.begin(), corners.end(), v), corners.end());
    }
}

TEST(TriangulatePolygon, RepeatedCornersAreDegenerateTriangles) {
    const Points points = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    const auto triangles = triangulate(points, {0, 1, 1, 2, 3});
    double area = 0;
    for (const Triangle& t : triangles)
        area += area_vector(points, t).z;
    EXPECT_DOUBLE_EQ(area, 1.0);
}

TEST(TriangulatePolygon, HugePolygonsTakeBoundedTime) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(triangulate(circle(1000000)).size(), 999998u);
    EXPECT_EQ(triangulate(random_star(1000000, 1)).size(), 999998u);
    EXPECT_EQ(triangulate(random_star(65536, 2)).size(), 65534u);
    // This is a comb: every second corner is reflex and hides behind the others.
    Points comb;
    for (int i = 0; i < 20000; ++i)
        comb.push_back({double(i), i % 2 == 0 ? 0.0 : 1000.0 + i % 7, 0});
    comb.push_back({20000, -1, 0});
    comb.push_back({-1, -1, 0});
    EXPECT_EQ(triangulate(comb).size(), comb.size() - 2);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    EXPECT_LT(elapsed.count(), 120.0);  // [s] about one without sanitizers
}

}  // namespace
}  // namespace graze
