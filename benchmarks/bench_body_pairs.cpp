// Finds the pairs of 100,000 moving bodies, beside Bullet's dynamic tree with the same boxes in the
// same run.
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <numeric>
#include <string>

#include "benchmarks/body_scene.h"
#include "benchmarks/call_times.h"
#include "parallel/cpu_executor.h"
#include "parallel/trace.h"

namespace graze {
namespace {

constexpr std::int64_t kBodyCount = 100000;
constexpr int kWarmStepCount = 10;
constexpr int kTimedStepCount = 11;

using PairList = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// The motion of the bodies, which is the same for all contestants.
struct Motion {
    explicit Motion(const BodyScene& scene) {
        for (int step = 0; step < kWarmStepCount + kTimedStepCount; ++step) {
            poses.push_back(scene.poses(step));
            boxes.push_back(scene.boxes(poses.back()));
        }
    }
    std::vector<std::vector<Transform>> poses;  // by step
    std::vector<std::vector<Aabb>> boxes;
};

// Calls step(i) for every step and returns the fastest of the timed ones.
template <class Step>
CallTime fastest_step(const Step& step) {
    int i = 0;
    return time_calls(kWarmStepCount, kTimedStepCount, [&] { step(i++); }).fastest();
}

// ---- Bullet's side

struct BulletSettings {
    bool defers;       // finds pairs once a step for all, instead of for every body that moves
    float margin;      // [m] a body moves this far before its leaf does
    float prediction;  // the leaf reaches this much farther along the velocity
    int optimised;     // [%] of the tree is improved in a step
};

class Bullet {
public:
    Bullet(const std::vector<Aabb>& boxes, const BulletSettings& settings) {
        gDbvtMargin = settings.margin;
        broad_phase_.setVelocityPrediction(settings.prediction);
        broad_phase_.m_dupdates = settings.optimised;
        broad_phase_.m_deferedcollide = true;  // only while the tree is filled
        indices_.resize(boxes.size());
        std::iota(indices_.begin(), indices_.end(), 0u);
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            proxies_.push_back(broad_phase_.createProxy(low(boxes[i]), high(boxes[i]), 0,
                                                        &indices_[i], 1, -1, nullptr));
        }
        broad_phase_.optimize();
        broad_phase_.calculateOverlappingPairs(nullptr);
        broad_phase_.m_deferedcollide = settings.defers;
    }

    void step(const std::vector<Aabb>& boxes) {
        for (std::size_t i = 0; i < boxes.size(); ++i)
            broad_phase_.setAabb(proxies_[i], low(boxes[i]), high(boxes[i]), nullptr);
        broad_phase_.calculateOverlappingPairs(nullptr);
    }

    // Returns the pairs whose true boxes touch; Bullet's own boxes reach farther, and it keeps
    // pairs for some time.
    PairList pairs(const std::vector<Aabb>& boxes) {
        PairList result;
        const btBroadphasePairArray& found =
            broad_phase_.getOverlappingPairCache()->getOverlappingPairArray();
        for (int i = 0; i < found.size(); ++i) {
            const auto a = index(found[i].m_pProxy0), b = index(found[i].m_pProxy1);
            if (overlap(boxes[a], boxes[b])) result.push_back({std::min(a, b), std::max(a, b)});
        }
        std::sort(result.begin(), result.end());
        return result;
    }
    int kept_pair_count() {
        return broad_phase_.getOverlappingPairCache()->getNumOverlappingPairs();
    }

private:
    static btVector3 low(const Aabb& box) { return {box.min.x, box.min.y, box.min.z}; }
    static btVector3 high(const Aabb& box) { return {box.max.x, box.max.y, box.max.z}; }
    static std::uint32_t index(const btBroadphaseProxy* proxy) {
        return *static_cast<const std::uint32_t*>(proxy->m_clientObject);
    }

