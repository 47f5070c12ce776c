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

constexpr std::size_t kImpactRows = 5, kCrossedRows = 5;

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

// The earliest come first; of equal ones, those that come first in the list.
std::string table(std::span<const Impact> impacts) {
    std::vector<std::size_t> order(impacts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::size_t count = std::min(kImpactRows, order.size());
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count),
                      order.end(), [&](std::size_t i, std::size_t j) {
                          return std::pair(impacts[i].time, i) < std::pair(impacts[j].time, j);
                      });
    order.resize(count);
    std::vector<std::vector<std::string>> rows{
        {"time", "kind", "what", "meets", "normal x", "y", "z"}};
    for (const std::size_t i : order) {
        const Impact& impact = impacts[i];
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
    const std::string which = count < impacts.size() ? "the earliest " : "all ";
    return "\n  " + which + std::to_string(count) + ":\n" + in_columns(rows);
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

Json crossed_json(const TimelineRow& row) {
    Json pairs = Json::array();
    for (const IndexedPair& pair : row.intersecting)
        pairs.push_back({pair.a, pair.b});
    return pairs;
}
// The last column: "," and the pairs as a-b, with a space between them.
std::string crossed_cell(const TimelineRow& row) {
    std::string text;
    for (const IndexedPair& pair : row.intersecting)
        text += (text.empty() ? "" : " ") + text_of(pair.a) + "-" + text_of(pair.b);
    return "," + text;
}

}  // namespace

std::int64_t StepImpacts::vertex_face_count() const {
    return std::count_if(impacts.begin(), impacts.end(),
                         [](const Impact& impact) { return impact.is_vertex_face(); });
}

