// Every sphere of a tree holds all that is below it, every point is in one leaf, and the order is
// breadth first, for whatever points.
#include "geometry/sphere_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "geometry/smallest_ball.h"
#include "graze/error.h"
#include "parallel/cpu_executor.h"
#include "tests/oracle/random_points.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {
namespace {

// The points below each node, as a range of the tree's order, once its structure is found to be
// right.
struct NodeRange {
    std::uint32_t begin, end;
};

std::vector<NodeRange> check_structure(const SphereTree& tree, std::size_t point_count) {
    const auto node_count = static_cast<std::uint32_t>(tree.nodes.size());
    std::vector<NodeRange> ranges(node_count);
    EXPECT_EQ(tree.indices.size(), point_count);
    EXPECT_EQ(tree.level_count == 0, point_count == 0);
    std::vector<int> levels(node_count, 0);
    std::uint32_t next_child = 1, next_point = 0;
    for (std::uint32_t i = 0; i < node_count; ++i) {
        const SphereNode& node = tree.nodes[i];
        EXPECT_GE(node.count, 1);
        EXPECT_LE(node.count, kSphereTreeWidth);
        if (node.is_leaf != 0) {
            EXPECT_EQ(levels[i], tree.level_count - 1);
            EXPECT_EQ(node.first, next_point);
            ranges[i] = {node.first, node.first + node.count};
            next_point += node.count;
        } else {
            EXPECT_EQ(node.first, next_child);
            for (std::uint32_t child = node.first; child < node.first + node.count; ++child)
                levels.at(child) = levels[i] + 1;
            next_child += node.count;
        }
    }
    EXPECT_EQ(next_child, node_count == 0 ? 1 : node_count);
    EXPECT_EQ(next_point, point_count);
    for (std::uint32_t i = node_count; i-- > 0;) {
        const SphereNode& node = tree.nodes[i];
        if (node.is_leaf == 0)
            ranges[i] = {ranges[node.first].begin, ranges[node.first + node.count - 1].end};
    }
    return ranges;
}

// In long double, which holds squares of float differences almost exactly.
bool holds(const SphereNode& node, const Vec3& point) {
    long double sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const long double offset =
            static_cast<long double>(point[axis]) - static_cast<long double>(node.centre[axis]);
        sum += offset * offset;
    }
    const long double radius = node.radius;
    return sum <= radius * radius;
}

void check_points(const std::vector<Vec3>& points) {
    CpuExecutor executor;
    const SphereTree tree = build_sphere_tree(executor, points);
    const std::vector<NodeRange> ranges = check_structure(tree, points.size());
    ASSERT_EQ(tree.points.size(), points.size());
    std::vector<int> seen(points.size(), 0);
    for (std::size_t i = 0; i < points.size(); ++i) {
        ASSERT_LT(tree.indices[i], points.size());
        ++seen[tree.indices[i]];
        EXPECT_EQ(tree.points[i], points[tree.indices[i]]);
    }
    EXPECT_EQ(seen, std::vector<int>(points.size(), 1));
    int outside_count = 0;
    for (std::size_t node = 0; node < tree.nodes.size(); ++node) {
        for (std::uint32_t i = ranges[node].begin; i < ranges[node].end; ++i)
            outside_count += holds(tree.nodes[node], tree.points[i]) ? 0 : 1;
    }
    EXPECT_EQ(outside_count, 0) << "of " << points.size() << " points";
}

std::vector<Vec3> random_points(int count, unsigned seed) {
    oracle::RandomPoints<float> random(seed);
    std::vector<Vec3> points;
    points.reserve(count);
    for (int i = 0; i < count; ++i)
        points.push_back(random.in_box(1));
    return points;
}

TEST(SphereTree, HoldsPointsOfAnyNumber) {
    for (const int count : {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 63, 64, 65, 129, 513, 4097})
        check_points(random_points(count, static_cast<unsigned>(count)));
}

TEST(SphereTree, HoldsPointsThatCoincideOrLieInALine) {
    check_points(std::vector<Vec3>(1000, Vec3{1.1f, -2.3f, 0.7f}));
    std::vector<Vec3> doubled = random_points(300, 5);
    doubled.insert(doubled.end(), doubled.begin(), doubled.end());
    doubled.insert(doubled.end(), 100, doubled[17]);
    check_points(doubled);
    std::vector<Vec3> line, grid;
    for (int i = 0; i < 500; ++i) {
        const auto x = static_cast<float>(i);
        line.push_back({x * 0.1f, x * 0.3f, 7 - x});
        grid.push_back({static_cast<float>(i % 10), static_cast<float>(i / 10 % 10), 0});
    }
    check_points(line);
    check_points(grid);
}

TEST(SphereTree, HoldsPointsOfAnyMagnitude) {
    oracle::RandomPoints<float> random(3);
    std::vector<Vec3> huge, tiny, mixed;
    for (int i = 0; i < 400; ++i) {
        huge.push_back(random.in_box(1e38f));
        tiny.push_back(random.in_box(1e-40f));
        mixed.push_back(random.over_exponents(-120, 120));
    }
    check_points(huge);
    check_points(tiny);
    check_points(mixed);
    std::vector<Vec3> offset = random_points(400, 9);
    for (Vec3& point : offset)
        point += Vec3{1e5f, -1e5f, 3e5f};
    check_points(offset);
}

