#include "comparison/score_method.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

#include "graze/error.h"
#include "graze/stop.h"
#include "parallel/stop_question.h"

namespace graze {
namespace score_method_detail {

constexpr std::size_t kJudgedContacts = 32;    // of a pose are compared with the truth
constexpr std::size_t kPlacedContacts = 2048;  // of a pose, at most, tell which parts are found
constexpr double kEnoughSeconds = 0.05;        // a call that takes as long is not repeated
constexpr int kRepeats = 3;
constexpr int kFinerParticles = 30;

// [bytes] What the program holds of its heap; 0 where nobody counts it.
std::int64_t heap_bytes() {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
    const struct mallinfo2 held = mallinfo2();
    return static_cast<std::int64_t>(held.uordblks + held.hblkhd);
#else
    return 0;
#endif
}

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

double processor_seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

template <class T>
T median(std::vector<T> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// What ends the work of a method that takes too long.
struct TooSlow {};

// Every contact, or so many that are evenly chosen.
std::vector<Contact> some_of(std::span<const Contact> contacts, std::size_t most) {
    if (contacts.size() <= most) return {contacts.begin(), contacts.end()};
    std::vector<Contact> chosen;
    chosen.reserve(most);
    for (std::size_t i = 0; i < most; ++i)
        chosen.push_back(contacts[i * contacts.size() / most]);
    return chosen;
}

// A part is found where it is the nearest to a contact that is no farther from it than it is large.
int count_found_parts(const std::vector<IntersectionPart>& parts,
                      const std::vector<Contact>& contacts, double accuracy) {
    std::vector<char> is_found(parts.size(), 0);
    for (const Contact& contact : contacts) {
        const auto at = static_cast<Vec3d>(contact.position);
        std::size_t nearest = 0;
        double least_sq = HUGE_VAL;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (distance_sq(parts[i].box, at) >= least_sq) continue;
            for (const Vec3d& point : parts[i].points) {
                const double here_sq = length_sq(point - at);
                if (here_sq < least_sq) least_sq = here_sq, nearest = i;
            }
        }
        if (!parts.empty() && std::sqrt(least_sq) <= parts[nearest].extent() + accuracy)
            is_found[nearest] = 1;
    }
    return static_cast<int>(std::count(is_found.begin(), is_found.end(), 1));
}

class Scoring {
public:
    Scoring(const ScoredBodies& bodies, const PairJudge& judge, double accuracy,
            const ComparisonOptions& options, MethodScore& score)
        : judge_(judge),
          accuracy_(accuracy),
          patience_(options.patience),
          score_(score),
          heap_at_start_(heap_bytes()),
          detector_(score.method, options.device, score.options) {
        const Clock::time_point begin = Clock::now();
        scene_.add(make_shape(bodies.a, bodies.fields.a, options));
        scene_.add(make_shape(bodies.b, bodies.fields.b, options));
        // The caller hears of it between poses, and can stop what takes long in between.
        detector_.prepare(scene_,
                          [&](double) { return !options.progress || options.progress(-1); });
        score_.prepare_seconds = seconds_since(begin);
        if (needs_field(score.method)) score_.prepare_seconds += bodies.fields.seconds;
    }

    PoseScore run(const ComparedPose& pose, const PairJudge::Verdict& verdict) {
        PoseScore result;
        const bool looks_into_step =
            score_.method == Method::sweep || score_.method == Method::features;
        std::vector<Contact> contacts;
        if (!pose.b_t1 || looks_into_step) {
            contacts = detect(pose.b, looks_into_step ? pose.b_t1 : std::nullopt, result);
        } else {
            // So it is in a loop that looks at an instant: at the start of a step, then at its end.
            contacts = detect(pose.b, std::nullopt, result);
            if (contacts.empty()) {
                contacts = detect(*pose.b_t1, std::nullopt, result);
                for (Contact& contact : contacts)
                    contact.time = 1;
            }
        }
        result.contact_count = static_cast<std::int64_t>(contacts.size());
        for (const Contact& contact : contacts) {
            result.time = std::min(result.time, static_cast<double>(contact.time));
            result.depth = std::max(result.depth, -static_cast<double>(contact.distance));
        }
        if (pose.b_t1) return result;
        result.found_part_count =
            count_found_parts(verdict.parts, some_of(contacts, kPlacedContacts), accuracy_);
        for (const Contact& contact : some_of(contacts, kJudgedContacts)) {
            ++result.judged_count;
            if (judge_.distance_off(contact.position, pose.b) > accuracy_) ++result.false_count;
            // What is hardly in the other has hardly a way out.
            if (verdict.truth.depth <= accuracy_) continue;
            result.normal_errors.push_back(
                static_cast<float>(judge_.angle_off(contact.position, contact.normal, pose.b)));
        }
        return result;
    }

