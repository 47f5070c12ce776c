// Filling cubes of samples on the host: the closest triangle of each by packet_search.h, then a
// callable store(FoundSample).
#pragma once

#include "field/mesh_source.h"
#include "field/packet_search.h"
#include "field/sample_cubes.h"
#include "parallel/cpu_executor.h"

namespace graze {
namespace detail {

// How a cube's samples fall into packets of eight. Most are 2 x 2 x 2; a cube of 9 adds flat ones
// for its last faces, and long ones for its last edges.
struct CubePackets {
    struct Packet {
        Vec3T<std::int8_t> lane[kLaneCount];
        int lane_count;  // the rest repeat the first
        int octant;      // 0 to 7, or 8 where it spans several
    };
    Packet packets[92] = {};
    int count = 0;

    explicit constexpr CubePackets(int side) {
        for (int octant = 0; octant < 8; ++octant) {
            for (int p = 0; p < 8; ++p) {
                const int x = (octant & 1) * 4 + (p & 1) * 2;
                const int y = (octant >> 1 & 1) * 4 + (p >> 1 & 1) * 2;
                const int z = (octant >> 2) * 4 + (p >> 2) * 2;
                add({x, y, z}, {2, 2, 2}, octant);
            }
            if (side == 9) add_faces(octant);
        }
        if (side == 9) {
            add({0, 8, 8}, {8, 1, 1}, 8);
            add({8, 0, 8}, {1, 8, 1}, 8);
            add({8, 8, 0}, {1, 1, 8}, 8);
            add({8, 8, 8}, {1, 1, 1}, 8);
        }
    }

private:
    constexpr void add(Vec3i first, Vec3i size, int octant) {
        Packet& packet = packets[count++];
        packet.octant = octant;
        packet.lane_count = size.x * size.y * size.z;
        for (int lane = 0; lane < kLaneCount; ++lane) {
            const int l = lane < packet.lane_count ? lane : 0;
            packet.lane[lane] = {static_cast<std::int8_t>(first.x + l % size.x),
                                 static_cast<std::int8_t>(first.y + l / size.x % size.y),
                                 static_cast<std::int8_t>(first.z + l / size.x / size.y)};
        }
    }
    // The quarters of the faces at 8 that border on the octant: 4 x 2 and 4 x 2 samples.
    constexpr void add_faces(int octant) {
        const int x = (octant & 1) * 4, y = (octant >> 1 & 1) * 4, z = (octant >> 2) * 4;
        for (int half = 0; half < 4; half += 2) {
            if (x == 4) add({8, y, z + half}, {1, 4, 2}, octant);
            if (y == 4) add({x, 8, z + half}, {4, 1, 2}, octant);
            if (z == 4) add({x, y + half, 8}, {4, 2, 1}, octant);
        }
    }
};

inline constexpr CubePackets kPacketsOf8{8};
inline constexpr CubePackets kPacketsOf9{9};

template <class Store>
class FillCube {
public:
    FillCube(const PacketSource& source, const SampleCubes& cubes, const Store& store)
        : source_(source), cubes_(cubes), store_(store) {}

    void operator()(std::int64_t n) const {
        const Vec3i first = cubes_.first_sample(n);
        PointPacket centres;
        find_centres(first, centres);
        // The slack of a centre's distance, of a sample's and of the closest one's.
        const float reach = octant_reach() + 3 * source_.slack;
        CandidateSet of_cube;
        TriangleList of_octant;
        const float limit = std::sqrt(largest_of(centres.distance_sq)) + reach;
        gather(source_, source_.tree.nodes, 1, box_of_samples(first, {0, 0, 0}, cubes_.side),
               limit * limit, of_cube);

        const CubePackets& packets = cubes_.side == 9 ? kPacketsOf9 : kPacketsOf8;
        int octant = -1;
        std::int32_t seed = centres.slot[0];
        for (int p = 0; p < packets.count; ++p) {
            const CubePackets::Packet& packet = packets.packets[p];
            if (packet.octant != octant && packet.octant < 8) {
                octant = packet.octant;
                seed = centres.slot[octant];
                PointCloud cloud = cloud_of_octant(centres, octant);
                list_triangles(source_, of_cube.nodes, of_cube.node_count(), cloud, of_octant);
            }
            fill(n, first, packet, of_cube, packet.octant < 8 ? &of_octant : nullptr, seed);
        }
    }

private:
    // Octants start at 0 and 4 and hold 4 samples along an axis; in a cube of 9 the second has 5.
    float second_half() const { return cubes_.side == 9 ? 2.0f : 1.5f; }
    // [m] No sample of an octant is farther from its centre. A thirty-second more covers the
    // rounding of positions, which build_field() keeps below 1/256 of a voxel.
    float octant_reach() const {
        return cubes_.grid.spacing * second_half() * 1.7320508f * (1 + 0x1p-5f);
    }

