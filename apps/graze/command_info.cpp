// graze info: measures meshes and says what that means, and tells what field files and recordings
// hold.
// docs/commands/info.md describes the output.
#include <CLI/CLI.hpp>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>

#include "command.h"
#include "describe_field.h"
#include "field_request.h"
#include "graze/error.h"
#include "graze/mesh_io.h"
#include "graze/mesh_report.h"
#include "recording_summary.h"
#include "terminal.h"

namespace graze::app {

namespace {

using Json = nlohmann::ordered_json;

struct InfoRequest {
    std::vector<std::string> files;
    bool as_json = false;
    bool skip_self_intersections = false;
    int threads = 0;
};

// The report of a mesh, or what another file holds, or why there is neither.
struct Inspected {
    std::string file;
    MeshReport report;
    std::optional<MeshReport> joined;  // where vertices are at the same position
    std::optional<FieldDescription> field;
    std::optional<RecordingSummary> recording;
    std::string error;
};

Inspected inspect_file(const std::string& file, const InfoRequest& request) {
    Inspected result{file, {}, {}, {}, {}, {}};
    try {
        if (is_field_file(file)) {
            result.field = describe_field_file(file);
            return result;
        }
        if (is_recording_file(file)) {
            result.recording = summarize_recording(file);
            return result;
        }
        const Mesh mesh = load_mesh(file);
        MeshReportOptions options{.device = Device::cpu(request.threads),
                                  .self_intersections = !request.skip_self_intersections};
        result.report = inspect(mesh, options);
        options.join_vertices = true;
        if (result.report.repeated_vertex_count > 0) result.joined = inspect(mesh, options);
    } catch (const Error& error) {
        result.error = error.what();
    } catch (const std::bad_alloc&) {
        result.error = file + ": out of memory; give a mesh of fewer triangles";
    }
    return result;
}

Json to_json(const Vec3d& v) {
    return Json::array({v.x, v.y, v.z});
}

// What depends on whether vertices at the same position are joined.
Json counts_of(const MeshReport& r) {
    const Json self_intersections =
        r.self_intersection_count ? Json(*r.self_intersection_count) : Json(nullptr);
    return {{"vertex_count", r.vertex_count},
            {"triangle_count", r.triangle_count},
            {"edge_count", r.edge_count},
            {"component_count", r.component_count},
            {"euler_characteristic", r.euler_characteristic},
            {"boundary_edge_count", r.boundary_edge_count},
            {"non_manifold_edge_count", r.non_manifold_edge_count},
            {"inconsistent_edge_count", r.inconsistent_edge_count},
            {"duplicate_triangle_count", r.duplicate_triangle_count},
            {"degenerate_triangle_count", r.degenerate_triangle_count},
            {"isolated_vertex_count", r.isolated_vertex_count},
            {"self_intersection_count", self_intersections},
            {"closed", r.is_closed()}};
}

Json to_json(const std::vector<InwardPart>& parts) {
    Json list = Json::array();
    for (const InwardPart& part : parts) {
        list.push_back(Json{{"triangle_count", part.triangle_count},
                            {"closed", part.is_closed},
                            {"turned", part.is_turned},
                            {"min", to_json(part.min)},
                            {"max", to_json(part.max)}});
    }
    return list;
}

Json to_json(const Inspected& inspected) {
    if (!inspected.error.empty()) {
        return {{"file", inspected.file}, {"error", inspected.error}};
    }
    if (inspected.field) return to_json(*inspected.field);
    if (inspected.recording) return to_json(*inspected.recording);
    const MeshReport& r = inspected.report;
    Json json{{"file", inspected.file}};
    json.update(counts_of(r));
    json.update(Json{{"volume", r.volume},
                     {"area", r.area},
                     {"min", to_json(r.min)},
                     {"max", to_json(r.max)},
                     {"part_count", r.part_count},
                     {"turned_part_count", r.turned_part_count},
                     {"inward_part_count", r.inward_part_count},
                     {"inward_parts", to_json(r.inward_parts)},
                     {"repeated_vertex_count", r.repeated_vertex_count},
                     {"joined", inspected.joined ? counts_of(*inspected.joined) : Json(nullptr)},
                     {"findings", explain(inspected.joined.value_or(r))}});
    return json;
}

std::string to_text(const Vec3d& v) {
    return with_digits(v.x) + "  " + with_digits(v.y) + "  " + with_digits(v.z);
}

std::vector<std::pair<std::string, std::string>> to_rows(const MeshReport& r) {
    return {
        {"vertices", with_separators(r.vertex_count)},
        {"triangles", with_separators(r.triangle_count)},
        {"edges", with_separators(r.edge_count)},
        {"components", with_separators(r.component_count)},
        {"parts turned around", with_separators(r.turned_part_count)},
        {"Euler characteristic", with_separators(r.euler_characteristic)},
        {"boundary edges", with_separators(r.boundary_edge_count)},
        {"non-manifold edges", with_separators(r.non_manifold_edge_count)},
        {"inconsistent edges", with_separators(r.inconsistent_edge_count)},
        {"duplicate triangles", with_separators(r.duplicate_triangle_count)},
        {"degenerate triangles", with_separators(r.degenerate_triangle_count)},
        {"isolated vertices", with_separators(r.isolated_vertex_count)},
        {"self-intersections",
         r.self_intersection_count ? with_separators(*r.self_intersection_count) : "not counted"},
        {"closed", r.is_closed() ? "yes" : "no"},
        {"volume", with_digits(r.volume)},
        {"area", with_digits(r.area)},
        {"extent", to_text(r.max - r.min)},
        {"min", to_text(r.min)},
        {"max", to_text(r.max)}};
}

// The rows of the mesh with vertices joined, and what they are as given where that differs.
std::vector<std::pair<std::string, std::string>> to_rows(const MeshReport& given,
                                                         const MeshReport& joined) {
    auto rows = to_rows(joined);
    const auto as_given = to_rows(given);
    for (std::size_t n = 0; n < rows.size(); ++n) {
        if (rows[n].second != as_given[n].second)
            rows[n].second += "  (as given: " + as_given[n].second + ")";
    }
    return rows;
}

void print_report(const Inspected& inspected) {
    if (inspected.field) return print(to_text(*inspected.field));
    if (inspected.recording) return print(to_text(*inspected.recording));
    std::string text = styled(printable(inspected.file), Style::heading) + "\n";
    const MeshReport& r = inspected.joined ? *inspected.joined : inspected.report;
    text += in_rows(inspected.joined ? to_rows(inspected.report, r) : to_rows(r));
    const std::vector<std::string> findings = explain(r);
    const bool is_clean = r.is_closed() && findings.size() == 1 && r.inward_parts.empty() &&
                          r.volume > 0 && r.self_intersection_count.value_or(0) == 0;
    for (const std::string& finding : findings) {
        text +=
            "  " + styled("*", is_clean ? Style::good : Style::attention) + " " + finding + "\n";
    }
    print(text);
}

int run_info(const InfoRequest& request) {
    int exit_code = kOk;
    Json reports = Json::array();
    bool has_printed = false;
    for (const std::string& file : request.files) {
        const Inspected inspected = inspect_file(file, request);
        if (!inspected.error.empty()) {
            print_error(inspected.error);
            exit_code = kFailed;
        }
        if (request.as_json) {
            reports.push_back(to_json(inspected));
        } else if (inspected.error.empty()) {
            if (std::exchange(has_printed, true)) print("\n");
            print_report(inspected);
        }
    }
    if (request.as_json) {
        // File names need not be UTF-8, JSON must be.
        print((request.files.size() == 1 ? reports[0] : reports)
                  .dump(2, ' ', false, Json::error_handler_t::replace) +
              "\n");
    }
    return exit_code;
}

}  // namespace

void add_command_info(CLI::App& parent, Action& chosen) {
    CLI::App* command = parent.add_subcommand(
        "info",
        "Measure meshes, find their defects and say what those mean; describe fields and "
        "recordings");
    const auto request = std::make_shared<InfoRequest>();
    command
        ->add_option("FILE", request->files,
                     "Meshes (OBJ, PLY, STL, OFF), fields (.gfield, .vdb) or recordings (.grec)")
        ->required()
        ->option_text("...");
    command->add_flag("--json", request->as_json,
                      "Print JSON: an object for one file, an array for several");
    command->add_flag("--no-self-intersections", request->skip_self_intersections,
                      "Leave out the self-intersections, which take the most time");
    command->add_option("--threads", request->threads, "Threads to use; 0: all cores")
        ->check(CLI::Range(0, 1024))
        ->option_text("N");
    command->footer(
        "Examples:\n"
        "  graze info bunny.obj\n"
        "  graze info bunny.gfield\n"
        "  graze info --json models/*.ply | jq '.[] | select(.closed | not) | .file'");
    command->callback([&chosen, request] { chosen = [request] { return run_info(*request); }; });
}

}  // namespace graze::app