std::string to_text(const StepImpacts& step) {
    const std::string names = printable(step.file_t0) + " to " + printable(step.file_t1);
    std::vector<std::pair<std::string, std::string>> rows;
    if (!step.is_earliest_only) {
        const std::int64_t count = count_of(step.impacts), vertex_face = step.vertex_face_count();
        rows.emplace_back("impacts", with_separators(count));
        rows.emplace_back("of vertices and faces", with_separators(vertex_face));
        rows.emplace_back("of edges and edges", with_separators(count - vertex_face));
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
    if (!step.impacts.empty()) text += table(step.impacts);
    return text;
}

std::string to_json(const StepImpacts& step) {
    Json object{{"t0", step.file_t0}, {"t1", step.file_t1}};
    object.update(head_json(step.settings));
    object["earliest_time"] = time_json(step.earliest);
    object["crossed_count"] = step.crossed.size();
    std::vector<JsonRows> lists{{"crossed", {}}};
    for (const TriangleIntersection& pair : step.crossed)
        lists[0].rows.push_back(json_row({text_of(pair.a), text_of(pair.b)}));
    if (!step.is_earliest_only) {
        const std::int64_t vertex_face = step.vertex_face_count();
        object["impact_count"] = count_of(step.impacts);
        object["vertex_face_count"] = vertex_face;
        object["edge_edge_count"] = count_of(step.impacts) - vertex_face;
        lists.push_back({"vertex_face", {}});
        lists.push_back({"edge_edge", {}});
        for (const Impact& impact : step.impacts) {
            const std::uint32_t* v = impact.vertices;
            if (impact.is_vertex_face()) {
                lists[1].rows.push_back(
                    json_row({text_of(v[0]), text_of(impact.face), shortest(impact.time)}));
            } else {
                lists[2].rows.push_back(json_row({text_of(v[0]), text_of(v[1]), text_of(v[2]),
                                                  text_of(v[3]), shortest(impact.time)}));
            }
        }
    }
    object["options"] = options_json(step.settings);
    object["report"] = report_json(step.report);
    object["seconds"] = seconds_json(step);
    return dump_with_rows(object, lists);
}

std::string to_csv(const StepImpacts& step) {
    if (step.is_earliest_only)
        return "earliest_time\n" + (step.earliest ? shortest(*step.earliest) : "") + "\n";
    std::string text =
        "kind,v0,v1,v2,v3,face,time,normal_x,normal_y,normal_z,weight_0,weight_1,weight_2,"
        "weight_3,other_face\n";
    for (const TriangleIntersection& pair : step.crossed)
        text += "crossed,,,,," + text_of(pair.a) + ",0,,,,,,,," + text_of(pair.b) + "\n";
    for (const Impact& impact : step.impacts) {
        text += kind_of(impact);
        for (const std::uint32_t vertex : impact.vertices)
            text += "," + text_of(vertex);
        text += "," + (impact.is_vertex_face() ? text_of(impact.face) : "") + "," +
                shortest(impact.time);
        for (const float number : {impact.normal.x, impact.normal.y, impact.normal.z})
            text += "," + exact_number(number);
        for (const float weight : impact.weights)
            text += "," + exact_number(weight);
        text += ",\n";
    }
    return text;
}

std::string to_text(const Timeline& timeline) {
    std::vector<std::vector<std::string>> table{
        {"frame", "file", "intersecting", "impacts", "earliest", "ms"}};
    for (std::size_t i = 0; i < timeline.rows.size(); ++i) {
        const TimelineRow& row = timeline.rows[i];
        std::vector<std::string> cells{std::to_string(i), name_of_file(row.file),
                                       with_separators(count_of(row.intersecting))};
        if (i + 1 < timeline.rows.size()) {
            const std::int64_t count = row.vertex_face_count + row.edge_edge_count;
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

std::string to_json(const Timeline& timeline) {
    Json object{{"folder", timeline.folder}, {"frame_count", timeline.rows.size()}};
    object.update(head_json(timeline.settings));
    object["options"] = options_json(timeline.settings);
    JsonRows steps{"steps", {}};
    for (std::size_t i = 0; i + 1 < timeline.rows.size(); ++i) {
        const TimelineRow& row = timeline.rows[i];
        Json step{{"frame", i}, {"t0", row.file}, {"t1", timeline.rows[i + 1].file}};
        if (!timeline.is_earliest_only) {
            step["impact_count"] = row.vertex_face_count + row.edge_edge_count;
            step["vertex_face_count"] = row.vertex_face_count;
            step["edge_edge_count"] = row.edge_edge_count;
        }
        step["earliest_time"] = time_json(row.earliest);
        step["intersecting_pair_count"] = row.intersecting.size();
        step["crossed"] = crossed_json(row);
        step["milliseconds"] = 1e3 * row.detect_seconds;
        step["intersect_milliseconds"] = 1e3 * row.intersect_seconds;
        steps.rows.push_back(step.dump(-1, ' ', false, Json::error_handler_t::replace));
    }
    const TimelineRow& last = timeline.rows.back();
    object["last_frame"] = {{"file", last.file},
                            {"intersecting_pair_count", last.intersecting.size()},
                            {"crossed", crossed_json(last)}};
    return dump_with_rows(object, {steps});
}

std::string to_csv(const Timeline& timeline) {
    std::string text =
        "frame,file,intersecting_pairs,vertex_face,edge_edge,earliest_time,milliseconds,crossed\n";
    for (std::size_t i = 0; i < timeline.rows.size(); ++i) {
        const TimelineRow& row = timeline.rows[i];
        // Names are quoted, and quotes in them doubled.
        std::string name = "\"";
        for (const char c : name_of_file(row.file))
            name += c == '"' ? "\"\"" : std::string(1, c);
        text +=
            std::to_string(i) + "," + name + "\"," + std::to_string(row.intersecting.size()) + ",";
        if (i + 1 == timeline.rows.size()) {
            text += ",,," + crossed_cell(row) + "\n";
            continue;
        }
        const bool has_counts = !timeline.is_earliest_only;
        text += (has_counts ? std::to_string(row.vertex_face_count) : "") + "," +
                (has_counts ? std::to_string(row.edge_edge_count) : "") + "," +
                (row.earliest ? shortest(*row.earliest) : "") + "," +
                with_digits(1e3 * row.detect_seconds, 4) + crossed_cell(row) + "\n";
    }
    return text;
}

}  // namespace graze::app
