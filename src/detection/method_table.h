// The table of methods: a line for each.
#pragma once

#include "graze/error.h"
#include "narrow_phase/features/rigid_features.h"
#include "narrow_phase/particles/particles.h"
#include "narrow_phase/rays/rays_method.h"
#include "narrow_phase/sweep/sweep_method.h"

namespace graze {

template <class Executor>
struct MethodEntry {
    Method method;
    std::unique_ptr<MethodOn<Executor>> (*make)(Executor& executor, const DetectorOptions& options);
};

template <class Executor>
inline constexpr MethodEntry<Executor> kMethodTable[] = {
    {Method::particles, make_particles_method<Executor>},
    {Method::features, make_features_method<Executor>},
    {Method::sweep, make_sweep_method<Executor>},
    {Method::rays, make_rays_method<Executor>},
};

template <class Executor>
std::unique_ptr<MethodOn<Executor>> make_method(Method method, Executor& executor,
                                                const DetectorOptions& options) {
    for (const MethodEntry<Executor>& entry : kMethodTable<Executor>) {
        if (entry.method == method) return entry.make(executor, options);
    }
    throw Error("detector: there is no such method; take one of the enum Method");
}

}  // namespace graze
