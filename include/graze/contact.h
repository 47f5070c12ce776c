// Contact: one point where two bodies touch, the same for every method.
#pragma once

#include <cstdint>

#include "graze/vec3.h"

namespace graze {

enum class FeatureKind : std::uint32_t { none, vertex, edge, face };

// The part of a mesh that touches; fields have none.
struct Feature {
    FeatureKind kind : 2;
    std::uint32_t index : 30;  // of the vertex, edge or face

    constexpr bool operator==(const Feature&) const = default;
};

constexpr Feature kNoFeature{FeatureKind::none, 0};

struct alignas(16) Contact {
    // In the order of the scene, a < b; a == b where a body that deforms touches itself.
    std::uint32_t body_a, body_b;
    Feature feature_a, feature_b;
    Vec3 position;   // [m] world
    float distance;  // [m] between the surfaces here; negative: penetration
    // Unit, from b towards a: the direction that a should go. Zero where no field has a direction
    // and the bodies' origins coincide, and where features that coincide have none
    // (deforming_contacts.h).
    Vec3 normal;
    float time;  // [0, 1] in the step; 0 where the test is at an instant

    constexpr bool operator==(const Contact&) const = default;
};
static_assert(sizeof(Contact) == 48);

}  // namespace graze
