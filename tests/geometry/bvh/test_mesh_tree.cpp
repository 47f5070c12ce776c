#include "graze/mesh_tree.h"

#include <algorithm>
#include <cstring>

#include "geometry/closest_point_triangle.h"
#include "geometry/intersect_ray_triangle.h"
#include "geometry/overlap_box_triangle.h"
#include "graze/mesh_io.h"
#include "graze/stop.h"
#include "tests/error_of.h"
#include "tests/geometry/bvh/mesh_tree_cases.h"
#include "tests/needs_data.h"
#include "tests/oracle/brute_distance.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

using oracle::case_count;
using testing::error_of;

void expect_nearest(MeshTree& tree, const std::vector<Vec3>& points, const char* name) {
    const Mesh& mesh = tree.mesh();
    const std::span<const NearestPoint> nearest = tree.find_nearest(points);
    ASSERT_EQ(nearest.size(), points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        const NearestPoint& found = nearest[i];
        const double exact = oracle::unsigned_distance(mesh, points[i]);
        EXPECT_NEAR(found.distance, exact, 2e-6) << name << ", point " << i;
        EXPECT_NEAR(length(found.position - points[i]), exact, 2e-6) << name;
        ASSERT_LT(found.triangle, mesh.triangles.size());
        const Triangle& t = mesh.triangles[found.triangle];
        const Vec3 at = mesh.positions[t[0]] * (1 - found.u - found.v) +
                        mesh.positions[t[1]] * found.u + mesh.positions[t[2]] * found.v;
        EXPECT_NEAR(length(at - found.position), 0, 2e-6) << name;
        EXPECT_NEAR(length(found.normal), 1, 1e-5) << name << ", point " << i;
    }
}

// Where the point is not on the surface but for rounding.
void expect_signs(MeshTree& tree, const std::vector<Vec3>& points, DistanceSign sign, double turn,
                  const char* name) {
    const std::span<const float> distances = tree.signed_distances(points, sign);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double exact = oracle::unsigned_distance(tree.mesh(), points[i]);
        EXPECT_NEAR(std::fabs(distances[i]), exact, 2e-6) << name;
        if (exact < 1e-5) continue;
        const double winding = turn * oracle::winding_number(tree.mesh(), points[i]);
        if (std::fabs(winding - 0.5) < 1e-4) continue;
        EXPECT_EQ(distances[i] < 0, winding > 0.5)
            << name << ", point " << i << " with winding number " << winding;
    }
}

std::vector<RayHit> hits_one_by_one(const Mesh& mesh, const Ray& ray) {
    std::vector<RayHit> hits;
    const auto shear = make_ray_shear(ray.origin, ray.direction);
    for (std::uint32_t i = 0; i < mesh.triangles.size(); ++i) {
        const Triangle& t = mesh.triangles[i];
        RayTriangleHit<float> hit;
        if (intersect_ray_triangle(shear, mesh.positions[t[0]], mesh.positions[t[1]],
                                   mesh.positions[t[2]], ray.t_min, ray.t_max, hit))
            hits.push_back({hit.t, hit.u, hit.v, i, hit.front});
    }
    std::sort(hits.begin(), hits.end(), [](const RayHit& a, const RayHit& b) {
        return std::pair(a.t, a.triangle) < std::pair(b.t, b.triangle);
    });
    return hits;
}

void expect_rays(MeshTree& tree, const std::vector<Vec3>& points, const char* name) {
    std::vector<Ray> rays;
    for (std::size_t i = 0; i + 1 < points.size(); i += 2) {
        Ray ray{points[i], points[i + 1] - points[i]};
        if (i % 6 == 0) ray.t_max = 1;
        if (i % 10 == 0) ray.direction = {i % 20 == 0 ? 1.0f : 0.0f, 0, i % 20 == 0 ? 0.0f : -2.0f};
        rays.push_back(ray);
    }
    const auto first = tree.find_first_hits(rays);
    const std::vector<RayHit> firsts(first.begin(), first.end());
    const auto any = tree.find_any_hits(rays);
    const std::vector<std::uint8_t> anys(any.begin(), any.end());
    const AnswerLists<RayHit> all = tree.find_all_hits(rays);
    std::size_t hit_count = 0;
    for (std::size_t i = 0; i < rays.size(); ++i) {
        const std::vector<RayHit> expected = hits_one_by_one(tree.mesh(), rays[i]);
        ASSERT_EQ(all.of(i).size(), expected.size()) << name << ", ray " << i;
        for (std::size_t k = 0; k < expected.size(); ++k) {
            EXPECT_EQ(all.of(i)[k].triangle, expected[k].triangle) << name;
            EXPECT_EQ(all.of(i)[k].t, expected[k].t) << name;
            EXPECT_EQ(all.of(i)[k].front, expected[k].front) << name;
        }
        EXPECT_EQ(anys[i], expected.empty() ? 0 : 1) << name;
        EXPECT_EQ(firsts[i].triangle, expected.empty() ? kNoTriangle : expected[0].triangle);
        if (!expected.empty()) {
            EXPECT_EQ(firsts[i].t, expected[0].t);
        }
        hit_count += expected.size();
    }
    EXPECT_GT(hit_count, 0u) << name;
}

