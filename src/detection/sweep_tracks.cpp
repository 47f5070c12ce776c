#include "graze/sweep_tracks.h"

#include <algorithm>
#include <string>

#include "detection/shape_access.h"
#include "field/field_program.h"
#include "graze/error.h"
#include "narrow_phase/sweep/first_times.h"
#include "parallel/cpu_executor.h"

namespace graze {

namespace sweep_tracks_detail {

// What the path of a side needs of a field: how fine it is, not how far it is off.
ShapeField describe_fineness(const Field& field) {
    ShapeField shape{view_of(field), 0, 0, 0, 0, {}};
    const FieldView& view = shape.field;
    for (std::int32_t i = 0; i < view.node_count; ++i) {
        const FieldNode& node = view.nodes[i];
        if (node.kind != FieldKind::sampled) continue;
        const float spacing = view.sampled[node.index].grid.spacing * std::fabs(node.scale);
        shape.tolerance = std::max(shape.tolerance, spacing * 0.1f);
    }
    const Vec3 sides = extent(field.bounds());
    shape.size = std::max({sides.x, sides.y, sides.z});
    return shape;
}

// One side of a pair, as the detector has it.
struct TrackedSide {
    std::uint32_t points_body, field_body;
    SweptSide side;
    std::vector<AffineMap> maps;
    float voxel;  // [m of the field] 0 where nothing is sampled
};

Transform with_unit_rotation(Transform pose) {
    pose.rotation = normalized(pose.rotation);
    return pose;
}

TrackedSide make_tracked_side(const Scene& scene, std::uint32_t points_body,
                              std::uint32_t field_body, const DetectorOptions& options) {
    const Body &points = scene[points_body], &field = scene[field_body];
    const Shape& shape = points.shape;
    const ShapeField fields[2] = {{}, describe_fineness(field.shape.field())};
    // The path depends on how far points are from the origin: by the root of their tree.
    const ShapePoints trees[2] = {ShapeAccess::points(shape), {}};
    const std::uint32_t shape_of_body[2] = {0, 1};
    const Transform t0[2] = {with_unit_rotation(points.pose), with_unit_rotation(field.pose)};
    const Transform t1[2] = {with_unit_rotation(points.pose_t1.value_or(points.pose)),
                             with_unit_rotation(field.pose_t1.value_or(field.pose))};
    const IndexPair pair{0, 1};
    const std::uint64_t count = 1;
    PairStep step{};
    step.shapes.fields = fields;
    step.shapes.points = trees;
    step.shape_of_body = shape_of_body;
    step.poses_t0 = t0;
    step.poses_t1 = t1;
    step.pairs = &pair;
    step.pair_count = &count;
    const SweepSettings settings{options.gap,      options.sweep.motion,
                                 SweepRoles::both, options.sweep.tolerance,
                                 /* face */ 0,     /* points alone */ false};
    TrackedSide result{
        points_body, field_body, make_swept_side(step, settings, 0), {}, fields[1].tolerance * 10};
    for (int k = 0; k <= result.side.span_count; ++k) {
        result.maps.push_back(
            map_at(result.side.motion,
                   static_cast<float>(k) / static_cast<float>(result.side.span_count)));
    }
    return result;
}

// Adds intervals of a span to those of the spans before it.
struct AddIntervals {
    const SweptPath& path;
    int span;
    std::vector<TimeInterval>& intervals;

