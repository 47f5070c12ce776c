// StepGuard: lets a step go only as far as nothing crosses.
//
// Given positions without intersections and places that vertices want to reach, it finds how much
// of its way each unit may go: where features would meet, their units stop short of the time of
// impact, and what that changes is looked at again, until the whole motion, with all positions
// rounded to floats as they will be kept, is certified to be free of impacts. What does not move
// at all cannot meet, so that this ends, at worst where nothing moves.
#pragma once

#include <functional>

#include "graze/deforming.h"
#include "response/cloth_world.h"

namespace graze {

// Places the scripted vertices where they are at a part, 0 to 1, of the step.
using Script = std::function<void(double part, std::span<Vec3> places)>;

class StepGuard {
public:
    // Keeps references.
    StepGuard(ClothWorld& world, DeformingDetector& detector, const Script& script)
        : world_(world), detector_(detector), script_(script) {}

    // What all units would be if they went their whole way, and what they meet there. Where there
    // is nothing, commit() may follow.
    std::span<const Impact> try_whole_step();
    // Cuts the way of units until nothing meets; after try_whole_step(), whose answer it begins
    // with.
    void cut();
    // Positions and rigid bodies are where the last certified candidate has them.
    void commit();

    // Of the last step: units that did not go all their way; how far the script went.
    std::int64_t cut_count() const;
    double script_part() const { return parts_[kScriptUnit]; }
    // Calls of the detector in the last step.
    int round_count() const { return round_count_; }

private:
    void find_impacts();
    void place();
    void place_rigid(std::uint32_t index);
    bool moves(const Impact& impact) const;
    // False where nothing meets any more.
    bool lower_parts(int round);
    void lower_for(const Impact& impact, int round);

    ClothWorld& world_;
    DeformingDetector& detector_;
    const Script& script_;
    std::vector<double> parts_, lowered_;  // by unit: how much of its way it goes
    std::vector<Vec3> candidates_;
    std::span<const Impact> impacts_;  // on the way to the candidates; the detector's
    int round_count_ = 0;
};

}  // namespace graze
