// Points against a distance field, anywhere inside the step: Method::sweep.
#pragma once

#include <memory>

#include "narrow_phase/method.h"

namespace graze {

// Method::sweep on one machine.
template <class Executor>
std::unique_ptr<MethodOn<Executor>> make_sweep_method(Executor& executor,
                                                      const DetectorOptions& options);

}  // namespace graze
