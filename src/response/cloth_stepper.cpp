#include "response/cloth_stepper.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace graze {

namespace {

// Contacts are looked for up to this many thicknesses, so that what rests does not leave them from
// step to step.
constexpr double kReach = 1.5;

// Passes over edges in a small step. The second takes a third off the worst stretch of
// scenes/skirts_small.json and cloth_ball_small.json. Contacts come after: with edges last, what is
// pressed has to be cut, and then stretches without bound.
constexpr int kStretchPasses = 2;

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

SmallStep small_step_of(const ClothSettings& settings) {
    const double seconds = settings.time_step / settings.iterations;
    return {seconds, settings.gravity, std::pow(1 - settings.linear_damping, seconds),
            std::pow(1 - settings.angular_damping, seconds)};
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
      small_step_(small_step_of(settings)),
      restitution_(world_, small_step_, settings.iterations),
      executor_(device.threads()),
      stretches_(world_, world_.stretches, settings.stretch_compliance, small_step_.seconds),
      bends_(world_, world_.bends, settings.bend_compliance, small_step_.seconds) {}

void ClothStepper::begin() {
    scripted_ = world_.positions;
    script_(1, scripted_);
    before_.resize(world_.positions.size());
    std::transform(world_.positions.begin(), world_.positions.end(), before_.begin(),
                   [](const Vec3& p) { return static_cast<Vec3d>(p); });
    velocities_before_ = world_.velocities;
    rigid_before_.clear();
    for (const RigidBody& body : world_.rigid)
        rigid_before_.push_back({body.velocity, body.angular_velocity});
    restitution_.begin_step(world_, before_, scripted_);
}

void ClothStepper::find_near() {
    contacts_.clear();
    near_.clear();
    const auto reach = static_cast<float>(kReach * settings_.thickness);
    const auto found = detector_.find_proximities(std::span<const Vec3>(world_.positions), reach);
    report_.proximity_count = static_cast<std::int64_t>(found.size());
    for (const Proximity& proximity : found) {
        // Positions are floats, and so are distances between them.
        const double distance{static_cast<float>(proximity.distance)};
        if (!(distance > 0)) continue;
        const ContactConstraint contact =
            make_contact_constraint(world_, proximity, settings_.thickness);
        if (!(distance <= kReach * contact.gap)) continue;
        contacts_.push_back(contact);
        near_.push_back(proximity);
    }
}

void ClothStepper::take_small_steps() {
    const ConstraintBatches batches = sort_into_batches(
        world_.unit_count, [&](const ContactConstraint& c) { return units_of(world_, c); },
        contacts_);
    world_.next = before_;
    world_.velocities = velocities_before_;
    for (std::size_t i = 0; i < world_.rigid.size(); ++i) {
        RigidBody& body = world_.rigid[i];
        body.next_centre = body.centre;
        body.next_rotation = body.rotation;
        body.velocity = rigid_before_[i].velocity;
        body.angular_velocity = rigid_before_[i].angular_velocity;
    }
    for (int i = 1; i <= settings_.iterations; ++i) {
        const double fraction = static_cast<double>(i) / settings_.iterations;
        begin_small_step(executor_, world_, small_step_, before_, scripted_, fraction);
        stretches_.begin_step();
        bends_.begin_step();
        for (int pass = 0; pass < kStretchPasses; ++pass)
            stretches_.solve(executor_, world_);
        bends_.solve(executor_, world_);
        solve_contacts(executor_, world_, contacts_, batches, fraction);
        end_small_step(executor_, world_, small_step_);
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

void ClothStepper::end() {
    const double dt = settings_.time_step;
    for (std::size_t v = 0; v < world_.positions.size(); ++v) {
        const std::uint32_t unit = world_.units[v];
        if (!(world_.inverse_masses[v] > 0) || world_.is_waiting[unit]) continue;
        if (guard_.fraction_of(unit) < 1)
            world_.velocities[v] = (static_cast<Vec3d>(world_.positions[v]) - before_[v]) / dt;
    }
    for (std::size_t i = 0; i < world_.rigid.size(); ++i) {
        RigidBody& body = world_.rigid[i];
        if (world_.is_waiting[i + 1]) continue;
        if (guard_.fraction_of(static_cast<std::uint32_t>(i + 1)) < 1) {
            body.velocity = (body.next_centre - body.centre) / dt;
            body.angular_velocity = angular_velocity_between(body.rotation, body.next_rotation, dt);
        }
        body.centre = body.next_centre;
        body.rotation = body.next_rotation;
    }
}

void ClothStepper::admit(std::span<const std::uint32_t> units, DeformingDetector detector) {
    for (const std::uint32_t unit : units)
        world_.is_waiting[unit] = 0;
    detector_ = std::move(detector);
}

void ClothStepper::measure_stretch() {
    stretch_.clear();
    for (const DistanceConstraint& edge : world_.stretches) {
        const std::uint32_t unit = std::max(world_.units[edge.a], world_.units[edge.b]);
        if (!(edge.rest > 0) || world_.is_waiting[unit]) continue;
        stretch_.push_back(distance(world_.positions[edge.a], world_.positions[edge.b]) /
                           edge.rest);
    }
    if (stretch_.empty()) return;
    const auto most = std::max_element(stretch_.begin(), stretch_.end());
    report_.stretch_most = double{*most};
    const auto rank = static_cast<std::ptrdiff_t>(stretch_.size() * 99 / 100);
    std::nth_element(stretch_.begin(), stretch_.begin() + rank, stretch_.end());
    report_.stretch_p99 = double{stretch_[static_cast<std::size_t>(rank)]};
}

void ClothStepper::step() {
    report_ = {};
    pushed_impacts_.clear();
    {
        const StageTimer timer(report_.predict_seconds);
        begin();
    }
    {
        const StageTimer timer(report_.proximity_seconds);
        find_near();
    }
    bool meets = true;
    for (int round = 0; round <= settings_.push_rounds && meets; ++round) {
        {
            const StageTimer timer(report_.solve_seconds);
            take_small_steps();
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
        end();
        restitution_.apply(world_, contacts_, before_, settings_.iterations);
    }
    report_.contact_count = static_cast<std::int64_t>(contacts_.size());
    report_.cut_count = guard_.cut_count();
    report_.script_fraction = guard_.script_fraction();
    measure_stretch();
}

}  // namespace graze
