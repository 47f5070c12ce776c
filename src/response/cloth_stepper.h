// ClothStepper: moves a ClothWorld step by step.
//
// A step makes contacts of what is near, and goes on in small steps (SmallStep), each of which
// moves everything by its velocity and gravity and solves the constraints once (position-based
// dynamics). It makes contacts of the impacts that are left, and begins again, a few times. What
// still meets is cut short (StepGuard). What bounces gets its speed back (Restitution). Nothing
// ever crosses, whatever the constraints ask for.
#pragma once

#include "graze/device.h"
#include "response/contact_constraints.h"
#include "response/distance_constraints.h"
#include "response/normal_cones.h"
#include "response/restitution.h"
#include "response/small_step.h"
#include "response/step_guard.h"

namespace graze {

struct ClothSettings {
    double time_step = 1.0 / 60;                         // [s]
    Vec3d gravity{0, 0, -9.81};                          // [m/s^2]
    double thickness = 0.01;                             // [m] that surfaces keep apart
    double stretch_compliance = 0, bend_compliance = 0;  // [m/N]
    double linear_damping = 0, angular_damping = 0;      // fraction lost in a second
    int iterations = 20;                                 // small steps in a step
    int push_rounds = 3;
};

// What the last step did.
struct ClothReport {
    std::int64_t proximity_count = 0;
    std::int64_t impact_count = 0;   // found after the first solving
    std::int64_t contact_count = 0;  // given to the solver, of both kinds
    std::int64_t cut_count = 0;      // units that did not do their whole motion
    int round_count = 0;             // times that impacts were looked for
    int part_count = 1;              // that the step was gone in
    double script_fraction = 1;      // of the step, that scripted bodies did
    double script_work = 0;          // [J] that they did on the others: force times motion
    double elastic_energy = 0;       // [J] of cloth, at the step's end
    // Lengths of the edges of cloth at the step's end, as ratios to those at rest: the least, the
    // first and the 99th percentile, and the greatest. 1 where there is no cloth.
    double stretch_least = 1, stretch_p1 = 1, stretch_p99 = 1, stretch_most = 1;
    double predict_seconds = 0, proximity_seconds = 0, solve_seconds = 0, impact_seconds = 0,
           cut_seconds = 0;
};

// An impact that became a contact, and where its points would have gone.
struct PushedImpact {
    Impact impact;
    Vec3 points_t1[4];  // [m] in the order of impact.vertices
};

// A part of a step, gone with one list of contacts.
struct ClothPart {
    double begin = 0, length = 1;       // fractions of the step
    std::vector<Vec3d> positions;       // [m] by vertex, when it began
    std::vector<Proximity> near;        // then; what became contacts
    std::vector<PushedImpact> impacts;  // in it, that became contacts

    // The fraction of the step that is gone when this fraction of the part is, rounded down.
    float time_of(double fraction) const;
};

class ClothStepper {
public:
    // script: as in StepGuard, where scripted vertices are at a fraction of the coming step.
    ClothStepper(ClothWorld world, const DeformingTopology& topology, Device device,
                 const DeformingOptions& options, const ClothSettings& settings, Script script);
    ClothStepper(const ClothStepper&) = delete;
    ClothStepper& operator=(const ClothStepper&) = delete;

    // A step that throws, by the script for instance, has not been: everything is as before it.
    void step();
    // Bodies come: these units wait no more, and the detector, which is in place of the one before,
    // knows them.
    void admit(std::span<const std::uint32_t> units, DeformingDetector detector);

    const ClothWorld& world() const { return world_; }
    const ClothReport& report() const { return report_; }
    DeformingDetector& detector() { return detector_; }
    // Those of the last step, one after the other; none before the first.
    std::span<const ClothPart> parts() const { return std::span(gone_).first(gone_count_); }

private:
    // Goes on by so many small steps, in parts where halvings are left and what meets is fast.
    // is_anew: what is near is not known yet.
    void go(int small_steps, int halvings, bool is_anew);
    // Puts everything where a part begins.
    void begin(int small_steps);
    void find_near();
    void make_contacts();
    // Goes from the part's begin to its end, with the contacts that there are, which count for more
    // from round to round: what is still pressed together is solved more often.
    void take_small_steps(int small_steps, int round);
    std::span<const Impact> find_impacts();
    bool is_fast(std::span<const Impact> impacts) const;
    // Makes contacts of what still meets; false where nothing does.
    bool push(std::span<const Impact> impacts);
    // Velocities are what they were at the part's begin.
    void go_back();
    // Rigid bodies are where the guard let them go, and what was cut has the velocity of what it
    // did.
    void end();
    // [J] Of the script's, in the small steps gone last.
    double work_of_small_steps() const;
    void measure_stretch();
    // What a step changes and later ones begin with; to be put back where it fails.
    void remember();
    void put_back();

    struct RigidVelocity {
        Vec3d velocity, angular_velocity;
    };
    struct Remembered {
        std::vector<Vec3> positions;
        std::vector<Vec3d> velocities;
        std::vector<RigidMotion> rigid;
        ClothReport report;
    };

    ClothWorld world_;
    ClothSettings settings_;
    Script script_;       // of a step
    Script part_script_;  // of the part that is gone
    DeformingDetector detector_;
    StepGuard guard_;
    SmallStep small_step_;
    NormalCones cones_;
    Restitution restitution_;
    std::vector<ContactConstraint> contacts_;
    CpuExecutor executor_;
    DistanceSolver stretches_, bends_;
    std::vector<Vec3> scripted_;  // [m] by vertex, at the step's end; only the script has moved
    std::vector<Vec3d> before_;   // [m] by vertex, at the part's begin
    std::vector<Vec3d> velocities_before_;  // [m/s] by vertex
    std::vector<RigidVelocity> rigid_before_;
    std::vector<float> stretch_;    // of edges, in no order
    std::vector<ClothPart> parts_;  // those of the step are the first; others are kept for later
    std::size_t part_count_ = 0;    // of the step, so far
    std::vector<ClothPart> gone_;   // likewise, of the last step that was gone to its end
    std::size_t gone_count_ = 0;
    Remembered remembered_;
    std::vector<char> was_cut_;  // in the step, by unit
    ClothReport report_;
};

}  // namespace graze
