#include "io/meshes/triangulate_polygon.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "geometry/predicates.h"
#include "tests/oracle/case_count.h"

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
    const Points points = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {1, 1, 0}};
    const std::vector<std::vector<std::uint32_t>> polygons = {
        {0, 0, 0, 0, 0},     // one point
        {0, 1, 2, 1, 0, 2},  // one line
        {0, 1, 1, 3, 3},     // repeated corners
        {0, 1, 3, 1},        // there and back
        {0, 1, 3, 3},       {0, 0, 0, 0}, {0, 1, 2, 1},
    };
    for (const auto& corners : polygons) {
        const std::vector<Triangle> triangles = triangulate(points, corners);
        for (const Triangle& t : triangles) {
            EXPECT_GE(area_vector(points, t).z, 0.0);
            for (const std::uint32_t v : t.v)
                EXPECT_NE(std::find(corners.begin(), corners.end(), v), corners.end());
        }
    }
}

void expect_refused(const Points& points, const std::vector<std::uint32_t>& corners) {
    std::vector<Triangle> triangles(corners.size() - 2);
    EXPECT_THROW(io::triangulate_polygon<double>(points, corners, triangles.data()),
                 io::PolygonError);
}
// Refused with any first corner, either way round, and in a tilted plane.
void expect_refused(Points points) {
    for (std::size_t shift = 0; shift < std::min<std::size_t>(points.size(), 9); ++shift) {
        std::rotate(points.begin(), points.begin() + 1, points.end());
        expect_refused(points, all_corners(points.size()));
        std::reverse(points.begin(), points.end());
        expect_refused(points, all_corners(points.size()));
        Points tilted = points;
        for (Vec3d& p : tilted)
            p = {0.7 * p.x + 0.1 * p.y + 3, 0.2 * p.x - 0.9 * p.y, 0.6 * p.y + 0.3 * p.x - 1};
        expect_refused(tilted, all_corners(points.size()));
    }
}

TEST(TriangulatePolygon, CrossingOnesAreRefused) {
    expect_refused({{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}});              // a bow-tie
    expect_refused({{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 3, 0}});              // a lopsided one
    expect_refused({{0, 0, 0}, {4, 0, 0}, {4, 3, 0}, {2, -1, 0}, {0, 3, 0}});  // through a side
    expect_refused({{0, 0, 0}, {1, 1, 0}, {2, 2, 0}, {2, 0, 0}, {0, 2, 0}});   // a pentagon
    // A figure of eight, whose areas cancel out, with corners where it crosses.
    expect_refused({{0, 0, 0}, {1, 1, 0}, {2, 2, 0}, {2, 0, 0}, {1, 1, 0}, {0, 2, 0}});
    Points pentagram;
    for (int i = 0; i < 5; ++i)
        pentagram.push_back(
            {std::cos(2.4 * 1.0471975512 * i), std::sin(2.4 * 1.0471975512 * i), 0});
    expect_refused(pentagram);
    // A corridor round a block that goes on through its own beginning: each corner of it is right.
    expect_refused({{0, 0, 0},
                    {5, 0, 0},
                    {5, 5, 0},
                    {0, 5, 0},
                    {0, 0.5, 0},
                    {3, 0.5, 0},
                    {3, 1.5, 0},
                    {1, 1.5, 0},
                    {1, 4, 0},
                    {4, 4, 0},
                    {4, 1, 0},
                    {0, 1, 0}});
    const Points points = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    expect_refused(points, {0, 1, 3, 4, 0, 1, 3, 4});  // twice round
    // Beyond what doubles hold.
    expect_refused({{-1.7e308, 0, 0}, {1.7e308, 0, 0}, {1, 1, 0}, {1, 2, 0}, {0, 3, 0}},
                   {0, 1, 2, 3, 4});
}

