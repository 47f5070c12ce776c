// Pairs that the sieve drops are apart by exact arithmetic, and it drops most.
#include "narrow_phase/features/meet_sieve.h"

#include <gtest/gtest.h>

#include <cmath>

#include "parallel/cpu_executor.h"
#include "tests/narrow_phase/features/intersection_cases.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

using oracle::case_count;

// Returns which of the pairs are left; each is handed on at most once.
std::vector<bool> sift(const Mesh& mesh, const std::vector<IndexPair>& pairs) {
    std::vector<PackedPoint> points;
    points.reserve(mesh.positions.size());
    for (const Vec3& p : mesh.positions)
        points.push_back({p.x, p.y, p.z, 0});
    std::vector<bool> left(pairs.size(), false);
    const auto keep = [&](std::size_t i) {
        EXPECT_FALSE(left[i]);
        left[i] = true;
    };
    MeetSieve<std::size_t> sieve;
    for (std::size_t i = 0; i < pairs.size(); ++i)
        sieve.add(points.data(), mesh.triangles[pairs[i].a], mesh.triangles[pairs[i].b], i, keep);
    sieve.finish(points.data(), keep);
    return left;
}

struct Share {
    std::size_t dropped = 0, meeting = 0;
};
void expect_none_lost(const Mesh& mesh, const std::vector<IndexPair>& pairs, Share& share) {
    const std::vector<bool> left = sift(mesh, pairs);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const bool meets = intersect_mesh_triangles(
            mesh.positions.data(), mesh.triangles[pairs[i].a], mesh.triangles[pairs[i].b]);
        ASSERT_LE(meets, left[i]) << pairs[i].a << ", " << pairs[i].b;
        share.dropped += left[i] ? 0 : 1;
        share.meeting += meets ? 1 : 0;
    }
}

TEST(MeetSieve, LosesNoneOfRandomTangles) {
    oracle::RandomPoints<float> random(41);
    Share share;
    const auto count = static_cast<std::size_t>(case_count(20000));
    for (std::size_t i = 0; i < count; ++i) {
        Mesh mesh = random_tangle(random, static_cast<int>(i));
        if (i % 7 == 0) mesh.triangles[0].v[1] = mesh.triangles[0].v[0];
        expect_none_lost(mesh, all_pairs(mesh), share);
    }
    EXPECT_GT(share.dropped, count * 2);
    EXPECT_GT(share.meeting, count * 2);
}

TEST(MeetSieve, LosesNoneAtExtremeMagnitudes) {
    oracle::RandomPoints<float> random(42);
    Share share;
    for (int i = 0; i < case_count(5000); ++i) {
        Mesh mesh = random_tangle(random, i);
        const int low = i % 3 == 0 ? -149 : (i % 3 == 1 ? -75 : 90), high = i % 3 == 1 ? -30 : 127;
        for (Vec3& p : mesh.positions)
            p = random.over_exponents(low, high);
        expect_none_lost(mesh, all_pairs(mesh), share);
    }
    EXPECT_GT(share.dropped, 100u);
    EXPECT_GT(share.meeting, 100u);
}

// The normal overflows while the heights are small.
TEST(MeetSieve, LosesNoneAtTheCornerOfAHugeTriangle) {
    Mesh mesh;
    mesh.positions = {
        {0, 0, 0},           {1.44e19f, 1.6e19f, 1.6e19f}, {0, -1.6e19f, 1.6e19f},
        {0.3e-6f, 0, 1e-6f}, {0.6e-6f, 0.1e-6f, 1e-6f},    {0.6e-6f, -0.1e-6f, 1e-6f}};
    mesh.triangles = {{{0, 1, 2}}, {{3, 4, 5}}};
    Share share;
    expect_none_lost(mesh, {{0, 1}}, share);
    EXPECT_EQ(share.meeting, 1u);
    oracle::RandomPoints<float> random(43);
    for (int i = 0; i < case_count(5000); ++i) {
        const Mesh tangle = random_tangle(random, 0);
        for (std::size_t k = 0; k < 3; ++k) {
            mesh.positions[k] = tangle.positions[k] * std::ldexp(1.0f, random.integer(55, 70));
            mesh.positions[k + 3] = tangle.positions[k + 3] * 1e-6f;
        }
        mesh.positions[static_cast<std::size_t>(i % 3)] = {0, 0, 0};
        expect_none_lost(mesh, {{0, 1}}, share);
    }
    EXPECT_GT(share.meeting, static_cast<std::size_t>(case_count(100)));
}

TEST(MeetSieve, DropsMostPairsOfSheets) {
    CpuExecutor executor(1);
    for (const float amount : {0.01f, 0.1f, 0.3f}) {
        const Mesh mesh = crumpled_sheet<float>(40, amount, 5);
        const std::vector<IndexPair> candidates = find_candidates(executor, mesh);
        Share share;
        expect_none_lost(mesh, candidates, share);
        EXPECT_GT(share.dropped, candidates.size() * 17 / 20) << amount;
    }
}

}  // namespace
}  // namespace graze
