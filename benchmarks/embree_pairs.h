// EmbreePairs counts the pairs of boxes that touch, by Embree's rtcCollide.
#pragma once

#include <embree3/rtcore.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "graze/aabb.h"

namespace graze {

class EmbreePairs {
public:
    // The boxes stay the caller's.
    EmbreePairs(const std::vector<Aabb>& boxes, int thread_count)
        : boxes_(boxes),
          device_(rtcNewDevice(("threads=" + std::to_string(thread_count)).c_str())),
          scene_(rtcNewScene(device_)) {
        RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_USER);
        rtcSetGeometryUserPrimitiveCount(geometry, static_cast<unsigned>(boxes.size()));
        rtcSetGeometryUserData(geometry, this);
        rtcSetGeometryBoundsFunction(geometry, bound, nullptr);
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene_, geometry);
        rtcReleaseGeometry(geometry);
    }
    ~EmbreePairs() {
        rtcReleaseScene(scene_);
        rtcReleaseDevice(device_);
    }
    EmbreePairs(const EmbreePairs&) = delete;
    EmbreePairs& operator=(const EmbreePairs&) = delete;

    void build() {
        RTCGeometry geometry = rtcGetGeometry(scene_, 0);
        rtcCommitGeometry(geometry);  // marks the geometry as changed
        rtcCommitScene(scene_);
    }
    // Counts each pair once. Embree reports every pair in both orders; their indices are compared,
    // and nothing else is done with them.
    std::size_t collide() {
        counts_.assign(kMostThreads, {});
        rtcCollide(scene_, scene_, take, this);
        std::size_t sum = 0;
        for (const Count& count : counts_)
            sum += count.value;
        return sum;
    }

private:
    static void bound(const RTCBoundsFunctionArguments* arguments) {
        const auto* self = static_cast<const EmbreePairs*>(arguments->geometryUserPtr);
        const Aabb& box = self->boxes_[arguments->primID];
        RTCBounds& out = *arguments->bounds_o;
        out.lower_x = box.min.x;
        out.lower_y = box.min.y;
        out.lower_z = box.min.z;
        out.upper_x = box.max.x;
        out.upper_y = box.max.y;
        out.upper_z = box.max.z;
    }
    static void take(void* user, RTCCollision* collisions, unsigned collision_count) {
        auto* self = static_cast<EmbreePairs*>(user);
        std::size_t mine = 0;
        for (unsigned i = 0; i < collision_count; ++i)
            mine += collisions[i].primID0 < collisions[i].primID1 ? 1 : 0;
        self->counts_[thread_index()].value += mine;
    }

    // Every thread counts for itself, in a cache line of its own: Embree calls back for a few pairs
    // at a time, and a counter that threads share would cost more than its search.
    struct alignas(64) Count {
        std::size_t value = 0;
    };
    static constexpr std::size_t kMostThreads = 1024;
    static std::size_t thread_index() {
        static std::atomic<std::size_t> thread_count{0};
        thread_local const std::size_t index = thread_count++;
        if (index >= kMostThreads) throw std::length_error("Embree has too many threads");
        return index;
    }

    const std::vector<Aabb>& boxes_;
    RTCDevice device_;
    RTCScene scene_;
    std::vector<Count> counts_;  // by thread
};

}  // namespace graze
