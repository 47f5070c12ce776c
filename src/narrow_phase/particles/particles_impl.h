// Algorithm 3 of Krayer et al. (2022): all pairs at once, counted, ordered by prefix sums, stored.
//
// Where graze differs:
// - The search runs once: what it finds is kept where it is found, 32 particles at a time, and
// moved on
//   when the counts are known. They search twice, for the counts and to store.
// - 32 particles, a chunk, belong to one pair. On the device a chunk is a warp: all its threads
//   look into the same two fields, and they look for the pair together.
// - Adaptive sampling leaves out particles that cannot be needed: first blocks of them, and with
//   these most pairs (live_blocks.h), then cell by cell (cull_cells.h).
// - The order is by pair and particle, not by who comes first.
#pragma once

#include "narrow_phase/particles/chunks.h"
#include "narrow_phase/particles/cull_cells.h"
#include "narrow_phase/particles/particles.h"
#include "narrow_phase/particles/sharpen_deepest.h"

namespace graze {
namespace particles_detail {

// Searches from one particle.
template <class Lookup>
struct SearchParticle {
    Lookup lookup;
    ExactLookup exact;
    ChunkItems items;
    LastContacts last;
    ParticleSampling sampling;
    ParticleStep step;
    int max_steps;
    float offset;  // [m] half of the gap

    using Kept = Vec3;
    using Memory = BlockMemory;

    // True where the particle arrives, at `position`.
    GRAZE_HD bool operator()(std::int64_t pair, std::int64_t item, BlockMemory& memory,
                             Vec3& position) const {
        const PairRegion& region = items.regions[pair];
        const auto cell_count = static_cast<std::int64_t>(region.cell_count);
        const auto look = lookup.pair(region);
        PairValue value;
        if (item >= cell_count) {
            position = moved_contact(last, exact.bodies, region,
                                     static_cast<std::uint64_t>(item - cell_count));
            value = look(position);
        } else if (sampling == ParticleSampling::quasi_random) {
            position = quasi_random_point(region.box, static_cast<std::uint32_t>(item),
                                          static_cast<std::uint32_t>(cell_count));
            value = look(position);
        } else {
            const ParticleCell cell = items.cell(pair, static_cast<std::uint32_t>(item), memory);
            if (!is_in_grid(region.grid, cell)) return false;
            const Aabb box = block_box(region.grid, 0, cell);
            position = centre(box);
            if (sampling == ParticleSampling::grid) {
                value = look(position);
            } else if (!blocks_can_touch(region, look, offset, region.levels + (items.live ? 0 : 1),
                                         cell, memory) ||
                       !can_touch(region, look, offset, box, value)) {
                return false;
            }
        }
        // Where bodies penetrate each other, that is what is wanted; only else what is near.
        ParticleRules rules{step, max_steps, 0, region.tolerance, region.box};
        const Vec3 first_position = position;
        const PairValue first_value = value;
        bool arrives = project_particle(look, rules, value, position);
        if (!arrives && offset > 0) {
            rules.offset = offset;
            position = first_position;
            value = first_value;
            arrives = project_particle(look, rules, value, position);
        }
        if (!arrives) return false;
        if constexpr (Lookup::Pair::kIsExact) {
            return true;
        } else {
            return confirm(region, rules, position);
        }
    }

private:
    // What a coarse look-up found, looked at in full; with two steps more where it is a little off.
    GRAZE_HD bool confirm(const PairRegion& region, ParticleRules rules, Vec3& position) const {
        const ExactLookup::Pair look = exact.pair(region);
        rules.max_steps = 2;
        PairValue value = look(position);
        return project_particle(look, rules, value, position);
    }
};

struct StoreContact {
    ExactLookup lookup;
    Chunks chunks;
    const PairRegion* regions;
    const Vec3* found;
    const std::uint64_t* counts;   // by chunk
    const std::uint64_t* offsets;  // by chunk
    float offset;                  // [m] half of the gap
    NormalRule rule;
    std::int64_t room;
    Contact* contacts;  // out

    GRAZE_HD void operator()(std::int64_t i) const {
        const std::int64_t chunk = i / kChunkSize;
        const std::int64_t rank = i - chunk * kChunkSize;
        if (counts[chunk] == 0) return;
        const std::int64_t pair = chunks.pair_of(chunk);
        if (rank >= static_cast<std::int64_t>(counts[chunk])) return;
        const std::int64_t index = static_cast<std::int64_t>(offsets[chunk]) + rank;
        if (index >= room) return;
        const PairRegion& region = regions[pair];
        const Vec3 point = found[i];
        const Vec3 between = lookup.bodies.poses[region.body_a].translation -
                             lookup.bodies.poses[region.body_b].translation;
        const ExactLookup::Pair look = lookup.pair(region);
        contacts[index] = make_contact(look, region, look(point), point, between, offset, rule);
    }
};

// Where each pair's contacts begin.
struct OffsetOfPairContacts {
    const std::uint64_t* chunk_offsets;  // by pair
    std::uint64_t chunk_room;
    const std::uint64_t* found_offsets;  // by chunk
    std::uint64_t* offsets;              // out, by pair

