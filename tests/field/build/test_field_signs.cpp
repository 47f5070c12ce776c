// Sides of the fields of real models and of many needles, against the winding number by its
// definition: the solid angles of all triangles, summed up in double.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include "geometry/tidy_mesh.h"
#include "graze/build_field.h"
#include "graze/field_summary.h"
#include "graze/mesh_io.h"
#include "tests/needs_data.h"
#include "tests/oracle/brute_distance.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

// Points of which a third each is near the surface, on the scale of a voxel and on that of a part
// of the box, and a third anywhere in and around the box.
std::vector<Vec3> choose_points(const Mesh& mesh, const FieldGrid& grid, int count) {
    std::mt19937 random(7);
    std::uniform_real_distribution<float> part(0, 1);
    std::normal_distribution<float> normal;
    const Aabb box = grid.box();
    const Vec3 size = extent(box);
    const float longest = std::max({size.x, size.y, size.z});
    std::vector<Vec3> points;
    for (int n = 0; n < count; ++n) {
        if (n % 3 == 0) {
            points.push_back(box.min + Vec3{size.x * part(random), size.y * part(random),
                                            size.z * part(random)});
            continue;
        }
        const Triangle& t = mesh.triangles[random() % mesh.triangles.size()];
        const Vec3 &a = mesh.positions[t[0]], &b = mesh.positions[t[1]], &c = mesh.positions[t[2]];
        const float reach = n % 3 == 1 ? 2 * grid.spacing : 0.1f * longest;
        const Vec3 off{normal(random), normal(random), normal(random)};
        points.push_back(a + (b - a) * part(random) + (c - a) * part(random) + off * reach);
    }
    std::erase_if(points, [&](const Vec3& point) { return !contains(box, point); });
    return points;
}

struct SignCounts {
    int compared = 0, inside = 0;
    int skipped = 0;    // of an open mesh, near where the side changes without a surface
    int differing = 0;  // other than the oracle's, nearer to the surface than the error
    int wrong = 0;
};

SignCounts compare_signs(const Mesh& mesh, const FieldOptions& options, int count) {
    const Field field = build_field(mesh, options);
    const FieldSummary summary = summarize(field);
    CpuExecutor executor(2);
    // As the builder takes it: copies of triangles count once, parts that face inwards are turned.
    const TidyMesh tidy = tidy_mesh(executor, mesh);
    SignCounts counts;
    for (const Vec3& point : choose_points(tidy.mesh, summary.grid, count)) {
        const double winding = oracle::winding_number(tidy.mesh, point);
        if (!tidy.is_closed() && std::fabs(winding - 0.5) < 0.2) {
            ++counts.skipped;
            continue;
        }
        ++counts.compared;
        counts.inside += winding > 0.5 ? 1 : 0;
        if ((field.distance(point) < 0) == (winding > 0.5)) continue;
        const double distance = oracle::unsigned_distance(tidy.mesh, point);
        ++(distance > double(summary.error) ? counts.wrong : counts.differing);
    }
    return counts;
}

TEST(FieldSigns, ModelsAreInsideWhereTheirWindingNumberIsAboveAHalf) {
    GRAZE_NEEDS_DATA("models");
    int model_count = 0, compared = 0;
    for (const auto& entry : std::filesystem::directory_iterator(data_folder() / "models")) {
        const std::string kind = entry.path().extension();
        if (kind != ".obj" && kind != ".ply" && kind != ".stl" && kind != ".off") continue;
        SCOPED_TRACE(entry.path().filename().string());
        const Mesh mesh = load_mesh(entry.path());
        // So many that each model takes about as long.
        constexpr std::int64_t kSolidAngles = 80'000'000;
        const auto most = static_cast<int>(kSolidAngles / std::int64_t(mesh.triangles.size()));
        const int count = oracle::case_count(std::clamp(most, 200, 3000));
        for (const bool is_sparse : {false, true}) {
            const SignCounts counts =
                compare_signs(mesh, {.resolution = 64, .sparse = is_sparse}, count / 2);
            EXPECT_EQ(counts.wrong, 0);
            EXPECT_LT(counts.skipped, counts.compared);
            EXPECT_LE(counts.differing, counts.compared / 20);
            EXPECT_GT(counts.inside, counts.compared / 50);
            compared += counts.compared;
        }
        ++model_count;
    }
    EXPECT_GT(model_count, 0);
    EXPECT_GT(compared, oracle::case_count(2000));
}

// So many loose needles that their caps are cut, with corners and edges that rows of samples meet.
TEST(FieldSigns, NeedlesFollowTheirWindingNumber) {
    std::mt19937 random(9);
    std::uniform_real_distribution<float> unit(-1, 1);
    const auto somewhere = [&] { return Vec3{unit(random), unit(random), unit(random)}; };
    Mesh mesh;
    for (std::uint32_t n = 0; n < 1500; ++n) {
        Vec3 a = somewhere(), b = somewhere(), c = b + somewhere() * 0.3f;
        if (n % 3 == 0) {
            for (Vec3* p : {&a, &b, &c})
                *p = {std::round(p->x * 4) / 4, std::round(p->y * 4) / 4, p->z};
        }
        if (n % 5 == 0) a.z = b.z = c.z = std::round(c.z * 4) / 4 + 0.03125f;
        mesh.positions.insert(mesh.positions.end(), {a, b, c});
        mesh.triangles.push_back({{3 * n, 3 * n + 1, 3 * n + 2}});
    }
    FieldOptions options{.order = FieldOrder::zero, .measure_error = false};
    options.grid = FieldGrid{{-1.5f, -1.5f, -1.5f}, 0.125f, {24, 24, 24}};
    const Field field = build_field(mesh, options);
    CpuExecutor executor(1);
    const Mesh tidy = tidy_mesh(executor, mesh).mesh;
    int compared = 0, inside = 0;
    for (int n = 0; n < oracle::case_count(4000); ++n) {
        const Vec3 point = options.grid->position(random() % 25, random() % 25, random() % 25);
        const double winding = oracle::winding_number(tidy, point);
        // The hierarchical one is off by up to 0.015; on the surface either side is right.
        if (std::fabs(winding - 0.5) < 0.03 || field.distance(point) == 0) continue;
        ++compared;
        inside += winding > 0.5 ? 1 : 0;
        ASSERT_EQ(field.distance(point) < 0, winding > 0.5)
            << winding << " at " << point.x << " " << point.y << " " << point.z;
    }
    EXPECT_GT(compared, oracle::case_count(3000));
    EXPECT_GT(inside, oracle::case_count(20));
}

}  // namespace
}  // namespace graze
