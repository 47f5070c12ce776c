// Real models at unit size, and poses in which pairs of them nearly touch, touch, intersect a
// little or deeply.
#pragma once

#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "graze/build_field.h"
#include "graze/mesh_io.h"
#include "graze/transform.h"

namespace graze {

// Moves a mesh to the origin and scales the longest side of its box to 1 m.
inline Mesh at_unit_size(Mesh mesh) {
    const Aabb box = bounds(mesh);
    const Vec3 size = extent(box), mid = centre(box);
    const float longest = max_of(size.x, max_of(size.y, size.z));
    for (Vec3& position : mesh.positions)
        position = (position - mid) / longest;
    return mesh;
}

struct RecallModel {
    std::string name;
    Mesh mesh;
    Field field;
};

inline RecallModel load_recall_model(const std::filesystem::path& folder, const std::string& name,
                                     const FieldOptions& options) {
    Mesh mesh = at_unit_size(load_mesh(folder / name));
    Field field = build_field(mesh, options);
    return {name, std::move(mesh), std::move(field)};
}

enum class Closeness { apart, touching, shallow, deep };
constexpr Closeness kClosenesses[] = {Closeness::apart, Closeness::touching, Closeness::shallow,
                                      Closeness::deep};

inline const char* name_of(Closeness closeness) {
    constexpr const char* kNames[] = {"near miss", "touch", "small", "deep"};
    return kNames[static_cast<int>(closeness)];
}

struct RecallPose {
    std::size_t a, b;  // models
    Closeness closeness;
    Transform pose_a, pose_b;
};

class RecallPoses {
public:
    RecallPoses(const std::vector<RecallModel>& models, unsigned seed)
        : models_(models), random_(seed) {}

    // Draws poses of each closeness in turn.
    std::vector<RecallPose> draw(int count) {
        std::vector<RecallPose> poses;
        while (static_cast<int>(poses.size()) < count) {
            RecallPose pose{pick(), pick(), kClosenesses[poses.size() % 4], turned(), turned()};
            const Vec3 direction = normalized(in_cube());
            const float touch = approach(pose, direction);
            if (touch < 0) continue;  // one went through the other's hole
            pose.pose_b.translation = direction * (touch - push(pose.closeness));
            poses.push_back(pose);
        }
        return poses;
    }

private:
    float uniform(float low, float high) {
        return std::uniform_real_distribution<float>(low, high)(random_);
    }
    Vec3 in_cube() {
        const float x = uniform(-1, 1), y = uniform(-1, 1), z = uniform(-1, 1);
        return {x, y, z};
    }
    std::size_t pick() {
        return std::uniform_int_distribution<std::size_t>(0, models_.size() - 1)(random_);
    }
    Transform turned() {
        const Vec3 axis = in_cube();
        return {{0, 0, 0}, Quat::from_axis_angle(axis, uniform(-3.14159f, 3.14159f)), 1};
    }
    // Returns how far b goes on from where it touches. [m]
    float push(Closeness closeness) {
        switch (closeness) {
            case Closeness::apart:
                return -uniform(0.003f, 0.02f);
            case Closeness::touching:
                return uniform(0.001f, 0.006f);
            case Closeness::shallow:
                return uniform(0.01f, 0.04f);
            default:
                return uniform(0.1f, 0.4f);
        }
    }

    // Returns an upper bound of the gap: the least distance of some of one model's vertices to the
    // other model. [m]
    float gap(const RecallModel& points, const Transform& points_pose, const RecallModel& solid,
              const Transform& solid_pose) const {
        const Transform solid_from_points = inverse(solid_pose) * points_pose;
        const std::size_t step = std::max<std::size_t>(1, points.mesh.positions.size() / 3000);
        float least = 10;
        for (std::size_t n = 0; n < points.mesh.positions.size(); n += step) {
            const Vec3 point = transform_point(solid_from_points, points.mesh.positions[n]);
            least = min_of(least, solid.field.distance(point));
        }
        return least;
    }
    // Moves b towards a until they touch, up to the vertices left out, and returns its distance
    // from the origin then.
    float approach(RecallPose& pose, const Vec3& direction) const {
        float along = 1.8f;
        while (along >= 0) {
            pose.pose_b.translation = direction * along;
            const float distance =
                min_of(gap(models_[pose.a], pose.pose_a, models_[pose.b], pose.pose_b),
                       gap(models_[pose.b], pose.pose_b, models_[pose.a], pose.pose_a));
            if (distance < 5e-4f) return along;
            along -= distance;
        }
        return -1;
    }

    const std::vector<RecallModel>& models_;
    std::mt19937 random_;
};

}  // namespace graze
