#include "response/step_guard.h"

#include <algorithm>

namespace graze {

namespace {

// Of the way to an impact that is gone: what remains keeps features apart far beyond rounding, and
// the next steps push them farther.
constexpr double kSafePart = 0.7;
// Less of a way is none.
constexpr double kLeastPart = 1e-3;
// The script waits only where what it meets has stopped, or has been cut so often.
constexpr int kPatientRounds = 3;
// From these rounds on, whatever meets stops at once; the whole step is scaled, which is safe by
// the first impact; nothing moves. Of 600 steps of each large scene in scenes/ most need no round,
// and the worst one 14.
constexpr int kStopRound = 8, kScaleRound = 16, kRestRound = 20;

// The shortest turn, by a part of it.
Quatd between(const Quatd& from, const Quatd& to, double part) {
    const double side = from.w * to.w + from.x * to.x + from.y * to.y + from.z * to.z;
    const double sign = side < 0 ? -1 : 1, a = 1 - part, b = part * sign;
    return normalized(Quatd{a * from.w + b * to.w, a * from.x + b * to.x, a * from.y + b * to.y,
                            a * from.z + b * to.z});
}

}  // namespace

std::span<const Impact> StepGuard::try_whole_step() {
    parts_.assign(world_.unit_count, 1);
    round_count_ = 0;
    place();
    find_impacts();
    return impacts_;
}

void StepGuard::find_impacts() {
    ++round_count_;
    impacts_ = detector_.find_impacts(std::span<const Vec3>(world_.positions),
                                      std::span<const Vec3>(candidates_));
}

void StepGuard::place_rigid(std::uint32_t index) {
    const RigidBody& body = world_.rigid[index];
    const double part = parts_[index + 1];
    const Vec3d centre = body.centre + (body.next_centre - body.centre) * part;
    const Quatd rotation = between(body.rotation, body.next_rotation, part);
    for (std::size_t i = 0; i < body.local.size(); ++i) {
        const std::size_t vertex = body.first_vertex + i;
        candidates_[vertex] = part > 0 ? static_cast<Vec3>(centre + rotate(rotation, body.local[i]))
                                       : world_.positions[vertex];
    }
}

void StepGuard::place() {
    candidates_ = world_.positions;
    const double script_part = parts_[kScriptUnit];
    if (script_part > 0) script_(script_part, candidates_);
    for (std::uint32_t i = 0; i < world_.rigid.size(); ++i)
        place_rigid(i);
    for (std::size_t v = 0; v < candidates_.size(); ++v) {
        const std::uint32_t unit = world_.units[v];
        if (unit <= world_.rigid.size() || !(parts_[unit] > 0)) continue;
        const auto from = static_cast<Vec3d>(world_.positions[v]);
        candidates_[v] = static_cast<Vec3>(from + (world_.next[v] - from) * parts_[unit]);
    }
}

// Features that stay where they are have not met, whatever a bound that errs on the safe side says.
bool StepGuard::moves(const Impact& impact) const {
    return std::any_of(std::begin(impact.vertices), std::end(impact.vertices),
                       [&](std::uint32_t v) { return candidates_[v] != world_.positions[v]; });
}

void StepGuard::lower_for(const Impact& impact, int round) {
    const double factor = round < kStopRound ? kSafePart * impact.time : 0;
    bool is_free = false;  // one of them can still give way
    for (const std::uint32_t v : impact.vertices) {
        const std::uint32_t unit = world_.units[v];
        is_free = is_free || (unit != kScriptUnit && parts_[unit] > 0);
    }
    for (const std::uint32_t v : impact.vertices) {
        const std::uint32_t unit = world_.units[v];
        if (unit == kScriptUnit && is_free && round < kPatientRounds) continue;
        const double part = parts_[unit] * factor;
        lowered_[unit] = std::min(lowered_[unit], part < kLeastPart ? 0 : part);
    }
}

bool StepGuard::lower_parts(int round) {
    lowered_ = parts_;
    double earliest = 2;
    for (const Impact& impact : impacts_) {
        if (!moves(impact)) continue;
        earliest = std::min(earliest, impact.time);
        lower_for(impact, round);
    }
    if (earliest > 1) return false;
    if (round >= kScaleRound) {
        const double factor = round < kRestRound ? kSafePart * earliest : 0;
        for (std::size_t unit = 0; unit < parts_.size(); ++unit)
            lowered_[unit] = std::min(lowered_[unit], parts_[unit] * factor);
    }
    parts_.swap(lowered_);
    return true;
}

void StepGuard::cut() {
    for (int round = 0; lower_parts(round); ++round) {
        place();
        find_impacts();
    }
}

void StepGuard::commit() {
    world_.positions.swap(candidates_);
    for (std::size_t i = 0; i < world_.rigid.size(); ++i) {
        RigidBody& body = world_.rigid[i];
        const double part = parts_[i + 1];
        body.next_centre = body.centre + (body.next_centre - body.centre) * part;
        body.next_rotation =
            part > 0 ? between(body.rotation, body.next_rotation, part) : body.rotation;
    }
}

std::int64_t StepGuard::cut_count() const {
    return std::count_if(parts_.begin(), parts_.end(), [](double part) { return part < 1; });
}

}  // namespace graze
