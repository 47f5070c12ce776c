// Tests patches that are found smooth with every pair of features in them, one by one, and exactly
// where that finds a contact.
#include "narrow_phase/features/smooth_patches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "narrow_phase/features/certify_patches.h"
#include "narrow_phase/features/patch_contours_lanes.h"
#include "parallel/cpu_executor.h"
#include "tests/narrow_phase/features/impact_queries.h"
#include "tests/narrow_phase/features/smooth_patch_cases.h"
#include "tests/oracle/case_count.h"
#include "tests/oracle/meet_beyond_shared.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {
namespace {

using Names = std::vector<std::uint32_t>;

template <class SightBy = SightInLanes, class T>
Names names_by(CpuExecutor& executor, const DeformingCase<T>& c) {
    const std::vector<Triangle>& triangles = c.topology.triangles;
    PatchCertifier<CpuExecutor, SightBy> certifier(executor);
    certifier.set_forest(make_patches(c.topology.vertex_count, triangles));
    const auto count = static_cast<std::int64_t>(triangles.size());
    const std::uint32_t* names =
        certifier.name_elements(c.t0.data(), c.t1.data(), triangles.data(), count);
    const Names result(names, names + count);
    EXPECT_EQ(certifier.count_smooth(), std::count_if(result.begin(), result.end(),
                                                      [](auto name) { return name >> 31 == 0; }));
    return result;
}
template <class T>
Names names_of(const DeformingCase<T>& c) {
    CpuExecutor executor;
    return names_by(executor, c);
}

bool are_all_smooth(const Names& names) {
    return std::all_of(names.begin(), names.end(), [](auto name) { return name >> 31 == 0; });
}
bool is_none_smooth(const Names& names) {
    return std::none_of(names.begin(), names.end(), [](auto name) { return name >> 31 == 0; });
}
bool is_one_patch(const Names& names) {
    return are_all_smooth(names) && std::set<std::uint32_t>(names.begin(), names.end()).size() == 1;
}

// True where a smooth patch has both features; it has a vertex or an edge where it has one of its
// triangles.
bool lie_in_one_patch(const DeformingCase<double>& c, const Names& names,
                      const FeatureNames& features) {
    const auto patches_with = [&](std::vector<std::uint32_t> vertices) {
        std::set<std::uint32_t> patches;
        for (std::size_t t = 0; t < names.size(); ++t) {
            const Triangle& triangle = c.topology.triangles[t];
            const bool has_all = std::all_of(vertices.begin(), vertices.end(), [&](auto vertex) {
                return std::count(triangle.v, triangle.v + 3, vertex) > 0;
            });
            if (has_all && names[t] >> 31 == 0) patches.insert(names[t]);
        }
        return patches;
    };
    const bool has_face = features[4] != Impact::kNoFace;
    const auto first =
        has_face ? patches_with({features[0]}) : patches_with({features[0], features[1]});
    const auto second = has_face ? patches_with({features[1], features[2], features[3]})
                                 : patches_with({features[2], features[3]});
    return std::any_of(first.begin(), first.end(),
                       [&](std::uint32_t patch) { return second.count(patch) > 0; });
}

TEST(SmoothPatches, HaveNoContactWithinThem) {
    int smooth = 0, rough = 0;
    std::size_t contacts = 0, close = 0;
    for (const DeformingCase<double>& c : patch_cases(oracle::case_count(100))) {
        const Names names = names_of(c);
        (is_none_smooth(names) ? rough : smooth) += 1;
        for (const auto& [features, impact] : impacts_one_by_one(c, 0)) {
            ++contacts;
            if (!lie_in_one_patch(c, names, features)) continue;
            ++close;  // the solver may take features that only come near for a contact
            EXPECT_FALSE(
                collides_exactly(query_of(c.t0, c.t1, features, features[4] != Impact::kNoFace)))
                << c.name << ", vertex " << features[0];
        }
    }
    RecordProperty("close", static_cast<int>(close));
    EXPECT_GT(smooth, oracle::case_count(150));
    EXPECT_GT(rough, oracle::case_count(20));
    EXPECT_GT(contacts, static_cast<std::size_t>(oracle::case_count(1000)));
}

TEST(SmoothPatches, HaveNoIntersectionsWithinThem) {
    std::size_t pair_count = 0;
    for (DeformingCase<double>& c : patch_cases(oracle::case_count(20))) {
        c.t1 = c.t0;
        const Names names = names_of(c);
        for (std::size_t a = 0; a < names.size(); ++a) {
            for (std::size_t b = a + 1; b < names.size(); ++b) {
                if (names[a] != names[b]) continue;
                if (++pair_count % 10 != 0) continue;  // the oracle is slow
                EXPECT_FALSE(oracle::meet_beyond_shared(c.t0, c.topology.triangles[a],
                                                        c.topology.triangles[b]))
                    << c.name;
            }
        }
    }
    EXPECT_GT(pair_count, static_cast<std::size_t>(oracle::case_count(10000)));
}

TEST(SmoothPatches, AreWholeWhereASurfaceIsSmooth) {
    const auto sheet = moving_sheet("sheet", 40, [](int i, int j, int end) {
        return Vec3d{i + 0.1 * end * j, double(j), 3 * std::sin(0.1 * i + 0.2 * j + 0.3 * end)};
    });
    EXPECT_TRUE(is_one_patch(names_of(sheet)));
    EXPECT_TRUE(is_one_patch(names_of(fan("fan, once around", 9, 1, true))));
    EXPECT_TRUE(is_one_patch(names_of(open_ring("ring", 14, 5, 5.5))));
    // The same holds far from the origin, for a very small sheet and for a large one.
    for (const double scale : {1e-30, 1e-3, 1e20}) {
        DeformingCase<double> moved = sheet;
        for (auto* positions : {&moved.t0, &moved.t1})
            for (Vec3d& p : *positions)
                p = p * scale + Vec3d{1e4 * scale, -1e6 * scale, 1e5 * scale};
        EXPECT_TRUE(is_one_patch(names_of(moved))) << scale;
    }
}

TEST(SmoothPatches, AreNoneWhereNormalsTurnBetweenTheEnds) {
    // Two corners pass each other and back: the normal points up at both ends, but not between.
    DeformingCase<double> c;
    c.topology.triangles = {{{0, 1, 2}}};
    c.topology.vertex_count = 3;
    c.t0 = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    c.t1 = {{0, 0, 0}, {-1, 0.25, 0}, {0.25, -1, 0}};
    const auto area = [&](double t) {
        const Vec3d a = c.t0[1] * (1 - t) + c.t1[1] * t, b = c.t0[2] * (1 - t) + c.t1[2] * t;
        return cross(a, b).z;
    };
    ASSERT_GT(area(0), 0);
    ASSERT_GT(area(1), 0);
    ASSERT_LT(area(0.55), 0);
    EXPECT_TRUE(is_none_smooth(names_of(c)));
    c.t1 = c.t0;
    EXPECT_TRUE(are_all_smooth(names_of(c)));
}

TEST(SmoothPatches, AreNotWholeWhereContoursMeet) {
    constexpr double kTurn = 6.283185307179586;
    // The end reaches the beginning at t1 only, passes over it, or is beyond it all the time.
    EXPECT_FALSE(is_one_patch(names_of(open_ring("closes", 14, 5, kTurn + 0.1))));
    EXPECT_FALSE(is_one_patch(names_of(open_ring("overlaps", 14, kTurn + 0.2, kTurn + 0.3))));
    EXPECT_FALSE(is_one_patch(names_of(fan("fan, twice around", 17, 2, true))));
    EXPECT_FALSE(is_one_patch(names_of(fan("spiral fan", 19, 2.2, false))));
    // A point of the end lies exactly on the beginning.
    DeformingCase<double> touching = open_ring("touches", 14, 5.5, 5.5);
    touching.t0[28] = touching.t1[28] = {1.5, 0, 0};
    EXPECT_FALSE(is_one_patch(names_of(touching)));
    touching.t0[28] = touching.t1[28] = {1.5, -1e-3, 0};
    EXPECT_TRUE(is_one_patch(names_of(touching)));
}

TEST(SmoothPatches, AreNoneWhereTrianglesAreDegenerate) {
    auto c =
        moving_sheet("flat", 3, [](int i, int j, int) { return Vec3d{double(i), double(j), 0}; });
    ASSERT_TRUE(is_one_patch(names_of(c)));
    auto collapsed = c;
    collapsed.t1[5] = collapsed.t1[6];
    const Names names = names_of(collapsed);
    for (std::size_t t = 0; t < names.size(); ++t) {
        const Triangle& triangle = c.topology.triangles[t];
        const auto has = [&](std::uint32_t v) { return std::count(triangle.v, triangle.v + 3, v); };
        if (has(5) > 0 && has(6) > 0) {
            EXPECT_NE(names[t] >> 31, 0u);
        }
    }
    auto huge = c;
    for (Vec3d& p : huge.t0)
        p = p * 1e200;
    EXPECT_TRUE(is_none_smooth(names_of(huge)));
}

// Expects that patches have properties (1) and (2) of the header, by their triangles.
void expect_sound(const PatchForest& forest, const std::vector<Triangle>& triangles,
                  const std::string& name) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> uses;
    for (const Triangle& t : triangles)
        for (int k = 0; k < 3; ++k)
            ++uses[{t[k], t[(k + 1) % 3]}];
    std::vector<std::vector<std::uint32_t>> members(forest.patch_count());
    for (std::uint32_t t = 0; t < triangles.size(); ++t) {
        std::uint32_t patch = forest.patch_of_triangle[t];
        bool is_sound = true;
        for (int k = 0; k < 3; ++k) {
            const std::uint32_t from = triangles[t][k], to = triangles[t][(k + 1) % 3];
            const auto back = uses.find({to, from});
            is_sound = is_sound && from != to && uses.at({from, to}) == 1 &&
                       (back == uses.end() || back->second == 1);
        }
        EXPECT_EQ(patch != PatchForest::kNone, is_sound) << name;
        for (; patch != PatchForest::kNone; patch = forest.parents[patch])
            members[patch].push_back(t);
    }
    for (std::uint32_t patch = 0; patch < forest.patch_count(); ++patch) {
        std::set<std::pair<std::uint32_t, std::uint32_t>> sides;
        for (const std::uint32_t t : members[patch])
            for (int k = 0; k < 3; ++k)
                sides.insert({triangles[t][k], triangles[t][(k + 1) % 3]});
        std::size_t open = 0;
        for (const auto& [from, to] : sides)
            open += sides.count({to, from}) == 0 ? 1 : 0;
        const std::uint32_t count = forest.contour_counts[patch];
        if (count == 0) continue;
        const std::uint32_t* contour = forest.contour.data() + forest.contour_offsets[patch];
        EXPECT_EQ(open, count) << name;
        EXPECT_EQ(std::set<std::uint32_t>(contour, contour + count).size(), count) << name;
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint32_t from = contour[i], to = contour[(i + 1) % count];
            EXPECT_TRUE(sides.count({from, to}) == 1 && sides.count({to, from}) == 0) << name;
            EXPECT_EQ(forest.contour_patches[forest.contour_offsets[patch] + i], patch);
        }
    }
}

