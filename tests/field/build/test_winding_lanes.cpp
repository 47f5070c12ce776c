// Checks that eight points at once get the winding numbers that each gets by itself, to the bit.
#include "field/build/winding_lanes.h"

#include "graze/generate_mesh.h"
#include "parallel/cpu_executor.h"
#include "tests/geometry/bvh/bvh_cases.h"
#include "tests/oracle/random_points.h"

namespace graze {
namespace {

void expect_same(const Mesh& mesh, const std::vector<Vec3>& points, float accuracy) {
    CpuExecutor executor(1);
    TriangleBvh bvh(host_memory());
    WindingTree tree(host_memory());
    build_triangle_bvh(executor, mesh.positions.data(), mesh.triangles.data(),
                       static_cast<std::int64_t>(mesh.triangles.size()), BvhQuality::high, bvh);
    build_winding_tree(executor, bvh, tree);
    int on_count = 0;
    for (std::size_t first = 0; first + kLaneCount <= points.size(); first += kLaneCount) {
        Vec3T<Float8> lanes;
        for (std::size_t lane = 0; lane < kLaneCount; ++lane) {
            lanes.x[lane] = points[first + lane].x;
            lanes.y[lane] = points[first + lane].y;
            lanes.z[lane] = points[first + lane].z;
        }
        const auto wanted = static_cast<std::uint32_t>(0xff & ~(first / kLaneCount));
        const detail::WindingLanes found =
            detail::sum_winding_by_lanes(bvh.view(), tree.moments.data(), lanes, wanted, accuracy);
        for (std::size_t lane = 0; lane < kLaneCount; ++lane) {
            if ((wanted >> lane & 1) == 0) {
                EXPECT_EQ(found.sum[lane], 0);
                continue;
            }
            WindingBesideTriangle beside{points[first + lane]};
            EXPECT_EQ(found.sum[lane],
                      sum_winding(bvh.view(), tree.moments.data(), beside.point, accuracy, beside));
            EXPECT_EQ((found.on >> lane & 1) != 0, beside.is_on);
            on_count += beside.is_on ? 1 : 0;
        }
    }
    EXPECT_GT(on_count, 0);
}

// Points around the mesh, on its corners and in its faces.
std::vector<Vec3> points_near(const Mesh& mesh) {
    oracle::RandomPoints<float> random(5);
    std::vector<Vec3> points;
    points.reserve(480);
    for (int i = 0; i < 400; ++i)
        points.push_back(random.in_box(1.5f));
    for (std::size_t i = 0; i < 80; ++i) {
        const Triangle& t = mesh.triangles[i * 31 % mesh.triangles.size()];
        const Vec3 &a = mesh.positions[t[0]], &b = mesh.positions[t[1]];
        points.push_back(i % 2 == 0 ? a : (a + b) * 0.5f);
    }
    return points;
}

TEST(WindingLanes, HaveTheBitsOfEachPoint) {
    const Mesh sheet = make_sheet({.columns = 20, .rows = 20});
    Mesh needles;
    oracle::RandomPoints<float> random(6);
    for (std::uint32_t i = 0; i < 300; ++i) {
        const Vec3 a = random.in_box(1), b = random.in_box(1);
        needles.positions.insert(needles.positions.end(), {a, b, b + random.in_box(0.002f)});
        needles.triangles.push_back({{3 * i, 3 * i + 1, 3 * i + 2}});
    }
    for (const Mesh& mesh : {sheet, needles})
        for (const float accuracy : {1.0f, kWindingAccuracy, 100.0f})
            expect_same(mesh, points_near(mesh), accuracy);
}

}  // namespace
}  // namespace graze