void expect_lists(MeshTree& tree, const std::vector<Vec3>& points, const char* name) {
    const Mesh& mesh = tree.mesh();
    const float reach = 0.3f;
    const int wanted = 5;
    const auto nearest = tree.find_nearest_triangles(points, wanted);
    const std::vector<NearTriangle> few(nearest.begin(), nearest.end());
    const AnswerLists<NearTriangle> within = tree.find_within(points, reach);
    for (std::size_t i = 0; i < points.size(); ++i) {
        std::vector<NearTriangle> expected;
        for (std::uint32_t k = 0; k < mesh.triangles.size(); ++k) {
            const Triangle& t = mesh.triangles[k];
            expected.push_back({closest_point_triangle(points[i], mesh.positions[t[0]],
                                                       mesh.positions[t[1]], mesh.positions[t[2]])
                                    .distance_sq,
                                k});
        }
        std::sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) {
            return std::pair(a.distance, a.triangle) < std::pair(b.distance, b.triangle);
        });
        for (std::size_t k = 0; k < static_cast<std::size_t>(wanted); ++k) {
            const NearTriangle& found = few[i * wanted + k];
            if (k < expected.size()) {
                EXPECT_EQ(found.triangle, expected[k].triangle) << name << ", point " << i;
                EXPECT_EQ(found.distance, std::sqrt(expected[k].distance)) << name;
            } else {
                EXPECT_EQ(found.triangle, kNoTriangle) << name;
            }
        }
        const auto end = std::partition_point(
            expected.begin(), expected.end(),
            [&](const NearTriangle& t) { return t.distance <= reach * reach; });
        const auto found = within.of(i);
        ASSERT_EQ(found.size(), static_cast<std::size_t>(end - expected.begin())) << name;
        for (std::size_t k = 0; k < found.size(); ++k)
            EXPECT_EQ(found[k].triangle, expected[k].triangle) << name;
    }
}

void expect_boxes(MeshTree& tree, const std::vector<Vec3>& points, const char* name) {
    const Mesh& mesh = tree.mesh();
    std::vector<Aabb> boxes{Aabb::empty()};
    for (std::size_t i = 0; i + 1 < points.size(); i += 2) {
        const Vec3 half = max_of(points[i + 1] - points[i], points[i] - points[i + 1]) * 0.25f;
        boxes.push_back({points[i] - half, points[i] + half});
    }
    const AnswerLists<std::uint32_t> found = tree.find_in_boxes(boxes);
    EXPECT_TRUE(found.of(0).empty());
    for (std::size_t i = 1; i < boxes.size(); ++i) {
        std::vector<std::uint32_t> expected;
        for (std::uint32_t k = 0; k < mesh.triangles.size(); ++k) {
            const Triangle& t = mesh.triangles[k];
            const Vec3 half = extent(boxes[i]) * 0.5f;
            if (overlap(boxes[i],
                        box_of(mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]])) &&
                overlap_box_triangle(boxes[i].min + half, half, mesh.positions[t[0]],
                                     mesh.positions[t[1]], mesh.positions[t[2]]))
                expected.push_back(k);
        }
        EXPECT_TRUE(std::ranges::equal(found.of(i), expected)) << name << ", box " << i;
    }
}

void expect_right_answers(const Device& device, int count) {
    for (const auto& [name, mesh] : tree_meshes()) {
        MeshTree tree(mesh, device);
        const std::vector<Vec3> points = tree_points(mesh, count, 7);
        expect_nearest(tree, points, name.c_str());
        expect_rays(tree, points, name.c_str());
        expect_lists(tree, points, name.c_str());
        expect_boxes(tree, points, name.c_str());
        const double turn = name == "cube turned inside out" ? -1 : 1;
        expect_signs(tree, points, DistanceSign::winding, turn, name.c_str());
        expect_signs(tree, points, DistanceSign::automatic, turn, name.c_str());
        const auto windings = tree.winding_numbers(points);
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (oracle::unsigned_distance(mesh, points[i]) < 1e-5) continue;
            EXPECT_NEAR(windings[i], oracle::winding_number(mesh, points[i]), 1e-3) << name;
        }
    }
}