// The triangles cover the polygon once but for what rounding to floats makes of it, from every
// first corner and in both directions.
void expect_covered(Points points, double farthest) {
    for (int direction = 0; direction < 2; ++direction) {
        for (std::size_t first = 0; first < points.size(); ++first) {
            std::rotate(points.begin(), points.begin() + 1, points.end());
            const std::vector<Triangle> triangles = triangulate(points);
            expect_edges_pair_up(triangles, points.size());
            Vec3d total{0, 0, 0};
            double sum = 0;
            for (const Triangle& t : triangles) {
                total += area_vector(points, t);
                sum += length(area_vector(points, t));
            }
            const double allowed = farthest * farthest * 0x1p-20 * double(points.size());
            ASSERT_NEAR(sum, length(total), allowed) << "from corner " << first;
        }
        std::reverse(points.begin(), points.end());
    }
}

// A corner touches another side, and is rounded to beyond it.
TEST(TriangulatePolygon, CornersRoundedBeyondASideThatTheyTouch) {
    expect_covered({{0, 0, 0}, {9, 3, 0}, {9, 6, 0}, {7, 2.33333325386, 0}, {0, 6, 0}}, 9);
    // By more than rounding, it crosses.
    expect_refused({{0, 0, 0}, {9, 3, 0}, {9, 6, 0}, {7, 2.3333, 0}, {0, 6, 0}});
    // Spikes from one side of a convex polygon to another.
    std::mt19937 random(5);
    std::uniform_real_distribution<double> part(0.1, 0.9);
    int beyond = 0;
    for (int n = 0; n < oracle::case_count(300); ++n) {
        const std::size_t count = 5 + static_cast<std::size_t>(n) % 9;
        Points points;
        for (std::size_t i = 0; i < count; ++i) {
            const double angle = 6.283185307179586 * static_cast<double>(i) / double(count);
            points.push_back({double(float(3 * std::cos(angle + 0.1))),
                              double(float(3 * std::sin(angle + 0.1))), 0});
        }
        const std::size_t to = 2 + random() % (count - 3);
        const double t = part(random);
        const Vec3d on = points[to] * (1 - t) + points[(to + 1) % count] * t;
        const Vec3d tip{double(float(on.x)), double(float(on.y)), 0};
        beyond += orient2d_along(2, points[to], points[(to + 1) % count], tip) < 0 ? 1 : 0;
        // The tip is between the corners 0 and 1.
        points.insert(points.begin() + 1, tip);
        expect_covered(points, 3);
    }
    EXPECT_GT(beyond, oracle::case_count(300) / 4);
}

// Returns a comb of so many teeth, whose bases lie on a line.
Points straight_comb(int teeth) {
    Points points = {{0, 0, 0}, {double(teeth), 0, 0}};
    for (int i = 0; i < teeth; ++i) {
        points.push_back({teeth - i - 0.5, 0.1, 0});
        points.push_back({teeth - i - 1.0, 1, 0});
    }
    return points;
}
// Returns a corridor that winds inwards; only its two ends have ears at first.
Points spiral(int corners, double width = 0.3, double step = 0.1) {
    Points points;
    const auto at = [](double angle, double radius) {
        return Vec3d{radius * std::cos(angle), radius * std::sin(angle), 0};
    };
    for (int i = 0; i < corners; ++i)
        points.push_back(at(step * i, 1 + 0.01 * i));
    for (int i = corners; i-- > 0;)
        points.push_back(at(step * i, 1 + width + 0.01 * i));
    std::reverse(points.begin(), points.end());
    return points;
}

// Large ones, of which every triangle may turn left, although the outline crosses itself.
TEST(TriangulatePolygon, LargeCrossingOnesAreRefused) {
    // Its turns are 0.63 apart.
    expect_good(spiral(500, 0.6));
    expect_refused(spiral(500, 0.65));
    Points comb = straight_comb(400);
    comb[301].x += 1.5;  // across the next tooth
    expect_refused(comb);
}

