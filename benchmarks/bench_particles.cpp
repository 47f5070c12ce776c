// Finds contacts of fields by particles on the CPU, at the sizes of Krayer et al.'s (2022) table 1,
// with 1 and 2 threads: by their plain method, and with each of graze's options beside it.
#include <cstdio>

#include "benchmarks/call_times.h"
#include "graze/detector.h"
#include "particle_scenes.h"
#include "particle_variant.h"

namespace graze {
namespace {

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
                    time_calls(1, resolution > 10 ? 1 : 3, [&] { detector.detect(scene.scene); })
                        .median()
                        .wall;
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
    // --short leaves out N = 15 and 20; a word leaves out the variants whose names do not have it.
    const bool is_short = argc > 1 && std::string(argv[1]) == "--short";
    const std::string word = argc > 1 && !is_short ? argv[1] : "";
    std::vector<Variant> variants = common_variants();
    variants.insert(variants.begin() + 4, {"with last contacts", [](DetectorOptions& o) {
                                               o.particles.uses_last_contacts = true;
                                           }});
    std::erase_if(variants, [&](const Variant& variant) {
        return std::string(variant.name).find(word) == std::string::npos;
    });
    run(make_statues(Device::cpu()), variants, is_short);
    run(make_objects_on_terrain(Device::cpu()), variants, is_short);
    run(make_balls_in_pipe(Device::cpu()), variants, is_short);
    run(make_loose_heap(Device::cpu()), variants, is_short);
    return 0;
}
