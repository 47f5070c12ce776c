// Method::rays: mesh against mesh by rays from their vertices.
#pragma once

#include <memory>

#include "narrow_phase/method.h"

namespace graze {

template <class Executor>
std::unique_ptr<MethodOn<Executor>> make_rays_method(Executor& executor,
                                                     const DetectorOptions& options);

}  // namespace graze
