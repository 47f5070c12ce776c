// GrazeAlgorithm is what Bullet keeps of one pair that graze answers for, as long as its boxes
// touch.
#pragma once

#include <BulletCollision/BroadphaseCollision/btDispatcher.h>
#include <BulletCollision/CollisionDispatch/btActivatingCollisionAlgorithm.h>
#include <BulletCollision/CollisionDispatch/btCollisionCreateFunc.h>
#include <BulletCollision/CollisionDispatch/btCollisionObjectWrapper.h>
#include <BulletCollision/NarrowPhaseCollision/btPersistentManifold.h>

#include <span>
#include <vector>

#include "bullet_shapes.h"
#include "contact_patches.h"

namespace graze::bullet {

// One body of a pair, or a child of its compound.
struct PairSide {
    const btCollisionObject* object = nullptr;
    const btCollisionShape* shape = nullptr;
    btTransform world_from_shape;  // of shape, which may be a child
    int part = -1, index = -1;     // Bullet's m_partId and m_index
    std::uint64_t child = 0;       // tells the children of nested compounds apart
    std::uint32_t body = 0;        // in the batch's scene
};

class GrazeAlgorithm : public btActivatingCollisionAlgorithm {
public:
    // A query answers at once and keeps nothing, and so do others where no batch is gathered.
    GrazeAlgorithm(const btCollisionAlgorithmConstructionInfo& construction,
                   const btCollisionObjectWrapper* side_0, const btCollisionObjectWrapper* side_1,
                   bool is_query);
    ~GrazeAlgorithm() override;

    void processCollision(const btCollisionObjectWrapper* side_0,
                          const btCollisionObjectWrapper* side_1, const btDispatcherInfo& settings,
                          btManifoldResult* result) override;
    // Bodies are not stopped within a step.
    btScalar calculateTimeOfImpact(btCollisionObject* /*body_0*/, btCollisionObject* /*body_1*/,
                                   const btDispatcherInfo& /*settings*/,
                                   btManifoldResult* /*result*/) override {
        return btScalar(1);
    }
    void getAllContactManifolds(btManifoldArray& manifolds) override;

    // Appends the points of the manifolds as contacts of this step: both fields are asked again
    // where the bodies have taken the points. Those that came apart by more than gap [m] or turned
    // away are left out.
    void track(const PairSide& side_0, const PairSide& side_1, float gap, bool flipped,
               std::vector<Contact>& contacts);
    // Makes the manifolds hold these patches of contacts, the first of which are the tracked ones.
    // They, and others near a point of the last step, keep their impulses. Where flipped, the
    // contacts' body a is side 1.
    void update(const PairSide& side_0, const PairSide& side_1, std::span<const Contact> contacts,
                std::span<const ContactPatch> patches, bool flipped);

private:
    void answer_query(const PairSide& side_0, const PairSide& side_1, btManifoldResult& result);
    void add_manifold(const PairSide& side_0, const PairSide& side_1);
    void remember_points();
    int inherit(btManifoldPoint& point, int tracked);
    btPersistentManifold& manifold_for(std::span<const int> inherited, std::size_t filled,
                                       const PairSide& side_0, const PairSide& side_1);

    GrazeDispatcher* owner_;
    bool is_query_;
    btScalar same_point_distance_;  // [m] how far a contact may move in a step and be the same
    PosedShape posed_0_, posed_1_;  // found once, as long as the pair lives
    std::vector<btPersistentManifold*> manifolds_;
    // A point of the last step.
    struct OldPoint {
        btManifoldPoint point;
        btPersistentManifold* manifold;
        bool is_inherited = false;  // by a point of this step
    };
    std::vector<OldPoint> old_points_;
    std::vector<int> tracked_;  // for each tracked contact, which old point it is
};

// The dispatcher creates algorithms by this for all pairs with a GrazeShape.
struct GrazeCreateFunc : public btCollisionAlgorithmCreateFunc {
    explicit GrazeCreateFunc(bool query) : is_query(query) {}
    btCollisionAlgorithm* CreateCollisionAlgorithm(btCollisionAlgorithmConstructionInfo& info,
                                                   const btCollisionObjectWrapper* side_0,
                                                   const btCollisionObjectWrapper* side_1) override;
    bool is_query;
};

}  // namespace graze::bullet