TEST(MeshTree, AnswersAsAllTrianglesOneByOneDo) {
    expect_right_answers(Device::cpu(), case_count(300));
}

TEST(MeshTree, TellsSidesByNormalsOnlyWhereTheyAreCertain) {
    const auto sign_of = [](const Mesh& mesh) { return MeshTree(mesh).distance_sign(); };
    for (const auto& [name, mesh] : tree_meshes()) {
        const bool is_plain = name == "torus" || name == "cube" || name == "sphere" ||
                              name == "torus of loose triangles";
        EXPECT_EQ(sign_of(mesh), is_plain ? DistanceSign::pseudonormal : DistanceSign::winding)
            << name;
    }
    // A vertex in the middle of a side, almost on its edge, makes flat triangles.
    Mesh flat = sample::cube();
    const Triangle t = flat.triangles[0];
    const auto middle = static_cast<std::uint32_t>(flat.positions.size());
    const Vec3 a = flat.positions[t[0]], b = flat.positions[t[1]], c = flat.positions[t[2]];
    flat.positions.push_back((a + b) * 0.4999f + c * 0.0002f);
    flat.triangles[0] = {{t[0], t[1], middle}};
    flat.triangles.push_back({{t[1], t[2], middle}});
    flat.triangles.push_back({{t[2], t[0], middle}});
    EXPECT_EQ(sign_of(flat), DistanceSign::winding);
}

TEST(MeshTree, TellsTheSidesOfRealModels) {
    GRAZE_NEEDS_DATA("models");
    for (const char* name : {"spot.obj", "cow.obj", "bowl.obj"}) {
        const Mesh mesh = load_mesh((data_folder() / "models" / name).string());
        MeshTree tree(mesh);
        const std::vector<Vec3> points = tree_points(mesh, case_count(60), 3);
        const auto distances = tree.signed_distances(points);
        for (std::size_t i = 0; i < points.size(); ++i) {
            const double exact = oracle::unsigned_distance(mesh, points[i]);
            const double winding = oracle::winding_number(mesh, points[i]);
            if (exact < 1e-5 || std::fabs(winding - 0.5) < 1e-4) continue;
            EXPECT_NEAR(distances[i], winding > 0.5 ? -exact : exact, 4e-6) << name << " " << i;
        }
    }
}

TEST(MeshTree, FollowsVerticesThatMove) {
    MeshTree tree(make_torus(16, 10));
    std::vector<Vec3> positions = tree.mesh().positions;
    for (Vec3& p : positions)
        p = {p.x + 0.3f * p.y * p.y, p.y, p.z * (1 + 0.5f * p.x) + 2};
    tree.set_positions(positions);
    EXPECT_EQ(tree.mesh().positions, positions);
    const std::vector<Vec3> points = tree_points(tree.mesh(), case_count(200), 9);
    expect_nearest(tree, points, "moved");
    expect_rays(tree, points, "moved");
    expect_lists(tree, points, "moved");
    expect_signs(tree, points, DistanceSign::automatic, 1, "moved");
    expect_signs(tree, points, DistanceSign::pseudonormal, 1, "moved");
    MeshTree anew(tree.mesh());
    const auto moved = tree.find_nearest(points);
    const auto made = anew.find_nearest(points);
    for (std::size_t i = 0; i < points.size(); ++i)
        EXPECT_EQ(moved[i].distance, made[i].distance);
}

TEST(MeshTree, LooksNoFartherThanAskedTo) {
    MeshTree tree(make_sphere(1, 3));
    const std::vector<Vec3> points{{1.2f, 0, 0}, {3, 0, 0}, {0, 0, 0}};
    const auto nearest = tree.find_nearest(points, 0.5f);
    EXPECT_NEAR(nearest[0].distance, 0.2f, 0.02f);
    EXPECT_EQ(nearest[1].triangle, kNoTriangle);
    EXPECT_EQ(nearest[1].distance, std::numeric_limits<float>::infinity());
    EXPECT_EQ(nearest[2].triangle, kNoTriangle);
}

