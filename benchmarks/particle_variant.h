// What benchmarks of the particles compare: the method of Krayer et al. (2022) as it is, and
// changes of it.
#pragma once

#include <functional>

#include "graze/detector.h"

namespace graze {

struct Variant {
    const char* name;
    std::function<void(DetectorOptions&)> set;
};

inline DetectorOptions plain(int resolution) {
    DetectorOptions options;
    options.particles.resolution = resolution;
    options.particles.sampling = ParticleSampling::grid;
    options.particles.step = ParticleStep::project;
    options.particles.normal = NormalRule::gradient_b;
    options.particles.sharpens = false;
    return options;
}

}  // namespace graze
