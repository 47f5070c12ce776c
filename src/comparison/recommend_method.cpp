// The rules by which a method is recommended look at nothing but what was measured; docs/methods.md
// states them in the same order.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "graze/compare_methods.h"
#include "graze/error.h"

namespace graze {
namespace recommend_method_detail {

constexpr double kPartRecall = 0.9;
constexpr double kFalseShare = 0.05;
constexpr double kDepthError = 0.25;
constexpr double kNormalError = 0.35;  // [rad] 20 degrees
// Methods whose times differ by less are equally fast; then the preparation decides.
constexpr double kEquallyFast = 1.25;
// A method that is ready so many times sooner is worth a word.
constexpr double kMuchSooner = 4;

// A number as people write it, of about so many digits, never as a power of ten where it is large.
std::string brief(double number, int digits = 3) {
    char text[40];
    if (number >= 100) {
        std::snprintf(text, sizeof text, "%.0f", number);
    } else {
        std::snprintf(text, sizeof text, "%.*g", digits, number);
    }
    return text;
}
std::string percent(double fraction) {
    if (fraction > 0 && fraction < 0.001) return "less than 0.1%";
    return brief(100 * fraction, 2) + "%";
}
std::string of(int part, int whole, const char* what) {
    return std::to_string(part) + " of " + std::to_string(whole) + " " + what;
}

// The rules that a method breaks, each as what it does, most serious first.
struct BrokenRule {
    int severity;   // how serious; the rule's number counted from behind
    double amount;  // the more, the worse
    std::string words;
};

std::vector<BrokenRule> broken_rules(const MethodComparison& comparison, const MethodScore& score,
                                     ContactUse use) {
    std::vector<BrokenRule> broken;
    if (score.missed_count > 0)
        broken.push_back(
            {5, 1 - score.pair_recall(),
             "misses " + of(score.missed_count, score.must_count, "poses in which they touch")});
    if (score.false_pair_count > kFalseShare * score.apart_count)
        broken.push_back({4, static_cast<double>(score.false_pair_count) / score.apart_count,
                          "reports contacts in " + of(score.false_pair_count, score.apart_count,
                                                      "poses in which they are apart")});
    if (score.part_recall() < kPartRecall)
        broken.push_back({3, 1 - score.part_recall(),
                          "finds " + of(score.found_part_count, score.part_count,
                                        "separate parts of the intersections")});
    if (score.false_share() > kFalseShare)
        broken.push_back({3, score.false_share(),
                          "puts " + percent(score.false_share()) +
                              " of its contacts where the bodies do not touch"});
    if (score.time_error && *score.time_error > comparison.accuracy)
        broken.push_back(
            {3, *score.time_error / comparison.accuracy,
             "is " + brief(*score.time_error) + " m off in where the body is when they meet"});
    if (use == ContactUse::check) return broken;
    if (score.depth_error && *score.depth_error > kDepthError)
        broken.push_back(
            {2, *score.depth_error, "is " + percent(*score.depth_error) + " off in the depth"});
    if (score.normal_error && *score.normal_error > kNormalError)
        broken.push_back(
            {1, *score.normal_error,
             "is " + brief(*score.normal_error * 57.29578, 2) + " degrees off in the normal"});
    return broken;
}

std::string join(const std::vector<BrokenRule>& rules) {
    std::string text;
    for (std::size_t i = 0; i < rules.size(); ++i)
        text += (i == 0 ? "" : i + 1 == rules.size() ? " and " : ", ") + rules[i].words;
    return text;
}

// True where the first is the better choice of two that break rules: the one whose worst is less
// serious.
bool breaks_less(const std::vector<BrokenRule>& a, const std::vector<BrokenRule>& b) {
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        if (a[i].severity != b[i].severity) return a[i].severity < b[i].severity;
        if (std::fabs(a[i].amount - b[i].amount) > 1e-9) return a[i].amount < b[i].amount;
    }
    return a.size() < b.size();
}

struct Choice {
    int score = -1;
    bool meets_all = false;
    int readiest = -1;  // of those that meet all, the one that is prepared first
};

Choice choose(const MethodComparison& comparison, ContactUse use) {
    std::vector<int> good;
    Choice nearest;
    for (int i = 0; i < static_cast<int>(comparison.scores.size()); ++i) {
        const MethodScore& score = comparison.scores[static_cast<std::size_t>(i)];
        if (!score.applies) continue;
        const std::vector<BrokenRule> broken = broken_rules(comparison, score, use);
        if (broken.empty()) good.push_back(i);
        if (nearest.score < 0 ||
            breaks_less(
                broken,
                broken_rules(comparison, comparison.scores[static_cast<std::size_t>(nearest.score)],
                             use)))
            nearest.score = i;
    }
    if (good.empty()) return nearest;
    const auto score_of = [&](int i) -> const MethodScore& {
        return comparison.scores[static_cast<std::size_t>(i)];
    };
    const auto is_ready_before = [&](int i, int j) {
        return score_of(i).prepare_seconds < score_of(j).prepare_seconds;
    };
    const int readiest = *std::min_element(good.begin(), good.end(), is_ready_before);
    double least = HUGE_VAL;
    for (const int i : good)
        least = std::min(least, score_of(i).seconds);
    std::erase_if(good, [&](int i) { return score_of(i).seconds > kEquallyFast * least; });
    return {*std::min_element(good.begin(), good.end(), is_ready_before), true, readiest};
}

std::string times_as_long(const MethodScore& score, const MethodScore& best) {
    if (!(best.seconds > 0)) return "takes longer";
    return "takes " + brief(score.seconds / best.seconds, 2) + " times as long for a pair";
}

std::string reason_against(const MethodComparison& comparison, const MethodScore& score,
                           const MethodScore& best, ContactUse use) {
    if (!score.applies) return score.name + " does not apply: " + score.reason + ".";
    const std::vector<BrokenRule> broken = broken_rules(comparison, score, use);
    if (!broken.empty()) return score.name + " " + join(broken) + ".";
    if (score.seconds <= kEquallyFast * best.seconds)
        return score.name + " does as well and is about as fast, but takes " +
               brief(score.prepare_seconds) + " s to prepare, not " + brief(best.prepare_seconds) +
               " s.";
    return score.name + " does as well, but " + times_as_long(score, best) + ".";
}

std::string praise(const MethodScore& score) {
    std::string text = score.must_count > 0
                           ? "it finds all of the " + std::to_string(score.must_count) +
                                 " poses in which they touch"
                           : "it reports nothing where nothing touches";
    if (score.part_count > 0)
        text += ", " + of(score.found_part_count, score.part_count, "separate parts");
    if (score.depth_error) text += ", is " + percent(*score.depth_error) + " off in the depth";
    return text + ", and takes " + brief(1e3 * score.seconds) + " ms for a pair";
}

// What a user may change so that another method, or a better one, is recommended.
std::vector<std::string> options_of(const MethodComparison& comparison, const Choice& chosen,
                                    ContactUse use) {
    std::vector<std::string> options;
    const ContactUse other = use == ContactUse::check ? ContactUse::response : ContactUse::check;
    const Choice otherwise = choose(comparison, other);
    if (otherwise.score != chosen.score)
        options.push_back(
            (other == ContactUse::check
                 ? std::string("If only whether and where they touch matters (--use check): ")
                 : std::string("If bodies are to be pushed apart (--use response): ")) +
            comparison.scores[static_cast<std::size_t>(otherwise.score)].name + ".");
    const MethodScore& best = comparison.scores[static_cast<std::size_t>(chosen.score)];
    if (chosen.readiest >= 0) {
        const MethodScore& ready = comparison.scores[static_cast<std::size_t>(chosen.readiest)];
        if (ready.prepare_seconds * kMuchSooner < best.prepare_seconds)
            options.push_back("Where the time to prepare counts more than that for a pair: " +
                              ready.name + ", ready in " + brief(ready.prepare_seconds) +
                              " s, not " + brief(best.prepare_seconds) + " s.");
    }
    bool misses_by_field = false, misses_by_points = false, lacks_inside = false;
    for (const MethodScore& score : comparison.scores) {
        const bool has_field = score.method == Method::particles || score.method == Method::sweep;
        if (!score.applies) {
            lacks_inside = lacks_inside ||
                           (has_field && !(comparison.a.has_inside && comparison.b.has_inside));
            continue;
        }
        if (broken_rules(comparison, score, use).empty()) continue;
        misses_by_field = misses_by_field || has_field;
        misses_by_points =
            misses_by_points || (score.method == Method::sweep && !score.options.sweep.has_faces);
    }
    // The field of a mesh without an inside means nothing.
    const double error = std::max(comparison.a.has_inside ? comparison.a.field_error : 0,
                                  comparison.b.has_inside ? comparison.b.field_error : 0);
    if (misses_by_field && error > 0)
        options.push_back("A finer field (-r): those here are off by up to " + brief(error) + " m" +
                          (error > comparison.accuracy
                               ? ", more than the accuracy of " + brief(comparison.accuracy) +
                                     " m that was asked for."
                               : "."));
    if (misses_by_points)
        options.push_back(
            "Points closer together (--spacing), which narrows what can slip between those of "
            "sweep.");
    if (lacks_inside)
        options.push_back(
            "--sign shell gives a mesh without an inside a thickness, so that particles and sweep "
            "apply.");
    return options;
}

}  // namespace recommend_method_detail

MethodRecommendation recommend_method(const MethodComparison& comparison, ContactUse use) {
    using namespace recommend_method_detail;
    const Choice chosen = choose(comparison, use);
    if (chosen.score < 0) {
        std::string why;
        for (const MethodScore& score : comparison.scores)
            why += (why.empty() ? "" : "; ") + score.name + ": " + score.reason;
        throw Error("no method applies to these meshes (" + why + ")");
    }
    const MethodScore& best = comparison.scores[static_cast<std::size_t>(chosen.score)];
    MethodRecommendation recommendation;
    recommendation.score = chosen.score;
    recommendation.meets_all = chosen.meets_all;
    recommendation.summary =
        chosen.meets_all
            ? "Take " + best.name + " (" + best.hint + "): " + praise(best) + "."
            : "No method meets all that was asked for. " + best.name + " (" + best.hint +
                  ") comes nearest, but it " + join(broken_rules(comparison, best, use)) + ".";
    for (const MethodScore& score : comparison.scores) {
        if (&score != &best)
            recommendation.reasons.push_back(reason_against(comparison, score, best, use));
    }
    recommendation.options = options_of(comparison, chosen, use);
    return recommendation;
}

}  // namespace graze
