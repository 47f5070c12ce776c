#include "graze/mesh_tree.h"

#include <cstring>

#include "graze/mesh_io.h"
#include "graze/stop.h"
#include "tests/error_of.h"
#include "tests/geometry/bvh/mesh_tree_cases.h"
#include "tests/needs_data.h"

namespace graze {
namespace {

using oracle::case_count;
using testing::error_of;

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
