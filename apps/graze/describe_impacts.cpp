#include "describe_impacts.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "answer_text.h"
#include "graze/names.h"
#include "terminal.h"

namespace graze::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kCrossedRows = 5;

std::string text_of(std::uint32_t number) {
    return std::to_string(number);
}

std::string milliseconds(double seconds) {
    return with_digits(1e3 * seconds, 3);
}

std::string name_of_file(const std::string& file) {
    return printable(std::filesystem::path(file).filename().string());
}

// Writes as many digits as it takes to get the same float back.
std::string exact_number(float number) {
    return with_digits(static_cast<double>(number), 9);
}

Json time_json(const std::optional<double>& time) {
    return time ? Json(*time) : Json(nullptr);
}
std::string time_text(const std::optional<double>& time) {
    return time ? with_digits(*time) : "none";
}

Json options_json(const ImpactSettings& settings) {
    const DeformingRequest& request = settings.request;
    return {{"device", settings.device},
            {"threads", request.threads},
            {"search", name_of(request.options.pair_search)},
            {"solver", name_of(request.options.solver)},
            {"min_separation", request.options.min_separation},
            {"positions", settings.has_floats ? "float" : "double"}};
}

Json report_json(const DeformingReport& report) {
    return {{"search", name_of(report.pair_search)},
            {"element_pair_count", report.element_pair_count},
            {"vertex_face_candidate_count", report.vertex_face_count},
            {"edge_edge_candidate_count", report.edge_edge_count},
            {"exhausted_count", report.exhausted_count},
            {"slice_count", report.slice_count}};
}

Json seconds_json(const StepImpacts& step) {
    Json stages = Json::object();
    for (const DeformingReport::Stage& stage : step.report.stages)
        stages[stage.name] = stages.value(stage.name, 0.0) + stage.seconds;
    return {{"load", step.load_seconds},
            {"detect", step.detect_seconds},
            {"stages", std::move(stages)}};
}

std::string kind_of(const Impact& impact) {
    return impact.is_vertex_face() ? "vertex-face" : "edge-edge";
}

std::string table(const StepImpacts& step) {
    const std::span<const Impact> impacts = step.first.all();
    std::vector<std::vector<std::string>> rows{
        {"time", "kind", "what", "meets", "normal x", "y", "z"}};
    for (const Impact& impact : impacts) {
        const std::uint32_t* v = impact.vertices;
        const auto edge = [&](int first) {
            return text_of(v[first]) + "-" + text_of(v[first + 1]);
        };
        const bool is_face = impact.is_vertex_face();
        rows.push_back(
            {with_digits(impact.time), kind_of(impact), is_face ? text_of(v[0]) : edge(0),
             is_face ? "face " + text_of(impact.face) : edge(2), with_digits(impact.normal.x, 4),
             with_digits(impact.normal.y, 4), with_digits(impact.normal.z, 4)});
    }
    const bool are_all = static_cast<std::int64_t>(impacts.size()) == step.impact_count();
    return "\n  " + std::string(are_all ? "all " : "the earliest ") +
           std::to_string(impacts.size()) + ":\n" + in_columns(rows);
}

std::string crossed_text(std::span<const TriangleIntersection> crossed) {
    std::string text = "\n  cross at the beginning already, faces:\n   ";
    for (std::size_t i = 0; i < std::min(kCrossedRows, crossed.size()); ++i)
        text += " " + text_of(crossed[i].a) + "-" + text_of(crossed[i].b);
    return text + (crossed.size() > kCrossedRows ? " ...\n" : "\n");
}

Json head_json(const ImpactSettings& settings) {
    return {{"vertex_count", settings.vertex_count}, {"triangle_count", settings.triangle_count}};
}

template <class List>
std::int64_t count_of(const List& list) {
    return static_cast<std::int64_t>(list.size());
}

// The pairs come last, and as text: there may be millions.
std::string with_crossed(const Json& object, const TimelineRow& row) {
    std::string text = object.dump(-1, ' ', false, Json::error_handler_t::replace);
    text.back() = ',';
    text += "\"crossed\":[";
    for (const IndexedPair& pair : row.intersecting)
        text += (text.back() == '[' ? "[" : ",[") + text_of(pair.a) + "," + text_of(pair.b) + "]";
    return text + "]}";
}
// The last column: "," and the pairs as a-b, with a space between them.
std::string crossed_cell(const TimelineRow& row) {
    std::string text;
    for (const IndexedPair& pair : row.intersecting)
        text += (text.empty() ? "" : " ") + text_of(pair.a) + "-" + text_of(pair.b);
    return "," + text;
}

}  // namespace

