// TimedWorld is a btDiscreteDynamicsWorld that says how long each stage of a step took.
#pragma once

#include <BulletDynamics/Dynamics/btDiscreteDynamicsWorld.h>

#include "graze_bullet/graze_dispatcher.h"

namespace graze::bullet {

class TimedWorld : public btDiscreteDynamicsWorld {
public:
    using btDiscreteDynamicsWorld::btDiscreteDynamicsWorld;

    struct Times {
        double broad_phase = 0, solve = 0, integrate = 0;  // [s]
    };
    Times times;  // of the last step

    int stepSimulation(btScalar time_step, int max_substeps, btScalar fixed_step) override;
    void updateAabbs() override;
    void computeOverlappingPairs() override;
    void solveConstraints(btContactSolverInfo& settings) override;

protected:
    void predictUnconstraintMotion(btScalar time_step) override;
    void integrateTransforms(btScalar time_step) override;
};

}  // namespace graze::bullet