    void find_centres(const Vec3i& first, PointPacket& centres) const {
        const FieldGrid& grid = cubes_.grid;
        const auto place = [&](int axis, bool second) {
            const float middle = second ? 4 + second_half() : 1.5f;
            return grid.origin[axis] + grid.spacing * (static_cast<float>(first[axis]) + middle);
        };
        for (int lane = 0; lane < kLaneCount; ++lane) {
            centres.point.x[lane] = place(0, (lane & 1) != 0);
            centres.point.y[lane] = place(1, (lane & 2) != 0);
            centres.point.z[lane] = place(2, (lane & 4) != 0);
        }
        start(source_, centres);
        search(source_, source_.tree.nodes, 1, centres);
    }

    PointCloud cloud_of_octant(const PointPacket& centres, int octant) const {
        const Vec3 centre{centres.point.x[octant], centres.point.y[octant],
                          centres.point.z[octant]};
        const PreparedTriangle& t = source_.triangles[centres.slot[octant]];
        PointCloud cloud{centre, octant_reach(), source_.slack, t.a, length_sq(t.a - centre)};
        for (const Vec3& corner : {t.b, t.c}) {
            if (length_sq(corner - centre) < cloud.closest_sq) {
                cloud.closest = corner;
                cloud.closest_sq = length_sq(corner - centre);
            }
        }
        return cloud;
    }

    // The box of size^3 samples of the cube, one more where they end at the cube's last.
    Aabb box_of_samples(const Vec3i& first, const Vec3i& corner, int size) const {
        const Vec3i low = first + corner;
        const auto last = [&](int axis) {
            const int end = corner[axis] + size - 1;
            return first[axis] + (cubes_.side == 9 && end == 7 ? 8 : end);
        };
        return {cubes_.position(low), cubes_.position({last(0), last(1), last(2)})};
    }

    // seed is the slot of a triangle that is likely to be close; then of one that was.
    void fill(std::int64_t n, const Vec3i& first, const CubePackets::Packet& lanes,
              const CandidateSet& of_cube, const TriangleList* of_octant,
              std::int32_t& seed) const {
        PointPacket packet;
        for (int lane = 0; lane < kLaneCount; ++lane) {
            const Vec3 point = cubes_.position(first + static_cast<Vec3i>(lanes.lane[lane]));
            packet.point.x[lane] = point.x;
            packet.point.y[lane] = point.y;
            packet.point.z[lane] = point.z;
        }
        start(source_, packet);
        begin_with(source_, static_cast<std::uint32_t>(seed), packet);
        if (of_octant && of_octant->is_whole) {
            search(source_, *of_octant, packet);
        } else {
            search(source_, of_cube.nodes, of_cube.node_count(), packet);
        }
        seed = packet.slot[kLaneCount - 1];
        for (int lane = 0; lane < lanes.lane_count; ++lane) {
            const auto local = static_cast<Vec3i>(lanes.lane[lane]);
            const Vec3i sample = first + local;
            if (!cubes_.is_in_grid(sample)) continue;
            store_({n,
                    local,
                    sample,
                    {packet.point.x[lane], packet.point.y[lane], packet.point.z[lane]},
                    packet.distance_sq[lane],
                    static_cast<std::uint32_t>(packet.slot[lane])});
        }
    }

    PacketSource source_;
    SampleCubes cubes_;
    Store store_;
};

// The same for a part of the cubes, to report progress in between.
template <class Work>
struct FromCube {
    Work work;
    std::int64_t first;
    void operator()(std::int64_t n) const { work(first + n); }
};

}  // namespace detail

// Fills cubes [begin, end).
template <class Store>
void fill_cubes(CpuExecutor& executor, const MeshSource& source, float slack,
                const SampleCubes& cubes, std::int64_t begin, std::int64_t end,
                const Store& store) {
    const PacketSource packets{source.wide.view(), source.prepared.data(), slack};
    using Work = detail::FillCube<Store>;
    executor.for_each("field: fill cubes", end - begin,
                      detail::FromCube<Work>{Work(packets, cubes, store), begin}, 1);
}

}  // namespace graze
