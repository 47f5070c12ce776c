#include "crossing_search.h"

#include <algorithm>
#include <cmath>

namespace graze::bullet {

namespace {

constexpr int kMaxChords = 64;

// Interpolated samples may rise by a little more than the distance does.
constexpr float kSteepest = 1.1f;

// [m] Where a point of a body is at a time, in the frame of the field, and in the world.
Vec3 in_field(const Vec3& local, const StepMotion& of_point, const StepMotion& of_field,
              float time) {
    return transform_point(inverse(of_field.at(time)), transform_point(of_point.at(time), local));
}

}  // namespace

SegmentSearch& CrossingSearch::search_of(const Shape& shape) {
    const auto found = known_.find(shape.id());
    if (found != known_.end()) return found->second.search;
    return known_.emplace(shape.id(), Known{shape, SegmentSearch(shape.field(), device_)})
        .first->second.search;
}

void CrossingSearch::find_suspects(std::span<const Contact> contacts, const Side& side, float gap,
                                   float slop) {
    suspects_.clear();
    float bend = 0;
    const float turn_f = length(side.of_field.turn());
    const float turn = length(side.of_point.turn()) + turn_f;
    const float way = length(side.of_point.move() - side.of_field.move());
    const Vec3 origin = side.of_point.at(0).translation;
    const float apart = length(origin - side.of_field.at(0).translation) + way;
    for (std::uint32_t i = 0; i < contacts.size(); ++i) {
        const Contact& contact = contacts[i];
        const bool is_of_a = contact.feature_a.kind != FeatureKind::none;
        const bool is_of_b = contact.feature_b.kind != FeatureKind::none;
        if (is_of_a == is_of_b || is_of_a != side.has_points_of_a) continue;
        const Transform pose = side.of_point.at(contact.time);
        const Vec3 local = transform_point(inverse(pose), contact.position);
        const float arm = length(local) * pose.scale;
        const float reach = way + turn_f * apart + turn * arm;
        const float value = contact.time > 0 ? gap : contact.distance;
        // The level is below the value at t0 by a quarter of slop at least.
        const float below = (slop / 4 - std::min(value, 0.0f) - slop) / (slop / 2);
        const int level = below > 0 ? static_cast<int>(std::ceil(below)) : 0;
        const float depth = -slop * (1 + 0.5f * static_cast<float>(level));
        if (reach * kSteepest * (1 - contact.time) < value - depth) continue;
        suspects_.push_back({i, local, level});
        bend = std::max(bend, 2 * turn_f * way + turn_f * turn_f * apart + turn * turn * arm);
    }
    // A chord over a fraction h of the step is off by bend h^2 / 8.
    chord_count_ = std::clamp(static_cast<int>(std::ceil(std::sqrt(bend / slop))), 1, kMaxChords);
    std::stable_sort(suspects_.begin(), suspects_.end(),
                     [](const Suspect& a, const Suspect& b) { return a.level < b.level; });
}

void CrossingSearch::search(std::span<const Contact> contacts, const Side& side, float slop) {
    const float scale = side.of_field.at(0).scale;
    std::size_t begin = 0;
    while (begin < suspects_.size()) {
        const int level = suspects_[begin].level;
        std::size_t end = begin;
        segments_.clear();
        for (; end < suspects_.size() && suspects_[end].level == level; ++end) {
            const Suspect& suspect = suspects_[end];
            const float first = contacts[suspect.contact].time;
            Vec3 from = in_field(suspect.local, side.of_point, side.of_field, first);
            for (int k = 1; k <= chord_count_; ++k) {
                const float time =
                    first + (1 - first) * static_cast<float>(k) / static_cast<float>(chord_count_);
                const Vec3 to = in_field(suspect.local, side.of_point, side.of_field, time);
                segments_.push_back({from, to});
                from = to;
            }
        }
        const float depth = -slop * (1 + 0.5f * static_cast<float>(level)) / scale;
        const auto times = search_of(side.field).find_first_times(segments_, {.level = depth});
        for (std::size_t i = begin; i < end; ++i) {
            const auto chords = static_cast<std::size_t>(chord_count_);
            for (std::size_t k = 0; k < chords; ++k) {
                const float found = times[(i - begin) * chords + k];
                if (!(found <= 1)) continue;
                const Suspect& suspect = suspects_[i];
                const Contact& contact = contacts[suspect.contact];
                Crossing crossing;
                crossing.contact = suspect.contact;
                crossing.time = std::min(1.0f, contact.time + (1 - contact.time) *
                                                                  (static_cast<float>(k) + found) /
                                                                  static_cast<float>(chords));
                const Transform pose = side.of_field.at(crossing.time);
                crossing.position = transform_point(side.of_point.at(crossing.time), suspect.local);
                const FieldValue value =
                    side.field.field().evaluate(transform_point(inverse(pose), crossing.position));
                crossing.distance = value.distance * scale;
                crossing.least = contact.time > 0 ? 0 : std::min(contact.distance, 0.0f);
                const Vec3 gradient = transform_direction(pose, value.gradient);
                crossing.normal = side.has_points_of_a ? gradient : -gradient;
                crossings_.push_back(crossing);
                break;
            }
        }
        begin = end;
    }
}

std::span<const Crossing> CrossingSearch::find(std::span<const Contact> contacts,
                                               const Shape& shape_a, const StepMotion& motion_a,
                                               const Shape& shape_b, const StepMotion& motion_b,
                                               float gap, float slop) {
    crossings_.clear();
    for (const Side& side :
         {Side{motion_a, motion_b, shape_b, true}, Side{motion_b, motion_a, shape_a, false}}) {
        find_suspects(contacts, side, gap, slop);
        if (!suspects_.empty()) search(contacts, side, slop);
    }
    std::stable_sort(crossings_.begin(), crossings_.end(),
                     [](const Crossing& a, const Crossing& b) { return a.contact < b.contact; });
    return crossings_;
}

}  // namespace graze::bullet
