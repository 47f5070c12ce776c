#include "response/restitution.h"

#include <algorithm>
#include <cmath>

#include "response/contact_side.h"

namespace graze {

namespace {

// What comes slower than in so many steps from rest does not bounce, so that things come to rest.
constexpr double kRestSteps = 2;

}  // namespace

Restitution::Restitution(const ClothWorld& world, const SmallStep& small_step, int small_step_count)
    : is_on_(std::any_of(world.restitutions.begin(), world.restitutions.end(),
                         [](float restitution) { return restitution > 0; })),
      small_step_(small_step),
      whole_count_(small_step_count),
      small_step_count_(small_step_count) {}

void Restitution::begin(const ClothWorld& world, std::span<const Vec3d> before,
                        std::span<const Vec3> scripted, int small_step_count) {
    if (!is_on_) return;
    small_step_count_ = small_step_count;
    seconds_ = small_step_.seconds * small_step_count;
    velocity_seconds_ = acceleration_seconds_sq_ = 0;
    double of_velocity = 1, of_acceleration = 0;
    for (int i = 0; i < small_step_count; ++i) {
        of_velocity *= small_step_.kept;
        of_acceleration = of_acceleration * small_step_.kept + small_step_.seconds;
        velocity_seconds_ += of_velocity * small_step_.seconds;
        acceleration_seconds_sq_ += of_acceleration * small_step_.seconds;
    }
    velocities_ = world.velocities;
    predicted_.resize(before.size());
    for (std::size_t v = 0; v < before.size(); ++v) {
        predicted_[v] = static_cast<Vec3d>(scripted[v]);
        if (world.inverse_masses[v] > 0 && !world.is_waiting[world.units[v]]) {
            predicted_[v] = before[v] + velocities_[v] * velocity_seconds_ +
                            small_step_.gravity * acceleration_seconds_sq_;
        }
    }
    rigid_.clear();
    for (std::size_t i = 0; i < world.rigid.size(); ++i) {
        const RigidBody& body = world.rigid[i];
        RigidMotion motion{body.centre, body.rotation, body.velocity, body.angular_velocity};
        for (int k = 0; k < small_step_count_ && !world.is_waiting[i + 1]; ++k)
            move_freely(body, motion, small_step_);
        rigid_.push_back(
            {body.centre, body.velocity, body.angular_velocity, motion.centre, motion.rotation});
    }
}

Vec3d Restitution::predicted(const ClothWorld& world, std::uint32_t vertex) const {
    if (!world.is_rigid(vertex)) return predicted_[vertex];
    const RigidBody& body = world.body_of(vertex);
    const Motion& motion = rigid_[world.units[vertex] - 1];
    return motion.next_centre +
           rotate(motion.next_rotation, body.local[vertex - body.first_vertex]);
}

// The script moves evenly within a step.
Vec3d Restitution::start_velocity(const ClothWorld& world, std::uint32_t vertex) const {
    if (world.units[vertex] == kScriptUnit)
        return (predicted_[vertex] - before_[vertex]) / seconds_;
    if (!world.is_rigid(vertex)) return velocities_[vertex];
    const Motion& motion = rigid_[world.units[vertex] - 1];
    return motion.velocity + cross(motion.angular_velocity, before_[vertex] - motion.centre);
}

// [m/s] The points part at this speed along the normal at the step's end.
double Restitution::normal_speed(const ClothWorld& world, const ContactConstraint& contact) const {
    Vec3d velocity{0, 0, 0};
    for (int i = 0; i < 4; ++i) {
        const std::uint32_t vertex = contact.vertices[i];
        Vec3d own = world.velocities[vertex];
        if (world.is_rigid(vertex)) {
            const RigidBody& body = world.body_of(vertex);
            const Vec3d arm = rotate(body.rotation, body.local[vertex - body.first_vertex]);
            own = body.velocity + cross(body.angular_velocity, arm);
        } else if (world.units[vertex] == kScriptUnit) {
            own = (static_cast<Vec3d>(world.positions[vertex]) - before_[vertex]) / seconds_;
        }
        velocity += own * contact.weights[i];
    }
    return dot(velocity, contact.normal);
}

Vec3d Restitution::script_velocity(const ClothWorld& world,
                                   const ContactConstraint& contact) const {
    Vec3d velocity{0, 0, 0};
    for (int i = 0; i < 4; ++i) {
        const std::uint32_t v = contact.vertices[i];
        if (world.units[v] != kScriptUnit) continue;
        velocity +=
            (static_cast<Vec3d>(world.positions[v]) - before_[v]) * (contact.weights[i] / seconds_);
    }
    return velocity;
}

double Restitution::bounce_speed(const ClothWorld& world, const ContactConstraint& contact) const {
    Vec3d velocity{0, 0, 0}, offset_before{0, 0, 0}, offset_predicted{0, 0, 0}, offset_now{0, 0, 0};
    for (int i = 0; i < 4; ++i) {
        const std::uint32_t vertex = contact.vertices[i];
        const double weight = contact.weights[i];
        velocity += start_velocity(world, vertex) * weight;
        offset_before += before_[vertex] * weight;
        offset_predicted += predicted(world, vertex) * weight;
        offset_now += static_cast<Vec3d>(world.positions[vertex]) * weight;
    }
    const double before = dot(offset_before, contact.normal);
    const double wanted = dot(offset_predicted, contact.normal);
    const double now = dot(offset_now, contact.normal);
    if (std::min(wanted, now) > contact.gap) return 0;   // it does not touch
    const double speed = dot(velocity, contact.normal);  // u
    // n small steps of h go by u n h + a h^2 n (n + 1) / 2.
    const double change =
        2 * ((wanted - before) / seconds_ - speed) / (small_step_count_ + 1);  // a h
    if (!(speed < -kRestSteps * std::fabs(change) * whole_count_)) return 0;
    const double energy =
        speed * speed + change * speed - 2 * change / small_step_.seconds * (before - now);
    const double kept = double{contact.restitution} * contact.restitution * energy;
    return (std::sqrt(std::max(change * change + 4 * kept, 0.0)) - change) / 2;
}

// Impulses add up to none that pulls.
void Restitution::solve(ClothWorld& world, Bounce& bounce) const {
    const ContactConstraint& contact = *bounce.contact;
    const ContactSide first(world, contact, 0, contact.first_count);
    const ContactSide second(world, contact, contact.first_count, 4);
    const double inverse_mass = first.inverse_mass(world, contact, contact.normal) +
                                second.inverse_mass(world, contact, contact.normal);
    if (!(inverse_mass > 0)) return;
    const double missing = bounce.speed - normal_speed(world, contact);
    const double impulse = std::max(bounce.impulse + missing / inverse_mass, 0.0);
    const Vec3d added = contact.normal * (impulse - bounce.impulse);
    first.speed_up(world, contact, added);
    second.speed_up(world, contact, added);
    bounce.impulse = impulse;
}

double Restitution::apply(ClothWorld& world, std::span<const ContactConstraint> contacts,
                          std::span<const Vec3d> before_step, int iterations) {
    if (!is_on_) return 0;
    before_ = before_step;
    bounces_.clear();
    for (const ContactConstraint& contact : contacts) {
        if (!(contact.restitution > 0)) continue;
        const double speed = bounce_speed(world, contact);
        if (speed > 0) bounces_.push_back({&contact, speed, 0});
    }
    for (int i = 0; i < iterations; ++i)
        for (Bounce& bounce : bounces_)
            solve(world, bounce);
    double work = 0;
    for (const Bounce& bounce : bounces_) {
        const Vec3d impulse = bounce.contact->normal * bounce.impulse;
        work -= dot(impulse, script_velocity(world, *bounce.contact));
    }
    return work;
}

}  // namespace graze
