// graze impacts: when, inside a time step, parts of a deforming mesh meet. docs/commands/impacts.md
// describes it.
#include <CLI/CLI.hpp>
#include <memory>

#include "answer_text.h"
#include "command.h"
#include "describe_impacts.h"
#include "field_request.h"
#include "graze/error.h"
#include "graze/write_file.h"
#include "interrupt.h"
#include "page_of_contacts.h"
#include "progress_bar.h"
#include "run_page.h"
#include "stopwatch.h"
#include "terminal.h"

namespace graze::app {

namespace {

struct ImpactsRequest {
    std::string file_t0, file_t1;  // or a folder, and nothing
    DeformingRequest detection;
    AnswerRequest answer;
    bool is_earliest_only = false;
    std::string page;  // empty: none
};

ImpactSettings settings_of(const ImpactsRequest& request, const Frame& frame,
                           const FrameDetector& detector) {
    return {request.detection, detector.device().name(),
            static_cast<std::int64_t>(frame.mesh.positions.size()),
            static_cast<std::int64_t>(frame.mesh.triangles.size()), frame.has_floats()};
}

// Writes the answer where it belongs: write_as(format, write) writes it in a format, to_text gives
// the summary, which is asked for last.
template <class WriteAs, class ToText>
void give(const AnswerRequest& request, const Interrupt& interrupt, const WriteAs& write_as,
          const ToText& text) {
    const AnswerFormat format = request.format();
    if (request.output.empty() && format == AnswerFormat::text) return print(text());
    const auto fill = [&](const WriteBytes& write) {
        write_as(format, [&](std::string_view bytes) {
            interrupt.check();
            write(bytes);
        });
    };
    if (request.output.empty()) return fill(print);
    write_file(request.output, fill);
    print(text() + "\n" + printable(request.output) + " has all of it\n");
}

void finish(const ImpactPage& page) {
    if (page.is_wanted()) page.write();
}

void find_step(const ImpactsRequest& request, const Interrupt& interrupt) {
    StepImpacts step;
    step.file_t0 = request.file_t0;
    step.file_t1 = request.file_t1;
    step.is_earliest_only = request.is_earliest_only;
    const Stopwatch load_watch;
    const Frame t0 = load_first_frame(request.file_t0), t1 = load_next_frame(request.file_t1, t0);
    step.load_seconds = load_watch.seconds();
    interrupt.check();

    ImpactPage page(request.page, t0);
    page.begin_step(t0, t1);
    DeformingRequest detection = request.detection;
    detection.options.finds_crossed = true;
    FrameDetector detector(t0, detection);
    step.settings = settings_of(request, t0, detector);
    step.settings.has_floats = t0.has_floats() && t1.has_floats();
    detector.set_timing(true);
    const Stopwatch watch;
    if (request.is_earliest_only) {
        step.earliest = detector.find_earliest_time(t0, t1);
    } else {
        step.totals = detector.begin_impacts(t0, t1);
        step.earliest = step.totals.earliest;
    }
    step.crossed = detector.crossed();
    if (!step.crossed.empty()) step.earliest = 0;
    step.detect_seconds = watch.seconds();
    step.report = detector.report();
    // What is listed in the summary is looked for in all that is written, or else in all there is.
    const NextImpacts next = [&] {
        interrupt.check();
        const std::span<const Impact> piece = detector.next_impacts();
        step.first.add(piece);
        page.add(piece);
        return piece;
    };
    give(
        request.answer, interrupt,
        [&](AnswerFormat format, const WriteBytes& write) {
            format == AnswerFormat::json ? write_json(step, next, write)
                                         : write_csv(step, next, write);
        },
        [&] {
            while (!step.is_earliest_only && !next().empty()) {
            }
            return to_text(step);
        });
    finish(page);
}

void find_timeline_step(const ImpactsRequest& request, FrameDetector& detector, const Frame& t0,
                        const Frame& t1, TimelineRow& row, ImpactPage& page) {
    const Stopwatch watch;
    if (request.is_earliest_only) {
        row.earliest = detector.find_earliest_time(t0, t1);
    } else {
        row.totals = detector.begin_impacts(t0, t1);
        row.earliest = row.totals.earliest;
        page.begin_step(t0, t1);
        for (auto piece = detector.next_impacts(); page.is_wanted() && !piece.empty();
             piece = detector.next_impacts())
            page.add(piece);
    }
    if (!row.intersecting.empty()) row.earliest = 0;
    row.detect_seconds = watch.seconds();
}

void find_timeline(const ImpactsRequest& request, const Interrupt& interrupt) {
    const std::vector<std::string> files = frames_of_folder(request.file_t0);
    Frame frame = load_first_frame(files.front());
    const Frame first = request.page.empty() ? Frame{} : frame;
    ImpactPage page(request.page, first);
    FrameDetector detector(frame, request.detection);
    Timeline timeline{
        request.file_t0, settings_of(request, frame, detector), request.is_earliest_only, {}};
    {
        ProgressBar bar("looking for impacts");
        for (std::size_t i = 0; i < files.size(); ++i) {
            interrupt.check();
            TimelineRow row;
            row.file = frame.file;
            const Stopwatch watch;
            for (const TriangleIntersection& pair : detector.find_intersections(frame))
                row.intersecting.push_back({pair.a, pair.b});
            row.intersect_seconds = watch.seconds();
            if (i + 1 < files.size()) {
                Frame next = load_next_frame(files[i + 1], frame);
                find_timeline_step(request, detector, frame, next, row, page);
                frame = std::move(next);
                timeline.settings.has_floats &= frame.has_floats();
            }
            timeline.rows.push_back(std::move(row));
            bar.show(static_cast<double>(i + 1) / static_cast<double>(files.size()));
        }
    }
    give(
        request.answer, interrupt,
        [&](AnswerFormat format, const WriteBytes& write) {
            format == AnswerFormat::json ? write_json(timeline, write) : write_csv(timeline, write);
        },
        [&] { return to_text(timeline); });
    finish(page);
}

int run_impacts(const ImpactsRequest& request) {
    const AnswerRequest& answer = request.answer;
    return run_interruptible(
        answer.output.empty() ? "the answer" : answer.output, [&](const Interrupt& interrupt) {
            static_cast<void>(answer.format());  // what could go wrong is asked before long work
            if (!answer.output.empty()) check_output(answer.output);
            if (!request.page.empty()) check_page_file(request.page);
            const bool is_folder = std::filesystem::is_directory(request.file_t0);
            if (!is_folder && request.file_t1.empty())
                throw Error(request.file_t0 +
                            ": is no folder; give a second file, the mesh at the step's end");
            if (is_folder && !request.file_t1.empty())
                throw Error(request.file_t0 + ": is a folder of frames; give nothing behind it");
            is_folder ? find_timeline(request, interrupt) : find_step(request, interrupt);
        });
}

void add_options(CLI::App& command, ImpactsRequest& request) {
    command
        .add_option("T0", request.file_t0,
                    "The mesh at the step's beginning (.obj, .ply, .stl, .off); or a folder of\n"
                    "such frames, in the order of the numbers in their names")
        ->required()
        ->option_text(" ");
    command.add_option("T1", request.file_t1, "The same mesh at the step's end")->option_text(" ");
    CLI::Option* json =
        command.add_flag("--json", request.answer.as_json, "Print everything as one JSON object")
            ->option_text(" ");
    command
        .add_flag("--csv", request.answer.as_csv,
                  "Print a header and a row for each impact; of a folder, for each frame")
        ->excludes(json)
        ->option_text(" ");
    command
        .add_option("-o,--output", request.answer.output,
                    "Write JSON or CSV to a file, by its extension or by the flags, and print\n"
                    "the summary")
        ->option_text("FILE");
    command
        .add_flag("--earliest", request.is_earliest_only,
                  "Only the time of the first impact: faster where there are many")
        ->option_text(" ");
    command
        .add_option("--page", request.page,
                    "Write a page that shows the motion and the impacts in any browser")
        ->excludes("--earliest")
        ->option_text("FILE");
    add_deforming_options(command, request.detection, true);
}

}  // namespace

void add_command_impacts(CLI::App& parent, Action& chosen) {
    CLI::App* command = parent.add_subcommand(
        "impacts", "Find when parts of a deforming mesh meet, itself included");
    const auto request = std::make_shared<ImpactsRequest>();
    add_options(*command, *request);
    command->footer(
        "Every vertex moves straight and evenly from T0 to T1. Where a vertex meets a face, or an\n"
        "edge an edge, is an impact, with a time from 0 to 1 in the step; what touches at the\n"
        "beginning has time 0. Triangles that cross at the beginning are named apart, and the\n"
        "earliest time is 0 then. None is missed. Positions are used with all the digits of the\n"
        "files. Faces and vertices are counted from 0.\n"
        "Exit code 0 whether anything meets or not: ask for --json and look at \"earliest_time\".\n"
        "\n"
        "Examples:\n"
        "  graze impacts cloth_0.ply cloth_1.ply\n"
        "  graze impacts cloth_0.ply cloth_1.ply --json | jq .earliest_time\n"
        "  graze impacts cloth_0.ply cloth_1.ply --min-separation 0.001 -o impacts.csv\n"
        "  graze impacts frames/                       a table, a row for each frame");
    command->callback([&chosen, request] { chosen = [request] { return run_impacts(*request); }; });
}

}  // namespace graze::app
