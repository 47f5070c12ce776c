// Scene: bodies and where they are.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graze/shape.h"

namespace graze {

struct Body {
    Shape shape;
    // World from body, at the start of the step. It may scale.
    Transform pose = Transform::identity();
    // And at the end of it, for methods that look into the step, with the same scale; where not
    // given, the body does not move.
    std::optional<Transform> pose_t1 = std::nullopt;
    // Two bodies can touch where each one's mask has a bit of the other's group.
    std::uint32_t group = 1;
    std::uint32_t mask = ~std::uint32_t{0};
    // Two static bodies never touch.
    bool is_static = false;
};

// [m] The box of a body at the start of the step, rounding included: of its field's solid where the
// shape has one by now, else of its mesh. It is infinite where the body has no end.
Aabb body_box(const Body& body);

class Scene {
public:
    // Each returns the body's index, which is the number of bodies before. Throws Error where a
    // pose is not finite, its rotation not of unit length or its scale not above 0.
    std::uint32_t add(Shape shape, const Transform& pose = Transform::identity());
    std::uint32_t add(Body body);

    // Puts a body somewhere for a whole step; or moves it within the step.
    void set_pose(std::uint32_t body, const Transform& pose);
    void set_motion(std::uint32_t body, const Transform& pose_t0, const Transform& pose_t1);

    std::uint32_t size() const { return static_cast<std::uint32_t>(bodies_.size()); }
    const Body& operator[](std::uint32_t body) const { return bodies_[body]; }
    const std::vector<Body>& bodies() const { return bodies_; }

private:
    std::vector<Body> bodies_;
};

}  // namespace graze
