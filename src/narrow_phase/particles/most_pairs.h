// How many pairs Method::particles searches at once where what it finds is reduced, so that its
// memory has a bound.
#pragma once

#include "graze/detector.h"
#include "graze/vec3.h"

namespace graze {

// A particle takes 12 bytes where it arrives, a contact 48, and a reduction 12 a contact: 72 in
// all, and up to a quarter more where lists grew. So it is about 100 MB on the host. A GPU, which
// has more and waits after each slice, takes sixteen times as many.
template <class Executor>
inline constexpr std::int64_t kParticlesAtOnce = std::int64_t{1} << (Executor::kIsHost ? 20 : 24);

template <class Executor>
std::int64_t most_particle_pairs(const DetectorOptions& options) {
    const std::int64_t n = options.particles.resolution;
    const std::int64_t seeds = options.particles.uses_last_contacts ? n * n : 0;
    return max_of(kParticlesAtOnce<Executor> / (n * n * n + seeds), std::int64_t{1});
}

}  // namespace graze