TEST(MeshTree, NamesEachTriangleOnceHoweverFarItMayBe) {
    MeshTree tree(sample::single_triangle());
    const std::vector<Vec3> points{{0.1f, 0.2f, 5}};
    const float inf = std::numeric_limits<float>::infinity();
    EXPECT_EQ(tree.find_within(points, inf).items.size(), 1u);
    EXPECT_EQ(tree.find_nearest_triangles(points, 3)[1].triangle, kNoTriangle);
}

TEST(MeshTree, GivesTheSameBytesForAnyNumberOfThreads) {
    const Mesh mesh = random_soup(2000, 0.2f, 5);
    const std::vector<Vec3> points = tree_points(mesh, 2000, 1);
    MeshTree one(mesh, Device::cpu(1)), all(mesh, Device::cpu());
    const auto same = [](auto a, auto b) {
        return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
    };
    EXPECT_TRUE(same(one.find_nearest(points), all.find_nearest(points)));
    EXPECT_TRUE(same(one.signed_distances(points), all.signed_distances(points)));
    EXPECT_TRUE(same(one.winding_numbers(points), all.winding_numbers(points)));
    EXPECT_TRUE(same(one.find_within(points, 0.1f).items, all.find_within(points, 0.1f).items));
}

TEST(MeshTree, TellsHowFarItIsAndStops) {
    MeshTree tree(make_sphere(1, 3));
    const std::vector<Vec3> points(20000, Vec3{0.5f, 0.2f, 0});
    const auto plain = tree.signed_distances(points);
    const std::vector<float> expected(plain.begin(), plain.end());
    double last = 0;
    int call_count = 0;
    const Progress follow = [&](double fraction) {
        EXPECT_GE(fraction, last);
        last = fraction;
        ++call_count;
        return true;
    };
    const auto told = tree.signed_distances(points, DistanceSign::automatic, follow);
    EXPECT_TRUE(std::ranges::equal(told, expected));
    EXPECT_EQ(last, 1);
    EXPECT_GT(call_count, 2);
    last = 0;
    tree.find_within(points, 0.7f, follow);
    EXPECT_EQ(last, 1);
    EXPECT_EQ(error_of([&] { tree.winding_numbers(points, [](double) { return false; }); }),
              "mesh tree: stopped, as was asked for");
    const StopScope scope([] { return true; });
    EXPECT_THROW(tree.find_nearest(points), Stopped);
}

TEST(MeshTree, SaysWhatIsWrong) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float inf = std::numeric_limits<float>::infinity();
    EXPECT_EQ(error_of([] { MeshTree tree{Mesh{}}; }),
              "mesh tree: the mesh has no triangles; give one that has a surface");
    EXPECT_NE(error_of([] { MeshTree tree{Mesh{{{0, 0, 0}}, {{{0, 0, 1}}}}}; }), "");
    MeshTree tree(sample::cube());
    const std::vector<Vec3> wrong{{0, 0, 0}, {0, nan, 0}}, far{{1e19f, 0, 0}};
    EXPECT_EQ(error_of([&] { tree.find_nearest(wrong); }),
              "mesh tree: a coordinate of point 1 is not finite or beyond 1e18 m; give finite "
              "coordinates");
    EXPECT_NE(error_of([&] { tree.signed_distances(far); }), "");
    EXPECT_NE(error_of([&] { tree.find_nearest(wrong, nan); }), "");
    EXPECT_NE(error_of([&] { tree.winding_numbers(wrong); }), "");
    EXPECT_NE(error_of([&] { tree.find_within(far, -1); }), "");
    EXPECT_NE(error_of([&] { tree.find_nearest_triangles({}, 0); }), "");
    EXPECT_NE(error_of([&] { tree.find_first_hits(std::vector{Ray{{0, 0, 0}, {inf, 0, 0}}}); }),
              "");
    EXPECT_NE(error_of([&] { tree.find_all_hits(std::vector{Ray{{0, 0, 0}, {1, 0, 0}, nan}}); }),
              "");
    EXPECT_NE(error_of([&] { tree.find_in_boxes(std::vector{Aabb{{0, 0, 0}, {nan, 1, 1}}}); }), "");
    EXPECT_NE(error_of([&] { tree.set_positions(wrong); }), "");
    EXPECT_TRUE(tree.find_nearest({}).empty());
    EXPECT_TRUE(tree.find_all_hits({}).items.empty());
    EXPECT_EQ(tree.find_first_hits(std::vector{Ray{{0, 0, 0}, {0, 0, 0}}})[0].triangle,
              kNoTriangle);
}

}  // namespace
}  // namespace graze
