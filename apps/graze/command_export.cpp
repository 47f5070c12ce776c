// graze export: a recording as something that other programs read. docs/commands/export.md
// describes it.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "command.h"
#include "field_request.h"
#include "graze/error.h"
#include "graze/recording.h"
#include "interrupt.h"
#include "progress_bar.h"
#include "run_page.h"
#include "terminal.h"

namespace graze::app {

namespace {

struct ExportRequest {
    std::string input, output;
    bool wants_contacts = false, is_exact = false;
};

void check(const ExportRequest& request) {
    const std::string extension = std::filesystem::path(request.output).extension().string();
    if (extension != ".glb" && extension != ".csv" && extension != ".html")
        throw Error(request.output + ": no such format; end its name in .glb, .csv or .html");
    if (extension == ".glb" && request.wants_contacts)
        throw Error(request.output + ": glTF has no contacts; write them to a .csv or .html");
    if (extension == ".html" && request.wants_contacts)
        throw Error(request.output + ": a page has the contacts anyway; leave out --contacts");
    std::error_code ignored;
    if (std::filesystem::equivalent(request.input, request.output, ignored))
        throw Error(request.output + ": it is the recording itself; give another name");
    check_output(request.output);
}

int run_export(const ExportRequest& request) {
    return run_interruptible(request.output, [&](const Interrupt& interrupt) {
        check(request);
        const Recording recording(request.input);
        if (!recording.is_complete())
            print_error(request.input +
                        ": the recording is not complete: " + recording.why_incomplete());
        {
            ProgressBar bar("writing");
            const auto progress = [&](double fraction) {
                bar.show(fraction);
                return !interrupt.is_requested();
            };
            if (request.output.ends_with(".glb")) {
                write_glb(recording, request.output, progress);
            } else if (request.output.ends_with(".html")) {
                write_run_page({request.input, {}, request.is_exact}, request.output, progress);
            } else {
                write_csv(recording,
                          request.wants_contacts ? RecordingTable::contacts : RecordingTable::poses,
                          request.output, progress);
            }
        }
        const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(request.output));
        if (request.output.ends_with(".html") && bytes > kLargeForAPage)
            print_error(large_page_words(request.output));
        print(printable(request.output) + ": " + with_separators(recording.frame_count()) +
              " frames of " +
              with_separators(static_cast<std::int64_t>(recording.setup().bodies.size())) +
              " bodies, " + with_bytes(bytes) + "\n");
    });
}

}  // namespace

void add_command_export(CLI::App& parent, Action& chosen) {
    CLI::App* command = parent.add_subcommand(
        "export", "Write a recording as a page, as glTF with animation, or as a table");
    const auto request = std::make_shared<ExportRequest>();
    command->add_option("RECORDING", request->input, "A recorded run (.grec)")
        ->required()
        ->option_text(" ");
    command
        ->add_option("-o,--output", request->output,
                     "Where it goes: .html (a page that plays it in any browser), .glb (glTF 2.0,\n"
                     "for Blender and others) or .csv (a row for each body and frame)")
        ->required()
        ->option_text("FILE");
    command->add_flag("--contacts", request->wants_contacts,
                      "A row for each contact and frame instead (.csv)");
    command->add_flag(
        "--exact", request->is_exact,
        "Every bit and every contact of a large recording, which is rounded otherwise\n"
        "(.html)");
    command->footer(
        "A recording that is not complete is written as far as it goes, with a notice.\n"
        "\n"
        "Examples:\n"
        "  graze export run.grec -o run.html\n"
        "  graze export run.grec -o run.glb\n"
        "  graze export run.grec -o poses.csv\n"
        "  graze export run.grec -o contacts.csv --contacts");
    command->callback([&chosen, request] { chosen = [request] { return run_export(*request); }; });
}

}  // namespace graze::app
