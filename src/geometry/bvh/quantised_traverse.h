// Walking a QuantisedBvh with a ray.
//
// A plane at origin + q * step is met at t = (origin + q * step - o) / d, computed by one fused
// multiply-add from what all planes of a node along an axis share. Nearer children are entered
// first, by the ray's octant: a ray that looks along positive axes meets the children in slots 0 to
// 7 in about that order; for others, bits of the slot are flipped.
//
// Why no box is missed. With e = 2^-24: the shared terms and the multiply-add are off by at most
// 5 e |t| + (5 * 255 e + 2^-14) steps, where 2^-14 comes from 2^10 * step in the shared term (see
// kBias). The steps are covered by kQuantisedMargin, by which boxes are too large; the rest by
// kSlack, for both ends of the interval.
//
// A ray begins at 0 or later here, so that the device may compare parameters by their bits, as
// integers, of which it takes the least of three in one instruction: for numbers from 0 on the
// order is the same, and of negative ones only the sign matters. Where the ray enters is at t_min
// at least; where it leaves is a little above 0 for a box that it meets (by kQuantisedMargin), and
// where it is below 0 the box is missed, wherever exactly.
//
// The ray's direction is scaled by a power of two to about the size of the tree, so that nothing
// overflows; parameters of boxes are the ray's own divided by that. A component of the direction
// that is smaller than the largest by 2^-80 is taken for that: over a length of 2^32 trees this
// moves the ray by 2^-48 trees, which is less than kQuantisedMargin of the shortest step. Rays for
// which this cannot be done, and those that begin before 0, use the binary tree.
#pragma once

#include <bit>
#include <cmath>

#include "core/bits.h"
#include "geometry/bvh/quantised_bvh.h"

namespace graze {

// The margin as a fraction of a step. The two terms above are 2^-12.8 together at most.
constexpr double kQuantisedMargin = 0x1p-7;

// What a visit of a node finds. Bits of nodes and triangles stand for slots (QuantisedRay::slot);
// higher bits are nearer.
struct QuantisedVisit {
    std::uint32_t base;              // unit of the first child
    std::uint32_t nodes, triangles;  // met
    std::uint32_t inner;             // slots with nodes
    std::uint32_t child_count;
};

// A node as it lies in memory: no address in it depends on the ray.
struct LoadedNode {
    QuantisedUnit frame, lower[2], upper[2];
};

class QuantisedRay {
public:
    QuantisedRay() = default;
    GRAZE_INLINE QuantisedRay(const Ray& ray, const QuantisedBvhView& bvh) : origin_(ray.origin) {
        const Vec3 d = ray.direction;
        const float largest = max_of(std::fabs(d.x), max_of(std::fabs(d.y), std::fabs(d.z)));
        const int exponent = static_cast<int>(std::bit_cast<std::uint32_t>(largest) >> 23);
        const int tree_exponent = static_cast<int>(bvh.units[0].words[3] >> 24);
        const int target = clamp(tree_exponent, 127 - 40, 127 + 100);
        const int up = target - exponent;
        // The sum is NaN where a component is.
        is_usable_ = exponent > 0 && exponent < 255 && d.x + d.y + d.z == d.x + d.y + d.z &&
                     up >= -126 && up <= 126 && tree_exponent <= 250 && ray.t_min >= 0;
        const float scale =
            std::bit_cast<float>(static_cast<std::uint32_t>(is_usable_ ? 127 + up : 127) << 23);
        limit_scale_ =
            std::bit_cast<float>(static_cast<std::uint32_t>(is_usable_ ? 127 - up : 127) << 23);
        const float least =
            std::bit_cast<float>(static_cast<std::uint32_t>(is_usable_ ? target - 80 : 1) << 23);
        for (int axis = 0; axis < 3; ++axis) {
            const float scaled = d[axis] * scale;
            inverse_[axis] =
                1.0f / (std::fabs(scaled) < least ? std::copysign(least, scaled) : scaled);
        }
        t_min_ = ray.t_min * limit_scale_ + 0.0f;  // never the negative zero
        forward_ =
            (inverse_.x < 0 ? 0u : 1u) | (inverse_.y < 0 ? 0u : 2u) | (inverse_.z < 0 ? 0u : 4u);
        selector_ = 0x4140u ^ (forward_ & 3) * 0x0101u;
    }

