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

std::int64_t cuda_available_memory(int device_index) {
    check_cuda(cudaSetDevice(device_index), "choosing a device");
    std::size_t available = 0, total = 0;
    check_cuda(cudaMemGetInfo(&available, &total), "asking for a device's memory");
    return static_cast<std::int64_t>(available);
}

}  // namespace graze
