#include "geometry/first_equal.h"

#include <array>
#include <bit>

namespace graze {

namespace {

// Equal positions have equal keys; -0 equals 0.
std::uint64_t key_of_position(const Vec3& p) {
    const auto bits = [](float x) { return std::uint64_t{std::bit_cast<std::uint32_t>(x + 0.0f)}; };
    return mixed_bits(mixed_bits(bits(p.x) | bits(p.y) << 32) + bits(p.z));
}
std::array<float, 3> order_of_position(const Vec3& p) {
    return {p.x + 0.0f, p.y + 0.0f, p.z + 0.0f};
}

}  // namespace

std::vector<std::uint32_t> find_first_vertices(CpuExecutor& executor,
                                               const std::vector<Vec3>& positions) {
    FirstEqual vertices(executor, static_cast<std::int64_t>(positions.size()));
    return vertices.find(positions, key_of_position, order_of_position,
                         [](const Vec3& a, const Vec3& b) { return a == b; });
}

}  // namespace graze