    GRAZE_INLINE bool is_usable() const { return is_usable_; }
    // The factor from the ray's parameters to those of boxes.
    GRAZE_INLINE float limit_scale() const { return limit_scale_; }

    // Replaces every member x that a visit needs by move(x).
    template <class Move>
    GRAZE_INLINE void move_by(const Move& move) {
        for (int axis = 0; axis < 3; ++axis) {
            origin_[axis] = move(origin_[axis]);
            inverse_[axis] = move(inverse_[axis]);
        }
        t_min_ = move(t_min_);
        limit_scale_ = move(limit_scale_);
        forward_ = move(forward_);
        selector_ = move(selector_);
    }

    GRAZE_INLINE static LoadedNode load(const QuantisedUnit* node) {
        return {load_unit(node),
                {load_unit(node + 1), load_unit(node + 3)},
                {load_unit(node + 2), load_unit(node + 4)}};
    }

    // The children of a node whose boxes the ray meets up to limit.
    GRAZE_INLINE QuantisedVisit visit(const LoadedNode& node, float limit) const {
        const QuantisedUnit& frame = node.frame;
        const QuantisedUnit(&lower)[2] = node.lower;
        const QuantisedUnit(&upper)[2] = node.upper;
        float step[3], start[3];
        for (int axis = 0; axis < 3; ++axis) {
            const std::uint32_t exponent = frame.words[3] >> 8 * axis & 0xff;
            step[axis] = std::bit_cast<float>(exponent << 23) * inverse_[axis];
            const float at_origin =
                (std::bit_cast<float>(frame.words[axis]) - origin_[axis]) * inverse_[axis];
            start[axis] = std::fma(-kBias, step[axis], at_origin);
        }
        // A sign for each child: the first four slots' in the low bits, each four as the ray sees
        // them.
        std::uint32_t missed = 0;
        for (std::uint32_t half = 2; half-- > 0;) {
            std::uint32_t near_planes[3], far_planes[3];
            for (int axis = 0; axis < 3; ++axis) {
                const bool backward = inverse_[axis] < 0;
                near_planes[axis] = backward ? upper[half].words[axis] : lower[half].words[axis];
                far_planes[axis] = backward ? lower[half].words[axis] : upper[half].words[axis];
            }
            for (std::uint32_t k = 4; k-- > 0;) {
                float t_near[3], t_far[3];
                for (int axis = 0; axis < 3; ++axis) {
                    t_near[axis] = std::fma(biased(near_planes[axis], k), step[axis], start[axis]);
                    t_far[axis] = std::fma(biased(far_planes[axis], k), step[axis], start[axis]);
                }
                // Below zero where the ray leaves before it enters, by more than kSlack.
                const float inside =
                    std::fma(latest(t_near, t_min_), kSlack - 1, earliest(t_far, limit));
                missed = append_sign(missed, inside);
            }
        }
        // The two fours are swapped where the ray looks along z, so that the nearer is higher.
        const std::uint32_t met = ~(missed * 0x101u >> (forward_ & 4)) & 0xff;
        // The word is selected, since an index would put the node into memory.
        const std::uint32_t inner =
            byte_of(inverse_.z < 0 ? lower[0].words[3] : lower[1].words[3], 0);
        return {upper[0].words[3], met & inner, met & ~inner, lower[0].words[3] & 0xff,
                upper[1].words[3]};
    }

    // The slot that a bit of a visit stands for.
    GRAZE_INLINE std::uint32_t slot(std::uint32_t bit) const { return bit ^ forward_; }

private:
    // A byte that is turned into a float by its bits becomes larger by this.
    static constexpr float kBias = 0x1p10f;
    static constexpr float kSlack = 16 * 0x1p-24f;

