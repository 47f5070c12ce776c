#include "graze/device.h"

#include <charconv>
#include <thread>

#include "graze/error.h"
#include "graze/version.h"
#include "parallel/cuda_devices.h"

namespace graze {

#if !GRAZE_WITH_CUDA
int cuda_device_count() {
    return 0;
}
std::string cuda_device_description(int /*device_index*/) {
    return {};
}
#endif

const char* version() {
    return GRAZE_VERSION;
}
bool has_cuda() {
    return GRAZE_WITH_CUDA != 0;
}

Device Device::cuda(int index) {
    if (!has_cuda()) {
        throw Error(
            "this build of graze has no CUDA: build with GRAZE_CUDA=ON, or use the device cpu");
    }
    const int count = cuda_device_count();
    if (index < 0 || index >= count) {
        throw Error(
            "there is no device cuda:" + std::to_string(index) + ": " +
            (count == 0
                 ? std::string("no usable GPU was found; check the driver with nvidia-smi, or "
                               "use the device cpu")
                 : "the last one is cuda:" + std::to_string(count - 1)));
    }
    return Device(Kind::cuda, index, 0);
}

Device Device::cpu(int threads) {
    return Device(Kind::cpu, 0, 0).with_threads(threads);
}

Device Device::with_threads(int threads) const {
    if (threads < 0) {
        throw Error("a device of " + std::to_string(threads) +
                    " threads; give a number above 0, or 0 for all cores");
    }
    return Device(kind_, index_, threads);
}

Device Device::best() {
    return cuda_device_count() > 0 ? Device(Kind::cuda, 0, 0) : cpu();
}

std::vector<Device> Device::list() {
    std::vector<Device> devices{cpu()};
    const int count = cuda_device_count();
    for (int index = 0; index < count; ++index)
        devices.push_back(Device(Kind::cuda, index, 0));
    return devices;
}

Device Device::parse(std::string_view text) {
    if (text == "cpu") return cpu();
    if (text == "best") return best();
    if (text == "cuda") return cuda(0);
    constexpr std::string_view prefix = "cuda:";
    if (text.starts_with(prefix)) {
        const std::string_view digits = text.substr(prefix.size());
        int index = -1;
        const auto [end, status] =
            std::from_chars(digits.data(), digits.data() + digits.size(), index);
        if (status == std::errc() && end == digits.data() + digits.size()) return cuda(index);
    }
    throw Error("'" + std::string(text) +
                "' names no device: use cpu, cuda, cuda:0 (or another index) or best");
}

std::string Device::name() const {
    return is_cuda() ? "cuda:" + std::to_string(index_) : "cpu";
}

std::string Device::description() const {
    if (is_cuda()) return cuda_device_description(index_);
    return std::to_string(std::thread::hardware_concurrency()) + " CPU cores";
}

}  // namespace graze
