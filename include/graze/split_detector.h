// SplitDetector: a detector whose pairs are split among several devices, as Lehericey et al. split
// theirs among GPUs. A pair stays on its device as long as its boxes touch, so that what a method
// remembers of it is there. The contacts are those of a Detector, byte for byte, however many
// devices there are, where these compute alike: CPUs of any number of threads, and for most methods
// GPUs too.
//
//     graze::SplitDetector detector(graze::Method::rays, {graze::Device::cuda(0),
//                                                         graze::Device::cuda(1)});
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "graze/detector.h"

namespace graze {

class SplitDetector {
public:
    // A device may be named several times: each time is a block of pairs with memory, and on a GPU
    // a stream, of its own. Throws Error where there is none, and as Detector does.
    SplitDetector(Method method, const std::vector<Device>& devices,
                  const DetectorOptions& options = {});
    ~SplitDetector();
    SplitDetector(SplitDetector&&) noexcept;
    SplitDetector& operator=(SplitDetector&&) noexcept;

    // As Detector::detect. Where one device throws, all stop and the error of the first is thrown.
    std::span<const Contact> detect(const Scene& scene);

    // Counts and figures are sums over the devices; stages are not told.
    const StepReport& report() const;
    // How many pairs each device had in the last step.
    const std::vector<std::int64_t>& pair_counts() const;

private:
    class Blocks;
    std::unique_ptr<Blocks> blocks_;
};

}  // namespace graze
