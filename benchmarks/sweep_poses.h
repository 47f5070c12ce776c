// Random rigid motions for the paper's table 3: a body somewhere in three times the box of a field,
// turned at random, and elsewhere turned otherwise at the end of the step.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "graze/transform.h"

namespace graze {

struct PosePair {
    Transform t0, t1;
};

// A rotation that is uniformly distributed over all rotations.
inline Quat random_rotation(std::mt19937& random) {
    std::normal_distribution<float> normal;
    const Quat q{normal(random), normal(random), normal(random), normal(random)};
    return normalized(q);
}

// The body's centre, that of its box, is uniformly distributed over three times the field's box.
inline std::vector<PosePair> random_pose_pairs(std::size_t count, const Aabb& field_box,
                                               const Vec3& body_centre, unsigned seed = 1) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> side(-1.5f, 1.5f);
    const Vec3 middle = centre(field_box), size = extent(field_box);
    const auto pose = [&] {
        const Quat rotation = random_rotation(random);
        Vec3 position = middle;
        for (int axis = 0; axis < 3; ++axis)
            position[axis] += side(random) * size[axis];
        return Transform{position - rotate(rotation, body_centre), rotation, 1};
    };
    std::vector<PosePair> pairs;
    pairs.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const Transform t0 = pose();
        pairs.push_back({t0, pose()});
    }
    return pairs;
}

}  // namespace graze
