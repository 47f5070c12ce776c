// check_cuda: turns a CUDA status into an Error that names the call.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "graze/error.h"

namespace graze {

inline void check_cuda(cudaError_t status, const char* what) {
    if (status == cudaSuccess) return;
    cudaGetLastError();  // so that the next call does not report this one again
    throw Error(std::string("CUDA: ") + what + ": " + cudaGetErrorString(status));
}

}  // namespace graze
