// StorePacket: StoreSample for up to eight samples at a time, on the host, with the same bits.
#pragma once

#include <bit>
#include <cstddef>

#include "core/lane_target.h"
#include "field/build/packet_search.h"
#include "field/build/store_sample.h"
#include "field/build/winding_lanes.h"

GRAZE_LANES_BEGIN
namespace graze {
namespace detail {
inline namespace GRAZE_LANES {

// What a gradient needs of eight triangles, one a lane.
struct TriangleLanes {
    Vec3T<Float8> a, b, c;
    Mask8 is_sharp;
    Float8 inverse_sq[3];
    Vec3T<Float8> normal, weight_b, weight_c;
};

GRAZE_INLINE TriangleLanes load_triangles(const PreparedTriangle* triangles, Int8 slots) {
    static_assert(offsetof(PreparedTriangle, is_sharp) == 11 * sizeof(float) &&
                  offsetof(PreparedTriangle, inverse_sq) == 12 * sizeof(float) &&
                  offsetof(PreparedTriangle, weight_c) == 21 * sizeof(float));
    Float8 words[6][4];
    for (int w = 0; w < 6; ++w) {
        load_columns(reinterpret_cast<const float*>(triangles) + 4 * w,
                     sizeof(PreparedTriangle) / sizeof(float), slots, words[w]);
    }
    return {{words[0][0], words[0][1], words[0][2]}, {words[0][3], words[1][0], words[1][1]},
            {words[1][2], words[1][3], words[2][0]}, reinterpret_cast<Int8>(words[2][3]) != 0,
            {words[3][0], words[3][1], words[3][2]}, {words[3][3], words[4][0], words[4][1]},
            {words[4][2], words[4][3], words[5][0]}, {words[5][1], words[5][2], words[5][3]}};
}

// This is gradient_at() for eight points and triangles that are not sharp.
GRAZE_INLINE Vec3T<Float8> gradient_at(const TriangleLanes& t, const Vec3T<Float8>& point,
                                       Mask8 is_inside) {
    const Vec3T<Float8> from_a = point - t.a, from_b = point - t.b, from_c = point - t.c;
    const Float8 reach = max_of(max_of(length_sq(from_a), length_sq(from_b)), length_sq(from_c));
    const Float8 least = reach * spread<Float8>(0x1p-34f), zero = spread<Float8>(0.0f);

    const Float8 height = dot(t.normal, from_a);
    const Float8 b = dot(t.weight_b, from_a), c = dot(t.weight_c, from_a);
    const Mask8 is_face = (b >= zero) & (c >= zero) & (b + c <= spread<Float8>(1.0f));
    const Mask8 is_opposite = (height * height > least) & ((height < zero) ^ is_inside);

    const Vec3T<Float8> ab = offset_from_edge(from_a, t.b - t.a, t.inverse_sq[0]);
    const Vec3T<Float8> bc = offset_from_edge(from_b, t.c - t.b, t.inverse_sq[1]);
    const Vec3T<Float8> ca = offset_from_edge(from_c, t.a - t.c, t.inverse_sq[2]);
    Vec3T<Float8> offset = select(length_sq(bc) < length_sq(ab), bc, ab);
    offset = select(length_sq(ca) < length_sq(offset), ca, offset);
    const Float8 offset_sq = length_sq(offset), norm = sqrt_of(offset_sq);
    const Vec3T<Float8> from_edge = offset / (is_inside ? -norm : norm);
    return select(is_face, select(is_opposite, -t.normal, t.normal),
                  select(offset_sq > least, from_edge, t.normal));
}

// The gradients of each point's closest triangle. Eight triangles are put into lanes even where
// they are the same, which is faster than to go through the different ones.
inline Vec3T<Float8> gradients_of(const PreparedTriangle* triangles, const PointPacket& packet,
                                  int lane_count, Mask8 is_inside) {
    const TriangleLanes closest = load_triangles(triangles, packet.slot);
    Vec3T<Float8> result = gradient_at(closest, packet.point, is_inside);
    for (std::uint32_t left = mask_of(closest.is_sharp) & ((1u << lane_count) - 1); left != 0;
         left &= left - 1) {
        const int lane = std::countr_zero(left);
        const Vec3 gradient =
            graze::gradient_at(triangles[packet.slot[lane]],
                               {packet.point.x[lane], packet.point.y[lane], packet.point.z[lane]},
                               is_inside[lane] != 0);
        for (int axis = 0; axis < 3; ++axis)
            result[axis][lane] = gradient[axis];
    }
    return result;
}

// This is encode_sample() for eight samples.
GRAZE_INLINE void encode_samples(Float8 voxels, const Vec3T<Float8>& gradient,
                                 FirstOrderSample (&out)[kLaneCount]) {
#if defined(__AVX2__) && defined(__F16C__)
    const auto halves = [](Float8 values) {
        return _mm256_cvtps_ph(values, _MM_FROUND_TO_NEAREST_INT);
    };
    const Float8 half = spread<Float8>(0.5f), most = spread<Float8>(65504.0f);
    const __m128i x = halves(gradient.x * half), y = halves(gradient.y * half),
                  z = halves(gradient.z * half), v = halves(min_of(max_of(voxels, -most), most));
    const __m128i xy[2] = {_mm_unpacklo_epi16(x, y), _mm_unpackhi_epi16(x, y)};
    const __m128i zv[2] = {_mm_unpacklo_epi16(z, v), _mm_unpackhi_epi16(z, v)};
    auto* to = reinterpret_cast<__m128i*>(out);
    for (int i = 0; i < 2; ++i) {
        _mm_storeu_si128(to + 2 * i, _mm_unpacklo_epi32(xy[i], zv[i]));
        _mm_storeu_si128(to + 2 * i + 1, _mm_unpackhi_epi32(xy[i], zv[i]));
    }
#else
    for (int lane = 0; lane < kLaneCount; ++lane)
        out[lane] =
            encode_sample(voxels[lane], {gradient.x[lane], gradient.y[lane], gradient.z[lane]});
#endif
}

}  // namespace GRAZE_LANES
}  // namespace detail

inline namespace GRAZE_LANES {

// Which samples of a cube are inside, where crossings tell: one look at a row instead of one at
// each of its samples.
class CubeSides {
public:
    // The count is how many samples of the cube along each axis are asked for at most.
    CubeSides(const SampleSign& sign, const SampleCubes& cubes, const Vec3i& first, int count) {
        if (sign.method != FieldSign::crossings) return;
        for (int z = 0; z < count; ++z) {
            for (int y = 0; y < count; ++y) {
                const std::int32_t row[3] = {first.x, first.y + y, first.z + z};
                if (!cubes.is_in_grid({row[0], row[1], row[2]})) continue;
                insides_[z][y] = sign.rows.inside_bits(row, count);
            }
        }
    }
    bool is_inside(const Vec3i& local) const {
        return (insides_[local.z][local.y] >> local.x & 1) != 0;
    }

private:
    std::uint32_t insides_[kCubeStep + 1][kCubeStep + 1];
};

struct StorePacket {
    StoreSample store;

    // The locals are the packet's samples by their indices in the cube, samples the same in the
    // grid, and indices where the field stores them; that of a sample beyond the grid is below 0.
    void operator()(std::int64_t cube, const CubeSides& sides, const Vec3i (&locals)[kLaneCount],
                    const Vec3i (&samples)[kLaneCount], const std::int64_t (&indices)[kLaneCount],
                    int lane_count, const PointPacket& packet) const {
        Mask8 is_inside{};
        const bool has_caps = store.sign.has_caps();
        if (has_caps) is_inside = insides_beside_caps(cube, samples, indices, lane_count, packet);
        for (int lane = 0; lane < lane_count && !has_caps; ++lane) {
            if (indices[lane] < 0) continue;
            if (store.sign.method == FieldSign::crossings) {
                is_inside[lane] = sides.is_inside(locals[lane]) ? -1 : 0;
                continue;
            }
            const Side side = store.sign.side(
                samples[lane], {packet.point.x[lane], packet.point.y[lane], packet.point.z[lane]});
            if (side.is_doubtful && store.doubts) atomic_fetch_add(store.doubts + cube, 1u);
            is_inside[lane] = side.is_inside ? -1 : 0;
        }
        const Float8 distance = sqrt_of(packet.distance_sq);
        const Float8 value = (is_inside ? -distance : distance) - spread<Float8>(store.offset);
        if (store.values) {
            for (int lane = 0; lane < lane_count; ++lane) {
                if (indices[lane] >= 0) store.values[indices[lane]] = value[lane];
            }
            return;
        }
        FirstOrderSample encoded[kLaneCount];
        detail::encode_samples(value / spread<Float8>(store.spacing),
                               detail::gradients_of(store.triangles, packet, lane_count, is_inside),
                               encoded);
        for (int lane = 0; lane < lane_count; ++lane) {
            if (indices[lane] >= 0) store.samples[indices[lane]] = encoded[lane];
        }
    }

private:
    // Winding numbers take long where a mesh is open in many places.
    GRAZE_NOINLINE Mask8 insides_beside_caps(std::int64_t cube, const Vec3i (&samples)[kLaneCount],
                                             const std::int64_t (&indices)[kLaneCount],
                                             int lane_count, const PointPacket& packet) const {
        const SampleSign& sign = store.sign;
        std::uint32_t wanted = 0;
        for (int lane = 0; lane < lane_count; ++lane)
            wanted |= indices[lane] >= 0 ? 1u << lane : 0u;
        const detail::WindingLanes of_caps = detail::sum_winding_by_lanes(
            sign.caps, sign.cap_moments, packet.point, wanted, kWindingAccuracy);
        Mask8 is_inside{};
        for (std::uint32_t left = wanted; left != 0; left &= left - 1) {
            const int lane = std::countr_zero(left);
            const std::int32_t at[3] = {samples[lane].x, samples[lane].y, samples[lane].z};
            const Side side = sign.side_beside_caps(
                {packet.point.x[lane], packet.point.y[lane], packet.point.z[lane]},
                sign.rows.winding(at).forward, of_caps.sum[lane], (of_caps.on >> lane & 1) != 0);
            if (side.is_doubtful && store.doubts) atomic_fetch_add(store.doubts + cube, 1u);
            is_inside[lane] = side.is_inside ? -1 : 0;
        }
        return is_inside;
    }
};

}  // namespace GRAZE_LANES
}  // namespace graze
GRAZE_LANES_END