void FirstImpacts::add(std::span<const Impact> piece) {
    const auto is_before = [](double time, const Impact& impact) { return time < impact.time; };
    for (const Impact& impact : piece) {
        if (impacts_.size() == kMost && !(impact.time < impacts_.back().time)) continue;
        if (impacts_.size() == kMost) impacts_.pop_back();
        impacts_.insert(std::upper_bound(impacts_.begin(), impacts_.end(), impact.time, is_before),
                        impact);
    }
}

std::string to_text(const StepImpacts& step) {
    const std::string names = printable(step.file_t0) + " to " + printable(step.file_t1);
    std::vector<std::pair<std::string, std::string>> rows;
    if (!step.is_earliest_only) {
        rows.emplace_back("impacts", with_separators(step.impact_count()));
        rows.emplace_back("of vertices and faces", with_separators(step.totals.vertex_face_count));
        rows.emplace_back("of edges and edges", with_separators(step.totals.edge_edge_count));
    }
    if (!step.crossed.empty())
        rows.emplace_back("crossed at the start",
                          with_separators(static_cast<std::int64_t>(step.crossed.size())) +
                              (step.crossed.size() == 1 ? " pair" : " pairs") + " of faces");
    rows.emplace_back("earliest time", time_text(step.earliest));
    rows.emplace_back("pairs looked at",
                      with_separators(step.report.vertex_face_count) + " vertex-face, " +
                          with_separators(step.report.edge_edge_count) + " edge-edge");
    if (step.report.exhausted_count > 0)
        rows.emplace_back("out of iterations",
                          with_separators(step.report.exhausted_count) + ", counted as impacts");
    rows.emplace_back("search", name_of(step.report.pair_search));
    rows.emplace_back("positions", step.settings.has_floats ? "float" : "double");
    rows.emplace_back("time", milliseconds(step.detect_seconds) + " ms on " + step.settings.device +
                                  ", files not counted");
    const std::string heading = names + (step.earliest ? ": something meets" : ": nothing meets");
    std::string text = styled(heading, Style::heading) + "\n" + in_rows(rows);
    if (!step.crossed.empty()) text += crossed_text(step.crossed);
    if (!step.first.all().empty()) text += table(step);
    return text;
}

namespace {

// Gives impacts one by one.
class ImpactReader {
public:
    explicit ImpactReader(const NextImpacts& next) : next_(next) {}
    const Impact& take() {
        if (taken_ == piece_.size()) {
            piece_ = next_();
            taken_ = 0;
        }
        return piece_[taken_++];
    }

private:
    const NextImpacts& next_;
    std::span<const Impact> piece_;
    std::size_t taken_ = 0;
};

void append_csv(const Impact& impact, std::string& text) {
    text += kind_of(impact);
    for (const std::uint32_t vertex : impact.vertices)
        text += "," + text_of(vertex);
    text +=
        "," + (impact.is_vertex_face() ? text_of(impact.face) : "") + "," + shortest(impact.time);
    for (const float number : {impact.normal.x, impact.normal.y, impact.normal.z})
        text += "," + exact_number(number);
    for (const float weight : impact.weights)
        text += "," + exact_number(weight);
    text += ",\n";
}

}  // namespace

void write_json(const StepImpacts& step, const NextImpacts& next, const WriteBytes& write) {
    Json object{{"t0", step.file_t0}, {"t1", step.file_t1}};
    object.update(head_json(step.settings));
    object["earliest_time"] = time_json(step.earliest);
    object["crossed_count"] = step.crossed.size();
    std::vector<JsonList> lists{{"crossed", step.crossed.size(), [&](std::size_t i) {
                                     return json_row(
                                         {text_of(step.crossed[i].a), text_of(step.crossed[i].b)});
                                 }}};
    ImpactReader impacts(next);
    if (!step.is_earliest_only) {
        const ImpactTotals& totals = step.totals;
        object["impact_count"] = step.impact_count();
        object["vertex_face_count"] = totals.vertex_face_count;
        object["edge_edge_count"] = totals.edge_edge_count;
        lists.push_back(
            {"vertex_face", static_cast<std::size_t>(totals.vertex_face_count), [&](std::size_t) {
                 const Impact& impact = impacts.take();
                 return json_row(
                     {text_of(impact.vertices[0]), text_of(impact.face), shortest(impact.time)});
             }});
        lists.push_back(
            {"edge_edge", static_cast<std::size_t>(totals.edge_edge_count), [&](std::size_t) {
                 const Impact& impact = impacts.take();
                 const std::uint32_t* v = impact.vertices;
                 return json_row({text_of(v[0]), text_of(v[1]), text_of(v[2]), text_of(v[3]),
                                  shortest(impact.time)});
             }});
    }
    object["options"] = options_json(step.settings);
    object["report"] = report_json(step.report);
    object["seconds"] = seconds_json(step);
    write_with_rows(object, lists, write);
}

