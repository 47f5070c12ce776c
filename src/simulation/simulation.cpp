#include "graze/simulation.h"

#include "io/content_hash.h"

namespace graze {

Simulation::~Simulation() = default;

namespace {

void add_states(io::ContentHasher& hash, std::span<const BodyState> states) {
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
}

}  // namespace

std::uint64_t state_hash(std::span<const BodyState> states) {
    io::ContentHasher hash;
    add_states(hash, states);
    return hash.key().low;
}

std::uint64_t state_hash(const Simulation& simulation) {
    io::ContentHasher hash;
    add_states(hash, simulation.states());
    if (const Mesh* surface = simulation.surface()) {
        for (const Vec3& p : surface->positions)
            hash.add_value(p.x).add_value(p.y).add_value(p.z);
    }
    return hash.key().low;
}

}  // namespace graze
