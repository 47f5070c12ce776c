#include "comparison/pair_judge.h"

#include <algorithm>
#include <cmath>

#include "geometry/rigid_motion.h"

namespace graze {
namespace pair_judge_detail {

Transformd in_double(const Transform& pose) {
    const Quat& q = pose.rotation;
    return {static_cast<Vec3d>(pose.translation), unit_in_double({q.w, q.x, q.y, q.z}),
            static_cast<double>(pose.scale)};
}

// Both meshes as one, in which neither body meets itself.
DeformingTopology joined_topology(const Mesh& a, const Mesh& b) {
    DeformingTopology joined;
    const auto first = static_cast<std::uint32_t>(a.positions.size());
    joined.vertex_count = static_cast<std::int64_t>(a.positions.size() + b.positions.size());
    joined.triangles = a.triangles;
    for (const Triangle& t : b.triangles)
        joined.triangles.push_back({{t[0] + first, t[1] + first, t[2] + first}});
    joined.parts.assign(static_cast<std::size_t>(joined.vertex_count), 0);
    std::fill(joined.parts.begin() + first, joined.parts.end(), 1u);
    joined.ignored_parts = {{0, 0}, {1, 1}};
    return joined;
}

}  // namespace pair_judge_detail

PairJudge::PairJudge(const JudgedBody& a, const JudgedBody& b, double accuracy,
                     const Device& device)
    : a_(a),
      b_(b),
      accuracy_(accuracy),
      device_(Device::cpu(device.threads())),
      detector_(pair_judge_detail::joined_topology(a.mesh(), b.mesh()), device_) {}

std::vector<Vec3d> PairJudge::positions_at(const Transform& b) const {
    const Transformd pose = pair_judge_detail::in_double(b);
    std::vector<Vec3d> positions;
    positions.reserve(a_.mesh().positions.size() + b_.mesh().positions.size());
    for (const Vec3& p : a_.mesh().positions)
        positions.push_back(static_cast<Vec3d>(p));
    for (const Vec3& p : b_.mesh().positions)
        positions.push_back(transform_point(pose, static_cast<Vec3d>(p)));
    return positions;
}

std::vector<IntersectionPart> PairJudge::find_parts(const Transform& b) {
    const std::vector<Vec3d> positions = positions_at(b);
    const std::size_t first = a_.mesh().positions.size();
    const PosedBody posed_a{a_, Transformd::identity(), std::span(positions).first(first)};
    const PosedBody posed_b{b_, pair_judge_detail::in_double(b),
                            std::span(positions).subspan(first)};
    return find_intersection_parts(posed_a, posed_b, detector_.find_intersections(positions));
}

bool PairJudge::is_touching(const Transform& b) {
    const std::vector<Vec3d> positions = positions_at(b);
    if (!detector_.find_intersections(positions).empty()) return true;
    return !find_parts(b).empty();
}

double PairJudge::find_depth(const Transform& b) const {
    const Transform from_b = inverse(b);
    std::vector<double> depths(a_.samples().size() + b_.samples().size(), 0);
    CpuExecutor executor(device_.threads());
    const auto first = static_cast<std::int64_t>(a_.samples().size());
    const auto measure = [&](std::int64_t i) {
        const bool is_of_a = i < first;
        const Vec3 point =
            is_of_a ? transform_point(from_b, a_.samples()[static_cast<std::size_t>(i)])
                    : transform_point(b, b_.samples()[static_cast<std::size_t>(i - first)]);
        const JudgedBody& other = is_of_a ? b_ : a_;
        if (other.is_inside(point))
            depths[static_cast<std::size_t>(i)] =
                other.nearest(point).distance * static_cast<double>(is_of_a ? b.scale : 1);
    };
    executor.for_each("judge: depths", static_cast<std::int64_t>(depths.size()), measure, 64);
    return depths.empty() ? 0 : *std::max_element(depths.begin(), depths.end());
}

std::optional<double> PairJudge::find_time(const Transform& b_t0, const Transform& b_t1) {
    const RotationArc arc = make_rotation_arc(b_t0.rotation, b_t1.rotation);
    const int count = std::max(1, static_cast<int>(std::ceil(2 * arc.angle / kJudgedTurn)));
    std::vector<Vec3d> from = positions_at(b_t0);
    for (int i = 0; i < count; ++i) {
        const float end = static_cast<float>(i + 1) / static_cast<float>(count);
        std::vector<Vec3d> to = positions_at(pose_at(b_t0, b_t1, end));
        if (const std::optional<double> time = detector_.find_earliest_time(from, to))
            return (i + *time) / count;
        from = std::move(to);
    }
    return std::nullopt;
}

PairJudge::Verdict PairJudge::judge(const ComparedPose& pose) {
    Verdict verdict{{}, find_parts(pose.b)};
    PoseTruth& truth = verdict.truth;
    truth.touches = !verdict.parts.empty();
    std::erase_if(verdict.parts,
                  [&](const IntersectionPart& part) { return part.extent() < accuracy_; });
    truth.part_count = static_cast<int>(verdict.parts.size());
    truth.has_contained =
        std::any_of(verdict.parts.begin(), verdict.parts.end(),
                    [](const IntersectionPart& part) { return part.is_contained; });
    truth.must_be_found = truth.part_count > 0;
    if (truth.touches) truth.depth = find_depth(pose.b);
    if (!pose.b_t1 || truth.touches) return verdict;
    const std::optional<double> time = find_time(pose.b, *pose.b_t1);
    truth.touches = truth.must_be_found = time.has_value();
    truth.time = time.value_or(0);
    return verdict;
}

double PairJudge::distance_off(const Vec3& point, const Transform& b) const {
    const Vec3 in_b = transform_point(inverse(b), point);
    const double off_a = a_.is_inside(point) ? 0 : a_.nearest(point).distance;
    const double off_b =
        b_.is_inside(in_b) ? 0 : b_.nearest(in_b).distance * static_cast<double>(b.scale);
    return std::max(off_a, off_b);
}

double PairJudge::angle_off(const Vec3& point, const Vec3& normal, const Transform& b) const {
    const Vec3 in_b = transform_point(inverse(b), point);
    const Vec3d out_of_a = a_.nearest(point).normal;
    const Vec3d out_of_b =
        transform_direction(pair_judge_detail::in_double(b), b_.nearest(in_b).normal);
    const auto n = static_cast<Vec3d>(normal);
    // What has no inside has no side to go to either.
    const auto angle = [&](const JudgedBody& body, double cosine) {
        if (!body.has_inside()) cosine = std::fabs(cosine);
        return std::acos(std::clamp(cosine, -1.0, 1.0));
    };
    return std::min(angle(b_, dot(n, out_of_b)), angle(a_, -dot(n, out_of_a)));
}

}  // namespace graze
