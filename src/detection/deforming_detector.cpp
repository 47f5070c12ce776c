#include <cmath>
#include <string>

#include "detection/deforming_engine.h"
#include "graze/deforming.h"
#include "graze/error.h"

namespace graze {
namespace {

using Engine = DeformingDetector::Engine;

void require_length(const char* name, double value) {
    if (!(value >= 0 && std::isfinite(value))) {
        throw Error(std::string("deforming detector: ") + name + " is " + std::to_string(value) +
                    "; give a finite number of metres, 0 or more");
    }
}

std::unique_ptr<Engine> make_engine(const DeformingTopology& topology, const Device& device,
                                    const DeformingOptions& options) {
    require_length("min_separation", options.min_separation);
    if (options.pair_memory < 0) {
        throw Error("deforming detector: pair_memory is " + std::to_string(options.pair_memory) +
                    "; give a number of bytes, or 0 for half of what is free");
    }
#if GRAZE_WITH_CUDA
    if (device.is_cuda()) return make_cuda_deforming_engine(topology, options, device);
#endif
    return make_cpu_deforming_engine(topology, options, device);
}

template <class T>
Engine::Ends<T> checked(const Engine& engine, std::span<const Vec3T<T>> t0,
                        std::span<const Vec3T<T>> t1, Residence residence) {
    for (const auto& positions : {t0, t1}) {
        if (static_cast<std::int64_t>(positions.size()) != engine.vertex_count()) {
            throw Error("deforming detector: " + std::to_string(positions.size()) +
                        " positions for " + std::to_string(engine.vertex_count()) +
                        " vertices; give one for each");
        }
    }
    return {t0.data(), t1.data(), residence};
}

}  // namespace

DeformingDetector::DeformingDetector(const DeformingTopology& topology, Device device,
                                     const DeformingOptions& options)
    : engine_(make_engine(topology, device, options)) {}
DeformingDetector::~DeformingDetector() = default;
DeformingDetector::DeformingDetector(DeformingDetector&&) noexcept = default;
DeformingDetector& DeformingDetector::operator=(DeformingDetector&&) noexcept = default;

std::span<const Impact> DeformingDetector::find_impacts(std::span<const Vec3> positions_t0,
                                                        std::span<const Vec3> positions_t1,
                                                        Residence residence) {
    return engine_->find_impacts(checked(*engine_, positions_t0, positions_t1, residence));
}
std::span<const Impact> DeformingDetector::find_impacts(std::span<const Vec3d> positions_t0,
                                                        std::span<const Vec3d> positions_t1,
                                                        Residence residence) {
    return engine_->find_impacts(checked(*engine_, positions_t0, positions_t1, residence));
}
ImpactTotals DeformingDetector::begin_impacts(std::span<const Vec3> positions_t0,
                                              std::span<const Vec3> positions_t1,
                                              Residence residence) {
    return engine_->begin_impacts(checked(*engine_, positions_t0, positions_t1, residence));
}
ImpactTotals DeformingDetector::begin_impacts(std::span<const Vec3d> positions_t0,
                                              std::span<const Vec3d> positions_t1,
                                              Residence residence) {
    return engine_->begin_impacts(checked(*engine_, positions_t0, positions_t1, residence));
}
std::span<const Impact> DeformingDetector::next_impacts() {
    return engine_->next_impacts();
}
std::optional<double> DeformingDetector::find_earliest_time(std::span<const Vec3> positions_t0,
                                                            std::span<const Vec3> positions_t1,
                                                            Residence residence) {
    return engine_->find_earliest_time(checked(*engine_, positions_t0, positions_t1, residence));
}
std::optional<double> DeformingDetector::find_earliest_time(std::span<const Vec3d> positions_t0,
                                                            std::span<const Vec3d> positions_t1,
                                                            Residence residence) {
    return engine_->find_earliest_time(checked(*engine_, positions_t0, positions_t1, residence));
}
std::span<const double> DeformingDetector::find_vertex_times(std::span<const Vec3> positions_t0,
                                                             std::span<const Vec3> positions_t1,
                                                             Residence residence) {
    return engine_->find_vertex_times(checked(*engine_, positions_t0, positions_t1, residence));
}
std::span<const double> DeformingDetector::find_vertex_times(std::span<const Vec3d> positions_t0,
                                                             std::span<const Vec3d> positions_t1,
                                                             Residence residence) {
    return engine_->find_vertex_times(checked(*engine_, positions_t0, positions_t1, residence));
}
std::span<const TriangleIntersection> DeformingDetector::crossed() const {
    return engine_->crossed();
}
std::span<const EdgeCrossing> DeformingDetector::crossed_edges() const {
    return engine_->crossed_edges();
}
std::span<const TriangleIntersection> DeformingDetector::find_intersections(
    std::span<const Vec3> positions, Residence residence) {
    return engine_->find_intersections(checked(*engine_, positions, positions, residence));
}
std::span<const TriangleIntersection> DeformingDetector::find_intersections(
    std::span<const Vec3d> positions, Residence residence) {
    return engine_->find_intersections(checked(*engine_, positions, positions, residence));
}
std::span<const Proximity> DeformingDetector::find_proximities(std::span<const Vec3> positions,
                                                               double thickness,
                                                               Residence residence) {
    require_length("thickness", thickness);
    return engine_->find_proximities(checked(*engine_, positions, positions, residence), thickness,
                                     nullptr);
}
std::span<const Proximity> DeformingDetector::find_proximities(std::span<const Vec3d> positions,
                                                               double thickness,
                                                               Residence residence) {
    require_length("thickness", thickness);
    return engine_->find_proximities(checked(*engine_, positions, positions, residence), thickness,
                                     nullptr);
}

std::span<const Proximity> DeformingDetector::find_proximities(std::span<const Vec3> positions,
                                                               double thickness,
                                                               const ProximityFilter& is_wanted,
                                                               Residence residence) {
    require_length("thickness", thickness);
    return engine_->find_proximities(checked(*engine_, positions, positions, residence), thickness,
                                     &is_wanted);
}
std::span<const Proximity> DeformingDetector::find_proximities(std::span<const Vec3d> positions,
                                                               double thickness,
                                                               const ProximityFilter& is_wanted,
                                                               Residence residence) {
    require_length("thickness", thickness);
    return engine_->find_proximities(checked(*engine_, positions, positions, residence), thickness,
                                     &is_wanted);
}

void DeformingDetector::place_static_parts() {
    engine_->place_static_parts();
}
const DeformingReport& DeformingDetector::report() const {
    return engine_->report();
}
void DeformingDetector::set_timing(bool is_on) {
    engine_->set_timing(is_on);
}

std::vector<Impact> find_impacts(const Motion& motion, Device device,
                                 const DeformingOptions& options) {
    DeformingTopology topology;
    topology.vertex_count = static_cast<std::int64_t>(motion.positions_t0.size());
    topology.triangles.assign(motion.triangles.begin(), motion.triangles.end());
    DeformingDetector detector(topology, device, options);
    const std::span<const Impact> impacts =
        detector.find_impacts(motion.positions_t0, motion.positions_t1);
    return {impacts.begin(), impacts.end()};
}

}  // namespace graze
