// graze intersect: which triangles of a mesh cross each other. docs/commands/intersect.md describes
// it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "answer_text.h"
#include "command.h"
#include "deforming_request.h"
#include "field_request.h"
#include "graze/names.h"
#include "graze/write_file.h"
#include "interrupt.h"
#include "stopwatch.h"
#include "terminal.h"

namespace graze::app {

namespace {

using Json = nlohmann::ordered_json;
using Intersections = std::span<const TriangleIntersection>;

constexpr std::size_t kListedPairs = 10;

struct IntersectRequest {
    std::string file;
    DeformingRequest detection;
    AnswerRequest answer;
    bool lists_segments = false;
};

// What was found, and how.
struct Found {
    const IntersectRequest& request;
    const Frame& frame;
    Intersections pairs;
    std::string device;
    double load_seconds, detect_seconds;

    std::int64_t flat_count() const {
        return std::count_if(pairs.begin(), pairs.end(),
                             [](const TriangleIntersection& pair) { return pair.is_flat; });
    }
    // Counts the triangles that belong to a pair.
    std::int64_t face_count() const {
        std::vector<std::uint32_t> faces;
        for (const TriangleIntersection& pair : pairs)
            faces.insert(faces.end(), {pair.a, pair.b});
        std::sort(faces.begin(), faces.end());
        return std::unique(faces.begin(), faces.end()) - faces.begin();
    }
};

std::string point_json(const Vec3d& p) {
    return json_row({shortest(p.x), shortest(p.y), shortest(p.z)});
}

// Pairs may be many millions, as around a vertex of thousands of triangles: rows are written as
// they are made.
void write_json(const Found& found, const WriteBytes& write) {
    const Frame& frame = found.frame;
    const DeformingRequest& request = found.request.detection;
    const Json object{
        {"file", frame.file},
        {"vertex_count", frame.mesh.positions.size()},
        {"triangle_count", frame.mesh.triangles.size()},
        {"pair_count", found.pairs.size()},
        {"flat_pair_count", found.flat_count()},
        {"face_count", found.face_count()},
        {"options",
         {{"device", found.device},
          {"threads", request.threads},
          {"search", name_of(request.options.pair_search)},
          {"positions", frame.has_floats() ? "float" : "double"}}},
        {"seconds", {{"load", found.load_seconds}, {"detect", found.detect_seconds}}}};
    const auto pair_row = [&](std::size_t i) {
        return json_row({std::to_string(found.pairs[i].a), std::to_string(found.pairs[i].b)});
    };
    const auto segment_row = [&](std::size_t i) {
        const TriangleIntersection& pair = found.pairs[i];
        return pair.is_flat ? "null" : json_row({point_json(pair.start), point_json(pair.end)});
    };
    write_with_rows(
        object,
        {{"pairs", found.pairs.size(), pair_row}, {"segments", found.pairs.size(), segment_row}},
        write);
}

void write_csv(const Found& found, const WriteBytes& write) {
    write("a,b,flat,start_x,start_y,start_z,end_x,end_y,end_z\n");
    for (const TriangleIntersection& pair : found.pairs) {
        std::string text =
            std::to_string(pair.a) + "," + std::to_string(pair.b) + (pair.is_flat ? ",1" : ",0");
        for (const Vec3d& p : {pair.start, pair.end})
            for (const double number : {p.x, p.y, p.z})
                text += "," + (pair.is_flat ? std::string() : shortest(number));
        write(text + "\n");
    }
}

std::string table(const Found& found) {
    const bool has_segments = found.request.lists_segments;
    const std::size_t count =
        has_segments ? found.pairs.size() : std::min(kListedPairs, found.pairs.size());
    std::vector<std::vector<std::string>> rows{{"face", "face"}};
    if (has_segments) rows[0].insert(rows[0].end(), {"start x", "y", "z", "end x", "y", "z"});
    for (const TriangleIntersection& pair : found.pairs.first(count)) {
        rows.push_back({std::to_string(pair.a), std::to_string(pair.b)});
        if (has_segments && pair.is_flat) rows.back().emplace_back("flat");
        if (!has_segments || pair.is_flat) continue;
        for (const Vec3d& p : {pair.start, pair.end})
            for (const double number : {p.x, p.y, p.z})
                rows.back().push_back(with_digits(number));
    }
    const std::string which = count < found.pairs.size() ? "the first " : "all ";
    return "\n  " + which + std::to_string(count) + ":\n" + in_columns(rows);
}

std::string to_text(const Found& found) {
    const auto count = static_cast<std::int64_t>(found.pairs.size());
    const std::string heading = printable(found.frame.file) +
                                (count == 0 ? " does not intersect itself" : " intersects itself");
    std::vector<std::pair<std::string, std::string>> rows{
        {"triangles",
         with_separators(static_cast<std::int64_t>(found.frame.mesh.triangles.size()))},
        {"intersecting pairs", with_separators(count)}};
    if (count > 0) {
        rows.emplace_back("of these flat", with_separators(found.flat_count()));
        rows.emplace_back("triangles in them", with_separators(found.face_count()));
    }
    rows.emplace_back("positions", found.frame.has_floats() ? "float" : "double");
    rows.emplace_back("time", with_digits(1e3 * found.detect_seconds, 3) + " ms on " +
                                  found.device + ", the file not counted");
    return styled(heading, Style::heading) + "\n" + in_rows(rows) + (count > 0 ? table(found) : "");
}

void intersect(const IntersectRequest& request, const Interrupt& interrupt) {
    const AnswerFormat format = request.answer.format();
    if (!request.answer.output.empty()) check_output(request.answer.output);
    const Stopwatch loading;
    const Frame frame = load_frame(request.file);
    const double load_seconds = loading.seconds();
    interrupt.check();
    FrameDetector detector(frame, request.detection);
    const Stopwatch finding;
    const Intersections pairs = detector.find_intersections(frame);
    const Found found{request,          frame, pairs, detector.device().name(), load_seconds,
                      finding.seconds()};
    interrupt.check();
    const auto fill = [&](const WriteBytes& write) {
        const WriteBytes write_on = [&](std::string_view bytes) {
            interrupt.check();
            write(bytes);
        };
        if (format == AnswerFormat::json) {
            write_json(found, write_on);
        } else if (format == AnswerFormat::csv) {
            write_csv(found, write_on);
        } else {
            write(to_text(found));
        }
    };
    if (request.answer.output.empty()) return fill(print);
    write_file(request.answer.output, fill);
    print(to_text(found) + "\n" + printable(request.answer.output) + " has all of them\n");
}

int run_intersect(const IntersectRequest& request) {
    const std::string& output = request.answer.output;
    return run_interruptible(output.empty() ? "the answer" : output,
                             [&](const Interrupt& interrupt) { intersect(request, interrupt); });
}

}  // namespace

void add_command_intersect(CLI::App& parent, Action& chosen) {
    CLI::App* command =
        parent.add_subcommand("intersect", "List the triangles of a mesh that cross each other");
    const auto request = std::make_shared<IntersectRequest>();
    command->add_option("MESH", request->file, "A mesh (.obj, .ply, .stl, .off)")
        ->required()
        ->option_text(" ");
    CLI::Option* json = command
                            ->add_flag("--json", request->answer.as_json,
                                       "Print everything as one JSON object, segments included")
                            ->option_text(" ");
    command
        ->add_flag("--csv", request->answer.as_csv,
                   "Print a header and a row for each pair, with its segment")
        ->excludes(json)
        ->option_text(" ");
    command
        ->add_flag("--segments", request->lists_segments,
                   "List all pairs with the segments in which they cross, not the first few")
        ->option_text(" ");
    command
        ->add_option("-o,--output", request->answer.output,
                     "Write JSON or CSV to a file, by its extension or by the flags, and print\n"
                     "the summary")
        ->option_text("FILE");
    add_deforming_options(*command, request->detection, false);
    command->footer(
        "Two triangles count that have a point in common other than in the vertices or the edge\n"
        "that they share; touching counts. Decided exactly, with all the digits of the file.\n"
        "Faces are counted from 0. A pair is flat where both lie in one plane or one has no area,\n"
        "and then it has no segment.\n"
        "Exit code 0 whether there are any or not: ask for --json and look at \"pair_count\".\n"
        "\n"
        "Examples:\n"
        "  graze intersect cow.obj\n"
        "  graze intersect cow.obj --json | jq .pair_count\n"
        "  graze intersect cow.obj -o crossings.csv");
    command->callback(
        [&chosen, request] { chosen = [request] { return run_intersect(*request); }; });
}

}  // namespace graze::app
