// How much memory a machine can still hand out.
#pragma once

#include <cstdint>

#include "graze/device.h"

namespace graze {

// [bytes] An estimate; the largest number there is where the system does not say.
std::int64_t available_memory(const Device& device);

}  // namespace graze
