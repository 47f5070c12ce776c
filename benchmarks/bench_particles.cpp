// Field against field on the CPU at the sizes of Krayer et al.'s (2022) table 1, with 1 and 2
// threads: their plain method, and each of graze's options beside it.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "graze/detector.h"
#include "particle_scenes.h"
#include "particle_variant.h"

namespace graze {
namespace {

double median_seconds(Detector& detector, const Scene& scene, int runs) {
    std::vector<double> times;
    detector.detect(scene);
    for (int i = 0; i < runs; ++i) {
        const auto start = std::chrono::steady_clock::now();
        detector.detect(scene);
        times.push_back(
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

void run(const ParticleScene& scene, const std::vector<Variant>& variants, bool is_short) {
    std::printf("\n%s: %u bodies\n%-28s %4s %8s %10s %10s %10s %10s\n", scene.name.c_str(),
                scene.scene.size(), "", "N", "pairs", "particles", "contacts", "1 thr [ms]",
                "2 thr [ms]");
    for (const Variant& variant : variants) {
        for (const int resolution : {5, 10, 15, 20}) {
            if (is_short && resolution > 10) continue;
            DetectorOptions options = plain(resolution);
            variant.set(options);
            double milliseconds[2];
            StepReport report;
            for (int threads = 1; threads <= 2; ++threads) {
                Detector detector(Method::particles, Device::cpu(threads), options);
                milliseconds[threads - 1] =
                    1e3 * median_seconds(detector, scene.scene, resolution > 10 ? 1 : 3);
                report = detector.report();
            }
            std::printf("%-28s %4d %8lld %10lld %10lld %10.2f %10.2f\n", variant.name, resolution,
                        static_cast<long long>(report.pair_count),
                        static_cast<long long>(report.figure("particles")),
                        static_cast<long long>(report.contact_count), milliseconds[0],
                        milliseconds[1]);
            std::fflush(stdout);
        }
    }
}

}  // namespace
}  // namespace graze

int main(int argc, char** argv) {
    using namespace graze;
    // --short leaves out N = 15 and 20; a part of a name leaves out the other variants.
    const bool is_short = argc > 1 && std::string(argv[1]) == "--short";
    const std::string part = argc > 1 && !is_short ? argv[1] : "";
    std::vector<Variant> variants = {
        {"plain (the paper's)", [](DetectorOptions&) {}},
        {"quasi-random",
         [](DetectorOptions& o) { o.particles.sampling = ParticleSampling::quasi_random; }},
        {"over-relaxed", [](DetectorOptions& o) { o.particles.step = ParticleStep::over_relax; }},
        {"tangent", [](DetectorOptions& o) { o.particles.step = ParticleStep::tangent; }},
        {"with last contacts", [](DetectorOptions& o) { o.particles.uses_last_contacts = true; }},
        {"adaptive", [](DetectorOptions& o) { o.particles.sampling = ParticleSampling::adaptive; }},
        {"adaptive, tangent (default)",
         [](DetectorOptions& o) {
             o.particles.sampling = ParticleSampling::adaptive;
             o.particles.step = ParticleStep::tangent;
             o.particles.sharpens = true;
         }},
        {"plain, one per cell", [](DetectorOptions& o) { o.reduction.cell_size = 0.05f; }},
        {"plain, 8 deepest", [](DetectorOptions& o) { o.reduction.deepest_count = 8; }},
        {"plain, manifold of 4", [](DetectorOptions& o) { o.reduction.manifold_count = 4; }},
    };
    std::erase_if(variants, [&](const Variant& variant) {
        return std::string(variant.name).find(part) == std::string::npos;
    });
    run(make_statues(Device::cpu()), variants, is_short);
    run(make_objects_on_terrain(Device::cpu()), variants, is_short);
    run(make_balls_in_pipe(Device::cpu()), variants, is_short);
    return 0;
}
