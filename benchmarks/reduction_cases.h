// The reductions of contacts that are measured on either machine.
#pragma once

#include "graze/detector.h"

namespace graze {

struct ReductionCase {
    const char* name;
    ContactReduction reduction;
};
inline constexpr ReductionCase kReductionCases[] = {
    {"copy", {0, 0, 0}},
    {"cells of 5 cm", {0.05f, 0, 0}},
    {"cells of 20 cm", {0.2f, 0, 0}},
    {"deepest 2", {0, 2, 0}},
    {"deepest 32", {0, 32, 0}},
    {"manifold of 4", {0, 0, 4}},
    {"manifold of 16", {0, 0, 16}},
    {"all three", {0.05f, 64, 4}},
};

}  // namespace graze
