// ClothStepper: moves a ClothWorld step by step.
//
// A step: where everything would go by its velocity and gravity; what is near becomes contacts;
// constraints are solved (position-based dynamics); impacts that are left become contacts too and
// it is solved again, a few times; what still meets is cut short (StepGuard). The velocities are
// what the positions did. Nothing ever crosses, whatever the constraints ask for.
#pragma once

#include "graze/device.h"
#include "response/contact_constraints.h"
#include "response/distance_constraints.h"
#include "response/step_guard.h"

namespace graze {

struct ClothSettings {
    double time_step = 1.0 / 60;                         // [s]
    Vec3d gravity{0, 0, -9.81};                          // [m/s^2]
    double thickness = 0.01;                             // [m] that surfaces keep apart
    double stretch_compliance = 0, bend_compliance = 0;  // [m/N]
    double linear_damping = 0, angular_damping = 0;      // part lost in a second
    int iterations = 20;
    int push_rounds = 3;
};

// What the last step did.
struct ClothReport {
    std::int64_t proximity_count = 0;
    std::int64_t impact_count = 0;   // found after the first solving
    std::int64_t contact_count = 0;  // given to the solver, of both kinds
    std::int64_t cut_count = 0;      // units that did not go all their way
    int round_count = 0;             // times that impacts were looked for
    double script_part = 1;          // of the step that scripted bodies went
    double predict_seconds = 0, proximity_seconds = 0, solve_seconds = 0, impact_seconds = 0,
           cut_seconds = 0;
};

class ClothStepper {
public:
    // script: see StepGuard; where scripted vertices are at a part of the coming step.
    ClothStepper(ClothWorld world, const DeformingTopology& topology, Device device,
                 const DeformingOptions& options, const ClothSettings& settings, Script script);
    ClothStepper(const ClothStepper&) = delete;
    ClothStepper& operator=(const ClothStepper&) = delete;

    void step();

    const ClothWorld& world() const { return world_; }
    const ClothReport& report() const { return report_; }
    DeformingDetector& detector() { return detector_; }

private:
    void predict();
    void find_near();
    void solve(int iterations);
    // False where nothing meets any more.
    bool push_impacts();
    void set_velocities();

    ClothWorld world_;
    ClothSettings settings_;
    Script script_;
    DeformingDetector detector_;
    StepGuard guard_;
    std::vector<ContactConstraint> contacts_;
    CpuExecutor executor_;
    DistanceSolver stretches_, bends_;
    std::vector<Vec3> places_;
    std::vector<Vec3d> before_;  // of the cloth
    ClothReport report_;
};

}  // namespace graze
