// StepGuard: lets a step go only as far as nothing crosses.
//
// Given positions without intersections and positions that vertices want to reach, it finds which
// fraction of its motion each unit may do: where features would meet, their units stop short of the
// time of impact, and what that changes is looked at again, until the whole motion, with all
// positions rounded to floats as they will be kept, is certified to be free of impacts. What does
// not move at all cannot meet, so that this ends, at worst where nothing moves.
#pragma once

#include <functional>

#include "graze/deforming.h"
#include "response/cloth_world.h"

namespace graze {

// Puts the scripted vertices where they are at a fraction, 0 to 1, of the step.
using Script = std::function<void(double fraction, std::span<Vec3> positions)>;

class StepGuard {
public:
    // Keeps references.
    StepGuard(ClothWorld& world, DeformingDetector& detector, const Script& script)
        : world_(world), detector_(detector), script_(script) {}

    // Lets all units do their whole motion, and returns what they meet on it. Where that is
    // nothing, commit() may follow.
    std::span<const Impact> try_whole_step();
    // Cuts the motion of units until nothing meets. It follows try_whole_step(), whose impacts it
    // begins with.
    void cut();
    // Moves positions and rigid bodies to the last candidate, which is certified.
    void commit();

    // try_whole_step() or cut() would take the vertices here [m].
    std::span<const Vec3> candidates() const { return candidates_; }
    // Counts the units that did not do their whole motion in the last step.
    std::int64_t cut_count() const;
    // The fraction of the last step that the script did.
    double script_fraction() const { return fractions_[kScriptUnit]; }
    // The fraction of its motion that a unit did in the last step.
    double fraction_of(std::uint32_t unit) const { return fractions_[unit]; }
    // Counts the calls of the detector in the last step.
    int round_count() const { return round_count_; }

private:
    void find_impacts();
    void move_candidates();
    void move_rigid(std::uint32_t index);
    bool is_moving(const Impact& impact) const;
    // Shortens the motion of units that meet; false where nothing meets any more.
    bool lower_fractions(int round);
    void lower_for(const Impact& impact, int round);

    ClothWorld& world_;
    DeformingDetector& detector_;
    const Script& script_;
    std::vector<double> fractions_, lowered_;  // by unit: of its motion, that it does
    std::vector<Vec3> candidates_;
    std::span<const Impact> impacts_;  // on the way to the candidates; owned by the detector
    int round_count_ = 0;
};

}  // namespace graze
