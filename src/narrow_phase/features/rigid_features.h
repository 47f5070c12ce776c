// Rigid mesh against rigid mesh, decided exactly: Method::features.
#pragma once

#include <memory>

#include "narrow_phase/method.h"

namespace graze {

// Method::features on one machine.
template <class Executor>
std::unique_ptr<MethodOn<Executor>> make_features_method(Executor& executor,
                                                         const DetectorOptions& options);

}  // namespace graze