    GRAZE_HD void operator()(std::int64_t pair) const {
        offsets[pair] = found_offsets[min_of(chunk_offsets[pair], chunk_room)];
    }
};

// Blocks of 2^levels cells come together in chunks: about four to eight of them along a side, which
// is few enough that most of the work is in what is left, and enough to leave out most of a typical
// region.
inline int choose_levels(const ParticleOptions& options) {
    if (options.sampling != ParticleSampling::adaptive) return 0;
    int levels = 0;
    while (options.resolution >> (levels + 1) >= 4 && levels < kMaxParticleLevels)
        ++levels;
    return levels;
}

// On a GPU so few chunks are at work all at once, and those in which nothing is left cost less time
// than to find out first which these are: 132 multiprocessors have 64 warps each. On an H200, of
// steps with 1,736 and 4,692 chunks all were slower with lists, with 13,888 and more all faster.
constexpr std::int64_t kFewChunks = 8192;

template <class Executor>
bool lists_blocks(const ParticleOptions& options, BlockLists choice, std::int64_t pair_room) {
    if (options.sampling != ParticleSampling::adaptive || choice == BlockLists::never) return false;
    if (Executor::kIsHost || choice == BlockLists::always) return true;
    const std::int64_t n = options.resolution;
    return pair_room * (n * n * n / kChunkSize + 1) > kFewChunks;
}

}  // namespace particles_detail

template <class Executor, class Lookup>
ParticleStages find_particle_contacts(Executor& executor, const Lookup& lookup,
                                      const PairStep& step, const DetectorOptions& options,
                                      StepRooms& rooms, ParticleWorkspace& workspace,
                                      ContactList& result) {
    namespace pd = particles_detail;
    const ParticleOptions& particles = options.particles;
    const ParticleBodies bodies = particle_bodies(step);
    const LastContacts last = particles.uses_last_contacts ? step.last : LastContacts{};
    const std::int64_t pair_room = step.pair_room;
    const float offset = options.gap * 0.5f;
    workspace.regions.resize(pair_room);
    workspace.chunk_counts.resize(pair_room);
    const int levels = pd::choose_levels(particles);
    const bool is_adaptive = particles.sampling == ParticleSampling::adaptive;
    const MakePairRegion make_region{
        bodies,
        step.pairs,
        step.pair_count,
        last,
        particles.resolution,
        particles.tolerance,
        levels,
        is_adaptive ? kMostBlocks : std::numeric_limits<std::int64_t>::max(),
        workspace.regions.data(),
        workspace.chunk_counts.data()};
    const bool lists_blocks =
        pd::lists_blocks<Executor>(particles, workspace.block_lists, pair_room);
    if (lists_blocks) {
        using List = ListLiveBlocks<Lookup>;
        workspace.live.resize(pair_room * kBlockWords);
        executor.for_each("particles: blocks",
                          Executor::kIsHost ? pair_room : pair_room * List::kBlockSize,
                          List{make_region, lookup, offset, workspace.live.data()}, 4);
    } else {
        executor.for_each("particles: regions", pair_room, make_region, 64);
    }

    const ChunkItems items{workspace.regions.data(), step.pair_count,
                           lists_blocks ? workspace.live.data() : nullptr};
    const Chunks chunks = arrange_chunks(executor, pair_room, rooms, workspace);
    ParticleStages stages{};
    stages.chunks = rooms.last();
    workspace.found.resize(chunks.room * kChunkSize);
    keep_in_chunks(executor, "particles: search", chunks, items,
                   pd::SearchParticle<Lookup>{lookup,
                                              {bodies},
                                              items,
                                              last,
                                              particles.sampling,
                                              particles.step,
                                              particles.max_steps,
                                              offset},
                   workspace.found.data(), workspace);

    const std::int64_t contact_room = rooms.open(
        executor, workspace.found_offsets.data() + chunks.room, chunks.room * (kChunkSize / 4));
    stages.contacts = rooms.last();
    result.contacts.resize(contact_room);
    executor.for_each("particles: store", chunks.room * kChunkSize,
                      pd::StoreContact{{bodies},
                                       chunks,
                                       workspace.regions.data(),
                                       workspace.found.data(),
                                       workspace.found_counts.data(),
                                       workspace.found_offsets.data(),
                                       options.gap / 2,
                                       particles.normal,
                                       contact_room,
                                       result.contacts.data()});
    result.offsets.resize(pair_room + 1);
    executor.for_each(
        "particles: offsets of pairs", pair_room + 1,
        pd::OffsetOfPairContacts{chunks.offsets, static_cast<std::uint64_t>(chunks.room),
                                 workspace.found_offsets.data(), result.offsets.data()});
    if (particles.sharpens) sharpen_deepest(executor, lookup, step, options, workspace, result);
    return stages;
}

}  // namespace graze
