// Distances that cloth keeps: of the ends of each edge, and of the two vertices across it, which
// resist bending. Solved by extended position-based dynamics (Macklin et al., 2016).
//
// A distance may give way more readily where it is shortened than where it is stretched. Cloth
// does: pushed together in its own plane it wrinkles, more finely than triangles can, and then
// hardly resists (tension field theory; for cloth Choi and Ko, "Stable but Responsive Cloth",
// 2002). Edges that are as stiff against both lock a mesh where it has to become narrow, since it
// can only fold along its own edges.
#pragma once

#include <span>

#include "response/constraint_batches.h"

namespace graze {

// Appends those of the triangles, which are of one cloth, to the world's.
void add_distance_constraints(ClothWorld& world, std::span<const Triangle> triangles);

// [m/N] How much a distance gives way, by its sense; 0 is stiff.
struct Compliance {
    double stretched, shortened;
};

// The distances of a step to come, in batches.
class DistanceSolver {
public:
    DistanceSolver(const ClothWorld& world, std::vector<DistanceConstraint> constraints,
                   const Compliance& compliance, double time_step);

    // Comes before a step's first pass.
    void begin_step();
    void solve(CpuExecutor& executor, ClothWorld& world);

    // [J] That the script has done on what hangs from its vertices since it was set back.
    double script_work() const;
    void set_back_script_work();
    // [J] Of the forces that hold the distances in the last step: half a force times what the
    // distance gives way by it. It is theirs even where solving has not come to its end.
    double elastic_energy() const;

private:
    std::vector<DistanceConstraint> constraints_;
    ConstraintBatches batches_;
    std::vector<double> multipliers_;  // by constraint
    std::vector<std::uint32_t> held_;  // constraints with one end that the script holds
    std::vector<double> works_;        // [kg m^2] by constraint
    double seconds_sq_;                // of a step
    Compliance softness_;              // [1/kg], of a step
};

}  // namespace graze