// Corners that are off a line by rounding alone decide by what they are, not by a tolerance.
TEST(TriangulatePolygon, NearlyCollinearCombsAreCutRight) {
    for (const double slope : {1.0 / 3, 0.1, 0.77, -0.3}) {
        Points points = straight_comb(500);
        for (Vec3d& p : points) {
            const double x = p.x, y = p.y;
            p = {x * 0.1, (y * 3e-12 + x * slope) * 0.1, 0};
        }
        const std::vector<Triangle> triangles = triangulate(points);
        expect_edges_pair_up(triangles, points.size());
        for (const Triangle& t : triangles)
            EXPECT_GE(orient2d_along(2, points[t[0]], points[t[1]], points[t[2]]), 0);
    }
}

// Outlines through holes visit the same corners several times, here all from one corner.
TEST(TriangulatePolygon, HolesThatShareACorner) {
    Points points = {{0, 0, 0}, {9, 0, 0}, {9, 9, 0}, {0, 9, 0}};
    std::vector<std::uint32_t> corners = {0, 1, 2, 3};
    for (const Vec3d& at : {Vec3d{2, 6, 0}, Vec3d{5, 5, 0}, Vec3d{6, 2, 0}}) {
        const auto first = static_cast<std::uint32_t>(points.size());
        for (const Vec3d& by : {Vec3d{0, 0, 0}, Vec3d{0, 1, 0}, Vec3d{1, 1, 0}, Vec3d{1, 0, 0}})
            points.push_back(at + by);
        for (const std::uint32_t corner : {0u, first, first + 1, first + 2, first + 3, first})
            corners.push_back(corner);
    }
    for (std::size_t shift = 0; shift < corners.size(); ++shift) {
        std::rotate(corners.begin(), corners.begin() + 1, corners.end());
        double area = 0;
        for (const Triangle& t : triangulate(points, corners)) {
            EXPECT_GE(area_vector(points, t).z, 0.0);
            area += area_vector(points, t).z;
        }
        EXPECT_DOUBLE_EQ(area, 81.0 - 3);
    }
}

// Petals around one point: each of them touches all others there.
TEST(TriangulatePolygon, WhatTouchesItselfInTooManyPlacesIsRefused) {
    const auto flower = [](int petals) {
        Points points;
        for (int i = 0; i < petals; ++i) {
            const double angle = 6.283185307179586 * i / petals, width = 2.0 / petals;
            points.push_back({0, 0, 0});
            points.push_back({std::cos(angle), std::sin(angle), 0});
            points.push_back({std::cos(angle + width), std::sin(angle + width), 0});
        }
        return points;
    };
    EXPECT_EQ(triangulate(flower(100)).size(), 298u);
    const Points large = flower(8000);
    std::vector<Triangle> triangles(large.size());
    try {
        io::triangulate_polygon<double>(large, all_corners(large.size()), triangles.data());
        FAIL() << "not refused";
    } catch (const io::PolygonError& error) {
        EXPECT_NE(std::string(error.what()).find("in too many places"), std::string::npos);
    }
}

// The same with so many corners that what is around is cut as well.
TEST(TriangulatePolygon, LargeHoleIsCutRight) {
    Points points;
    std::vector<std::uint32_t> corners;
    const int count = 400;
    for (int i = 0; i < count; ++i)
        points.push_back({2 * std::cos(i * 6.283185307179586 / count),
                          2 * std::sin(i * 6.283185307179586 / count), 0});
    for (int i = 0; i < count; ++i)
        points.push_back(points[static_cast<std::size_t>(i)] * 0.5);
    for (std::uint32_t i = 0; i <= count; ++i)
        corners.push_back(i % count);
    for (std::uint32_t i = 0; i <= count; ++i)
        corners.push_back(count + (count - i) % count);
    double area = 0;
    for (const Triangle& t : triangulate(points, corners)) {
        EXPECT_GE(area_vector(points, t).z, 0.0);
        area += area_vector(points, t).z;
    }
    EXPECT_NEAR(area, 3 * 0.5 * count * std::sin(6.283185307179586 / count), 1e-12);
}

