#include "narrow_phase/particles/particles_method_impl.h"
#include "narrow_phase/particles/texture_lookup.h"
#include "parallel/cuda_executor.h"

namespace graze {

template <>
struct ParticleSearch<CudaExecutor> {
    static constexpr bool kUsesTextures = true;

    template <class... Arguments>
    static ParticleStages find(CudaExecutor& executor, const PairStep& step,
                               Arguments&&... arguments) {
        const ParticleBodies bodies = particle_bodies(step);
        if (step.shapes.textures) {
            return find_particle_contacts(executor, TextureLookup{bodies, step.shapes.textures},
                                          step, std::forward<Arguments>(arguments)...);
        }
        return find_particle_contacts(executor, ExactLookup{bodies}, step,
                                      std::forward<Arguments>(arguments)...);
    }
};

// For benchmarks, which search without a detector.
template ParticleStages find_particle_contacts(CudaExecutor&, const ExactLookup&, const PairStep&,
                                               const DetectorOptions&, StepRooms&,
                                               ParticleWorkspace&, ContactList&);
template ParticleStages find_particle_contacts(CudaExecutor&, const TextureLookup&, const PairStep&,
                                               const DetectorOptions&, StepRooms&,
                                               ParticleWorkspace&, ContactList&);

template std::unique_ptr<MethodOn<CudaExecutor>> make_particles_method(CudaExecutor&,
                                                                       const DetectorOptions&);

}  // namespace graze