    btDbvtBroadphase broad_phase_;
    std::vector<std::uint32_t> indices_;  // what the proxies stand for
    std::vector<btBroadphaseProxy*> proxies_;
};

CallTime time_bullet(const Motion& motion, const BulletSettings& settings, PairList* pairs) {
    Bullet bullet(motion.boxes[0], settings);
    const CallTime ms =
        fastest_step([&](int i) { bullet.step(motion.boxes[static_cast<std::size_t>(i)]); });
    if (pairs) *pairs = bullet.pairs(motion.boxes.back());
    std::printf(
        "  Bullet, %-14s margin %.2f m, prediction %.1f, optimise %d%%  %8.2f ms, CPU time %8.2f "
        "ms   "
        "(%d pairs kept)\n",
        settings.defers ? "all at once," : "body by body,", settings.margin, settings.prediction,
        settings.optimised, ms.wall, ms.cpu, bullet.kept_pair_count());
    return ms;
}

// ---- graze's side

CallTime time_graze(const BodyScene& scene, const Motion& motion, int thread_count, bool from_poses,
                    PairList* pairs) {
    CpuExecutor executor(thread_count);
    BodyPairs result(executor.memory());
    std::vector<Aabb> boxes(static_cast<std::size_t>(kBodyCount));
    Trace trace;
    executor.set_trace(std::getenv("GRAZE_TRACE") ? &trace : nullptr);
    const CallTime ms = fastest_step([&](int i) {
        const auto step = static_cast<std::size_t>(i);
        const Aabb* in = motion.boxes[step].data();
        if (from_poses) {
            executor.for_each("body boxes", kBodyCount,
                              BodyBoxes{scene.shape_bounds().data(), scene.shape_of_body().data(),
                                        motion.poses[step].data(), nullptr, 0, boxes.data()});
            in = boxes.data();
        }
        find_body_pairs(executor, in, scene.filters().data(), kBodyCount, result);
    });
    pairs->clear();
    for (std::int64_t i = 0; i < result.pairs.size(); ++i)
        pairs->push_back({result.pairs.data()[i].a, result.pairs.data()[i].b});
    std::printf("  graze, %d thread%s, from %-5s %8.2f ms, CPU time %8.2f ms\n", thread_count,
                thread_count == 1 ? " " : "s", from_poses ? "poses" : "boxes", ms.wall, ms.cpu);
    std::map<std::string, double> stages;
    for (const TraceEntry& entry : trace.entries())
        stages[entry.name] += entry.seconds;
    for (const auto& [name, seconds] : stages) {
        std::printf("      %-28s %8.3f ms\n", name.c_str(),
                    seconds * 1e3 / (kWarmStepCount + kTimedStepCount));
    }
    return ms;
}

int run() {
    const BodyScene scene(kBodyCount);
    const Motion motion(scene);
    std::printf("%lld bodies, all moving, fastest of %d steps\n",
                static_cast<long long>(kBodyCount), kTimedStepCount);
    PairList expected, found;
    CallTime bullet{1e30, 1e30};
    for (const BulletSettings& settings :
         {BulletSettings{true, 0.05f, 0, 0}, BulletSettings{true, 0.05f, 0, 1},
          BulletSettings{false, 0.05f, 0, 0}, BulletSettings{false, 0.15f, 0, 0},
          BulletSettings{false, 0.15f, 0, 1}, BulletSettings{false, 0.15f, 0.1f, 0},
          BulletSettings{false, 0.3f, 0, 0}}) {
        if (std::getenv("GRAZE_ALONE")) break;
        const CallTime time = time_bullet(motion, settings, &expected);
        bullet = {std::min(bullet.wall, time.wall), std::min(bullet.cpu, time.cpu)};
    }
    int failures = 0;
    for (const bool from_poses : {false, true}) {
        for (const int thread_count : {1, 2}) {
            const CallTime time = time_graze(scene, motion, thread_count, from_poses, &found);
            failures += found != expected;
            std::printf(
                "      %zu pairs, %s Bullet's; %.1f times as fast as its best (CPU time: %.1f)\n",
                found.size(), found == expected ? "the same as" : "NOT", bullet.wall / time.wall,
                bullet.cpu / time.cpu);
        }
    }
    return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace graze

int main() {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    return graze::run();
}
