// The CUDA half of Device: which GPUs there are. A build without CUDA has none.
#pragma once

#include <cstdint>
#include <string>

namespace graze {

// How many GPUs are usable; 0 without a driver.
int cuda_device_count();
// The model, multiprocessors and memory of one of them.
std::string cuda_device_description(int device_index);
// [bytes] How much memory it can still hand out.
std::int64_t cuda_available_memory(int device_index);

}  // namespace graze
