// fill_cubes_by_lanes: fills cubes of samples on the host. It finds the closest triangle of each
// sample (packet_search.h) and stores what follows from it (store_packet.h).
#pragma once

#include <cstring>

#include "core/lane_target.h"
#include "field/build/mesh_source.h"
#include "field/build/store_packet.h"
#include "parallel/cpu_executor.h"

GRAZE_LANES_BEGIN
namespace graze {
namespace detail {
inline namespace GRAZE_LANES {

// How a cube's samples fall into packets of eight. Most are 2 x 2 x 2; a cube of 9 adds flat ones
// for its last faces, and short ones for its last edges and its last corner. They come octant by
// octant.
struct CubePackets {
    struct Packet {
        // The samples' coordinates in the cube, by lane; and as floats, by axis.
        Vec3T<std::int8_t> lane[kLaneCount];
        alignas(32) float coordinate[3][kLaneCount];
        int lane_count;  // lanes beyond these repeat the last
        int octant;
        int piece;  // see SampleCubes::piece_owner()
    };
    Packet packets[64 + 24 + 6 + 1] = {};
    int count = 0;

    explicit constexpr CubePackets(int side) {
        for (int octant = 0; octant < 8; ++octant) {
            for (int p = 0; p < 8; ++p)
                add(octant, 0, {(p & 1) * 2, (p >> 1 & 1) * 2, (p >> 2) * 2}, {2, 2, 2});
            // The pieces that border on the octant.
            for (int piece = 1; side == 9 && piece < 8; ++piece) {
                if ((octant & piece) == piece) add_piece(octant, piece);
            }
        }
    }

private:
    // The first sample is given within the octant.
    constexpr void add(int octant, int piece, Vec3i first, Vec3i size) {
        Packet& packet = packets[count++];
        packet.octant = octant;
        packet.piece = piece;
        packet.lane_count = size.x * size.y * size.z;
        first.x += (octant & 1) * 4;
        first.y += (octant >> 1 & 1) * 4;
        first.z += (octant >> 2) * 4;
        for (int lane = 0; lane < kLaneCount; ++lane) {
            const int l = lane < packet.lane_count ? lane : packet.lane_count - 1;
            packet.lane[lane] = {static_cast<std::int8_t>(first.x + l % size.x),
                                 static_cast<std::int8_t>(first.y + l / size.x % size.y),
                                 static_cast<std::int8_t>(first.z + l / size.x / size.y)};
            for (int axis = 0; axis < 3; ++axis)
                packet.coordinate[axis][lane] = packet.lane[lane][axis];
        }
    }
    // A piece is a face's 4 x 4 samples, in two halves, an edge's 4, or the corner.
    constexpr void add_piece(int octant, int piece) {
        const Vec3i last{piece & 1, piece >> 1 & 1, piece >> 2};
        const Vec3i first = last * 4;
        Vec3i size{4 - 3 * last.x, 4 - 3 * last.y, 4 - 3 * last.z};
        if (size.x * size.y * size.z < 16) {
            add(octant, piece, first, size);
            return;
        }
        const int halved = last.z == 0 ? 2 : 1;
        size[halved] = 2;
        add(octant, piece, first, size);
        Vec3i second = first;
        second[halved] += 2;
        add(octant, piece, second, size);
    }
};

inline constexpr CubePackets kPacketsOf8{8};
inline constexpr CubePackets kPacketsOf9{9};

// What was found while a cube was filled.
struct FilledCube {
    TriangleList triangles;  // those that can be closest to a point of the cube
    // The slots of the triangles closest to the cube's own samples (piece 0), x fastest.
    std::int32_t slots[kCubeStep * kCubeStep * kCubeStep];
};

class FillCube {
public:
    FillCube(const PacketSource& source, const SampleCubes& cubes, const StoreSample& store)
        : source_(source), cubes_(cubes), store_{store} {}

    void operator()(std::int64_t n) const {
        FilledCube cube;
        fill(n, cubes_.side == 9 ? 0xffu : 1u, cube);
    }

    // pieces has a bit for each piece to fill, see SampleCubes::piece_owner(); piece 0 is one of
    // them.
    void fill(std::int64_t n, unsigned pieces, FilledCube& cube) const {
        const Vec3i first = cubes_.first_sample(n);
        const Octants octants = choose_octants(first, pieces);
        const CubeSides sides(store_.store.sign, cubes_, first,
                              pieces == 1 ? kCubeStep : cubes_.side);
        TriangleList& of_cube = cube.triangles;
        TriangleList of_octant;
        PointCloud cloud = cloud_of_cube(first);
        std::int32_t seed = find_closest(cloud.centre);
        offer(seed, cloud);
        list_triangles(source_, cloud, of_cube);

        const CubePackets& packets = cubes_.side == 9 ? kPacketsOf9 : kPacketsOf8;
        int octant = -1;
        for (int p = 0; p < packets.count; ++p) {
            const CubePackets::Packet& packet = packets.packets[p];
            const Vec3i sample = first + static_cast<Vec3i>(packet.lane[0]);
            if ((pieces >> packet.piece & 1) == 0 || !cubes_.is_in_grid(sample)) continue;
            if (packet.octant != octant) {
                octant = packet.octant;
                cloud =
                    PointCloud::around(octants.centre[octant], octants.half[octant], source_.slack);
                offer(seed, cloud);
                if (of_cube.is_whole) {
                    list_triangles(of_cube, cloud, of_octant);
                } else {
                    list_triangles(source_, cloud, of_octant);
                }
            }
            const Int8 slots = fill(n, first, sides, packet, of_octant, seed);
            if (packet.piece == 0) keep_slots(packet, slots, cube);
        }
    }

private:
    // The boxes of a cube's octants.
    struct Octants {
        Vec3 centre[8];  // [m]
        Vec3 half[8];    // [m]
    };

    // Octants start at 0 and 4 and hold 4 samples along an axis, or 5 where a piece after them is
    // to be filled. A thirty-second more covers the rounding of positions, which build_field()
    // keeps below 1/256 of a voxel.
    Octants choose_octants(const Vec3i& first, unsigned pieces) const {
        Octants result{};
        for (int octant = 0; octant < 8; ++octant) {
            int longer = 0;  // a bit for each axis along which it has 5
            for (int piece = 1; piece < 8; ++piece) {
                if ((pieces >> piece & 1) != 0 && (octant & piece) == piece) longer |= piece;
            }
            for (int axis = 0; axis < 3; ++axis) {
                const float half = (longer >> axis & 1) != 0 ? 2.0f : 1.5f;
                const float start = (octant >> axis & 1) != 0 ? 4.0f : 0.0f;
                result.centre[octant][axis] =
                    cubes_.grid.origin[axis] +
                    cubes_.grid.spacing * (static_cast<float>(first[axis]) + start + half);
                result.half[octant][axis] = cubes_.grid.spacing * half * (1 + 0x1p-5f);
            }
        }
        return result;
    }

    PointCloud cloud_of_cube(const Vec3i& first) const {
        const Vec3 low = cubes_.position(first),
                   high = cubes_.position(first + Vec3i{1, 1, 1} * (cubes_.side - 1));
        return PointCloud::around((low + high) * 0.5f, (high - low) * (0.5f * (1 + 0x1p-5f)),
                                  source_.slack);
    }

    // Returns the slot of the triangle closest to a point.
    std::int32_t find_closest(const Vec3& point) const {
        PointPacket packet;
        packet.point = spread_vector<Float8>(point);
        packet.box = {point, point};
        start(source_, packet);
        search(source_, packet);
        return packet.slot[0];
    }

    void offer(std::int32_t slot, PointCloud& cloud) const {
        const PreparedTriangle& t = source_.triangles[slot];
        for (const Vec3& corner : {t.a, t.b, t.c})
            cloud.offer(corner, length_sq(corner - cloud.centre));
        // The corners of a long triangle can be far from its closest point.
        if (t.sag_sq <= length_sq(cloud.half)) return;
        const Vec3 point = answer_in_double(cloud.centre, t.a, t.b, t.c).point;
        const float rounding =
            (std::fabs(point.x) + std::fabs(point.y) + std::fabs(point.z)) * 0x1p-23f;
        cloud.offer(point, length_sq(point - cloud.centre), rounding);
    }

    // The seed is the slot of a triangle that is likely to be close, and afterwards of one that
    // was. Returns the slots of the closest ones.
    Int8 fill(std::int64_t n, const Vec3i& first, const CubeSides& sides,
              const CubePackets::Packet& lanes, const TriangleList& of_octant,
              std::int32_t& seed) const {
        PointPacket packet;
        for (int axis = 0; axis < 3; ++axis) {
            // This gives the bits of FieldGrid::position(), as sums of whole numbers are exact.
            Float8 coordinate;
            std::memcpy(&coordinate, lanes.coordinate[axis], sizeof coordinate);
            coordinate += spread<Float8>(static_cast<float>(first[axis]));
            packet.point[axis] = spread<Float8>(cubes_.grid.origin[axis]) +
                                 spread<Float8>(cubes_.grid.spacing) * coordinate;
        }
        packet.box = {{packet.point.x[0], packet.point.y[0], packet.point.z[0]},
                      {packet.point.x[kLaneCount - 1], packet.point.y[kLaneCount - 1],
                       packet.point.z[kLaneCount - 1]}};
        start(source_, packet);
        if (of_octant.is_whole) {
            search(source_, of_octant, static_cast<std::uint32_t>(seed), packet);
        } else {
            begin_with(source_, static_cast<std::uint32_t>(seed), packet);
            search(source_, packet);
        }
        seed = packet.slot[kLaneCount - 1];
        store(n, first, sides, lanes, packet);
        return packet.slot;
    }

    static void keep_slots(const CubePackets::Packet& lanes, const Int8& slots, FilledCube& cube) {
        for (int lane = 0; lane < kLaneCount; ++lane) {
            const auto at = static_cast<Vec3i>(lanes.lane[lane]);
            cube.slots[at.x + kCubeStep * (at.y + kCubeStep * at.z)] = slots[lane];
        }
    }

    void store(std::int64_t n, const Vec3i& first, const CubeSides& sides,
               const CubePackets::Packet& lanes, const PointPacket& packet) const {
        Vec3i locals[kLaneCount], samples[kLaneCount];
        std::int64_t indices[kLaneCount];
        for (int lane = 0; lane < lanes.lane_count; ++lane) {
            locals[lane] = static_cast<Vec3i>(lanes.lane[lane]);
            samples[lane] = first + locals[lane];
            indices[lane] = cubes_.is_in_grid(samples[lane])
                                ? store_.store.index_of(n, locals[lane], samples[lane])
                                : -1;
        }
        store_(n, sides, locals, samples, indices, lanes.lane_count, packet);
    }

    PacketSource source_;
    SampleCubes cubes_;
    StorePacket store_;
};

// The same from a given cube on, to report progress in between.
struct FromCube {
    FillCube work;
    std::int64_t first;
    void operator()(std::int64_t n) const { work(first + n); }
};

}  // namespace GRAZE_LANES
}  // namespace detail

inline namespace GRAZE_LANES {

// Fills cubes [begin, end).
inline void fill_cubes_by_lanes(CpuExecutor& executor, const MeshSource& source, float slack,
                                const SampleCubes& cubes, std::int64_t begin, std::int64_t end,
                                const StoreSample& store) {
    const PacketSource packets(source, slack);
    executor.for_each("field: fill cubes", end - begin,
                      detail::FromCube{detail::FillCube(packets, cubes, store), begin}, 1);
}

}  // namespace GRAZE_LANES
}  // namespace graze
GRAZE_LANES_END
