#include "response/cloth_stepper.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace graze {

namespace {

// Contacts are looked for up to this many thicknesses, so that what rests does not leave them from
// step to step.
constexpr double kReach = 1.5;

// Adds the time it lives to a sum.
class StageTimer {
public:
    explicit StageTimer(double& seconds) : seconds_(seconds) {}
    ~StageTimer() {
        seconds_ +=
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }
    StageTimer(const StageTimer&) = delete;
    StageTimer& operator=(const StageTimer&) = delete;

private:
    double& seconds_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

Quatd turned(const Quatd& q, const Vec3d& angle) {
    const Vec3d half = angle * 0.5;
    const Quatd change = Quatd{0, half.x, half.y, half.z} * q;
    return normalized(Quatd{q.w + change.w, q.x + change.x, q.y + change.y, q.z + change.z});
}

// [rad/s^2] Of a free body, with its gyroscopic moment.
Vec3d angular_acceleration(const RigidBody& body) {
    const Quatd back = conjugate(body.rotation);
    const Vec3d own = rotate(back, body.angular_velocity);
    const Vec3d moment = rotate(back, body.torque) - cross(own, body.inertia * own);
    return rotate(body.rotation, body.inverse_inertia * moment);
}

}  // namespace

ClothStepper::ClothStepper(ClothWorld world, const DeformingTopology& topology, Device device,
                           const DeformingOptions& options, const ClothSettings& settings,
                           Script script)
    : world_(std::move(world)),
      settings_(settings),
      script_(std::move(script)),
      detector_(topology, device, options),
      guard_(world_, detector_, script_),
      restitution_(world_, settings.time_step),
      executor_(device.threads()),
      stretches_(world_, world_.stretches, settings.stretch_compliance, settings.time_step),
      bends_(world_, world_.bends, settings.bend_compliance, settings.time_step) {}

void ClothStepper::predict() {
    const double dt = settings_.time_step;
    const double kept = std::pow(1 - settings_.linear_damping, dt);
    const double turn_kept = std::pow(1 - settings_.angular_damping, dt);
    scripted_ = world_.positions;
    script_(1, scripted_);
    for (std::size_t v = 0; v < world_.positions.size(); ++v) {
        world_.next[v] = static_cast<Vec3d>(scripted_[v]);
        if (!(world_.inverse_masses[v] > 0) || world_.is_waiting[world_.units[v]]) continue;
        const Vec3d velocity = world_.velocities[v] * kept + settings_.gravity * dt;
        world_.next[v] += velocity * dt;
    }
    for (std::size_t i = 0; i < world_.rigid.size(); ++i) {
        RigidBody& body = world_.rigid[i];
        if (world_.is_waiting[i + 1]) continue;
        body.velocity =
            body.velocity * kept + (settings_.gravity + body.force * body.inverse_mass) * dt;
        body.angular_velocity = body.angular_velocity * turn_kept + angular_acceleration(body) * dt;
        body.next_centre = body.centre + body.velocity * dt;
        body.next_rotation = turned(body.rotation, body.angular_velocity * dt);
    }
}

void ClothStepper::find_near() {
    contacts_.clear();
    near_.clear();
    const auto reach = static_cast<float>(kReach * settings_.thickness);
    const auto found = detector_.find_proximities(std::span<const Vec3>(world_.positions), reach);
    report_.proximity_count = static_cast<std::int64_t>(found.size());
    for (const Proximity& proximity : found) {
        if (!(proximity.distance > 0)) continue;
        const ContactConstraint contact =
            make_contact_constraint(world_, proximity, settings_.thickness);
        if (!(double{proximity.distance} <= kReach * contact.gap)) continue;
        contacts_.push_back(contact);
        near_.push_back(proximity);
    }
}

void ClothStepper::solve(int iterations) {
    const ConstraintBatches batches = sort_into_batches(
        world_.unit_count, [&](const ContactConstraint& c) { return units_of(world_, c); },
        contacts_);
    for (int i = 0; i < iterations; ++i) {
        stretches_.solve(executor_, world_);
        bends_.solve(executor_, world_);
        solve_contacts(executor_, world_, contacts_, batches);
    }
}

bool ClothStepper::push_impacts() {
    const StageTimer timer(report_.impact_seconds);
    const std::span<const Impact> impacts = guard_.try_whole_step();
    report_.impact_count =
        std::max(report_.impact_count, static_cast<std::int64_t>(impacts.size()));
    ++report_.round_count;
    for (const Impact& impact : impacts) {
        if (!(length_sq(impact.normal) > 0)) continue;
        contacts_.push_back(make_contact_constraint(world_, impact, settings_.thickness));
        PushedImpact& pushed = pushed_impacts_.emplace_back(PushedImpact{impact, {}});
        for (int i = 0; i < 4; ++i)
            pushed.points_t1[i] = guard_.candidates()[impact.vertices[i]];
    }
    return !impacts.empty();
}

void ClothStepper::set_velocities() {
    const double dt = settings_.time_step;
    for (std::size_t v = 0; v < world_.positions.size(); ++v) {
        if (world_.inverse_masses[v] > 0 && !world_.is_waiting[world_.units[v]])
            world_.velocities[v] = (static_cast<Vec3d>(world_.positions[v]) - before_[v]) / dt;
    }
    for (std::size_t i = 0; i < world_.rigid.size(); ++i) {
        RigidBody& body = world_.rigid[i];
        if (world_.is_waiting[i + 1]) continue;
        body.velocity = (body.next_centre - body.centre) / dt;
        const Quatd turn = body.next_rotation * conjugate(body.rotation);
        // This undoes turned(), so that a free body keeps its speed; w is 0 only after half a turn.
        if (turn.w != 0)
            body.angular_velocity = Vec3d{turn.x, turn.y, turn.z} * (2 / (turn.w * dt));
        body.centre = body.next_centre;
        body.rotation = body.next_rotation;
    }
}

void ClothStepper::admit(std::span<const std::uint32_t> units, DeformingDetector detector) {
    for (const std::uint32_t unit : units)
        world_.is_waiting[unit] = 0;
    detector_ = std::move(detector);
}

void ClothStepper::step() {
    report_ = {};
    pushed_impacts_.clear();
    before_.resize(world_.positions.size());
    std::transform(world_.positions.begin(), world_.positions.end(), before_.begin(),
                   [](const Vec3& p) { return static_cast<Vec3d>(p); });
    {
        const StageTimer timer(report_.predict_seconds);
        restitution_.begin_step(world_);
        predict();
        restitution_.keep_prediction(world_);
        stretches_.begin_step();
        bends_.begin_step();
    }
    {
        const StageTimer timer(report_.proximity_seconds);
        find_near();
    }
    bool meets = true;
    for (int round = 0; round <= settings_.push_rounds && meets; ++round) {
        {
            const StageTimer timer(report_.solve_seconds);
            solve(round == 0 ? settings_.iterations : std::max(1, settings_.iterations / 2));
        }
        meets = push_impacts();
    }
    {
        const StageTimer timer(report_.cut_seconds);
        if (meets) {
            guard_.cut();
            report_.round_count += guard_.round_count() - 1;
        }
        guard_.commit();
        set_velocities();
        restitution_.apply(world_, contacts_, before_, settings_.iterations);
    }
    report_.contact_count = static_cast<std::int64_t>(contacts_.size());
    report_.cut_count = guard_.cut_count();
    report_.script_fraction = guard_.script_fraction();
}

}  // namespace graze
