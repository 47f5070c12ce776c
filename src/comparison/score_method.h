// score_method: how a method does at the poses of a comparison.
#pragma once

#include <functional>

#include "comparison/pair_judge.h"

namespace graze {

// Fields that several methods share, built once; none where a method needs them and they could not
// be built.
struct ComparedFields {
    std::optional<Field> a, b;
    double seconds = 0;
    std::int64_t memory_bytes = 0;
    std::string fault;  // why there are none
};

// The methods with their options that are compared, each with why it does not apply where it does
// not.
std::vector<MethodScore> list_methods(const JudgedBody& a, const JudgedBody& b,
                                      const ComparisonOptions& options);
// True for methods on distance fields.
bool needs_field(Method method);

struct ScoredBodies {
    const Mesh &a, &b;
    const JudgedBody &judged_a, &judged_b;
    const ComparedFields& fields;
};

// Runs the method of the score at all poses and fills the score in. report is called between poses,
// and may end the work by throwing.
void score_method(const ScoredBodies& bodies, const std::vector<ComparedPose>& poses,
                  const std::vector<PairJudge::Verdict>& verdicts, const PairJudge& judge,
                  double accuracy, const ComparisonOptions& options, MethodScore& score,
                  const std::function<void(double fraction)>& report);

}  // namespace graze
