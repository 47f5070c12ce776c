#include "response/step_guard.h"

#include <algorithm>

namespace graze {

namespace {

// The fraction of the motion up to an impact that a unit does: what remains keeps features apart
// far beyond rounding, and the next steps push them farther.
constexpr double kSafeFraction = 0.7;
// A unit that may do less than this of its motion stays where it is.
constexpr double kLeastFraction = 1e-3;
// The script waits only where what it meets has stopped, or after so many rounds.
constexpr int kPatientRounds = 3;
// From these rounds on, whatever meets stops at once; the whole step is scaled, which is safe by
// the first impact; nothing moves. Of 600 steps of each large scene in scenes/ most need no round,
// and the worst one 14.
constexpr int kStopRound = 8, kScaleRound = 16, kRestRound = 20;

// The rotation at a fraction of the shortest turn.
Quatd between(const Quatd& from, const Quatd& to, double fraction) {
    const double side = from.w * to.w + from.x * to.x + from.y * to.y + from.z * to.z;
    const double sign = side < 0 ? -1 : 1, a = 1 - fraction, b = fraction * sign;
    return normalized(Quatd{a * from.w + b * to.w, a * from.x + b * to.x, a * from.y + b * to.y,
                            a * from.z + b * to.z});
}

}  // namespace

std::span<const Impact> StepGuard::try_whole_step() {
    fractions_.assign(world_.unit_count, 1);
    for (std::uint32_t unit = 0; unit < world_.unit_count; ++unit)
        if (world_.is_waiting[unit]) fractions_[unit] = 0;
    round_count_ = 0;
    move_candidates();
    find_impacts();
    return impacts_;
}

void StepGuard::find_impacts() {
    ++round_count_;
    impacts_ = detector_.find_impacts(std::span<const Vec3>(world_.positions),
                                      std::span<const Vec3>(candidates_));
}

void StepGuard::move_rigid(std::uint32_t index) {
    const RigidBody& body = world_.rigid[index];
    const double fraction = fractions_[index + 1];
    const Vec3d centre = body.centre + (body.next_centre - body.centre) * fraction;
    const Quatd rotation = between(body.rotation, body.next_rotation, fraction);
    for (std::size_t i = 0; i < body.local.size(); ++i) {
        const std::size_t vertex = body.first_vertex + i;
        candidates_[vertex] = fraction > 0
                                  ? static_cast<Vec3>(centre + rotate(rotation, body.local[i]))
                                  : world_.positions[vertex];
    }
}

void StepGuard::move_candidates() {
    candidates_ = world_.positions;
    if (script_fraction() > 0) script_(script_fraction(), candidates_);
    for (std::uint32_t i = 0; i < world_.rigid.size(); ++i)
        move_rigid(i);
    for (std::size_t v = 0; v < candidates_.size(); ++v) {
        const std::uint32_t unit = world_.units[v];
        if (unit <= world_.rigid.size() || !(fractions_[unit] > 0)) continue;
        const auto from = static_cast<Vec3d>(world_.positions[v]);
        candidates_[v] = static_cast<Vec3>(from + (world_.next[v] - from) * fractions_[unit]);
    }
}

// Features that stay where they are have not met, whatever a bound that errs on the safe side says.
bool StepGuard::is_moving(const Impact& impact) const {
    return std::any_of(std::begin(impact.vertices), std::end(impact.vertices),
                       [&](std::uint32_t v) { return candidates_[v] != world_.positions[v]; });
}

void StepGuard::lower_for(const Impact& impact, int round) {
    const double factor = round < kStopRound ? kSafeFraction * impact.time : 0;
    bool is_free = false;  // one of them can still give way
    for (const std::uint32_t v : impact.vertices) {
        const std::uint32_t unit = world_.units[v];
        is_free = is_free || (unit != kScriptUnit && fractions_[unit] > 0);
    }
    for (const std::uint32_t v : impact.vertices) {
        const std::uint32_t unit = world_.units[v];
        if (unit == kScriptUnit && is_free && round < kPatientRounds) continue;
        const double fraction = fractions_[unit] * factor;
        lowered_[unit] = std::min(lowered_[unit], fraction < kLeastFraction ? 0 : fraction);
    }
}

bool StepGuard::lower_fractions(int round) {
    lowered_ = fractions_;
    double earliest = 2;
    for (const Impact& impact : impacts_) {
        if (!is_moving(impact)) continue;
        earliest = std::min(earliest, impact.time);
        lower_for(impact, round);
    }
    if (earliest > 1) return false;
    if (round >= kScaleRound) {
        const double factor = round < kRestRound ? kSafeFraction * earliest : 0;
        for (std::size_t unit = 0; unit < fractions_.size(); ++unit)
            lowered_[unit] = std::min(lowered_[unit], fractions_[unit] * factor);
    }
    fractions_.swap(lowered_);
    return true;
}

void StepGuard::cut() {
    for (int round = 0; lower_fractions(round); ++round) {
        move_candidates();
        find_impacts();
    }
}

void StepGuard::commit() {
    world_.positions.swap(candidates_);
    for (std::size_t i = 0; i < world_.rigid.size(); ++i) {
        RigidBody& body = world_.rigid[i];
        const double fraction = fractions_[i + 1];
        body.next_centre = body.centre + (body.next_centre - body.centre) * fraction;
        body.next_rotation =
            fraction > 0 ? between(body.rotation, body.next_rotation, fraction) : body.rotation;
    }
}

std::int64_t StepGuard::cut_count() const {
    std::int64_t count = 0;
    for (std::uint32_t unit = 0; unit < world_.unit_count; ++unit)
        count += fractions_[unit] < 1 && !world_.is_waiting[unit];
    return count;
}

}  // namespace graze