    GRAZE_INLINE static QuantisedUnit load_unit(const QuantisedUnit* source) {
#if GRAZE_ON_DEVICE
        const uint4 words = __ldg(reinterpret_cast<const uint4*>(source));
        return {{words.x, words.y, words.z, words.w}};
#else
        return *source;
#endif
    }
    // Byte k, in the order in which the ray sees them, plus kBias. On the device one permutation
    // makes two bytes two halves: 0x6400 | q is 1024 + q. To widen a half is the multiplier's work,
    // which has less to do than the unit that permutes bytes.
    GRAZE_INLINE float biased(std::uint32_t word, std::uint32_t k) const {
#if GRAZE_ON_DEVICE
        const std::uint32_t pair = __byte_perm(word, 0x64646464u, selector_ ^ (k / 2) * 0x0202u);
        const auto half = static_cast<std::uint16_t>(k % 2 == 0 ? pair & 0xffff : pair >> 16);
        float value;
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
        return value;
#else
        return kBias + static_cast<float>(byte_of(word, k));
#endif
    }
    GRAZE_INLINE std::uint32_t byte_of(std::uint32_t word, std::uint32_t k) const {
        return word >> 8 * (k ^ (forward_ & 3)) & 0xff;
    }
    // The last of four parameters, which is not negative.
    GRAZE_INLINE static float latest(const float (&t)[3], float t_min) {
#if GRAZE_ON_DEVICE
        return __int_as_float(
            max(__vimax3_s32(__float_as_int(t[0]), __float_as_int(t[1]), __float_as_int(t[2])),
                __float_as_int(t_min)));
#else
        return max_of(max_of(t[0], t[1]), max_of(t[2], t_min));
#endif
    }
    // The first of four parameters; some negative one where it is negative.
    GRAZE_INLINE static float earliest(const float (&t)[3], float limit) {
#if GRAZE_ON_DEVICE
        return __int_as_float(
            min(__vimin3_s32(__float_as_int(t[0]), __float_as_int(t[1]), __float_as_int(t[2])),
                __float_as_int(limit)));
#else
        return min_of(min_of(t[0], t[1]), min_of(t[2], limit));
#endif
    }
    GRAZE_INLINE static std::uint32_t append_sign(std::uint32_t bits, float x) {
#if GRAZE_ON_DEVICE
        return __funnelshift_l(__float_as_uint(x), bits, 1);
#else
        return bits << 1 | std::bit_cast<std::uint32_t>(x) >> 31;
#endif
    }

    Vec3 origin_;
    Vec3 inverse_;  // of the scaled direction
    float t_min_;
    float limit_scale_;
    std::uint32_t forward_;   // bits set where the ray looks along positive axes
    std::uint32_t selector_;  // of biased(), on the device
    bool is_usable_;
};

// Met nodes that wait for their visit, of one parent.
struct QuantisedGroup {
    std::uint32_t base;  // the first of the parent's children
    std::uint32_t bits;  // low byte: which wait, the nearest highest; next byte: slots with nodes

    GRAZE_INLINE QuantisedGroup() = default;
    GRAZE_INLINE QuantisedGroup(std::uint32_t b, std::uint32_t waiting, std::uint32_t inner)
        : base(b), bits(waiting | inner << 8) {}

    GRAZE_INLINE bool is_empty() const { return (bits & 0xff) == 0; }
    GRAZE_INLINE std::uint32_t nearest_bit() const {
        return 31 - static_cast<std::uint32_t>(leading_zeros(bits & 0xff));
    }
    // Takes out the nearest node; returns its unit. An empty group stays so, and returns nonsense.
    GRAZE_INLINE std::uint32_t take(const QuantisedRay& ray) {
        const std::uint32_t bit = nearest_bit();
        bits ^= 1u << (bit & 31);
        return base + kNodeUnits * count_ones(bits >> 8 & ((1u << (ray.slot(bit) & 31)) - 1));
    }
};

// Met triangles that wait for their test, of one parent.
struct QuantisedTriangles {
    std::uint32_t base;  // unit of the parent's first triangle
    // Byte 0: which wait. Byte 1: slots with nodes. Byte 2: what turns a bit's number into a slot,
    // and from bit 3 on how many children there are. Byte 3: for the caller.
    std::uint32_t bits;

