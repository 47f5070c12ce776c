// The deepest contact of each pair, moved to where the bodies are deepest in each other nearby.
//
// Particles stop where they meet the intersection, and only by chance at its deepest point; what a
// solver makes of a pair rests on that point most. From the deepest contact found a descent
// follows: several step lengths are tried at once, each brought back to the intersection, and the
// deepest of them is where the next round begins. A contact only ever gets deeper.
#pragma once

#include "narrow_phase/particles/particles.h"

namespace graze {
namespace detail {

// On random pairs of spheres six rounds of five come within 0.1% of the depth on average, four
// rounds of eight within 0.2%, for about the same work.
constexpr int kSharpenRounds = 6;
constexpr int kSharpenSteps = 5;  // tried in a round
constexpr int kSharpenProjections = 2;

// The index-th step length of a round, as a part of the last one that was best; of the region's
// size in the first round.
GRAZE_INLINE float step_length(int round, int index) {
    constexpr float kParts[kSharpenSteps] = {4, 2, 1, 0.5f, 0.125f};
    return kParts[index] * (round == 0 ? 0.125f : 1.0f);
}

// In which direction the distance of a contact falls.
GRAZE_INLINE Vec3 descent(const PairValue& value) {
    if (value.larger() > 0) return -(value.a.gradient + value.b.gradient);
    return value.a.distance < value.b.distance ? -value.a.gradient : -value.b.gradient;
}

// Lookup: what searches; the contact that comes of it is computed in full.
template <class Lookup>
struct SharpenDeepest {
    Lookup lookup;
    ExactLookup exact;
    const PairRegion* regions;
    const std::uint64_t* pair_count;
    const std::uint64_t* offsets;  // of contacts, by pair
    std::uint64_t room;
    float offset;  // [m] half of the gap
    NormalRule rule;
    Contact* contacts;  // in and out

    // A contact by its index in the list; the deeper one comes first, then the lower one.
    struct Choice {
        float distance;
        std::int32_t index;

        GRAZE_INLINE bool precedes(const Choice& other) const {
            return distance < other.distance || (distance == other.distance && index < other.index);
        }
    };

    // On the device the threads of a warp work on a pair together, on the host one does it all.
    GRAZE_HD void operator()(std::int64_t i) const {
        const std::int64_t pair = i / kGroup;
        if (static_cast<std::uint64_t>(pair) >= *pair_count) return;
        const std::uint64_t begin = min_of(offsets[pair], room);
        const std::uint64_t end = min_of(offsets[pair + 1], room);
        if (begin == end) return;
        const int lane = static_cast<int>(i - pair * kGroup);
        const Choice deepest = first_of_group(
            deepest_of(contacts + begin, static_cast<std::int32_t>(end - begin), lane));
        Contact& contact = contacts[begin + static_cast<std::uint64_t>(deepest.index)];
        const Contact sharper = sharpen(regions[pair], contact, lane);
        sync_group();
        if (lane == 0) contact = sharper;
    }

#if GRAZE_ON_DEVICE
    static constexpr int kGroup = kChunkSize;
#else
    static constexpr int kGroup = 1;
#endif

private:
    // Of every group-th contact from one on.
    GRAZE_INLINE static Choice deepest_of(const Contact* list, std::int32_t count,
                                          std::int32_t first) {
        constexpr int kBatch = 8;  // loads under way at once
        const float infinite = std::numeric_limits<float>::infinity();
        Choice deepest{infinite, 0};
        for (std::int32_t at = first; at < count; at += kBatch * kGroup) {
            float distances[kBatch];
            for (int i = 0; i < kBatch; ++i) {
                const std::int32_t index = at + i * kGroup;
                distances[i] = index < count ? list[index].distance : infinite;
            }
            for (int i = 0; i < kBatch; ++i) {
                const Choice choice{distances[i], at + i * kGroup};
                if (choice.precedes(deepest)) deepest = choice;
            }
        }
        return deepest;
    }

    GRAZE_INLINE static Choice first_of_group(Choice choice) {
#if GRAZE_ON_DEVICE
        for (int width = kChunkSize / 2; width > 0; width /= 2) {
            const Choice other{__shfl_xor_sync(~0u, choice.distance, width),
                               __shfl_xor_sync(~0u, choice.index, width)};
            if (other.precedes(choice)) choice = other;
        }
#endif
        return choice;
    }
    GRAZE_INLINE static void sync_group() {
#if GRAZE_ON_DEVICE
        __syncwarp();
#endif
    }

