#include "describe_comparison.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "answer_text.h"
#include "graze/names.h"
#include "terminal.h"

namespace graze::app {

namespace {

using Json = nlohmann::ordered_json;

std::string part_of(std::int64_t part, std::int64_t whole) {
    return whole > 0 ? std::to_string(part) + "/" + std::to_string(whole) : "-";
}
std::string percent(double fraction) {
    if (fraction > 0 && fraction < 0.001) return "<0.1%";
    return with_digits(100 * fraction, fraction >= 1 ? 3 : 2) + "%";
}
std::string degrees(double angle) {
    return with_digits(angle * 57.29577951308232, 2);
}

Json json_of(const Transform& pose) {
    const Vec3& p = pose.translation;
    const Quat& q = pose.rotation;
    return {{"translation", {p.x, p.y, p.z}}, {"rotation", {q.w, q.x, q.y, q.z}}};
}

template <class T>
Json json_of(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json json_of(const ComparedBody& body, const std::string& file) {
    return {{"file", file},
            {"triangle_count", body.triangle_count},
            {"size", body.size},
            {"has_inside", body.has_inside},
            {"whole_share", body.whole_share},
            {"field_error", body.field_error}};
}

Json json_of(const MethodScore& score) {
    Json poses = Json::array();
    for (const PoseScore& pose : score.poses) {
        poses.push_back({{"contact_count", pose.contact_count},
                         {"found_part_count", pose.found_part_count},
                         {"judged_count", pose.judged_count},
                         {"false_count", pose.false_count},
                         {"depth", pose.depth},
                         {"time", pose.time},
                         {"seconds", pose.seconds}});
    }
    return {{"name", score.name},
            {"method", name_of(score.method)},
            {"hint", score.hint},
            {"applies", score.applies},
            {"reason", score.reason},
            {"pair_recall", score.pair_recall()},
            {"must_count", score.must_count},
            {"missed_count", score.missed_count},
            {"graze_count", score.graze_count},
            {"found_graze_count", score.found_graze_count},
            {"apart_count", score.apart_count},
            {"false_pair_count", score.false_pair_count},
            {"part_recall", score.part_recall()},
            {"part_count", score.part_count},
            {"found_part_count", score.found_part_count},
            {"judged_count", score.judged_count},
            {"false_count", score.false_count},
            {"depth_error", json_of(score.depth_error)},
            {"normal_error", json_of(score.normal_error)},
            {"time_error", json_of(score.time_error)},
            {"seconds", score.seconds},
            {"prepare_seconds", score.prepare_seconds},
            {"memory_bytes", score.memory_bytes},
            {"worst_pose", score.worst_pose < 0 ? Json(nullptr) : Json(score.worst_pose)},
            {"poses", std::move(poses)}};
}

Json json_of_poses(const MethodComparison& found) {
    Json poses = Json::array();
    for (std::size_t i = 0; i < found.poses.size(); ++i) {
        const PoseTruth& truth = found.truths[i];
        Json pose{{"b", json_of(found.poses[i].b)},
                  {"b_end", found.poses[i].b_t1 ? json_of(*found.poses[i].b_t1) : Json(nullptr)},
                  {"touches", truth.touches},
                  {"must_be_found", truth.must_be_found},
                  {"contained", truth.has_contained},
                  {"part_count", truth.part_count},
                  {"depth", truth.depth},
                  {"time", truth.time}};
        poses.push_back(std::move(pose));
    }
    return poses;
}

}  // namespace

std::vector<std::vector<std::string>> comparison_rows(const MethodComparison& found) {
    const bool moves = !found.poses.empty() && found.poses.front().b_t1;
    std::vector<std::vector<std::string>> rows{{"method", "found", "false pairs"}};
    const std::vector<std::string> between =
        moves ? std::vector<std::string>{"off [m]"}
              : std::vector<std::string>{"parts", "false contacts", "depth off", "normal off"};
    rows[0].insert(rows[0].end(), between.begin(), between.end());
    rows[0].insert(rows[0].end(), {"ms a pair", "prepare [s]", "memory"});
    for (const MethodScore& s : found.scores) {
        if (!s.applies) {
            rows.push_back({s.name, "does not apply"});
            continue;
        }
        std::vector<std::string> row{s.name, part_of(s.must_count - s.missed_count, s.must_count),
                                     part_of(s.false_pair_count, s.apart_count)};
        if (moves) {
            row.push_back(s.time_error ? with_digits(*s.time_error, 2) : "-");
        } else {
            row.push_back(part_of(s.found_part_count, s.part_count));
            row.push_back(s.judged_count > 0 ? percent(s.false_share()) : "-");
            row.push_back(s.depth_error ? percent(*s.depth_error) : "-");
            row.push_back(s.normal_error ? degrees(*s.normal_error) : "-");
        }
        row.push_back(with_digits(1e3 * s.seconds, 3));
        row.push_back(with_digits(s.prepare_seconds, 3));
        row.push_back(s.memory_bytes > 0 ? with_bytes(s.memory_bytes) : "-");
        rows.push_back(std::move(row));
    }
    return rows;
}

std::string comparison_words(const Compared& compared) {
    const MethodComparison& found = compared.found;
    int touching_count = 0, contained_count = 0;
    for (const PoseTruth& truth : found.truths) {
        touching_count += truth.touches ? 1 : 0;
        contained_count += truth.has_contained ? 1 : 0;
    }
    std::string words = std::to_string(found.poses.size()) +
                        (found.poses.size() == 1 ? " pose" : " poses") + ", of which " +
                        std::to_string(touching_count) + " touch";
    if (contained_count > 0)
        words += ", " + std::to_string(contained_count) + " with a piece wholly inside";
    return words + "; the accuracy is " + with_digits(found.accuracy, 3) + " m";
}

std::string fault_words(const MethodComparison& found, const MethodScore& score, int pose) {
    const PoseScore& said = score.poses[static_cast<std::size_t>(pose)];
    const PoseTruth& truth = found.truths[static_cast<std::size_t>(pose)];
    if (truth.must_be_found && !said.touches()) return "misses that they touch";
    if (!truth.touches && said.touches()) return "reports contacts where they do not touch";
    std::vector<std::string> faults;
    if (!found.poses[static_cast<std::size_t>(pose)].b_t1 &&
        said.found_part_count < truth.part_count)
        faults.push_back("finds " + part_of(said.found_part_count, truth.part_count) + " parts");
    if (said.false_count > 0)
        faults.push_back(part_of(said.false_count, said.judged_count) +
                         " contacts are not on both bodies");
    if (truth.depth > found.accuracy && said.touches())
        faults.push_back("says " + with_digits(said.depth, 3) + " m deep where it is " +
                         with_digits(truth.depth, 3) + " m");
    std::string words;
    for (const std::string& fault : faults)
        words += (words.empty() ? "" : "; ") + fault;
    return words;
}

std::string to_text(const Compared& compared) {
    const MethodComparison& found = compared.found;
    std::string text = styled("Which method for " + printable(compared.file_a) + " and " +
                                  printable(compared.file_b) + "?",
                              Style::heading) +
                       "\n  " + comparison_words(compared) + "\n\n" +
                       in_columns(comparison_rows(found)) + "\n";
    for (const auto& [body, file] :
         {std::pair{&found.a, &compared.file_a}, std::pair{&found.b, &compared.file_b}}) {
        if (!body->has_inside)
            text += "  " + printable(*file) + " does not tell inside from outside: only " +
                    percent(body->whole_share) +
                    " of the points beside its surface have a whole winding number\n";
    }
    const MethodRecommendation& said = found.recommendation;
    text += styled(said.summary, said.meets_all ? Style::good : Style::attention) + "\n";
    for (const std::string& reason : said.reasons)
        text += "  - " + reason + "\n";
    if (!said.options.empty()) text += "What would change it:\n";
    for (const std::string& option : said.options)
        text += "  - " + option + "\n";
    return text;
}

Json to_json(const Compared& compared) {
    const MethodComparison& found = compared.found;
    const ComparisonOptions& options = compared.options;
    Json scores = Json::array();
    for (const MethodScore& score : found.scores)
        scores.push_back(json_of(score));
    const MethodRecommendation& said = found.recommendation;
    const MethodScore& best = found.scores[static_cast<std::size_t>(said.score)];
    return {{"a", json_of(found.a, compared.file_a)},
            {"b", json_of(found.b, compared.file_b)},
            {"recommendation",
             {{"name", best.name},
              {"method", name_of(best.method)},
              {"hint", best.hint},
              {"meets_all", said.meets_all},
              {"summary", said.summary},
              {"reasons", said.reasons},
              {"options", said.options}}},
            {"options",
             {{"poses", options.pose_count},
              {"seed", options.seed},
              {"touching", options.touching_share},
              {"placing", name_of(options.placing)},
              {"motion", name_of(options.motion)},
              {"travel", options.travel},
              {"use", name_of(options.use)},
              {"accuracy", found.accuracy},
              {"patience", options.patience},
              {"device", options.device.name()},
              {"threads", options.device.threads()},
              {"resolution", options.field.resolution}}},
            {"seconds", {{"judge", found.judge_seconds}, {"all", compared.seconds}}},
            {"methods", std::move(scores)},
            {"poses", json_of_poses(found)}};
}

}  // namespace graze::app
