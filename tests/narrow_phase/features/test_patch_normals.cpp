// Compares masks of normals with the normals at many times, on grids where arithmetic is exact.
#include "narrow_phase/features/patch_normals.h"

#include <gtest/gtest.h>

#include "tests/narrow_phase/features/patch_directions.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/random_points.h"
#include "tests/oracle/rational.h"

namespace graze {
namespace {

struct Moving {
    Vec3d p0[3], p1[3];
    Vec3d normal(double t) const {
        Vec3d p[3];
        for (int k = 0; k < 3; ++k)
            p[k] = p0[k] * (1 - t) + p1[k] * t;
        return cross(p[1] - p[0], p[2] - p[0]);
    }
};

TEST(PatchNormals, AreOnTheSidesThatTheyAreSaidToBeOn) {
    oracle::RandomPoints<double> random(1);
    int set = 0, lost = 0;
    for (int i = 0; i < oracle::case_count(20000); ++i) {
        Moving triangle;
        for (int k = 0; k < 3; ++k) {
            triangle.p0[k] = random.on_grid(3);
            triangle.p1[k] = triangle.p0[k] + random.on_grid(i % 4);
        }
        const std::uint32_t mask = normals_of_triangle(triangle.p0, triangle.p1).mask;
        for (int bit = 0; bit < 2 * kPatchDirections; ++bit) {
            const Vec3d direction = kPatchDirectionVectors[bit % kPatchDirections];
            double lowest = 1;
            for (int step = 0; step <= 32; ++step) {
                const double height = dot(triangle.normal(step / 32.0), direction);
                lowest = min_of(lowest, bit < kPatchDirections ? height : -height);
            }
            if ((mask >> bit & 1) != 0) {
                EXPECT_GT(lowest, 0) << i << " " << bit;
                ++set;
            } else if (lowest > 0) {
                ++lost;
            }
        }
    }
    EXPECT_GT(set, oracle::case_count(50000));
    EXPECT_LT(lost, set / 10);  // the condition on Bernstein coefficients is a little stronger
}

TEST(PatchNormals, HaveNoSideWhereTheyTurnBetweenTheEnds) {
    const Moving triangle{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                          {{0, 0, 0}, {-1, 0.25, 0}, {0.25, -1, 0}}};
    ASSERT_GT(triangle.normal(0).z, 0);
    ASSERT_LT(triangle.normal(0.55).z, 0);
    ASSERT_GT(triangle.normal(1).z, 0);
    EXPECT_EQ(normals_of_triangle(triangle.p0, triangle.p1).mask, 0u);
    EXPECT_EQ(nearest_patch_axis(normals_of_triangle(triangle.p0, triangle.p1)), -1);
}

// The normals of slivers are mostly rounding; their sides are compared with exact ones. Triangles
// that are too large have none.
TEST(PatchNormals, HaveNoSideThatIsOnlyRounding) {
    oracle::RandomPoints<double> random(2);
    int set = 0, tiny = 0;
    for (int i = 0; i < oracle::case_count(5000); ++i) {
        const Vec3d a = random.in_box(1), b = random.in_box(1);
        const double along = random.uniform(0, 1);
        const Vec3d sliver[3] = {a, b, random.nudged(a * (1 - along) + b * along, 40)};
        const std::uint32_t mask = normals_of_triangle(sliver, sliver).mask;
        const oracle::RationalVec3 origin = oracle::to_rational(a);
        const oracle::RationalVec3 normal = oracle::cross(oracle::to_rational(sliver[1]) - origin,
                                                          oracle::to_rational(sliver[2]) - origin);
        for (int bit = 0; bit < 2 * kPatchDirections; ++bit) {
            if ((mask >> bit & 1) == 0) continue;
            const Vec3d direction = kPatchDirectionVectors[bit % kPatchDirections];
            const int side = sgn(oracle::dot(normal, oracle::to_rational(direction)));
            EXPECT_EQ(side, bit < kPatchDirections ? 1 : -1) << i;
            ++set;
        }
        tiny += mask == 0 ? 1 : 0;
        const Vec3d large[3] = {a * 1e160, b * 1e160, random.in_box(1) * 1e160};
        EXPECT_EQ(normals_of_triangle(large, large).mask, 0u);
    }
    EXPECT_GT(set, oracle::case_count(1000));
    EXPECT_GT(tiny, oracle::case_count(500));
}

TEST(PatchNormals, AreSeenAlongTheNearestDirectionOfAll) {
    const Vec3d flat[3] = {{0, 0, 0}, {2, 0, 0}, {0, 2, 0.25}};
    const PatchNormals normals = normals_of_triangle(flat, flat);
    EXPECT_EQ(nearest_patch_axis(normals), 2);
    const Vec3d wall[3] = {{0, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const PatchNormals both = join(normals, normals_of_triangle(wall, wall));
    EXPECT_EQ(both.mask & normals.mask, both.mask);
    EXPECT_EQ(nearest_patch_axis(both), 5);  // x + z
    const Vec3d back[3] = {{0, 0, 0}, {0, 2, 0}, {2, 0, 0}};
    EXPECT_EQ(join(normals, normals_of_triangle(back, back)).mask & 4u, 0u);
}

}  // namespace
}  // namespace graze
