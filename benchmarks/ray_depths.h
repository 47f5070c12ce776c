// Sums of ray lengths of a scene, variant by variant, as means over several beginnings: two
// simulations that differ in one contact soon differ in all of them, so that one of each says
// little.
#pragma once

#include <random>

#include "benchmarks/ray_run.h"

namespace graze {

struct DepthOptions {
    std::vector<std::string> variants{"standard",
                                      "strictly as the paper, without prediction",
                                      "strictly as the paper",
                                      "as the paper, without prediction",
                                      "as the paper",
                                      "iterative"};
    std::vector<RayResponse> responses{RayResponse::reprojected, RayResponse::ray};
    std::vector<double> thresholds{0.01};  // [m] of the variants that are as the paper
    int beginnings = 8;
    RunOptions run;
};

// The same scene with bodies turned at random.
inline SceneDescription turned(SceneDescription scene, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    for (SceneBody& body : scene.bodies) {
        if (body.motion != BodyMotion::dynamic) continue;
        const float w = normal(random), x = normal(random), y = normal(random), z = normal(random);
        body.pose.rotation = normalized(Quat{w, x, y, z});
    }
    return scene;
}

inline void print_depths(const SceneDescription& scene, const DepthOptions& options) {
    std::printf("%-42s %-12s %10s %12s %10s\n", "variant", "response", "threshold", "lengths [m]",
                "+- [m]");
    for (const double threshold : options.thresholds) {
        for (const std::string& variant : options.variants) {
            // All but these choose their thresholds, and once is enough.
            const bool has_threshold = variant.find("paper") != std::string::npos;
            if (!has_threshold && threshold != options.thresholds.front()) continue;
            for (const RayResponse response : options.responses) {
                RunOptions run = options.run;
                run.variant = variant;
                run.response = response;
                run.threshold = static_cast<float>(threshold);
                run.prints = false;
                double sum = 0, sum_sq = 0;
                for (int i = 0; i < options.beginnings; ++i) {
                    const double length =
                        run_scene(turned(scene, static_cast<unsigned>(i)), run).ray_length;
                    sum += length;
                    sum_sq += length * length;
                }
                const double count = options.beginnings, mean = sum / count;
                const double variance = std::max(0.0, sum_sq / count - mean * mean);
                std::printf("%-42s %-12s %10g %12.1f %10.1f\n", variant.c_str(),
                            response == RayResponse::ray ? "ray" : "reprojected",
                            has_threshold ? threshold : 0.0, mean,
                            std::sqrt(variance / std::max(1.0, count - 1)));
                std::fflush(stdout);
            }
        }
    }
}

}  // namespace graze
