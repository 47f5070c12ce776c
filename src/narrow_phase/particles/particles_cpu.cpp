#include "narrow_phase/particles/particles_impl.h"
#include "parallel/cpu_executor.h"

namespace graze {

template ParticleStages find_particle_contacts(CpuExecutor&, const ExactLookup&,
                                               const ParticleBodies&, const IndexPair*,
                                               const std::uint64_t*, std::int64_t,
                                               const LastContacts&, const DetectorOptions&,
                                               StepRooms&, ParticleWorkspace&, ContactList&);

}  // namespace graze
