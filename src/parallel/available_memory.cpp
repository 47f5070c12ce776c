#include "parallel/available_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "parallel/cuda_devices.h"

namespace graze {

namespace {

constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();

// The number in a file that holds one, or "max".
std::int64_t read_number(const char* path) {
    std::ifstream file(path);
    std::int64_t number = 0;
    return file >> number ? number : kUnknown;
}

std::int64_t read_mem_available() {
    std::ifstream file("/proc/meminfo");
    std::string name;
    std::int64_t kibibytes = 0;
    for (std::string unit; file >> name >> kibibytes; std::getline(file, unit)) {
        if (name == "MemAvailable:") return kibibytes * 1024;
    }
    return kUnknown;
}

}  // namespace

std::int64_t available_memory(const Device& device) {
#if GRAZE_WITH_CUDA
    if (device.is_cuda()) return cuda_available_memory(device.index());
#endif
    (void)device;
    // A container may have less than the computer.
    const std::int64_t limit = read_number("/sys/fs/cgroup/memory.max");
    const std::int64_t used = read_number("/sys/fs/cgroup/memory.current");
    const std::int64_t left =
        limit == kUnknown || used == kUnknown ? kUnknown : std::max<std::int64_t>(limit - used, 0);
    return std::min(read_mem_available(), left);
}

}  // namespace graze
