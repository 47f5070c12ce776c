#include "response/normal_cones.h"

#include <algorithm>
#include <cmath>

namespace graze {

namespace {

// The sine by which a direction may lean over the surface: what lies on something flat leans by
// rounding, what lands on it a little.
constexpr double kLean = 0.3;
// A point is in a vertex or an edge where the weights of the others are not above this.
constexpr float kOnBorder = 1e-6f;

bool leans(const Vec3d& direction, const Vec3d& along) {
    return dot(direction, along) > kLean * length(along);
}

}  // namespace

NormalCones::NormalCones(std::span<const Triangle> triangles, std::size_t vertex_count)
    : begins_(vertex_count + 1, 0) {
    for (const Triangle& t : triangles)
        for (int i = 0; i < 3; ++i)
            ++begins_[t[i] + 1];
    for (std::size_t v = 1; v < begins_.size(); ++v)
        begins_[v] += begins_[v - 1];
    others_.resize(triangles.size() * 3);
    std::vector<std::uint32_t> offsets = begins_;
    for (const Triangle& t : triangles)
        for (int i = 0; i < 3; ++i)
            others_[offsets[t[i]]++] = Edge{{t[(i + 1) % 3], t[(i + 2) % 3]}};
}

template <class PositionOf>
bool NormalCones::is_in_cone(std::span<const std::uint32_t> vertices,
                             std::span<const float> weights, const Vec3d& direction,
                             const PositionOf& position_of) const {
    std::uint32_t on[3] = {};
    int count = 0;
    for (std::size_t i = 0; i < vertices.size(); ++i)
        if (weights[i] > kOnBorder) on[count++] = vertices[i];
    if (count == 0 || count == 3) return true;
    const Vec3d origin = position_of(on[0]);
    const std::span<const Edge> around(others_.data() + begins_[on[0]],
                                       others_.data() + begins_[on[0] + 1]);
    if (count == 1) {
        return std::none_of(around.begin(), around.end(), [&](const Edge& e) {
            return leans(direction, position_of(e[0]) - origin) ||
                   leans(direction, position_of(e[1]) - origin);
        });
    }
    const Vec3d edge = position_of(on[1]) - origin;
    return std::none_of(around.begin(), around.end(), [&](const Edge& e) {
        if (e[0] != on[1] && e[1] != on[1]) return false;
        const Vec3d across = position_of(e[0] == on[1] ? e[1] : e[0]) - origin;
        return leans(direction, across - edge * (dot(across, edge) / length_sq(edge)));
    });
}

template <class Found, class PositionOf>
bool NormalCones::is_nearest(const Found& found, const PositionOf& position_of) const {
    const std::span<const std::uint32_t> vertices(found.vertices);
    const std::span<const float> weights(found.weights);
    const auto normal = static_cast<Vec3d>(found.normal);
    const std::size_t first_count = found.is_vertex_face() ? 1 : 2;
    const auto border = [&](float weight) { return weight <= kOnBorder; };
    const bool is_at_border = std::any_of(weights.begin(), weights.end(), border);
    // A vertex has the plane of the face that it is above, whatever is around it; and what is at
    // the end of an edge is a vertex near a face too.
    if (found.is_vertex_face() && !is_at_border) return true;
    if (!found.is_vertex_face() && is_at_border) return false;
    return is_in_cone(vertices.first(first_count), weights.first(first_count), -normal,
                      position_of) &&
           is_in_cone(vertices.subspan(first_count), weights.subspan(first_count), normal,
                      position_of);
}

bool NormalCones::holds(const Proximity& proximity, std::span<const Vec3> positions) const {
    return is_nearest(proximity, [&](std::uint32_t v) { return static_cast<Vec3d>(positions[v]); });
}

}  // namespace graze
