// BodyScene: bodies of mixed sizes that fly and turn in a closed cube, none of them at rest.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "broad_phase/body_boxes.h"
#include "broad_phase/body_pairs.h"

namespace graze {

class BodyScene {
public:
    // Nine bodies of ten are up to 1 m long, one of a thousand is up to 10 m.
    explicit BodyScene(std::int64_t body_count) : side_(0.75f * std::cbrt(float(body_count))) {
        std::mt19937 random(7);
        std::uniform_real_distribution<float> unit(0, 1);
        const auto spread = [&] { return 2 * unit(random) - 1; };
        for (std::int64_t i = 0; i < body_count; ++i) {
            const float kind = unit(random);
            const float low = kind < 0.9f ? 0.1f : (kind < 0.999f ? 0.5f : 1.5f);
            const float high = kind < 0.9f ? 0.5f : (kind < 0.999f ? 1.5f : 5.0f);
            const float half = low * std::pow(high / low, unit(random));
            const Vec3 size{half * (0.3f + 0.7f * unit(random)), half, half * unit(random)};
            shape_bounds_.push_back({-size, size});
            shape_of_body_.push_back(static_cast<std::uint32_t>(i));
            filters_.push_back({1, ~0u, 0});
            starts_.push_back({unit(random), unit(random), unit(random)});
            velocities_.push_back(Vec3{spread(), spread(), spread()} * 2.0f);
            axes_.push_back({spread(), spread(), 1.01f + spread()});
            spins_.push_back(3.0f * spread());
        }
    }

    // Returns the poses after so many steps of 1/60 s. The walls reflect bodies.
    std::vector<Transform> poses(int step) const {
        std::vector<Transform> result(starts_.size());
        const float time = static_cast<float>(step) / 60.0f;
        for (std::size_t i = 0; i < result.size(); ++i) {
            Vec3 position;
            for (int axis = 0; axis < 3; ++axis) {
                const float unfolded = starts_[i][axis] * side_ + velocities_[i][axis] * time;
                const float folded = std::fmod(std::fabs(unfolded), 2 * side_);
                position[axis] = std::min(folded, 2 * side_ - folded);
            }
            result[i] = {position, Quat::from_axis_angle(axes_[i], spins_[i] * (time + 20)), 1.0f};
        }
        return result;
    }

    std::vector<Aabb> boxes(const std::vector<Transform>& poses) const {
        std::vector<Aabb> result(poses.size());
        const BodyBoxes compute{
            shape_bounds_.data(), shape_of_body_.data(), poses.data(), nullptr, 0, result.data()};
        for (std::size_t i = 0; i < poses.size(); ++i)
            compute(static_cast<std::int64_t>(i));
        return result;
    }

    std::int64_t body_count() const { return static_cast<std::int64_t>(starts_.size()); }
    const std::vector<Aabb>& shape_bounds() const { return shape_bounds_; }
    const std::vector<std::uint32_t>& shape_of_body() const { return shape_of_body_; }
    const std::vector<BodyFilter>& filters() const { return filters_; }

private:
    float side_;  // [m] the length, width and height of the cube
    std::vector<Aabb> shape_bounds_;
    std::vector<std::uint32_t> shape_of_body_;
    std::vector<BodyFilter> filters_;
    std::vector<Vec3> starts_;      // as fractions of the cube
    std::vector<Vec3> velocities_;  // [m/s]
    std::vector<Vec3> axes_;
    std::vector<float> spins_;  // [rad/s]
};

}  // namespace graze
