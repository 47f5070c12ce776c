#include "graze/scene.h"

#include <cmath>
#include <cstdio>
#include <utility>

#include "broad_phase/body_boxes.h"
#include "graze/error.h"

namespace graze {

namespace {

// As much as Field::transformed allows: more than products of many rotations lose, less than anyone
// would mean.
constexpr float kNormSlack = 1e-3f;

std::string number_text(float value) {
    char digits[32];
    std::snprintf(digits, sizeof(digits), "%g", static_cast<double>(value));
    return digits;
}

std::string name_of(std::uint32_t body) {
    return "scene: body " + std::to_string(body);
}

void require_pose(std::uint32_t body, const Transform& pose) {
    const auto& [translation, rotation, scale] = pose;
    if (!is_finite(translation)) {
        throw Error(name_of(body) + ": its position is (" + number_text(translation.x) + ", " +
                    number_text(translation.y) + ", " + number_text(translation.z) +
                    "); make every coordinate a finite number");
    }
    const float norm_sq = rotation.w * rotation.w + rotation.x * rotation.x +
                          rotation.y * rotation.y + rotation.z * rotation.z;
    if (!(std::fabs(norm_sq - 1) < kNormSlack)) {
        throw Error(name_of(body) + ": its rotation's length squared is " + number_text(norm_sq) +
                    "; give a unit quaternion (normalized)");
    }
    if (!(scale >= 1e-20f && scale <= 1e20f)) {
        throw Error(name_of(body) + ": its scale is " + number_text(scale) +
                    "; make it a finite number above 0");
    }
}

void require_motion(std::uint32_t body, const Transform& pose_t0, const Transform& pose_t1) {
    require_pose(body, pose_t0);
    require_pose(body, pose_t1);
    if (pose_t0.scale != pose_t1.scale) {
        throw Error(name_of(body) + ": its scale is " + number_text(pose_t0.scale) +
                    " at the start of the step and " + number_text(pose_t1.scale) +
                    " at its end; a body does not grow within a step");
    }
}

void require_body(std::uint32_t body, std::uint32_t count) {
    if (body >= count)
        throw Error(name_of(body) + " is not there; the scene has " + std::to_string(count));
}

}  // namespace

Aabb body_box(const Body& body) {
    const Shape& shape = body.shape;
    return pose_box(body.pose, shape.has_field() ? shape.field().bounds() : shape.bounds(), 0);
}

std::uint32_t Scene::add(Shape shape, const Transform& pose) {
    Body body{.shape = std::move(shape)};
    body.pose = pose;
    return add(std::move(body));
}

std::uint32_t Scene::add(Body body) {
    const std::uint32_t index = size();
    require_motion(index, body.pose, body.pose_t1.value_or(body.pose));
    bodies_.push_back(std::move(body));
    return index;
}

void Scene::set_pose(std::uint32_t body, const Transform& pose) {
    set_motion(body, pose, pose);
    bodies_[body].pose_t1.reset();
}

void Scene::set_motion(std::uint32_t body, const Transform& pose_t0, const Transform& pose_t1) {
    require_body(body, size());
    require_motion(body, pose_t0, pose_t1);
    bodies_[body].pose = pose_t0;
    bodies_[body].pose_t1 = pose_t1;
}

}  // namespace graze
