// The CUDA half of Device: what GPUs there are. Without CUDA in the build there are none.
#pragma once

#include <cstdint>
#include <string>

namespace graze {

// How many usable GPUs; 0 without a driver.
int cuda_device_count();
// Model, multiprocessors and memory of one of them.
std::string cuda_device_description(int device_index);
// [bytes] What it can still hand out.
std::int64_t cuda_available_memory(int device_index);

}  // namespace graze
