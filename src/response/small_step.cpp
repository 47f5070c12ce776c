#include "response/small_step.h"

namespace graze {

namespace {

Quatd turned(const Quatd& q, const Vec3d& angle) {
    const Vec3d half = angle * 0.5;
    const Quatd change = Quatd{0, half.x, half.y, half.z} * q;
    return normalized(Quatd{q.w + change.w, q.x + change.x, q.y + change.y, q.z + change.z});
}

// [rad/s^2] Of a free body, with its gyroscopic moment.
Vec3d angular_acceleration(const RigidBody& body, const RigidMotion& motion) {
    const Quatd back = conjugate(motion.rotation);
    const Vec3d own = rotate(back, motion.angular_velocity);
    const Vec3d moment = rotate(back, body.torque) - cross(own, body.inertia * own);
    return rotate(motion.rotation, body.inverse_inertia * moment);
}

// One vertex, of cloth or the script.
struct PredictVertex {
    ClothWorld& world;
    const SmallStep& step;
    const Vec3d* before;
    const Vec3* scripted;
    double fraction;

    void operator()(std::int64_t i) const {
        const auto v = static_cast<std::size_t>(i);
        world.from[v] = world.next[v];
        if (world.units[v] == kScriptUnit) {
            world.next[v] = before[v] + (static_cast<Vec3d>(scripted[v]) - before[v]) * fraction;
        } else if (world.inverse_masses[v] > 0 && !world.is_waiting[world.units[v]]) {
            world.velocities[v] = world.velocities[v] * step.kept + step.gravity * step.seconds;
            world.next[v] += world.velocities[v] * step.seconds;
        }
    }
};

struct TakeVelocity {
    ClothWorld& world;
    double seconds;

    void operator()(std::int64_t i) const {
        const auto v = static_cast<std::size_t>(i);
        if (world.inverse_masses[v] > 0 && !world.is_waiting[world.units[v]])
            world.velocities[v] = (world.next[v] - world.from[v]) / seconds;
    }
};

}  // namespace

void move_freely(const RigidBody& body, RigidMotion& motion, const SmallStep& step) {
    motion.velocity = motion.velocity * step.kept +
                      (step.gravity + body.force * body.inverse_mass) * step.seconds;
    motion.angular_velocity = motion.angular_velocity * step.turn_kept +
                              angular_acceleration(body, motion) * step.seconds;
    motion.centre += motion.velocity * step.seconds;
    motion.rotation = turned(motion.rotation, motion.angular_velocity * step.seconds);
}

// This undoes turned(), so that a free body keeps its speed; w is 0 only after half a turn.
Vec3d angular_velocity_between(const Quatd& from, const Quatd& to, double seconds) {
    const Quatd turn = to * conjugate(from);
    if (turn.w == 0) return Vec3d{0, 0, 0};
    return Vec3d{turn.x, turn.y, turn.z} * (2 / (turn.w * seconds));
}

void begin_small_step(CpuExecutor& executor, ClothWorld& world, const SmallStep& step,
                      std::span<const Vec3d> before, std::span<const Vec3> scripted,
                      double fraction) {
    executor.for_each("predict vertices", static_cast<std::int64_t>(world.next.size()),
                      PredictVertex{world, step, before.data(), scripted.data(), fraction});
    for (std::size_t i = 0; i < world.rigid.size(); ++i) {
        RigidBody& body = world.rigid[i];
        body.from_centre = body.next_centre;
        body.from_rotation = body.next_rotation;
        if (world.is_waiting[i + 1]) continue;
        RigidMotion motion{body.next_centre, body.next_rotation, body.velocity,
                           body.angular_velocity};
        move_freely(body, motion, step);
        body.next_centre = motion.centre;
        body.next_rotation = motion.rotation;
        body.velocity = motion.velocity;
        body.angular_velocity = motion.angular_velocity;
    }
}

void end_small_step(CpuExecutor& executor, ClothWorld& world, const SmallStep& step) {
    executor.for_each("take velocities", static_cast<std::int64_t>(world.next.size()),
                      TakeVelocity{world, step.seconds});
    for (std::size_t i = 0; i < world.rigid.size(); ++i) {
        RigidBody& body = world.rigid[i];
        if (world.is_waiting[i + 1]) continue;
        body.velocity = (body.next_centre - body.from_centre) / step.seconds;
        body.angular_velocity =
            angular_velocity_between(body.from_rotation, body.next_rotation, step.seconds);
    }
}

}  // namespace graze
