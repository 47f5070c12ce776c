#include "graze_bullet/graze_dispatcher.h"

#include <LinearMath/btPoolAllocator.h>

#include <algorithm>
#include <chrono>

#include "dispatch_batch.h"
#include "graze/error.h"

namespace graze::bullet {

namespace {

// Compounds have no surface of their own: Bullet takes them apart, child by child.
bool has_surface(int type) {
    return type != COMPOUND_SHAPE_PROXYTYPE && type != EMPTY_SHAPE_PROXYTYPE &&
           type < SOFTBODY_SHAPE_PROXYTYPE;
}

void validate(const DispatcherOptions& options) {
    const PatchOptions& patches = options.patches;
    if (!(patches.angle > 0 && patches.angle < 3.2f))
        throw Error("GrazeDispatcher: patches.angle must be above 0 and at most pi");
    if (!(patches.link_distance > 0 && patches.link_distance <= 1e3f))
        throw Error("GrazeDispatcher: patches.link_distance must be above 0");
    if (patches.max_patches < 1)
        throw Error("GrazeDispatcher: patches.max_patches must be at least 1");
    if (options.is_speculative && options.method != Method::sweep)
        throw Error(
            "GrazeDispatcher: is_speculative needs a method that looks into the step; choose "
            "Method::sweep");
    if (options.field_resolution < 2)
        throw Error("GrazeDispatcher: field_resolution must be at least 2");
}

}  // namespace

DispatcherOptions::DispatcherOptions() {
    detector.gap = 0.02f;
    detector.particles.normal = NormalRule::smoother;
    detector.reduction.manifold_count = 48;
    detector.reduction.manifold_slack = detector.gap / 4;
}

btDefaultCollisionConstructionInfo collision_settings() {
    btDefaultCollisionConstructionInfo settings;
    settings.m_customCollisionAlgorithmMaxElementSize =
        std::max(settings.m_customCollisionAlgorithmMaxElementSize,
                 static_cast<int>(sizeof(GrazeAlgorithm)));
    return settings;
}

GrazeDispatcher::GrazeDispatcher(btCollisionConfiguration* configuration, Device device,
                                 const DispatcherOptions& options)
    : btCollisionDispatcher(configuration), batch_(std::make_unique<Batch>(device, options)) {
    validate(options);
    const int capacity = configuration->getCollisionAlgorithmPool()->getElementSize();
    if (capacity < static_cast<int>(sizeof(GrazeAlgorithm)))
        throw Error("GrazeDispatcher: the configuration's algorithms have " +
                    std::to_string(capacity) + " bytes and need " +
                    std::to_string(sizeof(GrazeAlgorithm)) +
                    "; make it with btDefaultCollisionConfiguration(collision_settings())");
    for (int type = 0; type < MAX_BROADPHASE_COLLISION_TYPES; ++type) {
        if (!has_surface(type)) continue;
        registerCollisionCreateFunc(GrazeShape::kType, type, &batch_->contacts_func);
        registerCollisionCreateFunc(type, GrazeShape::kType, &batch_->contacts_func);
        registerClosestPointsCreateFunc(GrazeShape::kType, type, &batch_->query_func);
        registerClosestPointsCreateFunc(type, GrazeShape::kType, &batch_->query_func);
    }
}

GrazeDispatcher::~GrazeDispatcher() = default;

void GrazeDispatcher::dispatchAllCollisionPairs(btOverlappingPairCache* pairs,
                                                const btDispatcherInfo& settings,
                                                btDispatcher* dispatcher) {
    const auto begin = std::chrono::steady_clock::now();
    batch_->time_step = settings.m_timeStep;
    batch_->begin();
    try {
        btCollisionDispatcher::dispatchAllCollisionPairs(pairs, settings, dispatcher);
    } catch (...) {  // a shape has no counterpart
        batch_->cancel();
        throw;
    }
    batch_->finish();
    const double total = batch_->bounces ? batch_->times.total : 0;
    batch_->times.total =
        total + std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

std::span<const Contact> GrazeDispatcher::contacts() const {
    return batch_->contacts_of_lasting_pairs();
}
const btCollisionObject* GrazeDispatcher::object(std::uint32_t index) const {
    return batch_->objects.at(index);
}
const StepReport& GrazeDispatcher::report() const {
    return batch_->report;
}
std::int64_t GrazeDispatcher::left_out_count() const {
    return batch_->left_out_count;
}
std::span<const std::string> GrazeDispatcher::findings() const {
    return batch_->findings();
}
const GrazeDispatcher::Times& GrazeDispatcher::times() const {
    return batch_->times;
}
const DispatcherOptions& GrazeDispatcher::options() const {
    return batch_->options;
}

}  // namespace graze::bullet
