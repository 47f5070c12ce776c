#include "graze/penalty_simulation.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "graze/error.h"
#include "response/penalty_stepper.h"
#include "simulation/script_pose.h"

namespace graze {

namespace {

// Mass and inertia of a dynamic body.
struct BodyMass {
    double mass;    // [kg]
    Mat3d inertia;  // [kg m^2] about the centre, in the shape's axes
};

BodyMass mass_of(const SceneDescription& scene, const SceneBody& body) {
    const SceneShape& shape = scene.shapes.at(body.shape);
    if (!shape.mass || !(shape.mass->volume > 0))
        throw Error("the body '" + body.name + "' has no mass; make it fixed, or close its mesh");
    const double scale = body.pose.scale, density = scene.materials.at(body.material).density;
    const double mass = shape.mass->volume * density * scale * scale * scale;
    return {mass, shape.mass->inertia * (density * scale * scale * scale * scale * scale)};
}

Vec3d local_centre_of(const SceneDescription& scene, const SceneBody& body) {
    const SceneShape& shape = scene.shapes.at(body.shape);
    return shape.mass ? shape.mass->centre : Vec3d{0, 0, 0};
}

PenaltyBody penalty_body_of(const SceneDescription& scene, const SceneBody& body) {
    if (body.motion == BodyMotion::cloth || !body.path.empty())
        throw Error("the body '" + body.name +
                    "' is cloth or has a path, which the solver penalty does not move");
    const Vec3d none{0, 0, 0};
    const bool is_dynamic = body.motion == BodyMotion::dynamic;
    RigidProperties properties{};
    properties.local_centre = local_centre_of(scene, body);
    properties.scale = static_cast<double>(body.pose.scale);
    properties.start_time = body.start_time;
    properties.friction = scene.materials.at(body.material).friction;
    properties.is_fixed = body.motion == BodyMotion::fixed ? 1 : 0;
    properties.acceleration = properties.torque = none;
    if (is_dynamic) {
        const BodyMass mass = mass_of(scene, body);
        properties.inverse_mass = 1 / mass.mass;
        properties.inertia = mass.inertia;
        properties.inverse_inertia = inverse(mass.inertia);
        properties.acceleration =
            static_cast<Vec3d>(scene.gravity) + static_cast<Vec3d>(body.force) / mass.mass;
        properties.torque = static_cast<Vec3d>(body.torque);
    }
    const Transformd pose = script_pose(body, properties.local_centre, 0);
    RigidState state{};
    state.centre = transform_point(pose, properties.local_centre);
    state.rotation = pose.rotation;
    state.velocity = state.angular_velocity = state.angular_momentum = none;
    if (body.motion != BodyMotion::fixed) {
        state.velocity = static_cast<Vec3d>(body.velocity);
        state.angular_velocity = static_cast<Vec3d>(body.angular_velocity);
    }
    if (is_dynamic) {
        const Vec3d local = rotate(conjugate(state.rotation), state.angular_velocity);
        state.angular_momentum = rotate(state.rotation, properties.inertia * local);
    }
    state.is_present = body.start_time <= 0 ? 1 : 0;
    return {scene.shapes[body.shape].shape,
            {body.group, body.mask, is_dynamic ? 0u : 1u},
            properties,
            state};
}

void require(bool is_right, const std::string& what) {
    if (!is_right) throw Error("simulation: " + what);
}

SceneDescription checked_for_penalty(SceneDescription scene) {
    const PenaltyOptions& options = scene.solver.penalty;
    require(scene.solver.kind == SolverKind::penalty,
            "the scene asks for another solver than penalty");
    require(scene.time_step > 0 && std::isfinite(scene.time_step),
            "time_step must be above 0 and finite");
    require(!options.stiffness || (*options.stiffness > 0 && std::isfinite(*options.stiffness)),
            "penalty.stiffness must be above 0 and finite; leave it out to have it chosen");
    require(!options.damping || (*options.damping >= 0 && std::isfinite(*options.damping)),
            "penalty.damping must be 0 or more and finite; leave it out to have it chosen");
    require(scene.detector.gap >= 0 && std::isfinite(scene.detector.gap),
            "the detector's gap must be 0 or more and finite");
    for (const float fraction : {scene.solver.linear_damping, scene.solver.angular_damping})
        require(fraction >= 0 && fraction <= 1, "a body's damping must be from 0 to 1");
    require(!scene.detector.sweep.has_faces,
            "the solver penalty has forces on points only; leave sweep.has_faces out");
    return scene;
}

std::unique_ptr<PenaltyStepper> make_stepper(const SceneDescription& scene, float stiffness,
                                             float damping) {
    std::vector<PenaltyBody> bodies;
    bodies.reserve(scene.bodies.size());
    for (const SceneBody& body : scene.bodies)
        bodies.push_back(penalty_body_of(scene, body));
    const PenaltyOptions& options = scene.solver.penalty;
    PenaltySettings settings{};
    settings.step.duration = scene.time_step;
    settings.step.linear_rest = std::pow(1.0 - scene.solver.linear_damping, scene.time_step);
    settings.step.angular_rest = std::pow(1.0 - scene.solver.angular_damping, scene.time_step);
    settings.law = {stiffness, damping, scene.detector.gap, options.limits_damping,
                    options.interpolation};
    settings.is_continuous = options.is_continuous;
    settings.sweep = scene.detector.sweep;
    settings.is_linear = !options.uses_tree;
#if GRAZE_WITH_CUDA
    if (scene.device.is_cuda()) return make_cuda_penalty_stepper(bodies, settings, scene.device);
#endif
    return make_cpu_penalty_stepper(bodies, settings, scene.device);
}

Quat rounded(const Quatd& q) {
    return {static_cast<float>(q.w), static_cast<float>(q.x), static_cast<float>(q.y),
            static_cast<float>(q.z)};
}

class PenaltySimulationOf final : public PenaltySimulation {
public:
    explicit PenaltySimulationOf(SceneDescription scene)
        : scene_(checked_for_penalty(std::move(scene))),
          stiffness_(scene_.solver.penalty.stiffness ? *scene_.solver.penalty.stiffness
                                                     : chosen_stiffness(scene_)),
          damping_(scene_.solver.penalty.damping
                       ? *scene_.solver.penalty.damping
                       : stiffness_ * static_cast<float>(scene_.time_step)),
          stepper_(make_stepper(scene_, stiffness_, damping_)) {
        states_.resize(scene_.bodies.size());
        masses_.reserve(scene_.bodies.size());
        for (const SceneBody& body : scene_.bodies) {
            masses_.push_back(body.motion == BodyMotion::dynamic ? mass_of(scene_, body)
                                                                 : BodyMass{0, Mat3d{}});
        }
        statistics_.stages = {{"move", 0}, {"pairs", 0}, {"search", 0}, {"forces", 0}};
        if (scene_.device.is_cuda()) statistics_.stages = {{"steps", 0}};
        statistics_.figures = {{"stiffness", stiffness_}, {"damping", damping_}};
        read_states();
        sum_up(0);
    }

