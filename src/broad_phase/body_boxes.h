// The world boxes of bodies under their poses.
#pragma once

#include "graze/transform.h"

namespace graze {

// The box of everything that a body can reach, rounded outward, so that no point of the solid is
// left out whatever the rounding.
struct BodyBoxes {
    const Aabb* shape_bounds;            // [m] by shape; infinite along some axes where unbounded
    const std::uint32_t* shape_of_body;  // by body
    const Transform* poses_t0;           // world from body
    const Transform* poses_t1;           // null where the bodies are tested at an instant
    float margin;                        // [m] added on every side
    Aabb* boxes;                         // out

    GRAZE_HD void operator()(std::int64_t body) const;
};

}  // namespace graze
