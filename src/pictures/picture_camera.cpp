#include "pictures/picture_camera.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace graze {

namespace {

// Products of rotations leave factors this small where they mean 0; an infinite side times such a
// factor would be infinite.
constexpr float kNoTurn = 1e-6f;

double squared(double x) {
    return x * x;
}

// Returns the world's axis that is up in the picture: the normal of the ground, if there is any, or
// else y, which is up in most meshes.
int up_axis(const Scene& scene, const Aabb& region) {
    for (const Body& body : scene.bodies()) {
        if (is_bounded(world_box(body))) continue;
        const Vec3 middle = transform_point(inverse(body.pose), centre(region));
        const Vec3 away =
            transform_direction(body.pose, body.shape.field().evaluate(middle).gradient);
        for (int axis = 0; axis < 3; ++axis) {
            if (away[axis] > 0.7f) return axis;
        }
    }
    return 1;
}

Vec3d unit_axis(int axis) {
    Vec3d v{0, 0, 0};
    v[axis] = 1;
    return v;
}

// Returns a direction oblique to all axes, from a little above.
Vec3d oblique(int up, double azimuth) {
    constexpr double kHeight = 0.42;  // the sine of 25 degrees
    const double flat = std::sqrt(1 - kHeight * kHeight);
    const Vec3d front = unit_axis((up + 1) % 3), side = unit_axis((up + 2) % 3);
    return unit_axis(up) * kHeight + front * (flat * std::cos(azimuth)) +
           side * (flat * std::sin(azimuth));
}

// Returns how far the normals and the lines from body to body are seen from the side: the mean over
// all contacts, 0 to 1.
double seen_from_side(const Scene& scene, std::span<const Contact> contacts, const Vec3d& towards) {
    const auto middle = [&](std::uint32_t index) {
        const Body& body = scene[index];
        const Aabb& box = body.shape.field().bounds();
        return is_bounded(box) ? static_cast<Vec3d>(transform_point(body.pose, centre(box)))
                               : static_cast<Vec3d>(body.pose.translation);
    };
    double sum = 0;
    for (const Contact& contact : contacts) {
        const auto line = normalized(middle(contact.body_a) - middle(contact.body_b));
        sum += 2 * (1 - squared(dot(static_cast<Vec3d>(contact.normal), towards))) +
               (1 - squared(dot(line, towards)));
    }
    if (contacts.empty() && scene.size() > 1)
        return 1 - squared(dot(normalized(middle(0) - middle(1)), towards));
    return contacts.empty() ? 0 : sum / (3 * static_cast<double>(contacts.size()));
}

// Returns how far motion is seen from the side: the mean over all bodies that move, 0 to 1.
double motion_from_side(const Scene& scene, const Vec3d& towards) {
    double sum = 0;
    int count = 0;
    for (const Body& body : scene.bodies()) {
        if (!body.pose_t1 || body.pose_t1->translation == body.pose.translation) continue;
        const auto way = static_cast<Vec3d>(body.pose_t1->translation - body.pose.translation);
        sum += 1 - squared(dot(normalized(way), towards));
        ++count;
    }
    return count > 0 ? sum / count : 0;
}

Vec3d best_direction(const Scene& scene, std::span<const Contact> contacts, int up) {
    constexpr int kAzimuths = 8;
    constexpr double kTurn = 6.283185307179586 / kAzimuths;
    Vec3d best{};
    double best_score = -1;
    for (int i = 0; i < kAzimuths; ++i) {
        const double azimuth = (i + 0.62) * kTurn;  // 28 degrees off an axis
        const Vec3d towards = oblique(up, azimuth);
        // Among views that are much the same, the one from the front is chosen.
        const double score = seen_from_side(scene, contacts, towards) +
                             0.5 * motion_from_side(scene, towards) +
                             0.06 * std::cos(azimuth - kTurn);
        if (score > best_score + 1e-9) {
            best_score = score;
            best = towards;
        }
    }
    return best;
}

}  // namespace

bool is_bounded(const Aabb& box) {
    return is_finite(box.min) && is_finite(box.max);
}

Aabb world_box(const Body& body) {
    const Aabb& box = body.shape.field().bounds();
    const Mat3 turn = to_matrix(body.pose.rotation) * body.pose.scale;
    Aabb world{body.pose.translation, body.pose.translation};
    for (int axis = 0; axis < 3; ++axis) {
        for (int column = 0; column < 3; ++column) {
            const float factor = turn.columns[column][axis];
            if (std::fabs(factor) < kNoTurn * body.pose.scale) continue;
            const float a = factor * box.min[column], b = factor * box.max[column];
            world.min[axis] += std::min(a, b);
            world.max[axis] += std::max(a, b);
        }
    }
    return world;
}

Aabb picture_region(const Scene& scene, std::span<const Contact> contacts) {
    Aabb region = Aabb::empty(), origins = Aabb::empty();
    bool has_unbounded = false;
    for (const Body& body : scene.bodies()) {
        const Aabb box = world_box(body);
        origins = merge(origins, body.pose.translation);
        if (box.is_empty()) continue;
        if (is_bounded(box)) {
            region = merge(region, box);
        } else {
            has_unbounded = true;
        }
    }
    for (const Contact& contact : contacts)
        region = merge(region, contact.position);
    if (region.is_empty()) region = origins;
    const float size = length(extent(region));
    if (!(size > 0)) return inflate(region, 1.0f);
    return has_unbounded ? inflate(region, 0.12f * size) : region;
}

PictureCamera choose_direction(const Scene& scene, std::span<const Contact> contacts,
                               const Aabb& region, const ContactPictureOptions& options) {
    PictureCamera camera{};
    const int up = up_axis(scene, region);
    camera.towards = options.towards_eye ? normalized(static_cast<Vec3d>(*options.towards_eye))
                                         : best_direction(scene, contacts, up);
    // Where it is seen from right above, another axis has to be up in the picture.
    Vec3d above = unit_axis(up);
    if (std::fabs(camera.towards[up]) > 0.999) above = unit_axis(up == 1 ? 2 : 1);
    camera.right = normalized(cross(above, camera.towards));
    camera.up = cross(camera.towards, camera.right);
    return camera;
}

PictureCamera framed(PictureCamera camera, const Aabb& box, int width, int height) {
    camera.centre = static_cast<Vec3d>(centre(box));
    camera.width = width;
    camera.height = height;
    camera.pixel = 1;
    double reach_x = 0, reach_y = 0;
    const auto half = static_cast<Vec3d>(extent(box)) * 0.5;
    for (int axis = 0; axis < 3; ++axis) {
        reach_x += std::fabs(camera.right[axis]) * half[axis];
        reach_y += std::fabs(camera.up[axis]) * half[axis];
    }
    camera.pixel = std::max({2 * reach_x / width, 2 * reach_y / height, 1e-30});
    return camera;
}

}  // namespace graze