    // Where a step of the given length leads, brought back to the intersection; infinitely far
    // where it does not lead there.
    GRAZE_HD Choice try_step(const PairRegion& region, const typename Lookup::Pair& look,
                             const Vec3& from, const Vec3& direction, float length, int index,
                             Vec3& position, PairValue& value) const {
        position = min_of(max_of(from + direction * length, region.box.min), region.box.max);
        const ParticleRules rules{ParticleStep::tangent, kSharpenProjections, offset,
                                  region.tolerance, region.box};
        value = look(position);
        const bool arrives = project_particle(look, rules, value, position);
        const float infinite = std::numeric_limits<float>::infinity();
        return {arrives ? contact_distance(value) : infinite, index};
    }

    GRAZE_HD Contact sharpen(const PairRegion& region, const Contact& contact, int lane) const {
        const auto look = lookup.pair(region);
        const Vec3 sides = extent(region.box);
        float unit = max_of(max_of(sides.x, sides.y), sides.z);
        Vec3 position = contact.position;
        float distance = contact.distance;
        PairValue value = look(position);
        for (int round = 0; round < kSharpenRounds; ++round) {
            const Vec3 direction = descent(value);
            Choice best{std::numeric_limits<float>::infinity(), kSharpenSteps};
            Vec3 best_position = position;
            PairValue best_value = value;
            for (int index = lane; index < kSharpenSteps; index += kGroup) {
                Vec3 tried;
                PairValue found;
                const Choice choice =
                    try_step(region, look, position, direction, unit * step_length(round, index),
                             index, tried, found);
                if (choice.precedes(best)) {
                    best = choice;
                    best_position = tried;
                    best_value = found;
                }
            }
            const Choice first = first_of_group(best);
            const bool is_deeper = first.distance < distance;
            unit *= step_length(round, is_deeper ? first.index : kSharpenSteps - 1);
            if (!is_deeper) continue;
            distance = first.distance;
            position = from_lane(best_position, first.index);
            value = {{0, from_lane(best_value.a.gradient, first.index)},
                     {0, from_lane(best_value.b.gradient, first.index)}};
            value.a.distance = from_lane(best_value.a.distance, first.index);
            value.b.distance = from_lane(best_value.b.distance, first.index);
        }
        return confirm(region, contact, position);
    }

    // The contact at a position, where there is one and the distance there is less indeed.
    GRAZE_HD Contact confirm(const PairRegion& region, const Contact& contact,
                             Vec3 position) const {
        const ExactLookup::Pair look = exact.pair(region);
        const ParticleRules rules{ParticleStep::tangent, kSharpenProjections, offset,
                                  region.tolerance, region.box};
        PairValue value = look(position);
        if (!project_particle(look, rules, value, position)) return contact;
        if (!(contact_distance(value) < contact.distance)) return contact;
        const Vec3 between = exact.bodies.poses[region.body_a].translation -
                             exact.bodies.poses[region.body_b].translation;
        return make_contact(look, region, value, position, between, offset, rule);
    }

    // What the thread that tried a step found there; on the host it is at hand.
    GRAZE_INLINE static float from_lane(float value, int lane) {
#if GRAZE_ON_DEVICE
        return __shfl_sync(~0u, value, lane);
#else
        static_cast<void>(lane);
        return value;
#endif
    }
    GRAZE_INLINE static Vec3 from_lane(const Vec3& value, int lane) {
        return {from_lane(value.x, lane), from_lane(value.y, lane), from_lane(value.z, lane)};
    }
};

}  // namespace detail

// Sharpens the contacts of a search where they are.
template <class Executor, class Lookup>
void sharpen_deepest(Executor& executor, const Lookup& lookup, const PairStep& step,
                     const DetectorOptions& options, const ParticleWorkspace& workspace,
                     ContactList& list) {
    executor.for_each(
        "particles: sharpen", Executor::kIsHost ? step.pair_room : step.pair_room * kChunkSize,
        detail::SharpenDeepest<Lookup>{lookup,
                                       {particle_bodies(step)},
                                       workspace.regions.data(),
                                       step.pair_count,
                                       list.offsets.data(),
                                       static_cast<std::uint64_t>(list.contacts.size()),
                                       options.gap * 0.5f,
                                       options.particles.normal,
                                       list.contacts.data()},
        8);
}

}  // namespace graze
