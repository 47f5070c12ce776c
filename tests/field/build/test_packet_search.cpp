// Tests of packets against the plain search and the plain storing, bit for bit.
#include "field/build/packet_search.h"

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "field/build/mesh_source_impl.h"
#include "field/build/store_packet.h"
#include "geometry/bvh/bvh_traverse.h"
#include "parallel/cpu_executor.h"
#include "tests/oracle/case_count.h"

namespace graze {
namespace {

using oracle::case_count;
using Random = std::mt19937;

float uniform(Random& random, float low, float high) {
    return std::uniform_real_distribution<float>(low, high)(random);
}
Vec3 uniform_point(Random& random, float size) {
    return {uniform(random, -size, size), uniform(random, -size, size),
            uniform(random, -size, size)};
}

// Triangles of many sizes in the unit cube; among them needles, points, copies, and fans around a
// vertex, whose distances are equal.
Mesh make_soup(Random& random, int count) {
    Mesh mesh;
    const auto add = [&](const Vec3& a, const Vec3& b, const Vec3& c) {
        const auto first = static_cast<std::uint32_t>(mesh.positions.size());
        mesh.positions.insert(mesh.positions.end(), {a, b, c});
        mesh.triangles.push_back({{first, first + 1, first + 2}});
    };
    for (int i = 0; i < count; ++i) {
        const Vec3 a = uniform_point(random, 1);
        const float size = std::exp2(uniform(random, -9, -1));
        const Vec3 b = a + uniform_point(random, size), c = a + uniform_point(random, size);
        const Vec3 d = a + uniform_point(random, size);
        switch (i % 8) {
            case 0:
                add(a, b, a + (b - a) * 0.5f + uniform_point(random, size * 1e-4f));
                break;
            case 1:
                add(a, a, i % 16 == 1 ? a : b);
                break;
            case 2:
                add(a, b, c), add(b, c, a);
                break;
            case 3:
                add(a, b, c), add(a, c, d), add(a, d, b);
                break;
            default:
                add(a, b, c);
        }
    }
    return mesh;
}

// Makes a packet of eight points in a box, of which nothing is known yet.
PointPacket make_packet(const PacketSource& source, Random& random, const Vec3& middle,
                        float size) {
    PointPacket packet;
    packet.box = Aabb::empty();
    for (int lane = 0; lane < kLaneCount; ++lane) {
        const Vec3 point = middle + uniform_point(random, size);
        for (int axis = 0; axis < 3; ++axis)
            packet.point[axis][lane] = point[axis];
        packet.box = merge(packet.box, point);
    }
    start(source, packet);
    return packet;
}

Vec3 point_of(const PointPacket& packet, int lane) {
    return {packet.point.x[lane], packet.point.y[lane], packet.point.z[lane]};
}

class PacketSearch : public testing::Test {
protected:
    PacketSearch() : executor_(1), mesh_(executor_.memory()) {
        prepare_mesh(executor_, make_soup(random_, case_count(3000)), mesh_);
        slack_ = distance_slack({{-3, -3, -3}, {3, 3, 3}});
    }

    void expect_plain_answer(const PointPacket& packet) const {
        for (int lane = 0; lane < kLaneCount; ++lane) {
            NearestTriangle nearest(point_of(packet, lane), mesh_.prepared.data(), slack_);
            traverse(mesh_.bvh.tree.view(), nearest);
            ASSERT_EQ(std::bit_cast<std::uint32_t>(packet.distance_sq[lane]),
                      std::bit_cast<std::uint32_t>(nearest.distance_sq()));
            ASSERT_EQ(static_cast<std::uint32_t>(packet.index[lane]), nearest.index());
            ASSERT_EQ(static_cast<std::uint32_t>(packet.slot[lane]), nearest.slot());
        }
    }