    bool operator()(float begin, float end) const {
        const TimeInterval interval{path.time(span, begin), path.time(span, end)};
        // Spans meet at times that are exact.
        if (!intervals.empty() && intervals.back().end >= interval.begin) {
            intervals.back().end = std::max(intervals.back().end, interval.end);
        } else {
            intervals.push_back(interval);
        }
        return true;
    }
};

// The least value at steps within an interval, then by halving the step around it.
void deepen(const TrackedSide& tracked, const SweptPath& path, const TimeInterval& interval,
            SweepTrack& track) {
    const auto value_at = [&](float t) {
        return evaluate(tracked.side.field, path.at(t)).distance;
    };
    const float duration = interval.end - interval.begin;
    const float way = tracked.side.motion.speed.at(length(path.point)) * duration;
    int steps = 64;
    if (tracked.voxel > 0) steps = static_cast<int>(clamp(2 * way / tracked.voxel, 64.0f, 4096.0f));
    float time = interval.begin, value = value_at(time);
    const auto look_at = [&](float t) {
        t = clamp(t, interval.begin, interval.end);
        const float there = value_at(t);
        if (there < value) time = t, value = there;
    };
    for (int i = 1; i <= steps; ++i)
        look_at(interval.begin + duration * static_cast<float>(i) / static_cast<float>(steps));
    for (float step = duration / static_cast<float>(steps); step > duration * 1e-6f; step *= 0.5f) {
        const float middle = time;
        look_at(middle - step);
        look_at(middle + step);
    }
    if (value < track.deepest_distance) track.deepest_time = time, track.deepest_distance = value;
}

SweepTrack track_point(const TrackedSide& tracked, const Vec3& point, const Contact& contact,
                       bool is_face) {
    SweptSide side = tracked.side;
    side.maps = tracked.maps.data();
    const SweptPath path(side, point);
    // A part of a face counts as reached before its centre is; it is followed from there.
    const float above = is_face ? evaluate(side.field, path.at(contact.time)).distance : 0.0f;
    const float level = max_of(side.level, above);
    SweepTrack track{{}, contact.time, kNever, contact.position};
    for (int span = 0; span < side.span_count; ++span) {
        AddIntervals add{path, span, track.intervals};
        visit_times_inside(side.field, path.corner(span), path.corner(span + 1), level, add);
    }
    // A point that just grazes the gap may do so between two floats.
    if (track.intervals.empty()) track.intervals.push_back({contact.time, contact.time});
    for (const TimeInterval& interval : track.intervals)
        deepen(tracked, path, interval, track);
    const Vec3d there = static_cast<Vec3d>(path.at(track.deepest_time));
    track.deepest_position =
        static_cast<Vec3>(transform_point(field_pose_at(side.motion, track.deepest_time), there));
    track.deepest_distance *= static_cast<float>(side.motion.field_scale);
    return track;
}

[[noreturn]] void refuse(std::size_t index, const char* what) {
    throw Error("track_contacts: contact " + std::to_string(index) + " " + what +
                "; give contacts that the method sweep returned for this scene");
}

// Where the point of a contact is in the frame of its body [m].
Vec3 point_of(const Scene& scene, const Contact& contact, std::size_t index,
              const TrackedSide& tracked, const Feature& feature) {
    if (feature.kind == FeatureKind::vertex) {
        const std::vector<Vec3>& points = scene[tracked.points_body].shape.points().positions;
        if (feature.index >= points.size()) refuse(index, "has a point that its body has not");
        return points[feature.index];
    }
    // Of a face the position alone says where: back from the world, by the field's frame.
    const Transformd field = field_pose_at(tracked.side.motion, contact.time);
    const Vec3d in_field = transform_point(inverse(field), static_cast<Vec3d>(contact.position));
    const AffineMap map = map_at(tracked.side.motion, contact.time);
    return inverse(map.matrix) * (static_cast<Vec3>(in_field) - map.translation);
}

}  // namespace sweep_tracks_detail

std::vector<SweepTrack> track_contacts(const Scene& scene, std::span<const Contact> contacts,
                                       const DetectorOptions& options, const Device& device) {
    namespace detail = sweep_tracks_detail;
    std::vector<detail::TrackedSide> sides;
    std::vector<std::size_t> side_of(contacts.size());
    std::vector<Vec3> points(contacts.size());
    for (std::size_t i = 0; i < contacts.size(); ++i) {
        const Contact& contact = contacts[i];
        const bool has_points_of_a = contact.feature_a.kind != FeatureKind::none;
        const Feature& feature = has_points_of_a ? contact.feature_a : contact.feature_b;
        if (std::max(contact.body_a, contact.body_b) >= scene.size())
            detail::refuse(i, "has a body that the scene has not");
        const std::uint32_t body = has_points_of_a ? contact.body_a : contact.body_b;
        const std::uint32_t other = has_points_of_a ? contact.body_b : contact.body_a;
        if ((feature.kind != FeatureKind::vertex && feature.kind != FeatureKind::face) ||
            !scene[body].shape.mesh() || !(contact.time >= 0 && contact.time <= 1)) {
            detail::refuse(i, "has no point or face, or no time within the step");
        }
        // Contacts come by pair and side.
        if (sides.empty() || sides.back().points_body != body || sides.back().field_body != other)
            sides.push_back(detail::make_tracked_side(scene, body, other, options));
        side_of[i] = sides.size() - 1;
        points[i] = detail::point_of(scene, contact, i, sides.back(), feature);
    }
    std::vector<SweepTrack> tracks(contacts.size());
    CpuExecutor executor(device.is_cuda() ? 0 : device.threads());
    executor.for_each_range(
        static_cast<std::int64_t>(contacts.size()), 16, [&](std::int64_t begin, std::int64_t end) {
            for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
                const bool is_face = contacts[i].feature_a.kind == FeatureKind::face ||
                                     contacts[i].feature_b.kind == FeatureKind::face;
                tracks[i] = detail::track_point(sides[side_of[i]], points[i], contacts[i], is_face);
            }
        });
    return tracks;
}

}  // namespace graze
