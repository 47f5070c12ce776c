// DetectorEngine: what a Detector does, on one machine.
#pragma once

#include "graze/detector.h"
#include "narrow_phase/method.h"

namespace graze {

class DetectorEngine {
public:
    virtual ~DetectorEngine() = default;
    DetectorEngine(const DetectorEngine&) = delete;
    DetectorEngine& operator=(const DetectorEngine&) = delete;

    // pairs: null where they are to be found.
    virtual std::span<const Contact> detect(const Scene& scene,
                                            const std::span<const BodyPair>* pairs) = 0;
    virtual void set_timing(bool is_on) = 0;
    // What its method needs of shapes.
    virtual ShapeNeeds needs() const = 0;
    virtual bool looks_into_step() const = 0;

    const DetectorOptions& options() const { return options_; }
    const StepReport& report() const { return report_; }

protected:
    explicit DetectorEngine(const DetectorOptions& options) : options_(options) {}

    DetectorOptions options_;
    StepReport report_;
};

// Throws Error where the options make no sense or the device cannot be used.
std::unique_ptr<DetectorEngine> make_engine(Method method, const Device& device,
                                            const DetectorOptions& options);
std::unique_ptr<DetectorEngine> make_cpu_engine(Method method, const DetectorOptions& options,
                                                const Device& device);
// Only in builds with CUDA.
std::unique_ptr<DetectorEngine> make_cuda_engine(Method method, const DetectorOptions& options,
                                                 const Device& device);

}  // namespace graze
