#include "narrow_phase/particles/particles_method_impl.h"
#include "parallel/cpu_executor.h"

namespace graze {

template <>
struct ParticleSearch<CpuExecutor> {
    static constexpr bool kUsesTextures = false;

    template <class... Arguments>
    static ParticleStages find(CpuExecutor& executor, const PairStep& step,
                               Arguments&&... arguments) {
        return find_particle_contacts(executor, ExactLookup{particle_bodies(step)}, step,
                                      std::forward<Arguments>(arguments)...);
    }
};

template std::unique_ptr<MethodOn<CpuExecutor>> make_particles_method(CpuExecutor&,
                                                                      const DetectorOptions&);

}  // namespace graze