void write_csv(const StepImpacts& step, const NextImpacts& next, const WriteBytes& write) {
    if (step.is_earliest_only)
        return write("earliest_time\n" + (step.earliest ? shortest(*step.earliest) : "") + "\n");
    write(
        "kind,v0,v1,v2,v3,face,time,normal_x,normal_y,normal_z,weight_0,weight_1,weight_2,"
        "weight_3,other_face\n");
    for (const TriangleIntersection& pair : step.crossed)
        write("crossed,,,,," + text_of(pair.a) + ",0,,,,,,,," + text_of(pair.b) + "\n");
    std::string text;
    for (std::span<const Impact> piece = next(); !piece.empty(); piece = next()) {
        for (const Impact& impact : piece) {
            text.clear();
            append_csv(impact, text);
            write(text);
        }
    }
}

std::string to_text(const Timeline& timeline) {
    std::vector<std::vector<std::string>> table{
        {"frame", "file", "intersecting", "impacts", "earliest", "ms"}};
    for (std::size_t i = 0; i < timeline.rows.size(); ++i) {
        const TimelineRow& row = timeline.rows[i];
        std::vector<std::string> cells{std::to_string(i), name_of_file(row.file),
                                       with_separators(count_of(row.intersecting))};
        if (i + 1 < timeline.rows.size()) {
            const std::int64_t count = row.totals.vertex_face_count + row.totals.edge_edge_count;
            cells.push_back(timeline.is_earliest_only ? "-" : with_separators(count));
            cells.push_back(time_text(row.earliest));
            cells.push_back(milliseconds(row.detect_seconds));
        }
        table.push_back(std::move(cells));
    }
    return styled(printable(timeline.folder), Style::heading) + "\n" +
           in_rows({{"frames", std::to_string(timeline.rows.size())},
                    {"vertices", with_separators(timeline.settings.vertex_count)},
                    {"triangles", with_separators(timeline.settings.triangle_count)},
                    {"positions", timeline.settings.has_floats ? "float" : "double"},
                    {"device", timeline.settings.device}}) +
           "\n" + in_columns(table) +
           "\n  intersecting: pairs of triangles that cross at the frame; the rest is the step to "
           "the next\n";
}

void write_json(const Timeline& timeline, const WriteBytes& write) {
    Json object{{"folder", timeline.folder}, {"frame_count", timeline.rows.size()}};
    object.update(head_json(timeline.settings));
    object["options"] = options_json(timeline.settings);
    const auto step_row = [&](std::size_t i) {
        const TimelineRow& row = timeline.rows[i];
        Json step{{"frame", i}, {"t0", row.file}, {"t1", timeline.rows[i + 1].file}};
        if (!timeline.is_earliest_only) {
            step["impact_count"] = row.totals.vertex_face_count + row.totals.edge_edge_count;
            step["vertex_face_count"] = row.totals.vertex_face_count;
            step["edge_edge_count"] = row.totals.edge_edge_count;
        }
        step["earliest_time"] = time_json(row.earliest);
        step["intersecting_pair_count"] = row.intersecting.size();
        step["milliseconds"] = 1e3 * row.detect_seconds;
        step["intersect_milliseconds"] = 1e3 * row.intersect_seconds;
        return with_crossed(step, row);
    };
    const auto last_frame = [&](std::size_t) {
        const TimelineRow& last = timeline.rows.back();
        return with_crossed(
            {{"file", last.file}, {"intersecting_pair_count", last.intersecting.size()}}, last);
    };
    write_with_rows(object,
                    {{"steps", timeline.rows.size() - 1, step_row},
                     {"last_frame", 1, last_frame, /*is_one=*/true}},
                    write);
}

void write_csv(const Timeline& timeline, const WriteBytes& write) {
    write(
        "frame,file,intersecting_pairs,vertex_face,edge_edge,earliest_time,milliseconds,crossed\n");
    for (std::size_t i = 0; i < timeline.rows.size(); ++i) {
        const TimelineRow& row = timeline.rows[i];
        // Names are quoted, and quotes in them doubled.
        std::string name = "\"";
        for (const char c : name_of_file(row.file))
            name += c == '"' ? "\"\"" : std::string(1, c);
        const std::string begin =
            std::to_string(i) + "," + name + "\"," + std::to_string(row.intersecting.size()) + ",";
        if (i + 1 == timeline.rows.size()) {
            write(begin + ",,," + crossed_cell(row) + "\n");
            continue;
        }
        const bool has_counts = !timeline.is_earliest_only;
        write(begin + (has_counts ? std::to_string(row.totals.vertex_face_count) : "") + "," +
              (has_counts ? std::to_string(row.totals.edge_edge_count) : "") + "," +
              (row.earliest ? shortest(*row.earliest) : "") + "," +
              with_digits(1e3 * row.detect_seconds, 4) + crossed_cell(row) + "\n");
    }
}

}  // namespace graze::app
