#include "narrow_phase/particles/particles_impl.h"
#include "narrow_phase/particles/texture_lookup.h"
#include "parallel/cuda_executor.h"

namespace graze {

template ParticleStages find_particle_contacts(CudaExecutor&, const ExactLookup&,
                                               const ParticleBodies&, const IndexPair*,
                                               const std::uint64_t*, std::int64_t,
                                               const LastContacts&, const DetectorOptions&,
                                               StepRooms&, ParticleWorkspace&, ContactList&);
template ParticleStages find_particle_contacts(CudaExecutor&, const TextureLookup&,
                                               const ParticleBodies&, const IndexPair*,
                                               const std::uint64_t*, std::int64_t,
                                               const LastContacts&, const DetectorOptions&,
                                               StepRooms&, ParticleWorkspace&, ContactList&);

}  // namespace graze
