// GrazeDispatcher is a btCollisionDispatcher that lets graze find the contacts of all pairs with a
// GrazeShape, all of a step at once, on the CPU or on a GPU. All other pairs stay Bullet's.
//
//     btDefaultCollisionConfiguration configuration(graze::bullet::collision_settings());
//     graze::bullet::GrazeDispatcher dispatcher(&configuration, graze::Device::best());
//     btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
//
// The other body of a pair may have any shape of Bullet's: spheres, boxes, capsules, cylinders,
// cones and planes become formulas, hulls and triangle meshes become sampled fields, once each;
// children of compounds are taken one by one. Soft bodies are not supported.
#pragma once

#include <BulletCollision/CollisionDispatch/btCollisionDispatcher.h>
#include <BulletCollision/CollisionDispatch/btDefaultCollisionConfiguration.h>

#include <memory>
#include <span>
#include <string>

#include "graze/detector.h"
#include "graze_bullet/graze_shape.h"

namespace graze::bullet {

// How the contacts of a pair become manifolds of at most four points: contacts that lie close to
// each other, with similar normals, make a patch, and each patch gets a manifold. Lengths are
// fractions of the diagonal of the smaller body's box.
struct PatchOptions {
    float angle = 0.5f;           // [rad] between the normals of a patch and its deepest one's
    float link_distance = 0.15f;  // between neighbours within a patch
    int max_patches = 16;
};

struct DispatcherOptions {
    Method method = Method::particles;
    DetectorOptions detector;
    PatchOptions patches;
    // The fields that hulls and triangle meshes become have so many samples along the longest side.
    int field_resolution = 96;
    // Contacts are looked for along the motion of the coming step, from where bodies are to where
    // their interpolation transforms say, and the solver gets them before anything touches. Only
    // with the method sweep. In a SpeculativeWorld nothing passes through anything.
    bool is_speculative = false;
    // Points of the last step that both fields still confirm stand beside the contacts that are
    // found, so that bodies rest more steadily. Without this the solver gets what the method finds
    // and nothing else.
    bool tracks_points = true;

    // The gap is 0.02 m, which is twice the margin of a GrazeShape, and a pair has no more contacts
    // than its patches need.
    DispatcherOptions();
};

// Returns what btDefaultCollisionConfiguration must be told so that graze's algorithms fit its
// pools.
btDefaultCollisionConstructionInfo collision_settings();

class GrazeDispatcher : public btCollisionDispatcher {
public:
    // Throws Error where the configuration was made without collision_settings, the device cannot
    // be used or the options make no sense.
    explicit GrazeDispatcher(btCollisionConfiguration* configuration,
                             Device device = Device::best(), const DispatcherOptions& options = {});
    ~GrazeDispatcher() override;

    void dispatchAllCollisionPairs(btOverlappingPairCache* pairs, const btDispatcherInfo& settings,
                                   btDispatcher* dispatcher) override;

    // Returns what the last dispatch found and gave to the manifolds, by pair, without the contacts
    // of bodies that have left the world since. body_a and body_b are indices for object(). It is
    // valid until a body leaves or the next dispatch.
    std::span<const Contact> contacts() const;
    const btCollisionObject* object(std::uint32_t index) const;
    // Of the last dispatch.
    const StepReport& report() const;
    // Returns how many contacts of the last dispatch are in patches beyond
    // PatchOptions::max_patches, which no manifold got. Raise that where this is not 0.
    std::int64_t left_out_count() const;
    // Returns what users should know of Bullet's meshes that came near a GrazeShape so far: which
    // are sheets, and what these became. One line for each mesh.
    std::span<const std::string> findings() const;
    // [s] The times of the last dispatch: of all of it, of the detector, and of making the
    // manifolds.
    struct Times {
        double total = 0, detect = 0, manifolds = 0;
    };
    const Times& times() const;
    const DispatcherOptions& options() const;

private:
    friend class GrazeAlgorithm;
    friend class SpeculativeWorld;
    class Batch;
    std::unique_ptr<Batch> batch_;
};

}  // namespace graze::bullet
