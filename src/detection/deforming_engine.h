// DeformingDetector::Engine: what a DeformingDetector does, on one machine.
#pragma once

#include "graze/deforming.h"

namespace graze {

class DeformingDetector::Engine {
public:
    virtual ~Engine() = default;
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    // Positions of which there are as many as vertices, at both ends of the step.
    template <class T>
    struct Ends {
        const Vec3T<T>* t0;
        const Vec3T<T>* t1;
        Residence residence;
    };

    virtual std::span<const Impact> find_impacts(const Ends<float>& ends) = 0;
    virtual std::span<const Impact> find_impacts(const Ends<double>& ends) = 0;
    virtual ImpactTotals begin_impacts(const Ends<float>& ends) = 0;
    virtual ImpactTotals begin_impacts(const Ends<double>& ends) = 0;
    virtual std::span<const Impact> next_impacts() = 0;
    virtual std::optional<double> find_earliest_time(const Ends<float>& ends) = 0;
    virtual std::optional<double> find_earliest_time(const Ends<double>& ends) = 0;
    virtual std::span<const double> find_vertex_times(const Ends<float>& ends) = 0;
    virtual std::span<const double> find_vertex_times(const Ends<double>& ends) = 0;
    // At an instant: both ends are the same.
    virtual std::span<const TriangleIntersection> find_intersections(const Ends<float>& ends) = 0;
    virtual std::span<const TriangleIntersection> find_intersections(const Ends<double>& ends) = 0;
    // is_wanted: null where all are.
    using ProximityFilter = DeformingDetector::ProximityFilter;
    virtual std::span<const Proximity> find_proximities(const Ends<float>& ends, double thickness,
                                                        const ProximityFilter* is_wanted) = 0;
    virtual std::span<const Proximity> find_proximities(const Ends<double>& ends, double thickness,
                                                        const ProximityFilter* is_wanted) = 0;
    virtual void place_static_parts() = 0;
    virtual void set_timing(bool is_on) = 0;

    std::int64_t vertex_count() const { return vertex_count_; }
    const DeformingReport& report() const { return report_; }
    std::span<const TriangleIntersection> crossed() const { return crossed_; }
    std::span<const EdgeCrossing> crossed_edges() const { return crossed_edges_; }

protected:
    Engine(std::int64_t vertex_count, const DeformingOptions& options)
        : vertex_count_(vertex_count), options_(options) {}

    std::int64_t vertex_count_;
    DeformingOptions options_;
    DeformingReport report_;
    std::span<const TriangleIntersection> crossed_;  // at t0 of the last step
    std::vector<EdgeCrossing> crossed_edges_;        // likewise
};

std::unique_ptr<DeformingDetector::Engine> make_cpu_deforming_engine(
    const DeformingTopology& topology, const DeformingOptions& options, const Device& device);
// Only in builds with CUDA.
std::unique_ptr<DeformingDetector::Engine> make_cuda_deforming_engine(
    const DeformingTopology& topology, const DeformingOptions& options, const Device& device);

}  // namespace graze
