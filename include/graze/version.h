// The version of the headers; version() tells the library's, and has_cuda() whether it can use
// GPUs.
#pragma once

#define GRAZE_VERSION_MAJOR 0
#define GRAZE_VERSION_MINOR 1
#define GRAZE_VERSION_PATCH 0

namespace graze {

// "0.1.0"
const char* version();
// True where the library was built with CUDA; a GPU may still be absent (see Device::list()).
bool has_cuda();

}  // namespace graze