TEST(TriangulatePolygon, RepeatedCornersAreDegenerateTriangles) {
    const Points points = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    const auto triangles = triangulate(points, {0, 1, 1, 2, 3});
    double area = 0;
    for (const Triangle& t : triangles)
        area += area_vector(points, t).z;
    EXPECT_DOUBLE_EQ(area, 1.0);
}

// Returns a comb in which every second corner is reflex and hides behind the others.
Points deep_comb(int corners) {
    Points points;
    for (int i = corners; i-- > 0;)
        points.push_back({double(i), i % 2 == 0 ? 0.0 : 1000.0 + i % 7, 0});
    points.push_back({-1, -1, 0});
    points.push_back({double(corners), -1, 0});
    return points;
}
// The combs have thousands of corners that no ear may hold; in a spiral ears come up one by one.
TEST(TriangulatePolygon, LargeConcavePolygonsAreCutRight) {
    expect_good(straight_comb(2000));
    expect_good(deep_comb(20000));
    expect_good(spiral(5000));
    expect_good(random_star(65536, 2));
    expect_good(random_star(100000, 3));
}

// A million corners take seconds; quadratic time would take hours.
TEST(TriangulatePolygon, TimeGrowsLittleFasterThanCorners) {
    expect_good(circle(oracle::case_count(1000000)));
    expect_good(straight_comb(oracle::case_count(500000)));
    // Steps are so small that the sides stay within the corridor.
    expect_good(spiral(oracle::case_count(200000), 0.3, 0.02));
}

// Ear clipping without anything that makes it fast, for polygons that are not strictly convex.
std::vector<Triangle> clip_ears(const Points& p) {
    std::vector<std::uint32_t> ring = all_corners(p.size());
    std::vector<Triangle> triangles;
    const auto area = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        return (p[b].x - p[a].x) * (p[c].y - p[a].y) - (p[b].y - p[a].y) * (p[c].x - p[a].x);
    };
    std::size_t start = 0;
    while (ring.size() > 3) {
        const std::size_t n = ring.size();
        const auto corner = [&](std::size_t i) { return ring[i % n]; };
        const auto is_ear = [&](std::size_t i) {
            const std::uint32_t a = corner(i + n - 1), b = corner(i), c = corner(i + 1);
            if (!(area(a, b, c) > 0)) return false;
            for (std::size_t k = 0; k < n; ++k) {
                const std::uint32_t q = corner(k);
                if (q == a || q == b || q == c) continue;
                if (area(corner(k + n - 1), q, corner(k + 1)) > 0) continue;
                if (area(a, b, q) >= 0 && area(b, c, q) >= 0 && area(c, a, q) >= 0) return false;
            }
            return true;
        };
        std::size_t tip = start;
        while (tip < start + n && !is_ear(tip))
            ++tip;
        tip %= n;
        triangles.push_back({{corner(tip + n - 1), corner(tip), corner(tip + 1)}});
        const std::uint32_t after = corner(tip + 2);
        ring.erase(ring.begin() + static_cast<std::ptrdiff_t>(tip));
        start = static_cast<std::size_t>(std::find(ring.begin(), ring.end(), after) - ring.begin());
    }
    const std::size_t n = ring.size();
    triangles.push_back({{ring[start], ring[(start + 1) % n], ring[(start + 2) % n]}});
    return triangles;
}

// Fields and caches of files know their triangles by order, so that being fast must not change it.
TEST(TriangulatePolygon, TrianglesAreThoseOfPlainEarClipping) {
    std::vector<Points> polygons = {straight_comb(20), deep_comb(30), spiral(100)};
    for (unsigned seed = 0; seed < 20; ++seed) {
        polygons.push_back(random_star(60 + 7 * seed, seed));
        for (Vec3d& point : polygons.back())
            point.z = 0;
    }
    for (const Points& points : polygons)
        EXPECT_EQ(triangulate(points), clip_ears(points));
}

}  // namespace
}  // namespace graze
