// SpeculativeWorld is a btDiscreteDynamicsWorld in which nothing passes through anything, however
// fast it is, as far as pairs with a GrazeShape go. It needs a GrazeDispatcher whose
// DispatcherOptions::is_speculative is on; with any other it is a btDiscreteDynamicsWorld.
//
// A step is solved like this. The motion of all bodies is predicted from their velocities and
// forces; contacts along it keep the solver from moving bodies farther than until they touch. What
// it answers is another motion, so contacts are looked for along that too, and the step is solved
// again with those that it would break. Where something would still be crossed after a few rounds,
// the step ends for all bodies at the time when it is touched, and the rest of the time is a step
// of its own.
#pragma once

#include <BulletDynamics/Dynamics/btDiscreteDynamicsWorld.h>

#include <vector>

#include "graze_bullet/graze_dispatcher.h"

namespace graze::bullet {

class SpeculativeWorld : public btDiscreteDynamicsWorld {
public:
    SpeculativeWorld(GrazeDispatcher* dispatcher, btBroadphaseInterface* broadphase,
                     btConstraintSolver* solver, btCollisionConfiguration* configuration);

    // What the last call of stepSimulation did.
    struct Report {
        int look_count = 0;   // how often contacts were looked for along a motion
        int solve_count = 0;  // how often the velocities were solved
        int cut_count = 0;    // how often the step was cut at the time of a touch
        // How often it could not be cut once more, and bodies were left to overlap: something is
        // squeezed between others that do not yield.
        int unresolved_count = 0;
    };
    const Report& report() const { return report_; }

    int stepSimulation(btScalar time_step, int max_substeps = 1,
                       btScalar fixed_step = btScalar(1) / btScalar(60)) override;
    // The boxes of bodies that move are those of their whole motion.
    void updateAabbs() override;

protected:
    void saveKinematicState(btScalar time_step) override;
    void internalSingleStepSimulation(btScalar time_step) override;

private:
    // A body that moves, within a part of a step.
    struct Mover {
        btRigidBody* body = nullptr;
        bool is_kinematic = false;
        btTransform at_t0{}, at_t1{};
        btVector3 velocity{0, 0, 0}, angular_velocity{0, 0, 0};  // before the part is solved
        bool has_box = false;
        btVector3 box_min{0, 0, 0}, box_max{0, 0, 0};  // of all motions that were looked along
    };
    // A kinematic body, within a call of stepSimulation.
    struct Script {
        btRigidBody* body;
        btTransform begin, end;
    };

    bool is_speculative() const;
    // Moves all bodies on by time [s] or, where the step is cut, by less; returns by how much.
    btScalar advance(btScalar time, bool may_cut);
    // Puts all bodies to t0 and predicts where they are at t1.
    void find_movers(btScalar time);
    // Solves the velocities, from those at t0.
    void solve();
    // Puts bodies back to t0, with what was solved as their motion, and looks along it.
    void look_along_solved(btScalar time);
    // Moves bodies by a fraction of their motion.
    void finish(btScalar time, btScalar fraction, bool ends_scripts);
    btTransform script_at(const Script& script, btScalar elapsed) const;

    GrazeDispatcher* graze_;
    Report report_;
    std::vector<Mover> movers_;
    std::vector<Script> scripts_;
    btScalar most_spin_ = 0;                         // [rad/s] of bodies that touch
    btScalar script_time_ = 0, script_elapsed_ = 0;  // [s]
};

}  // namespace graze::bullet
