// Counts wrong rays, as figures 9 and 10 of the paper do: rays that a detector follows from step to
// step and whose outcome is not that of a cast anew, on recorded poses.
#pragma once

#include <cmath>
#include <cstdio>
#include <fstream>
#include <unordered_map>

#include "benchmarks/pose_file.h"
#include "benchmarks/ray_variants.h"

namespace graze {

struct WrongRays {
    double missing = 0, extra = 0, other = 0;  // contacts, and contacts of another length
    double rays = 0;                           // in the intersections of boxes

    double all() const { return missing + extra + other; }
    double percent() const { return rays > 0 ? 100 * all() / rays : 0; }
    void add(const WrongRays& o) {
        missing += o.missing;
        extra += o.extra;
        other += o.other;
        rays += o.rays;
    }
};

class RayReference {
public:
    explicit RayReference(std::span<const Contact> contacts) {
        for (const Contact& contact : contacts)
            lengths_[key(contact)] = contact.distance;
    }

    WrongRays compare(std::span<const Contact> contacts) const {
        // [m] What rounding may do to a ray of a body of 1 m.
        constexpr float kSame = 1e-5f;
        WrongRays wrong;
        std::size_t common = 0;
        for (const Contact& contact : contacts) {
            const auto found = lengths_.find(key(contact));
            if (found == lengths_.end()) {
                wrong.extra += 1;
                continue;
            }
            ++common;
            if (!(std::fabs(found->second - contact.distance) <= kSame)) wrong.other += 1;
        }
        wrong.missing = static_cast<double>(lengths_.size() - common);
        return wrong;
    }

private:
    // The pair and the vertex, and which of the two bodies has it.
    static std::uint64_t key(const Contact& contact) {
        const bool is_of_a = contact.feature_a.kind == FeatureKind::vertex;
        const std::uint64_t source = is_of_a ? contact.body_a : contact.body_b;
        const std::uint64_t target = is_of_a ? contact.body_b : contact.body_a;
        const std::uint64_t vertex = is_of_a ? contact.feature_a.index : contact.feature_b.index;
        return (source * 65536 + target) << 24 | vertex;
    }

    std::unordered_map<std::uint64_t, float> lengths_;
};

struct ErrorOptions {
    std::vector<std::string> variants{"as the paper, without prediction", "as the paper",
                                      "iterative without prediction", "iterative"};
    int threads = 0;
    int warm_count = 6;   // steps of each run that are not counted: rays begin with a cast
    int every = 1;        // steps that are compared
    std::string table;    // a CSV file; empty: none
    float threshold = 0;  // [m] where it is not chosen; 0: the default
    float gap = 0;        // [m] of all detectors
};

// Returns the sums over all runs, by variant.
inline std::vector<WrongRays> count_wrong_rays(const PoseFile& file, const ErrorOptions& options) {
    Scene scene = file.make_scene();
    const auto with_lengths = [&](const char* variant) {
        DetectorOptions result = ray_options(variant, options.gap);
        if (options.threshold > 0) result.rays.displacement_threshold = options.threshold;
        result.rays.response = RayResponse::ray;
        return result;
    };
    std::vector<WrongRays> sums(options.variants.size());
    std::ofstream table;
    if (!options.table.empty()) {
        table.open(options.table);
        table << "time_s";
        for (const std::string& variant : options.variants)
            table << ",\"" << variant << "\"";
        table << '\n';
    }
    const Device device = Device::cpu(options.threads);
    Detector reference(Method::rays, device, with_lengths("standard"));
    for (const PoseRun& run : file.runs) {
        std::vector<Detector> detectors;
        for (const std::string& variant : options.variants)
            detectors.emplace_back(Method::rays, device, with_lengths(variant.c_str()));
        for (std::size_t step = 0; step < run.steps.size(); ++step) {
            set_poses(scene, run.steps[step]);
            const bool is_compared = static_cast<int>(step) >= options.warm_count &&
                                     static_cast<int>(step) % options.every == 0;
            std::vector<std::span<const Contact>> found;
            for (Detector& detector : detectors)
                found.push_back(detector.detect(scene));
            if (!is_compared) continue;
            const RayReference truth(reference.detect(scene));
            if (table.is_open()) table << static_cast<double>(run.first_step + step) / 60;
            for (std::size_t i = 0; i < detectors.size(); ++i) {
                WrongRays wrong = truth.compare(found[i]);
                wrong.rays = reference.report().figure("rays");
                sums[i].add(wrong);
                if (table.is_open()) table << ',' << wrong.percent();
            }
            if (table.is_open()) table << '\n' << std::flush;
        }
    }
    std::printf("%-34s %12s %10s %10s %10s %10s\n", "wrong rays", "of all [%]", "missing", "extra",
                "other", "of rays");
    for (std::size_t i = 0; i < sums.size(); ++i)
        std::printf("%-34s %12.6f %10.0f %10.0f %10.0f %10.0f\n", options.variants[i].c_str(),
                    sums[i].percent(), sums[i].missing, sums[i].extra, sums[i].other, sums[i].rays);
    std::fflush(stdout);
    return sums;
}

}  // namespace graze