    void step() override { run(1); }
    void run(std::int64_t step_count) override;
    const SceneDescription& scene() const override { return scene_; }
    std::span<const BodyState> states() const override { return states_; }
    std::span<const Contact> contacts() const override { return stepper_->contacts(); }
    const StepStatistics& statistics() const override { return statistics_; }
    float stiffness() const override { return stiffness_; }
    float damping() const override { return damping_; }

private:
    void read_states();
    void refuse_lost() const;
    void sum_up(double seconds);

    SceneDescription scene_;
    float stiffness_, damping_;
    std::unique_ptr<PenaltyStepper> stepper_;
    std::vector<BodyMass> masses_;
    std::vector<BodyState> states_;
    StepStatistics statistics_;
};

void PenaltySimulationOf::run(std::int64_t step_count) {
    const auto begin = std::chrono::steady_clock::now();
    stepper_->run(step_count);
    statistics_.step += step_count;
    statistics_.time = static_cast<double>(statistics_.step) * scene_.time_step;
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    read_states();
    sum_up(seconds);
    refuse_lost();
}

void PenaltySimulationOf::read_states() {
    const std::span<const RigidState> states = stepper_->states();
    for (std::size_t i = 0; i < states_.size(); ++i) {
        const SceneBody& body = scene_.bodies[i];
        const RigidState& now = states[i];
        BodyState& state = states_[i];
        const Vec3d centre = local_centre_of(scene_, body) * static_cast<double>(body.pose.scale);
        state.pose = {static_cast<Vec3>(now.centre - rotate(now.rotation, centre)),
                      rounded(now.rotation), body.pose.scale};
        state.velocity = static_cast<Vec3>(now.velocity);
        state.angular_velocity = static_cast<Vec3>(now.angular_velocity);
        // A body whose time has come is there before the step that first moves it.
        state.is_present =
            now.is_present != 0 || body.start_time <= statistics_.time + scene_.time_step / 2;
    }
}

void PenaltySimulationOf::refuse_lost() const {
    if (stepper_->report().lost_count == 0) return;
    const std::span<const RigidState> states = stepper_->states();
    for (std::size_t i = 0; i < states.size(); ++i) {
        if (!states[i].is_lost) continue;
        throw Error("the body '" + scene_.bodies[i].name +
                    "' turned by more than half a turn in a step or flew off; the step is too "
                    "long for so stiff a contact: make time_step or solver.penalty.stiffness "
                    "smaller");
    }
}

void PenaltySimulationOf::sum_up(double seconds) {
    const PenaltyReport& report = stepper_->report();
    const std::span<const RigidState> states = stepper_->states();
    StepStatistics& sum = statistics_;
    sum.seconds = seconds;
    sum.pair_count = report.pair_count;
    sum.found_count = sum.contact_count = report.point_count;
    sum.deepest_penetration = report.deepest;
    sum.body_count = sum.awake_count = 0;
    sum.kinetic_energy = sum.potential_energy = 0;
    const auto gravity = static_cast<Vec3d>(scene_.gravity);
    for (std::size_t i = 0; i < states_.size(); ++i) {
        if (!states_[i].is_present) continue;
        ++sum.body_count;
        if (scene_.bodies[i].motion != BodyMotion::dynamic) continue;
        ++sum.awake_count;
        const RigidState& state = states[i];
        const Vec3d turn = rotate(conjugate(state.rotation), state.angular_velocity);
        sum.kinetic_energy +=
            (masses_[i].mass * length_sq(state.velocity) + dot(turn, masses_[i].inertia * turn)) /
            2;
        sum.potential_energy -= masses_[i].mass * dot(gravity, state.centre);
    }
    if (sum.stages.size() == 1) {
        sum.stages[0].seconds = seconds;
    } else {
        sum.stages[0].seconds = report.move_seconds;
        sum.stages[1].seconds = report.pair_seconds;
        sum.stages[2].seconds = report.search_seconds;
        sum.stages[3].seconds = report.force_seconds;
    }
}

}  // namespace

std::unique_ptr<PenaltySimulation> make_penalty_simulation(SceneDescription scene) {
    return std::make_unique<PenaltySimulationOf>(std::move(scene));
}

float chosen_stiffness(const SceneDescription& scene) {
    // Half a radian of a swing in a step is a quarter of what symplectic Euler bears; a body also
    // turns about its contacts, which is up to four times as stiff.
    constexpr double kTurn = 0.5, kTouching = 0.1;
    double least = -1;
    for (const SceneBody& body : scene.bodies) {
        if (body.motion != BodyMotion::dynamic) continue;
        const auto points =
            static_cast<double>(scene.shapes.at(body.shape).shape.points().positions.size());
        const double frequency = kTurn / scene.time_step;
        const double stiffness =
            frequency * frequency * mass_of(scene, body).mass / std::max(4.0, kTouching * points);
        least = least < 0 ? stiffness : std::min(least, stiffness);
    }
    return least > 0 ? static_cast<float>(least) : 1000.0f;
}

}  // namespace graze
