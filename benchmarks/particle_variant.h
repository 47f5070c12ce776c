// The variants of the particles method that benchmarks compare: the method of Krayer et al. (2022)
// as it is, and changes of it.
#pragma once

#include <functional>
#include <vector>

#include "graze/detector.h"

namespace graze {

struct Variant {
    const char* name;
    std::function<void(DetectorOptions&)> set;  // changes the options of the plain method
};

// Returns the options of the paper's method.
inline DetectorOptions plain(int resolution) {
    DetectorOptions options;
    options.particles.resolution = resolution;
    options.particles.sampling = ParticleSampling::grid;
    options.particles.step = ParticleStep::project;
    options.particles.normal = NormalRule::gradient_b;
    options.particles.sharpens = false;
    return options;
}

// Returns the variants that both machines have.
inline std::vector<Variant> common_variants() {
    return {
        {"plain (the paper's)", [](DetectorOptions&) {}},
        {"quasi-random",
         [](DetectorOptions& o) { o.particles.sampling = ParticleSampling::quasi_random; }},
        {"over-relaxed", [](DetectorOptions& o) { o.particles.step = ParticleStep::over_relax; }},
        {"tangent", [](DetectorOptions& o) { o.particles.step = ParticleStep::tangent; }},
        {"adaptive", [](DetectorOptions& o) { o.particles.sampling = ParticleSampling::adaptive; }},
        {"adaptive, tangent (default)",
         [](DetectorOptions& o) {
             o.particles.sampling = ParticleSampling::adaptive;
             o.particles.step = ParticleStep::tangent;
             o.particles.sharpens = true;
         }},
        {"plain, one per cell", [](DetectorOptions& o) { o.reduction.cell_size = 0.05f; }},
        {"plain, 8 deepest", [](DetectorOptions& o) { o.reduction.deepest_count = 8; }},
        {"plain, manifold of 4", [](DetectorOptions& o) { o.reduction.manifold_count = 4; }},
    };
}

}  // namespace graze