TEST(SphereTree, HoldsThoseThatAreChosen) {
    const std::vector<Vec3> points = random_points(1000, 11);
    std::vector<std::uint32_t> chosen;
    for (std::uint32_t i = 0; i < 1000; i += 3)
        chosen.push_back(i);
    CpuExecutor executor;
    const SphereTree tree = build_sphere_tree(executor, points, chosen);
    check_structure(tree, chosen.size());
    std::vector<std::uint32_t> indices = tree.indices;
    std::sort(indices.begin(), indices.end());
    EXPECT_EQ(indices, chosen);
    for (std::size_t i = 0; i < indices.size(); ++i)
        EXPECT_EQ(tree.points[i], points[tree.indices[i]]);
}

TEST(SphereTree, HoldsWholeTriangles) {
    CpuExecutor executor;
    for (const Mesh& mesh : {sample::torus(40, 20), sample::cube(), sample::single_triangle(),
                             sample::random_soup(500, 900, 7), sample::collapsed_triangles()}) {
        const SphereTree tree = build_sphere_tree(executor, mesh);
        EXPECT_TRUE(tree.points.empty());
        EXPECT_EQ(tree.view().points, nullptr);
        const std::vector<NodeRange> ranges = check_structure(tree, mesh.triangles.size());
        oracle::RandomPoints<double> random(1);
        int outside_count = 0;
        for (std::size_t node = 0; node < tree.nodes.size(); ++node) {
            const SphereNode& sphere = tree.nodes[node];
            for (std::uint32_t i = ranges[node].begin; i < ranges[node].end; ++i) {
                const Triangle& t = mesh.triangles[tree.indices[i]];
                Vec3d corners[3];
                for (int k = 0; k < 3; ++k) {
                    corners[k] = static_cast<Vec3d>(mesh.positions[t[k]]);
                    outside_count += holds(sphere, mesh.positions[t[k]]) ? 0 : 1;
                }
                double u = random.uniform(0, 1), v = random.uniform(0, 1);
                if (u + v > 1) u = 1 - u, v = 1 - v;
                const Vec3d inner =
                    corners[0] + (corners[1] - corners[0]) * u + (corners[2] - corners[0]) * v;
                const double reach = length(inner - static_cast<Vec3d>(sphere.centre));
                outside_count += reach <= sphere.radius * (1 + 1e-14) ? 0 : 1;
            }
        }
        EXPECT_EQ(outside_count, 0);
    }
}

TEST(SphereTree, IsTheSameForAnyNumberOfThreads) {
    const std::vector<Vec3> points = random_points(30000, 21);
    CpuExecutor one(1), many;
    const SphereTree a = build_sphere_tree(one, points), b = build_sphere_tree(many, points);
    ASSERT_EQ(a.nodes.size(), b.nodes.size());
    EXPECT_EQ(std::memcmp(a.nodes.data(), b.nodes.data(), a.nodes.size() * sizeof(SphereNode)), 0);
    EXPECT_EQ(a.indices, b.indices);
}

// A split that ignored where points are would give spheres as large as the root's.
TEST(SphereTree, HasSmallSpheres) {
    std::vector<Vec3> points;
    std::mt19937 random(4);
    std::normal_distribution<float> normal;
    points.reserve(20000);
    for (int i = 0; i < 20000; ++i)
        points.push_back(normalized(Vec3{normal(random), normal(random), normal(random)}));
    CpuExecutor executor;
    const SphereTree tree = build_sphere_tree(executor, points);
    EXPECT_NEAR(tree.nodes[0].radius, 1, 0.01);
    double radius_sum = 0;
    std::size_t leaf_count = 0;
    for (const SphereNode& node : tree.nodes) {
        if (node.is_leaf == 0) continue;
        radius_sum += node.radius;
        ++leaf_count;
    }
    // Leaves that were discs would cover the unit sphere's 4 pi with so many radii.
    const double disc = std::sqrt(4.0 / static_cast<double>(leaf_count));
    EXPECT_LT(radius_sum / static_cast<double>(leaf_count), 1.2 * disc);
}

TEST(SphereTree, RefusesMoreThanItCanHold) {
    EXPECT_NO_THROW(require_sphere_tree_capacity(kSphereTreeMaxPoints));
    EXPECT_THROW(require_sphere_tree_capacity(kSphereTreeMaxPoints + 1), Error);
}

TEST(SmallestBall, OfKnownPoints) {
    const auto centre_of = [](const std::vector<Vec3d>& points) {
        return small_ball_centre(
            static_cast<std::int64_t>(points.size()),
            [&](std::int64_t i) { return points[static_cast<std::size_t>(i)]; }, points[0], 20);
    };
    const auto expect_near = [](const Vec3d& a, const Vec3d& b) { EXPECT_LT(length(a - b), 1e-9); };
    expect_near(centre_of({{0, 0, 0}, {2, 0, 0}, {1, 0.5, 0}}), {1, 0, 0});
    // An equilateral triangle with a point near its middle.
    const double h = std::sqrt(3.0);
    expect_near(centre_of({{-1, 0, 0}, {1, 0, 0}, {0, h, 0}, {0, 0.5, 0.1}}), {0, h / 3, 0});
    // A regular tetrahedron.
    expect_near(centre_of({{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}), {0, 0, 0});
    expect_near(centre_of({{3, 3, 3}, {3, 3, 3}, {3, 3, 3}}), {3, 3, 3});
}

}  // namespace
}  // namespace graze
