#include "graze/simulation.h"

#include <bit>

namespace graze {

namespace {

// FNV-1a over the bits of numbers, in their order.
class BitHash {
public:
    void add(float number) { add(std::bit_cast<std::uint32_t>(number)); }
    void add(std::uint32_t bits) {
        for (int byte = 0; byte < 4; ++byte)
            value_ = (value_ ^ (bits >> (8 * byte) & 0xffU)) * 0x100000001b3ULL;
    }
    void add(const Vec3& v) {
        for (int axis = 0; axis < 3; ++axis)
            add(v[axis]);
    }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace

Simulation::~Simulation() = default;

std::uint64_t state_hash(std::span<const BodyState> states) {
    BitHash hash;
    for (const BodyState& state : states) {
        hash.add(std::uint32_t{state.is_present});
        if (!state.is_present) continue;
        hash.add(state.pose.translation);
        const Quat& q = state.pose.rotation;
        for (const float part : {q.w, q.x, q.y, q.z, state.pose.scale})
            hash.add(part);
        hash.add(state.velocity);
        hash.add(state.angular_velocity);
    }
    return hash.value();
}

}  // namespace graze