TEST(SmoothPatches, HaveOneContourEach) {
    std::vector<DeformingCase<double>> cases = patch_cases(oracle::case_count(10));
    DeformingCase<double> mixed =
        moving_sheet("three to an edge, duplicates, two vertices", 12,
                     [](int i, int j, int) { return Vec3d{double(i), double(j), 0}; });
    mixed.topology.triangles.push_back({{0, 1, 100}});
    mixed.topology.triangles.push_back(mixed.topology.triangles[30]);
    mixed.topology.triangles.push_back({{5, 5, 7}});
    mixed.topology.triangles.push_back({{90, 91, 20}});
    cases.push_back(mixed);
    for (const sample::NamedMesh& named : sample::all_meshes()) {
        const Mesh& mesh = named.mesh;
        cases.push_back(
            widened(moving_mesh(named.name, mesh.positions, mesh.positions, mesh.triangles)));
    }
    for (const DeformingCase<double>& c : cases) {
        const PatchForest forest = make_patches(c.topology.vertex_count, c.topology.triangles);
        expect_sound(forest, c.topology.triangles, c.name);
    }
    // On a closed surface, too, patches have about the size wanted.
    const Mesh torus = sample::torus(64, 32);
    const PatchForest forest =
        make_patches(static_cast<std::int64_t>(torus.positions.size()), torus.triangles);
    EXPECT_GT(forest.level_count(), 2u);
    EXPECT_LT(forest.level_offsets[1], torus.triangles.size() / 8);
    EXPECT_EQ(make_patches(0, {}).patch_count(), 0u);
}

TEST(SmoothPatches, AreTheSameForAllThreadsAndWithoutLanes) {
    CpuExecutor one(1), two(2);
    for (const DeformingCase<double>& c : patch_cases(oracle::case_count(20))) {
        EXPECT_EQ(names_by(one, c), names_by(two, c)) << c.name;
        EXPECT_EQ(names_by(one, c), names_by<Sight>(two, c)) << c.name;
    }
}

}  // namespace
}  // namespace graze