    GRAZE_INLINE QuantisedTriangles() = default;
    GRAZE_INLINE QuantisedTriangles(const QuantisedVisit& visit, const QuantisedRay& ray,
                                    std::uint32_t tag = 0)
        : base(visit.base + kNodeUnits * count_ones(visit.inner)),
          bits(visit.triangles | visit.inner << 8 | ray.slot(0) << 16 | visit.child_count << 19 |
               tag << 24) {}

    GRAZE_INLINE std::uint32_t count() const { return count_ones(bits & 0xff); }
    GRAZE_INLINE std::uint32_t tag() const { return bits >> 24; }
    // Takes one out and returns its unit, or 0 as unit() does.
    GRAZE_INLINE std::uint32_t take() {
        const std::uint32_t bit = 31 - static_cast<std::uint32_t>(leading_zeros(bits & 0xff));
        bits ^= 1u << (bit & 31);
        return unit(bit);
    }
    // The unit of the one before which rank others wait, rank being below count(); or 0 as unit()
    // does. The bits that are left are halved three times, without branches; a single bit needs no
    // count.
    GRAZE_INLINE std::uint32_t find(std::uint32_t rank) const {
        std::uint32_t bit = 0;
        for (const std::uint32_t half : {4u, 2u, 1u}) {
            const std::uint32_t left = bits >> bit & ((1u << half) - 1);
            const std::uint32_t below = half == 1 ? left : count_ones(left);
            const bool is_above = rank >= below;
            if (is_above) bit += half;
            if (is_above) rank -= below;
        }
        return unit(bit);
    }

private:
    // The unit that a bit stands for; 0, the root's, for an empty slot, whose box a ray may meet by
    // rounding, from very far.
    GRAZE_INLINE std::uint32_t unit(std::uint32_t bit) const {
        const std::uint32_t slot = bit ^ (bits >> 16 & 7);
        const std::uint32_t before = (1u << (slot & 31)) - 1;
        const std::uint32_t found = base + kTriangleUnits * count_ones(~(bits >> 8) & before);
        return slot < (bits >> 19 & 15) ? found : 0;
    }
};

GRAZE_INLINE BvhTriangle load_triangle(const QuantisedUnit* unit) {
    return load_triangle(reinterpret_cast<const BvhTriangle*>(unit));
}

// The query is a FirstHit, AnyHit or AllHits of this ray over the TriangleBvh's triangles.
template <class Query>
GRAZE_HD void traverse(const QuantisedBvhView& bvh, const Ray& ray, Query& query) {
    if (bvh.tree.primitive_count == 0) return;
    const QuantisedRay slabs(ray, bvh);
    if (!slabs.is_usable()) return traverse(bvh.tree, query);
    QuantisedGroup stack[kBvhMaxDepth];
    int top = 0;
    QuantisedGroup group(0, 0, 0);
    for (std::uint32_t node = 0;;) {
        const QuantisedVisit visit =
            slabs.visit(QuantisedRay::load(bvh.units + node),
                        (query.limit() + 0.0f) * slabs.limit_scale());  // a zero has to be positive
        for (QuantisedTriangles met(visit, slabs); met.count() > 0;) {
            const std::uint32_t unit = met.take();
            if (unit != 0) query.visit(load_triangle(bvh.units + unit));
        }
        if (visit.nodes != 0) {
            if (!group.is_empty()) stack[top++] = group;
            group = QuantisedGroup(visit.base, visit.nodes, visit.inner);
        }
        if (group.is_empty()) {
            if (top == 0) return;
            group = stack[--top];
        }
        node = group.take(slabs);
    }
}

}  // namespace graze
