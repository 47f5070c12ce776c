// available_memory: how much memory a machine can still hand out.
#pragma once

#include <cstdint>

#include "graze/device.h"

namespace graze {

// [bytes] This is an estimate, and the largest number there is where the system does not say.
std::int64_t available_memory(const Device& device);

}  // namespace graze
