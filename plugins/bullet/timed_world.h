// TimedWorld is a SpeculativeWorld that says how long each stage of a step took.
#pragma once

#include "graze_bullet/speculative_world.h"

namespace graze::bullet {

class TimedWorld : public SpeculativeWorld {
public:
    using SpeculativeWorld::SpeculativeWorld;

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
