#include "graze/simulation.h"

#include "io/content_hash.h"

namespace graze {

Simulation::~Simulation() = default;

std::uint64_t state_hash(std::span<const BodyState> states) {
    io::ContentHasher hash;
    const auto add = [&](const Vec3& v) { hash.add_value(v.x).add_value(v.y).add_value(v.z); };
    for (const BodyState& state : states) {
        hash.add_value(state.is_present);
        if (!state.is_present) continue;
        add(state.pose.translation);
        const Quat& q = state.pose.rotation;
        hash.add_value(q.w).add_value(q.x).add_value(q.y).add_value(q.z);
        hash.add_value(state.pose.scale);
        add(state.velocity);
        add(state.angular_velocity);
    }
    return hash.key().low;
}

}  // namespace graze