    Random random_{7};
    CpuExecutor executor_;
    MeshSource mesh_;
    float slack_;
};

TEST_F(PacketSearch, TreeGivesThePlainAnswer) {
    const PacketSource source(mesh_, slack_);
    for (int i = 0; i < case_count(1000); ++i) {
        const float size = i % 10 == 0 ? 0.0f : std::exp2(uniform(random_, -10, 0));
        PointPacket packet = make_packet(source, random_, uniform_point(random_, 1.5f), size);
        search(source, packet);
        expect_plain_answer(packet);
    }
}

TEST_F(PacketSearch, ListsOfListsGiveThePlainAnswer) {
    const PacketSource source(mesh_, slack_);
    int whole = 0;
    for (int i = 0; i < case_count(300); ++i) {
        const Vec3 middle = uniform_point(random_, 1.5f);
        const float size = std::exp2(uniform(random_, -9, -2));
        TriangleList outer, inner;
        PointCloud cloud = PointCloud::around(middle, Vec3{1, 1, 1} * (4 * size), slack_);
        list_triangles(source, cloud, outer);
        if (!outer.is_whole) continue;
        ++whole;
        const Vec3 inner_middle = middle + uniform_point(random_, 2 * size);
        cloud = PointCloud::around(inner_middle, Vec3{2, 2, 2} * size, slack_);
        list_triangles(outer, cloud, inner);
        ASSERT_TRUE(inner.is_whole);
        ASSERT_LE(inner.count, outer.count);
        for (int p = 0; p < 4; ++p) {
            PointPacket packet =
                make_packet(source, random_, inner_middle + uniform_point(random_, size), size);
            search(source, inner, random_() % mesh_.prepared.size(), packet);
            expect_plain_answer(packet);
        }
    }
    EXPECT_GT(whole, case_count(300) / 4);
}

// The triangles of a fan are needles, each as long as the fan is wide. Of those, only the ones near
// a block of points are worth listing, and near a packet worth measuring.
TEST(PacketWork, FewNeedlesOfAFanAreListedAndMeasured) {
    constexpr int kSides = 4096;
    Mesh fan;
    fan.positions.push_back({0, 0, 0});
    for (int i = 0; i < kSides; ++i) {
        const double angle = 6.283185307179586 * i / kSides;
        fan.positions.push_back(
            {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)), 0});
        const auto at = static_cast<std::uint32_t>(i);
        fan.triangles.push_back({{0, at + 1, (at + 1) % kSides + 1}});
    }
    CpuExecutor executor(1);
    MeshSource mesh(executor.memory());
    prepare_mesh(executor, fan, mesh);
    const PacketSource source(mesh, distance_slack({{-1, -1, -1}, {1, 1, 1}}));
    constexpr float kVoxel = 1.0f / 64;
    Random random(3);
    for (int i = 0; i < 20; ++i) {
        const float angle = uniform(random, 0, 6.28f), radius = uniform(random, 0.6f, 0.9f);
        const Vec3 middle{radius * std::cos(angle), radius * std::sin(angle),
                          uniform(random, 0, 0.1f)};
        PointCloud cloud = PointCloud::around(middle, Vec3{4, 4, 4} * kVoxel, source.slack);
        // This is a point of the fan.
        cloud.offer({middle.x, middle.y, 0}, middle.z * middle.z, 1e-6f);
        TriangleList list;
        list_triangles(source, cloud, list);
        ASSERT_TRUE(list.is_whole);
        EXPECT_LT(list.count, kSides / 4);
        PointPacket packet = make_packet(source, random, middle, kVoxel * 0.5f);
        search(source, list, list.slot[0], packet);
        detail::set_limit(source, packet);
        int measured = 0;
        for (int n = 0; n < list.count; ++n)
            measured += detail::may_be_closest(source.triangles[list.slot[n]], packet) ? 1 : 0;
        EXPECT_LT(measured, kSides / 64);
    }
}

TEST_F(PacketSearch, BoundsAreBelowTheDistance) {
    for (std::int64_t slot = 0; slot < mesh_.prepared.size(); ++slot) {
        const PreparedTriangle& t = mesh_.prepared.data()[slot];
        const float size = std::exp2(uniform(random_, -12, 1));
        const Vec3 point =
            t.a + (t.b - t.a) * uniform(random_, -1, 2) + uniform_point(random_, size);
        const float distance = std::sqrt(distance_sq_any(t, point));
        ASSERT_LE(std::sqrt(max_of(least_distance_sq(t, point), 0.0f)), distance + slack_);
        if (t.is_sharp) {
            const Float8 least_sq =
                detail::least_sharp_distance_sq(t, detail::spread_vector<Float8>(point));
            ASSERT_LE(std::sqrt(least_sq[0]), distance + slack_);
            continue;
        }
        ASSERT_LE(std::sqrt(least_line_distance_sq(t, point)), distance + slack_);
    }
}

TEST_F(PacketSearch, GradientsHaveTheBitsOfThePlainOnes) {
    const PacketSource source(mesh_, slack_);
    for (int i = 0; i < case_count(2000); ++i) {
        const float size = std::exp2(uniform(random_, -20, -2));
        const PreparedTriangle& near = source.triangles[random_() % mesh_.prepared.size()];
        PointPacket packet = make_packet(source, random_, near.a, size);
        search(source, packet);
        Mask8 is_inside;
        for (int lane = 0; lane < kLaneCount; ++lane)
            is_inside[lane] = random_() % 2 == 0 ? -1 : 0;
        const int lane_count = 1 + static_cast<int>(random_() % kLaneCount);
        const Vec3T<Float8> found =
            detail::gradients_of(source.triangles, packet, lane_count, is_inside);
        const Float8 voxels = packet.point.x * spread<Float8>(i % 5 == 0 ? 1e6f : 10.0f);
        FirstOrderSample encoded[kLaneCount];
        detail::encode_samples(voxels, found, encoded);
        for (int lane = 0; lane < lane_count; ++lane) {
            const Vec3 plain = gradient_at(source.triangles[packet.slot[lane]],
                                           point_of(packet, lane), is_inside[lane] != 0);
            for (int axis = 0; axis < 3; ++axis)
                ASSERT_EQ(std::bit_cast<std::uint32_t>(found[axis][lane]),
                          std::bit_cast<std::uint32_t>(plain[axis]));
            ASSERT_EQ(std::bit_cast<std::uint64_t>(encoded[lane]),
                      std::bit_cast<std::uint64_t>(encode_sample(voxels[lane], plain)));
        }
    }
}

TEST(LaneOrder, WritesTheLanesOfAnyMask) {
    const std::uint32_t lanes[kLaneCount] = {10, 11, 12, 13, 14, 15, 16, 17};
    for (std::uint32_t mask = 0; mask < 256; ++mask) {
        std::uint32_t written[kLaneCount];
        const LaneOrder order(mask);
        order.write(lanes, written);
        int count = 0;
        for (std::uint32_t lane = 0; lane < kLaneCount; ++lane) {
            if ((mask >> lane & 1) == 0) continue;
            ASSERT_EQ(written[count++], lanes[lane]);
        }
        ASSERT_EQ(order.count(), count);
    }
}

}  // namespace
}  // namespace graze
