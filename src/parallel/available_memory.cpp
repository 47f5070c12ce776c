#include "parallel/available_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "parallel/cuda_devices.h"

namespace graze {

namespace {

constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();

// The number that a file holds; kUnknown where it holds none ("max").
std::int64_t read_number(const char* path) {
    std::ifstream file(path);
    std::int64_t number = 0;
    return file >> number ? number : kUnknown;
}

// The number behind a name at the beginning of a line; 0 where there is none.
std::int64_t read_named(const char* path, const std::string& wanted) {
    std::ifstream file(path);
    std::string name;
    std::int64_t number = 0;
    for (std::string rest; file >> name >> number; std::getline(file, rest)) {
        if (name == wanted) return number;
    }
    return 0;
}

std::int64_t read_mem_available() {
    const std::int64_t kibibytes = read_named("/proc/meminfo", "MemAvailable:");
    return kibibytes > 0 ? kibibytes * 1024 : kUnknown;
}

// What `ulimit -v` leaves of this process's addresses.
std::int64_t read_addresses_left() {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnknown;
    const std::int64_t pages = read_number("/proc/self/statm");  // that are in use
    if (pages == kUnknown) return kUnknown;
    const auto most =
        static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_cur, static_cast<rlim_t>(kUnknown)));
    return std::max<std::int64_t>(most - pages * sysconf(_SC_PAGESIZE), 0);
}

}  // namespace

std::int64_t available_memory(const Device& device) {
#if GRAZE_WITH_CUDA
    if (device.is_cuda()) return cuda_available_memory(device.index());
#endif
    (void)device;
    // A container may have less than the computer.
    const std::int64_t limit = read_number("/sys/fs/cgroup/memory.max");
    // Files that were read count as used there, but are dropped where memory is needed.
    const std::int64_t used =
        std::max<std::int64_t>(read_number("/sys/fs/cgroup/memory.current") -
                                   read_named("/sys/fs/cgroup/memory.stat", "inactive_file"),
                               0);
    const std::int64_t left =
        limit == kUnknown ? kUnknown : std::max<std::int64_t>(limit - used, 0);
    return std::min({read_mem_available(), left, read_addresses_left()});
}

}  // namespace graze
