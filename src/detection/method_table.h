// The table of methods: a line for each.
#pragma once

#include <limits>

#include "contacts/reduce_contacts.h"
#include "graze/error.h"
#include "narrow_phase/features/rigid_features.h"
#include "narrow_phase/particles/most_pairs.h"
#include "narrow_phase/particles/particles.h"
#include "narrow_phase/rays/rays_method.h"
#include "narrow_phase/sweep/sweep_method.h"

namespace graze {

template <class Executor>
struct MethodEntry {
    Method method;
    std::unique_ptr<MethodOn<Executor>> (*make)(Executor& executor, const DetectorOptions& options);
    // How many pairs at once, where their contacts are reduced; null where it wants all of them.
    std::int64_t (*most_pairs)(const DetectorOptions& options);
};

template <class Executor>
inline constexpr MethodEntry<Executor> kMethodTable[] = {
    {Method::particles, make_particles_method<Executor>, most_particle_pairs<Executor>},
    {Method::features, make_features_method<Executor>, nullptr},
    {Method::sweep, make_sweep_method<Executor>, nullptr},
    {Method::rays, make_rays_method<Executor>, nullptr},
};

template <class Executor>
const MethodEntry<Executor>& method_entry(Method method) {
    for (const MethodEntry<Executor>& entry : kMethodTable<Executor>) {
        if (entry.method == method) return entry;
    }
    throw Error("detector: there is no such method; take one of the enum Method");
}

template <class Executor>
std::unique_ptr<MethodOn<Executor>> make_method(Method method, Executor& executor,
                                                const DetectorOptions& options) {
    return method_entry<Executor>(method).make(executor, options);
}

// How many pairs a search gets at once.
template <class Executor>
std::int64_t most_pairs(Method method, const DetectorOptions& options) {
    const auto most = method_entry<Executor>(method).most_pairs;
    const bool is_any = !most || !is_reduced(options.reduction);
    return is_any ? std::numeric_limits<std::int64_t>::max() : most(options);
}

}  // namespace graze