    std::int64_t memory_bytes() const {
        return std::max<std::int64_t>(0, heap_bytes() - heap_at_start_);
    }

private:
    Shape make_shape(const Mesh& mesh, const std::optional<Field>& field,
                     const ComparisonOptions& options) const {
        if (needs_field(score_.method)) return Shape::from_mesh(mesh, *field);
        return Shape::from_mesh(mesh, {.field = options.field});
    }

    std::vector<Contact> detect(const Transform& b, const std::optional<Transform>& b_t1,
                                PoseScore& result) {
        if (b_t1) {
            scene_.set_motion(1, b, *b_t1);
        } else {
            scene_.set_pose(1, b);
        }
        std::span<const Contact> contacts;
        double least = HUGE_VAL, sum = 0;
        // The first call of a detector makes room.
        for (int i = is_first_ ? -1 : 0; i < kRepeats && (i <= 0 || sum < kEnoughSeconds); ++i) {
            const Clock::time_point begin = Clock::now();
            contacts = detect_in_time(begin);
            const double seconds = seconds_since(begin);
            sum += seconds;
            if (i >= 0) least = std::min(least, seconds);
        }
        is_first_ = false;
        result.seconds += least;
        return {contacts.begin(), contacts.end()};
    }

    std::span<const Contact> detect_in_time(Clock::time_point begin) {
        const StopQuestion* outer = stop_question();
        std::atomic<bool> is_late = false;
        const double worked = processor_seconds();
        const StopScope scope([&] {
            // Both, so that other work on the machine does not count.
            if (seconds_since(begin) > patience_ && processor_seconds() > worked + patience_)
                is_late = true;
            return is_late || (outer != nullptr && (*outer)());
        });
        try {
            return detector_.detect(scene_);
        } catch (const Stopped&) {
            if (is_late) throw TooSlow();
            throw;
        }
    }

