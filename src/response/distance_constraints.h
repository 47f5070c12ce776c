// Distances that cloth keeps: of the ends of each edge, and of the two vertices across it, which
// resist bending. Solved by extended position-based dynamics (Macklin et al., 2016).
#pragma once

#include <span>

#include "response/constraint_batches.h"

namespace graze {

// Appends those of the triangles, which are of one cloth, to the world's.
void add_distance_constraints(ClothWorld& world, std::span<const Triangle> triangles);

// The distances of a step to come, in batches.
class DistanceSolver {
public:
    // compliance [m/N]: 0 is stiff.
    DistanceSolver(const ClothWorld& world, std::vector<DistanceConstraint> constraints,
                   double compliance, double time_step);

    // Comes before a step's first pass.
    void begin_step();
    void solve(CpuExecutor& executor, ClothWorld& world);

private:
    std::vector<DistanceConstraint> constraints_;
    ConstraintBatches batches_;
    std::vector<double> multipliers_;  // by constraint
    double softness_;                  // [m/(N s^2)]
};

}  // namespace graze
