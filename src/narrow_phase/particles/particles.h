// Field against field by projected particles (Krayer, Goerges and Mueller, "Intersection Distance
// Field Collision for GPU", 2022).
#pragma once

#include <memory>

#include "narrow_phase/particles/pair_region.h"

namespace graze {

// Whether adaptive sampling finds out which blocks are left before it searches (live_blocks.h), or
// asks for each chunk of cells anew. What is found is the same; the others are to compare with.
enum class BlockLists { chosen, always, never };

// Memory that a search needs beside its result; keep it to search again without allocation.
struct ParticleWorkspace {
    explicit ParticleWorkspace(Memory& memory)
        : regions(memory),
          live(memory),
          chunk_counts(memory),
          chunk_offsets(memory),
          found(memory),
          found_counts(memory),
          found_offsets(memory) {}

    // By pair.
    Buffer<PairRegion> regions;
    Buffer<std::uint32_t> live;  // see ListLiveBlocks
    Buffer<std::uint64_t> chunk_counts, chunk_offsets;
    // By chunk; what is found has 32 entries each.
    Buffer<Vec3> found;
    Buffer<std::uint64_t> found_counts, found_offsets;
    BlockLists block_lists = BlockLists::chosen;
};

// The stages of a search, by which StepRooms tells its counts in the end.
struct ParticleStages {
    std::size_t chunks;  // of 32 particles; kWithoutEnd or more where a pair's region has no end
    std::size_t contacts;
};

// Searches all pairs of a step at once, without waiting. Lookup is what evaluates the fields:
// ExactLookup below, or TextureLookup.
template <class Executor, class Lookup>
ParticleStages find_particle_contacts(Executor& executor, const Lookup& lookup,
                                      const PairStep& step, const DetectorOptions& options,
                                      StepRooms& rooms, ParticleWorkspace& workspace,
                                      ContactList& result);

// Method::particles on one machine.
template <class Executor>
std::unique_ptr<MethodOn<Executor>> make_particles_method(Executor& executor,
                                                          const DetectorOptions& options);

GRAZE_INLINE ParticleBodies particle_bodies(const PairStep& step) {
    return {step.shapes.fields, step.shape_of_body, step.poses_t0, step.boxes};
}

// Evaluates in full. Also what any other look-up reports with in the end.
struct ExactLookup {
    ParticleBodies bodies;

    struct Pair {
        BodyField a, b;

        GRAZE_INLINE FieldValue value_a(const Vec3& point) const { return evaluate(a, point); }
        GRAZE_INLINE FieldValue value_b(const Vec3& point) const { return evaluate(b, point); }
        GRAZE_INLINE PairValue operator()(const Vec3& point) const {
            return {value_a(point), value_b(point)};
        }
        // [m] As far above the true distances as the values are, at most.
        GRAZE_INLINE float quick_a(const Vec3& point) const { return quick_distance(a, point); }
        GRAZE_INLINE float quick_b(const Vec3& point) const { return quick_distance(b, point); }
        // False where that is the values themselves.
        static constexpr bool kHasQuick = true;
        // Else what it finds must be looked at in full.
        static constexpr bool kIsExact = true;
        // [m] How far it is off, beside kFieldRelativeError.
        GRAZE_INLINE static float error_a() { return 0; }
        GRAZE_INLINE static float error_b() { return 0; }
    };

    GRAZE_INLINE Pair pair(const PairRegion& region) const {
        return {body(region.body_a), body(region.body_b)};
    }

private:
    GRAZE_INLINE BodyField body(std::uint32_t index) const {
        return make_body_field(bodies.shapes[bodies.shape_of_body[index]].field,
                               bodies.poses[index]);
    }
};

}  // namespace graze