    const PairJudge& judge_;
    double accuracy_, patience_;
    MethodScore& score_;
    std::int64_t heap_at_start_;
    Detector detector_;
    Scene scene_;
    bool is_first_ = true;
};

// How wrong a method is about a pose: what is missed before what is invented, and that before what
// is inexact.
double wrongness(const PoseScore& pose, const PoseTruth& truth, double accuracy) {
    double wrong = 0;
    if (truth.must_be_found && !pose.touches()) wrong += 100;
    if (!truth.touches && pose.touches()) wrong += 50;
    if (truth.part_count > 0)
        wrong += 10.0 * (truth.part_count - pose.found_part_count) / truth.part_count;
    if (pose.judged_count > 0) wrong += 5.0 * pose.false_count / pose.judged_count;
    if (truth.depth > accuracy && pose.touches())
        wrong += std::min(4.0, std::fabs(pose.depth - truth.depth) / truth.depth);
    return wrong;
}

void add_up(const std::vector<ComparedPose>& poses, const std::vector<PairJudge::Verdict>& verdicts,
            double accuracy, MethodScore& score) {
    std::vector<double> depth_errors, time_errors, seconds;
    std::vector<float> normal_errors;
    double worst = 0.05;
    for (std::size_t i = 0; i < poses.size(); ++i) {
        const PoseScore& pose = score.poses[i];
        const PoseTruth& truth = verdicts[i].truth;
        score.must_count += truth.must_be_found;
        score.missed_count += truth.must_be_found && !pose.touches();
        score.graze_count += truth.touches && !truth.must_be_found;
        score.found_graze_count += truth.touches && !truth.must_be_found && pose.touches();
        score.apart_count += !truth.touches;
        score.false_pair_count += !truth.touches && pose.touches();
        score.judged_count += pose.judged_count;
        score.false_count += pose.false_count;
        if (!poses[i].b_t1) {
            score.part_count += truth.part_count;
            score.found_part_count += pose.found_part_count;
            if (truth.depth > accuracy && pose.touches())
                depth_errors.push_back(std::fabs(pose.depth - truth.depth) / truth.depth);
            normal_errors.insert(normal_errors.end(), pose.normal_errors.begin(),
                                 pose.normal_errors.end());
        } else if (truth.touches && pose.touches()) {
            const double way =
                length(static_cast<Vec3d>(poses[i].b_t1->translation - poses[i].b.translation));
            time_errors.push_back(std::fabs(pose.time - truth.time) * way);
        }
        seconds.push_back(pose.seconds);
        if (const double wrong = wrongness(pose, truth, accuracy); wrong > worst) {
            worst = wrong;
            score.worst_pose = static_cast<int>(i);
        }
    }
    if (!depth_errors.empty()) score.depth_error = median(depth_errors);
    if (!time_errors.empty()) score.time_error = median(time_errors);
    if (!normal_errors.empty()) score.normal_error = median(normal_errors);
    if (!seconds.empty()) score.seconds = median(seconds);
}

MethodScore make_score(const char* name, const char* hint, Method method) {
    MethodScore score;
    score.name = name;
    score.hint = hint;
    score.method = method;
    // There is no step before a pose.
    score.options.rays.is_iterative = false;
    return score;
}

}  // namespace score_method_detail

bool needs_field(Method method) {
    return method == Method::particles || method == Method::sweep;
}

std::vector<MethodScore> list_methods(const JudgedBody& a, const JudgedBody& b,
                                      const ComparisonOptions& options) {
    using namespace score_method_detail;
    std::vector<MethodScore> scores{
        make_score("particles", "--method particles", Method::particles),
        make_score("particles, 30", "--method particles -n 30", Method::particles),
        make_score("sweep", "--method sweep", Method::sweep),
        make_score("sweep, faces", "--method sweep --faces", Method::sweep),
        make_score("rays", "--method rays", Method::rays),
        make_score("features", "--method features", Method::features)};
    scores[1].options.particles.resolution = kFinerParticles;
    scores[3].options.sweep.has_faces = true;
    // A shell is a solid around any surface.
    const bool is_shell = options.field.sign == FieldSign::shell;
    const bool has_a = a.has_inside() || is_shell, has_b = b.has_inside() || is_shell;
    const std::string which =
        !a.has_inside() ? (b.has_inside() ? "the first" : "neither") : "the second";
    const std::string fault = which == "neither"
                                  ? "neither mesh tells inside from outside"
                                  : which + " mesh does not tell inside from outside";
    for (MethodScore& score : scores) {
        const bool needs_both = score.method == Method::particles;
        if (needs_both) score.applies = has_a && has_b;
        if (score.method == Method::rays) score.applies = a.has_inside() && b.has_inside();
        if (score.method == Method::sweep) {
            score.applies = has_a || has_b;
            // Only the field of a body with an inside is worth following points through.
            if (has_a && !has_b) score.options.sweep.roles = SweepRoles::points_of_b;
            if (has_b && !has_a) score.options.sweep.roles = SweepRoles::points_of_a;
            if (options.motion == ComparedMotion::straight)
                score.options.sweep.motion = SweepMotion::straight;
        }
        if (!score.applies) score.reason = fault;
    }
    return scores;
}

void score_method(const ScoredBodies& bodies, const std::vector<ComparedPose>& poses,
                  const std::vector<PairJudge::Verdict>& verdicts, const PairJudge& judge,
                  double accuracy, const ComparisonOptions& options, MethodScore& score,
                  const std::function<void(double fraction)>& report) {
    using namespace score_method_detail;
    if (needs_field(score.method) && !bodies.fields.fault.empty()) {
        score.applies = false;
        score.reason = bodies.fields.fault;
        return;
    }
    Scoring scoring(bodies, judge, accuracy, options, score);
    try {
        for (std::size_t i = 0; i < poses.size(); ++i) {
            report(static_cast<double>(i) / static_cast<double>(poses.size()));
            score.poses.push_back(scoring.run(poses[i], verdicts[i]));
        }
    } catch (const TooSlow&) {
        score.poses.clear();
        score.applies = false;
        char text[60];
        std::snprintf(text, sizeof text, "it takes more than %.3g s for a pair", options.patience);
        score.reason = text;
        return;
    }
    score.memory_bytes = scoring.memory_bytes();
    if (needs_field(score.method)) score.memory_bytes += bodies.fields.memory_bytes;
    add_up(poses, verdicts, accuracy, score);
}

}  // namespace graze
