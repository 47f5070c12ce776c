#include "graze/compare_methods.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "comparison/draw_poses.h"
#include "comparison/score_method.h"
#include "graze/error.h"
#include "graze/field_summary.h"
#include "graze/stop.h"

namespace graze {
namespace compare_methods_detail {

constexpr double kAccuracy = 0.005;  // of the smaller body
constexpr int kMostPoses = 10'000;

// How far all of the work is, and whether to go on.
class WorkDone {
public:
    explicit WorkDone(const Progress& progress) : progress_(progress) {}

    // The next piece of the work is so much of all of it.
    void begin(double share) {
        done_ = std::min(1.0, done_ + share_);
        share_ = share;
        show(0);
    }
    void show(double fraction) const {
        if (!progress_ || progress_(done_ + share_ * std::clamp(fraction, 0.0, 1.0))) return;
        throw Error("the comparison was stopped, as was asked for");
    }
    // For work that only says how far it itself is: goes on until it is stopped.
    Progress within() const {
        return [this](double fraction) {
            return !progress_ || progress_(done_ + share_ * std::clamp(fraction, 0.0, 1.0));
        };
    }

private:
    const Progress& progress_;
    double done_ = 0, share_ = 0;
};

void check_mesh(const Mesh& mesh, const char* which) {
    try {
        validate(mesh);
    } catch (const Error& error) {
        throw Error(std::string("the ") + which + " mesh: " + error.what());
    }
    if (mesh.triangles.empty())
        throw Error(std::string("the ") + which +
                    " mesh has no triangles; give one with a surface");
}

void check_options(const ComparisonOptions& options) {
    if (options.pose_count < 1 || options.pose_count > kMostPoses) {
        throw Error("a comparison of " + std::to_string(options.pose_count) +
                    " poses: choose 1 to " + std::to_string(kMostPoses));
    }
    if (!(options.touching_share >= 0 && options.touching_share <= 1))
        throw Error("the share of poses that touch must be from 0 to 1");
    if (!(options.travel > 0 && options.travel <= 1000))
        throw Error("the travel of a step must be above 0 and at most 1000 sizes of a body");
    if (!(options.patience > 0 && std::isfinite(options.patience)))
        throw Error("the patience must be a time above 0, in seconds");
    if (!(options.accuracy >= 0 && std::isfinite(options.accuracy)))
        throw Error("the accuracy must be a length in metres, or 0 for one that fits the bodies");
}

ComparedFields build_fields(const Mesh& a, const Mesh& b, const ComparisonOptions& options,
                            const WorkDone& work) {
    ComparedFields fields;
    FieldOptions field = options.field;
    field.device = options.device;
    const auto begin = std::chrono::steady_clock::now();
    const Progress progress = work.within();
    bool is_stopped = false;
    double half = 0;
    field.progress = [&](double fraction) {
        is_stopped = !progress(half + 0.5 * fraction);
        return !is_stopped;
    };
    try {
        fields.a = build_field(a, field);
        half = 0.5;
        fields.b = build_field(b, field);
    } catch (const Stopped&) {
        throw;
    } catch (const Error& error) {
        if (is_stopped) throw;
        fields.fault = std::string("no field can be built: ") + error.what();
        return fields;
    }
    fields.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    fields.memory_bytes = summarize(*fields.a).memory_bytes + summarize(*fields.b).memory_bytes;
    return fields;
}

ComparedBody describe(const Mesh& mesh, const JudgedBody& judged,
                      const std::optional<Field>& field) {
    ComparedBody body;
    body.triangle_count = static_cast<std::int64_t>(mesh.triangles.size());
    body.size = judged.size();
    body.has_inside = judged.has_inside();
    body.whole_share = judged.whole_share();
    if (field) body.field_error = field->error();
    return body;
}

}  // namespace compare_methods_detail

double MethodScore::pair_recall() const {
    return must_count > 0 ? 1 - static_cast<double>(missed_count) / must_count : 1;
}
double MethodScore::part_recall() const {
    return part_count > 0 ? static_cast<double>(found_part_count) / part_count : 1;
}
double MethodScore::false_share() const {
    return judged_count > 0 ? static_cast<double>(false_count) / static_cast<double>(judged_count)
                            : 0;
}

MethodComparison compare_methods(const Mesh& a, const Mesh& b, const ComparisonOptions& options) {
    using namespace compare_methods_detail;
    check_options(options);
    check_mesh(a, "first");
    check_mesh(b, "second");
    WorkDone work(options.progress);
    MethodComparison comparison;
    const auto judging = std::chrono::steady_clock::now();
    CpuExecutor executor(options.device.threads());
    const JudgedBody judged_a(executor, a), judged_b(executor, b);
    const double smaller = std::min(judged_a.size(), judged_b.size());
    if (!(smaller > 0)) throw Error("a mesh is no larger than a point; give one with a surface");
    comparison.accuracy = options.accuracy > 0 ? options.accuracy : kAccuracy * smaller;
    PairJudge judge(judged_a, judged_b, comparison.accuracy, options.device);

    work.begin(0.15);
    const auto report = [&](double fraction) { work.show(fraction); };
    comparison.poses = draw_poses(judge, judged_a, judged_b, options, report);
    work.begin(0.15);
    std::vector<PairJudge::Verdict> verdicts;
    for (const ComparedPose& pose : comparison.poses) {
        report(static_cast<double>(verdicts.size()) / static_cast<double>(comparison.poses.size()));
        verdicts.push_back(judge.judge(pose));
        comparison.truths.push_back(verdicts.back().truth);
    }
    comparison.judge_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - judging).count();

    comparison.scores = list_methods(judged_a, judged_b, options);
    work.begin(0.3);
    ComparedFields fields;
    const bool has_field_methods =
        std::any_of(comparison.scores.begin(), comparison.scores.end(),
                    [](const MethodScore& s) { return s.applies && needs_field(s.method); });
    if (has_field_methods) fields = build_fields(a, b, options, work);
    ComparisonOptions within = options;
    within.progress = [&](double) { return !options.progress || work.within()(0); };
    const ScoredBodies bodies{a, b, judged_a, judged_b, fields};
    for (MethodScore& score : comparison.scores) {
        work.begin(0.4 / static_cast<double>(comparison.scores.size()));
        if (score.applies) {
            score_method(bodies, comparison.poses, verdicts, judge, comparison.accuracy, within,
                         score, report);
        }
    }
    comparison.a = describe(a, judged_a, fields.a);
    comparison.b = describe(b, judged_b, fields.b);
    comparison.recommendation = recommend_method(comparison, options.use);
    return comparison;
}

}  // namespace graze
