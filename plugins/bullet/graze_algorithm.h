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

#include "bounce_speed.h"
#include "bullet_shapes.h"
#include "contact_patches.h"
#include "crossing_search.h"
#include "speculative_points.h"
#include "step_motion.h"

namespace graze::bullet {

// One body of a pair, or a child of its compound.
struct PairSide {
    const btCollisionObject* object = nullptr;
    const btCollisionShape* shape = nullptr;
    btTransform world_from_shape;  // of shape, which may be a child
    int part = -1, index = -1;     // Bullet's m_partId and m_index
    std::uint64_t child = 0;       // tells the children of nested compounds apart
    std::uint32_t body = 0;        // in the batch's scene

    // Returns where the object, not the shape, is at t1 (see DispatcherOptions::is_speculative).
    const btTransform& object_t1() const;
    // Returns what the object does until then, and what it does by its velocities within time [s].
    StepMove predicted_move() const;
    StepMove solved_move(btScalar time) const;
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
    // Moves a contact of fields with which bodies meet in this step along its normal, to the middle
    // between both surfaces, so that friction acts at the right arms.
    void centre_impact(const PairSide& side_0, const PairSide& side_1, bool flipped,
                       Contact& contact) const;
    // Makes the manifolds hold these patches of contacts, the first of which are the tracked ones.
    // They, and others near a point of the last step, keep their impulses. Where flipped, the
    // contacts' body a is side 1.
    void update(const PairSide& side_0, const PairSide& side_1, std::span<const Contact> contacts,
                std::span<const ContactPatch> patches, bool flipped);

    // For a speculative dispatcher. look_first() takes these contacts, found along the motion of
    // both bodies, for the points of the step, and gives the manifolds those that the motion would
    // break and those that carried load in the last step. look_again() adds what would get too deep
    // along the solved motion. The motions are those of the shapes, body a first.
    void look_first(const PairSide& side_0, const PairSide& side_1,
                    std::span<const Contact> contacts, const StepMotion& motion_a,
                    const StepMotion& motion_b, bool flipped);
    void look_again(const PairSide& side_0, const PairSide& side_1,
                    std::span<const Contact> contacts, std::span<const Crossing> crossings,
                    const StepMotion& motion_a, const StepMotion& motion_b, bool flipped);
    // Gives the manifolds the points that the solved velocities would break within time [s].
    // Returns how far [m] the worst one would be broken.
    btScalar add_broken(btScalar time);
    // Takes all points anew from the end of the solved motion, at which the shapes have these
    // poses. Returns how much farther [m] the bodies are apart there than a point that carries load
    // says. take_refined() then has the solver go by the new ones.
    btScalar refine(btScalar time, const Shape& shape_a, const Transform& pose_a,
                    const Shape& shape_b, const Transform& pose_b, bool flipped);
    void take_refined();
    // Remembers how fast the bodies approach each other, before the step is solved.
    void remember_approach();
    // After a step's end, when the bodies have moved by their velocities for a part of time [s]:
    // those that were stopped where they touch, and approached each other by more than least_speed
    // [m/s], move apart by their restitution. find_bounces() says which, bounce() does it, as often
    // as it takes.
    void find_bounces(btScalar time, btScalar part, btScalar least_speed);
    void bounce(btScalar most_spin);
    // Bodies that touch turn by no more than most [rad/s].
    void limit_spin(btScalar most);
    // The bodies in the batch's scene, as of the last dispatch that the pair was in, and the number
    // of that, 0 before any: the next one may number bodies anew.
    const BodyPair& pair() const { return pair_; }
    std::uint64_t dispatch() const { return dispatch_; }
    void set_pair(const BodyPair& pair, std::uint64_t dispatch) {
        pair_ = pair;
        dispatch_ = dispatch;
    }
    // The number of the step that the points are of.
    std::uint64_t step() const { return step_; }
    void set_step(std::uint64_t step) { step_ = step; }
    const SpeculativePoints& speculative() const { return speculative_; }
    std::int64_t left_out_count() const { return left_out_count_; }

private:
    SpeculativePoint speculative_point(const Contact& contact, btScalar value,
                                       const PairSide& side_0, const PairSide& side_1,
                                       const StepMotion& motion_a, const StepMotion& motion_b,
                                       bool flipped) const;
    btManifoldPoint solver_point(const SpeculativePoint& point) const;
    btVector3 sliding(const SpeculativePoint& point) const;
    // The manifold's point of an active one.
    btManifoldPoint& solved_point(std::size_t active) const {
        return manifolds_[active / ContactPatch::kMaxPoints]->getContactPoint(
            static_cast<int>(active % ContactPatch::kMaxPoints));
    }
    void give_first_points();
    void give_more_points(std::size_t begin);
    void activate_loaded();
    // True where the point is farther away than the gap.
    bool is_ahead(const SpeculativePoint& point) const;
    int capacity() const;
    btScalar link_distance() const;
    // Where a shape is a sheet, the other one has it be what it is for its side.
    void face_sheets(const PairSide& side_0, const PairSide& side_1);
    void answer_query(const PairSide& side_0, const PairSide& side_1, btManifoldResult& result);
    void add_manifold(const PairSide& side_0, const PairSide& side_1);
    void remember_points();
    void set_bounces();
    int inherit(btManifoldPoint& point, int tracked);
    btPersistentManifold& manifold_for(std::span<const int> inherited, std::size_t filled,
                                       const PairSide& side_0, const PairSide& side_1);

    GrazeDispatcher* owner_;
    bool is_query_;
    btScalar same_point_distance_;  // [m] how far a contact may move in a step and be the same
    PosedShape posed_0_, posed_1_;  // found once, as long as the pair lives
    bool has_faced_ = false;
    BodyPair pair_{0, 0};
    std::uint64_t dispatch_ = 0;
    std::vector<btPersistentManifold*> manifolds_;
    // A point of the last step.
    struct OldPoint {
        btManifoldPoint point;
        btPersistentManifold* manifold;
        bool is_inherited = false;  // by a point of this step
    };
    std::vector<OldPoint> old_points_;
    std::vector<int> tracked_;  // for each tracked contact, which old point it is
    SlowPush push_;
    // Of a speculative dispatcher: the points of this step and the pair that they belong to.
    SpeculativePoints speculative_;
    std::vector<SpeculativePoint> refined_;
    PairSide side_0_, side_1_;
    std::int64_t left_out_count_ = 0;
    std::uint64_t step_ = 0;
    bool has_bounces_ = false;
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
