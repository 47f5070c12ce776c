// Method::particles behind the seam of methods; the machines differ in what evaluates the fields.
#pragma once

#include "graze/error.h"
#include "narrow_phase/particles/particles_impl.h"

namespace graze {

// How a machine searches: find(executor, step, options, rooms, workspace, result) is
// find_particle_contacts() with a look-up of its choice, and kUsesTextures tells whether that may
// be by textures.
template <class Executor>
struct ParticleSearch;

template <class Executor>
class ParticlesMethod final : public MethodOn<Executor> {
public:
    ParticlesMethod(Executor& executor, const DetectorOptions& options)
        : executor_(executor), options_(options), workspace_(executor.memory()) {}

    ShapeNeeds needs() const override {
        return {
            .field = true,
            .texture = ParticleSearch<Executor>::kUsesTextures && options_.particles.uses_textures};
    }
    bool looks_into_step() const override { return false; }

    void find(const PairStep& step, StepRooms& rooms, ContactList& found) override {
        stages_ =
            ParticleSearch<Executor>::find(executor_, step, options_, rooms, workspace_, found);
    }

    void report(const StepRooms& rooms, StepReport& report) const override {
        const std::uint64_t chunk_count = rooms.total(stages_.chunks);
        if (chunk_count >= kWithoutEnd) {
            throw Error(
                "detector: two bodies without end (planes, height maps) meet where they have none; "
                "make both static, keep them apart by group and mask, or leave the pair out");
        }
        report.found_count = static_cast<std::int64_t>(rooms.total(stages_.contacts));
        report.figures.push_back({"particles", static_cast<double>(chunk_count) * kChunkSize});
    }

private:
    Executor& executor_;
    DetectorOptions options_;
    ParticleWorkspace workspace_;
    ParticleStages stages_{};
};

template <class Executor>
std::unique_ptr<MethodOn<Executor>> make_particles_method(Executor& executor,
                                                          const DetectorOptions& options) {
    return std::make_unique<ParticlesMethod<Executor>>(executor, options);
}

}  // namespace graze
