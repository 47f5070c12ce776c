#include "comparison/draw_poses.h"

#include <algorithm>
#include <cmath>

#include "core/random_unit.h"

namespace graze {
namespace draw_poses_detail {

constexpr float kTurn = 6.2831853f;

class PoseDrawing {
public:
    PoseDrawing(PairJudge& judge, const JudgedBody& a, const JudgedBody& b,
                const ComparisonOptions& options)
        : judge_(judge),
          a_(a),
          b_(b),
          options_(options),
          smaller_(static_cast<float>(std::min(a.size(), b.size()))),
          random_(options.seed) {}

    ComparedPose draw(int index) {
        ComparedPose pose = options_.placing == PosePlacing::as_given ? draw_around_given(index)
                                                                      : draw_anywhere(index);
        if (options_.motion == ComparedMotion::rigid && pose.b_t1)
            turn(*pose.b_t1, uniform(0.2f, 2.5f));
        return pose;
    }

private:
    float uniform(float low, float high) {
        return low + (high - low) * static_cast<float>(random_unit(random_));
    }
    Vec3 direction() {
        const float z = uniform(-1, 1), angle = uniform(0, kTurn);
        const float r = std::sqrt(std::max(0.0f, 1 - z * z));
        return {r * std::cos(angle), r * std::sin(angle), z};
    }
    // Turns the second body around the middle of its box.
    void turn(Transform& pose, float angle) {
        const Vec3 middle = centre(b_.box());
        const Vec3 stays = transform_point(pose, middle);
        pose.rotation = normalized(Quat::from_axis_angle(direction(), angle) * pose.rotation);
        pose.translation = stays - rotate(pose.rotation, middle);
    }
    Transform turned_anyhow() {
        const float u = uniform(0, 1), v = uniform(0, kTurn), w = uniform(0, kTurn);
        const float s = std::sqrt(1 - u), t = std::sqrt(u);
        return {
            {0, 0, 0},
            normalized(Quat{t * std::cos(w), s * std::sin(v), s * std::cos(v), t * std::sin(w)}),
            1};
    }
    // Whether as many of the poses touch up to this one as should.
    bool touches(int index) const {
        const double share = options_.touching_share;
        return std::floor((index + 1) * share + 1e-9) > std::floor(index * share + 1e-9);
    }

    // The farthest distance along a direction at which the bodies touch, as nearly as matters;
    // none where they pass through each other's holes.
    std::optional<float> approach(Transform pose, const Vec3& aim, const Vec3& towards) {
        const Vec3 middle = rotate(pose.rotation, centre(b_.box()));
        const auto touches_at = [&](float along) {
            pose.translation = aim + towards * along - middle;
            return judge_.is_touching(pose);
        };
        const float far =
            static_cast<float>(a_.size() + b_.size()) * 0.51f + length(aim - centre(a_.box()));
        constexpr int kSteps = 20;
        float apart = far;
        for (int i = 1; i <= kSteps; ++i) {
            float along = far * (1 - static_cast<float>(i) / kSteps);
            if (!touches_at(along)) {
                apart = along;
                continue;
            }
            for (int halving = 0; halving < 7; ++halving) {
                const float between = (along + apart) / 2;
                (touches_at(between) ? along : apart) = between;
            }
            return along;
        }
        return std::nullopt;
    }

    // How far the second body goes on from where it touches [m].
    float push(int index) {
        if (!touches(index)) return -uniform(0.01f, 0.03f) * smaller_;
        switch (index % 3) {
            case 0:
                return uniform(0.002f, 0.01f) * smaller_;
            case 1:
                return uniform(0.01f, 0.05f) * smaller_;
            default:
                return uniform(0.1f, 0.4f) * smaller_;
        }
    }

    ComparedPose draw_anywhere(int index) {
        Transform pose = turned_anyhow();
        Vec3 aim{}, towards{};
        std::optional<float> touching;
        for (int attempt = 0; attempt < 8 && !touching; ++attempt) {
            const Vec3 half = extent(a_.box()) * 0.25f;
            const float x = uniform(-1, 1), y = uniform(-1, 1), z = uniform(-1, 1);
            aim = centre(a_.box()) + Vec3{half.x * x, half.y * y, half.z * z};
            towards = direction();
            touching = approach(pose, aim, towards);
        }
        const Vec3 middle = rotate(pose.rotation, centre(b_.box()));
        const auto place = [&](float along) {
            Transform placed = pose;
            placed.translation = aim + towards * along - middle;
            return placed;
        };
        const float at = touching.value_or(0);
        if (options_.motion == ComparedMotion::none) return {place(at - push(index)), {}};
        const float way = static_cast<float>(options_.travel) * smaller_;
        // It comes to the place where it would touch within the step, or stops short of it.
        const float begin =
            at + way * (touches(index) ? uniform(0.1f, 0.9f) : uniform(1.05f, 1.5f));
        return {place(begin), place(begin - way)};
    }

    // The first pose is that of the files; the others are ever farther from it.
    ComparedPose draw_around_given(int index) {
        Transform pose = Transform::identity();
        const float reach = 0.05f * static_cast<float>(index) /
                            static_cast<float>(std::max(1, options_.pose_count - 1));
        const Vec3 way = direction();
        turn(pose, reach * uniform(-1, 1));
        pose.translation += way * (reach * uniform(0, 1) * smaller_);
        if (options_.motion == ComparedMotion::none) return {pose, {}};
        const Vec3 flight = direction() * (static_cast<float>(options_.travel) * smaller_);
        Transform end = pose;
        end.translation += flight;
        return {pose, end};
    }

    PairJudge& judge_;
    const JudgedBody &a_, &b_;
    const ComparisonOptions& options_;
    float smaller_;  // [m] the diagonal of the smaller body
    std::mt19937 random_;
};

}  // namespace draw_poses_detail

std::vector<ComparedPose> draw_poses(PairJudge& judge, const JudgedBody& a, const JudgedBody& b,
                                     const ComparisonOptions& options,
                                     const std::function<void(double fraction)>& report) {
    draw_poses_detail::PoseDrawing drawing(judge, a, b, options);
    std::vector<ComparedPose> poses;
    for (int i = 0; i < options.pose_count; ++i) {
        report(static_cast<double>(i) / options.pose_count);
        poses.push_back(drawing.draw(i));
    }
    return poses;
}

}  // namespace graze
