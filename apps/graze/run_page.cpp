#include "run_page.h"

#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base64.h"
#include "graze/error.h"
#include "graze/recording.h"
#include "graze/write_file.h"
#include "page_text.h"
#include "step_columns.h"

namespace graze::app {

namespace {

// Browsers hold the page as a text, of at most half a billion characters; four stand for three
// bytes of the recording.
constexpr std::uintmax_t kLargestForAPage = 350u << 20;

constexpr std::string_view kRunPlace = R"(<script type="application/octet-stream" id="run">)";
constexpr std::string_view kStepsPlace = R"(<script type="application/json" id="steps">)";

// Copies a file in pieces of whole groups of three bytes, so that each piece is text by itself.
void copy_as_text(const std::filesystem::path& path, std::uintmax_t size, const WriteBytes& write,
                  const Progress& progress) {
    std::ifstream file(path, std::ios::binary);
    std::vector<char> piece(3u << 18);
    std::uintmax_t done = 0;
    while (done < size) {
        file.read(piece.data(), static_cast<std::streamsize>(
                                    std::min<std::uintmax_t>(piece.size(), size - done)));
        const auto count = static_cast<std::size_t>(file.gcount());
        if (count == 0) throw Error(path.string() + ": it became shorter while it was read");
        write(base64({piece.data(), count}));
        done += count;
        if (progress && !progress(static_cast<double>(done) / static_cast<double>(size)))
            throw Error("interrupted");
    }
}

}  // namespace

std::string large_page_words(const std::filesystem::path& page) {
    return page.string() + ": so large a page takes a browser long to open, and much memory";
}

void write_run_page(const std::filesystem::path& recording, const std::filesystem::path& file,
                    const Progress& progress) {
    const std::string_view page = page_text();
    const std::size_t steps_at = page.find(kStepsPlace), run_at = page.find(kRunPlace);
    if (page.empty() || steps_at == page.npos || run_at == page.npos || steps_at < run_at)
        throw Error(
            "this graze was built without the page; install npm and build it again "
            "(docs/building.md), or export to .glb");
    const std::uintmax_t size = std::filesystem::file_size(recording);
    if (size > kLargestForAPage)
        throw Error(recording.string() +
                    ": too large for a page that a browser opens; export it to .glb, or record "
                    "fewer frames");
    const std::filesystem::path folder = std::filesystem::absolute(recording).parent_path();
    const std::string steps = read_step_columns(folder / "steps.csv");
    write_file(file, [&](const WriteBytes& write) {
        const std::size_t run_begin = run_at + kRunPlace.size();
        const std::size_t steps_begin = steps_at + kStepsPlace.size();
        write(page.substr(0, run_begin));
        copy_as_text(recording, size, write, progress);
        write(page.substr(run_begin, steps_begin - run_begin));
        write(steps);
        write(page.substr(steps_begin));
    });
}

}  // namespace graze::app
