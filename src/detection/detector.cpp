#include "graze/detector.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "detection/detector_engine.h"
#include "detection/shape_access.h"
#include "graze/error.h"
#include "narrow_phase/particles/particle_grid.h"

namespace graze {

namespace {

void require_length(const char* name, float value) {
    if (!(value >= 0 && std::isfinite(value))) {
        throw Error(std::string("detector: ") + name + " is " + std::to_string(value) +
                    "; give a finite number of metres, 0 or more");
    }
}

void require_count(const char* name, int value, int least, int most) {
    if (value < least || value > most) {
        throw Error(std::string("detector: ") + name + " is " + std::to_string(value) +
                    "; give a number from " + std::to_string(least) + " to " +
                    std::to_string(most));
    }
}

void validate(const DetectorOptions& options) {
    require_length("gap", options.gap);
    require_length("particles.tolerance", options.particles.tolerance);
    require_count("particles.resolution", options.particles.resolution, 1, kMaxParticleResolution);
    require_count("particles.max_steps", options.particles.max_steps, 0, 1000);
    require_length("sweep.tolerance", options.sweep.tolerance);
    require_length("sweep.face_tolerance", options.sweep.face_tolerance);
    require_length("rays.displacement_threshold", options.rays.displacement_threshold);
    require_length("rays.distance_extension", options.rays.distance_extension);
    require_count("rays.max_iterations", options.rays.max_iterations, 1, 10'000);
    if (!(options.rays.confidence >= 1 && std::isfinite(options.rays.confidence))) {
        throw Error("detector: rays.confidence is " + std::to_string(options.rays.confidence) +
                    "; give a number, 1 or more");
    }
    require_length("reduction.cell_size", options.reduction.cell_size);
    require_count("reduction.deepest_count", options.reduction.deepest_count, 0, 1 << 30);
    require_count("reduction.manifold_count", options.reduction.manifold_count, 0, 1 << 30);
    require_length("reduction.manifold_slack", options.reduction.manifold_slack);
}

}  // namespace

std::unique_ptr<DetectorEngine> make_engine(Method method, const Device& device,
                                            const DetectorOptions& options) {
    validate(options);
#if GRAZE_WITH_CUDA
    if (device.is_cuda()) return make_cuda_engine(method, options, device);
#endif
    return make_cpu_engine(method, options, device);
}

Detector::Detector(Method method, Device device, const DetectorOptions& options)
    : engine_(make_engine(method, device, options)) {}
Detector::~Detector() = default;
Detector::Detector(Detector&&) noexcept = default;
Detector& Detector::operator=(Detector&&) noexcept = default;

void Detector::prepare(const Scene& scene, const Progress& progress) {
    std::vector<Shape> shapes;
    for (const Body& body : scene.bodies()) {
        if (std::find(shapes.begin(), shapes.end(), body.shape) == shapes.end())
            shapes.push_back(body.shape);
    }
    const auto count = static_cast<double>(shapes.size());
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        Progress of_shape;
        if (progress) {
            of_shape = [&progress, i, count](double fraction) {
                return progress((static_cast<double>(i) + fraction) / count);
            };
        }
        build_needs(shapes[i], engine_->needs(), of_shape);
    }
}

std::span<const Contact> Detector::detect(const Scene& scene) {
    return engine_->detect(scene, nullptr);
}

std::span<const Contact> Detector::detect(const Scene& scene, std::span<const BodyPair> pairs) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const BodyPair pair = pairs[i];
        if (pair.body_a >= pair.body_b || pair.body_b >= scene.size() ||
            (i > 0 && !(pairs[i - 1] < pair))) {
            throw Error("detector: pair " + std::to_string(i) + " is (" +
                        std::to_string(pair.body_a) + ", " + std::to_string(pair.body_b) +
                        "); give pairs of a lower and a higher body of the scene, ascending and "
                        "each once");
        }
    }
    return engine_->detect(scene, &pairs);
}

const DetectorOptions& Detector::options() const {
    return engine_->options();
}
const StepReport& Detector::report() const {
    return engine_->report();
}
double StepReport::figure(std::string_view name) const {
    for (const Figure& figure : figures) {
        if (name == figure.name) return figure.value;
    }
    return 0;
}

void Detector::set_timing(bool is_on) {
    engine_->set_timing(is_on);
}

}  // namespace graze
