// Method::features on every device: the objects of particle_scenes.h without their terrain, at an
// instant and inside a step, the whole of detect() from poses to contacts on the host.
#include <cstdio>

#include "benchmarks/call_times.h"
#include "benchmarks/particle_scenes.h"
#include "graze/detector.h"

namespace graze {
namespace {

// Only bodies with meshes, each of which goes a fifth of a metre and turns by 0.2 rad where
// `moves`.
Scene bodies_of(const Scene& all, bool moves) {
    std::mt19937 random(3);
    std::uniform_real_distribution<float> unit(-1, 1);
    Scene scene;
    for (const Body& body : all.bodies()) {
        if (body.shape.mesh() == nullptr) continue;
        const auto index = scene.add(body.shape, body.pose);
        if (!moves) continue;
        Transform end = body.pose;
        end.translation += Vec3{unit(random), unit(random), unit(random)} * 0.2f;
        end.rotation = Quat::from_axis_angle({unit(random), unit(random), 1}, 0.2f) * end.rotation;
        scene.set_motion(index, body.pose, end);
    }
    return scene;
}

void run(const char* name, const Scene& scene, float gap) {
    std::vector<Device> devices = Device::list();
    devices.insert(devices.begin(), Device::cpu(1));
    for (const Device& device : devices) {
        Detector detector(Method::features, device, {.gap = gap});
        for (int warm_up = 0; warm_up < 3; ++warm_up)
            detector.detect(scene);
        CallTimes times;
        for (int i = 0; i < 7; ++i)
            times.time([&] { detector.detect(scene); });
        const StepReport& report = detector.report();
        std::printf("%-34s %-7s %3d %7lld %12.0f %12.0f %10lld %10.2f\n", name,
                    device.name().c_str(), device.threads(),
                    static_cast<long long>(report.pair_count), report.figure("triangle_pairs"),
                    report.figure("feature_pairs"), static_cast<long long>(report.found_count),
                    times.median().wall);
    }
}

}  // namespace
}  // namespace graze

int main() {
    using namespace graze;
    const Scene objects = make_objects_on_terrain(Device::cpu()).scene;
    std::printf("%-34s %-7s %3s %7s %12s %12s %10s %10s\n", "", "device", "thr", "pairs",
                "triangles", "features", "contacts", "[ms]");
    const Scene resting = bodies_of(objects, false), moving = bodies_of(objects, true);
    run("objects, at an instant", resting, 0);
    run("objects, at an instant, gap 5 mm", resting, 0.005f);
    run("objects, inside a step", moving, 0);
}
