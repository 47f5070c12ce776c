// graze view: a recorded run as a page in the browser. docs/commands/view.md describes it.
#include <spawn.h>
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "command.h"
#include "field_request.h"
#include "graze/error.h"
#include "graze/recording.h"
#include "interrupt.h"
#include "page_server.h"
#include "progress_bar.h"
#include "run_page.h"
#include "terminal.h"

extern char** environ;

namespace graze::app {

namespace {

namespace fs = std::filesystem;

struct ViewRequest {
    std::string run, output;
    bool stays_closed = false, is_exact = false, serves = false;
    int port = 0;
};

// A recording beyond this is served, not put into a page [bytes].
constexpr std::uintmax_t kServedFrom = 256u << 20;

// Asks the desktop to open a file or an address; false where there is none, or it does not know
// how.
bool open_by_desktop(std::string argument) {
    std::string program = "xdg-open";
    char* const arguments[] = {program.data(), argument.data(), nullptr};
    pid_t child = 0;
    if (posix_spawnp(&child, program.c_str(), nullptr, nullptr, arguments, environ) != 0)
        return false;
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void warn_if_incomplete(const fs::path& recording) {
    const Recording read(recording);  // says what is wrong with it
    if (!read.is_complete())
        print_error(recording.string() +
                    ": the recording is not complete: " + read.why_incomplete());
}

int serve(const ViewRequest& request, const fs::path& recording) {
    const Interrupt interrupt("interrupted");
    warn_if_incomplete(recording);
    serve_run(recording, request.port, interrupt, [&](const std::string& address) {
        const bool is_open = !request.stays_closed && open_by_desktop(address);
        print(printable(recording.string()) + ": at " + address +
              (is_open ? "" : "; open that in a browser") + "; Ctrl-C ends it\n");
        std::fflush(stdout);
    });
    return kOk;
}

int write_and_open(const ViewRequest& request, const fs::path& recording) {
    const fs::path page = request.output.empty() ? fs::path(recording).replace_extension(".html")
                                                 : fs::path(request.output);
    return run_interruptible(page.string(), [&](const Interrupt& interrupt) {
        if (page.extension() != ".html")
            throw Error(page.string() + ": no name of a page; end it in .html");
        check_output(page);
        warn_if_incomplete(recording);
        {
            ProgressBar bar("writing");
            write_run_page({recording, {}, request.is_exact}, page, [&](double fraction) {
                bar.show(fraction);
                return !interrupt.is_requested();
            });
        }
        const auto bytes = static_cast<std::int64_t>(fs::file_size(page));
        if (bytes > kLargeForAPage) print_error(large_page_words(page));
        const bool is_open = !request.stays_closed && open_by_desktop(fs::absolute(page).string());
        print(printable(page.string()) + ": " + with_bytes(bytes) +
              (is_open ? "\n" : "; open it in a browser\n"));
    });
}

int run_view(const ViewRequest& request) {
    const fs::path run = request.run;
    const fs::path recording = fs::is_directory(run) ? run / "run.grec" : run;
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(recording, error);
    if (request.serves || (!error && request.output.empty() && bytes > kServedFrom))
        return serve(request, recording);
    return write_and_open(request, recording);
}

}  // namespace

void add_command_view(CLI::App& parent, Action& chosen) {
    CLI::App* command = parent.add_subcommand("view", "Play a recorded run in the browser");
    const auto request = std::make_shared<ViewRequest>();
    command
        ->add_option("RUN", request->run,
                     "A recorded run (.grec), or the folder that graze simulate left")
        ->required()
        ->option_text(" ");
    command
        ->add_option("-o,--output", request->output,
                     "Where the page goes (.html); by default beside the recording")
        ->option_text("FILE");
    command
        ->add_flag("--exact", request->is_exact,
                   "Every bit and every contact of a large recording, which is rounded otherwise")
        ->option_text(" ");
    CLI::Option* serve =
        command
            ->add_flag(
                "--serve", request->serves,
                "Write no page, but serve the run to browsers on this computer, as it is and\n"
                "of any size, until Ctrl-C; so it is above 256 MB without -o, too")
            ->option_text(" ");
    command->add_option("--port", request->port, "Where to serve it; by default any that is free")
        ->check(CLI::Range(0, 65535))
        ->needs(serve)
        ->option_text("N");
    command->add_flag("--no-open", request->stays_closed, "Do not open a browser")
        ->option_text(" ");
    command->footer(
        "The page is one file that needs no network: bodies in motion, contacts coloured by\n"
        "depth, and plots over time. It can be sent to others and opened from the disk.\n"
        "\n"
        "Examples:\n"
        "  graze view build/demo\n"
        "  graze view run.grec -o pipe.html --no-open\n"
        "  graze view large.grec --serve");
    command->callback([&chosen, request] { chosen = [request] { return run_view(*request); }; });
}

}  // namespace graze::app
