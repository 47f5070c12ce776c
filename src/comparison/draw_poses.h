// draw_poses draws the poses of a comparison: the same for the same seed, everywhere.
#pragma once

#include <functional>

#include "comparison/pair_judge.h"

namespace graze {

// Calls report between poses, which may end the drawing by throwing.
std::vector<ComparedPose> draw_poses(PairJudge& judge, const JudgedBody& a, const JudgedBody& b,
                                     const ComparisonOptions& options,
                                     const std::function<void(double fraction)>& report);

}  // namespace graze
