#include "parallel/cuda_devices.h"

#include "parallel/cuda_check.h"

namespace graze {

int cuda_device_count() {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess) {
        cudaGetLastError();
        return 0;
    }
    return count;
}

std::string cuda_device_description(int device_index) {
    cudaDeviceProp properties{};
    check_cuda(cudaGetDeviceProperties(&properties, device_index), "reading a device's properties");
    return std::string(properties.name) + ", " + std::to_string(properties.multiProcessorCount) +
           " multiprocessors, " + std::to_string(properties.totalGlobalMem >> 30) + " GiB";
}

}  // namespace graze
