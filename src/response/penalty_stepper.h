// PenaltyStepper: rigid bodies that penalty forces keep apart, step by step, on one machine.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "broad_phase/body_pairs.h"
#include "graze/device.h"
#include "graze/shape.h"
#include "response/penalty_integrals.h"

namespace graze {

struct PenaltyBody {
    Shape shape;
    BodyFilter filter;
    RigidProperties properties;
    RigidState state;  // at the beginning
};

struct PenaltySettings {
    RigidStep step;
    PenaltyLaw law;
    bool is_continuous = true;
    SweepOptions sweep = {};
    // Whether points are searched one by one, without their tree.
    bool is_linear = false;
};

// What the last run did, or the most that one of its steps did.
struct PenaltyReport {
    std::int64_t pair_count = 0;
    std::int64_t point_count = 0;   // that touched
    std::int64_t lost_count = 0;    // bodies, see RigidState
    float deepest = 0;              // [m] of the last step
    std::int64_t repeat_count = 0;  // runs that were done again with more room, all together
    // [s] By stage, of all steps of the run; only on the host.
    double move_seconds = 0, pair_seconds = 0, search_seconds = 0, force_seconds = 0;
};

class PenaltyStepper {
public:
    virtual ~PenaltyStepper() = default;

    // Goes on by so many steps. On a GPU nothing is copied back in between.
    virtual void run(std::int64_t step_count) = 0;
    // By body, after the last step.
    virtual std::span<const RigidState> states() const = 0;
    // What acts on each body in the next step.
    virtual std::span<const BodyForce> forces() const = 0;
    // The contacts of the last step; made when they are asked for.
    virtual std::span<const Contact> contacts() = 0;
    // Has a kinematic body move like this from now on.
    virtual void set_motion(std::uint32_t body, const Vec3d& velocity,
                            const Vec3d& angular_velocity) = 0;
    const PenaltyReport& report() const { return report_; }

protected:
    PenaltyReport report_;
};

std::unique_ptr<PenaltyStepper> make_cpu_penalty_stepper(const std::vector<PenaltyBody>& bodies,
                                                         const PenaltySettings& settings,
                                                         const Device& device);
std::unique_ptr<PenaltyStepper> make_cuda_penalty_stepper(const std::vector<PenaltyBody>& bodies,
                                                          const PenaltySettings& settings,
                                                          const Device& device);

}  // namespace graze
