#include "run_page.h"

#include <unistd.h>
#include <zlib.h>

#include <string>
#include <string_view>
#include <vector>

#include "base64.h"
#include "field_request.h"
#include "graze/error.h"
#include "graze/recording.h"
#include "graze/write_file.h"
#include "packed_recording.h"
#include "page_fields.h"
#include "page_recording.h"
#include "page_text.h"
#include "step_columns.h"

namespace graze::app {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Browsers hold the page as a text, of at most half a billion characters; four stand for three
// bytes of the recording.
constexpr std::uint64_t kLargestForAPage = 350u << 20;
// A recording up to this size is carried as it is [bytes].
constexpr std::uintmax_t kCarriedAsItIs = 1'500'000;

constexpr std::string_view kRunPlace = R"(<script type="application/octet-stream" id="run">)";
constexpr std::string_view kAboutPlace = R"(<script type="application/json" id="about">)";
constexpr std::string_view kStepsPlace = R"(<script type="application/json" id="steps">)";

// The recording that a page carries: the file itself, or a rounded one that is gone afterwards.
class CarriedRecording {
public:
    CarriedRecording(const PageContents& contents, const Recording& recording,
                     const Progress& progress)
        : path_(contents.recording) {
        if (contents.is_exact || fs::file_size(path_) <= kCarriedAsItIs) return;
        rounded_ =
            fs::temp_directory_path() / ("graze_page_" + std::to_string(::getpid()) + ".grec");
        path_ = rounded_;
        rounding_ = round_recording(recording, rounded_, progress);
    }
    ~CarriedRecording() {
        std::error_code ignored;
        if (!rounded_.empty()) fs::remove(rounded_, ignored);
    }
    CarriedRecording(const CarriedRecording&) = delete;
    CarriedRecording& operator=(const CarriedRecording&) = delete;

    const fs::path& path() const { return path_; }
    void describe(Json& about) const {
        if (rounded_.empty()) return;
        about["rounding"] = {{"length", rounding_.length},
                             {"turn", rounding_.turn},
                             {"vertices", rounding_.vertices},
                             {"contacts", rounding_.contacts},
                             {"contacts_per_frame", rounding_.contacts_per_frame},
                             {"contact_counts", rounding_.contact_counts}};
    }

private:
    fs::path path_, rounded_;
    PageRounding rounding_;
};

// JSON that no HTML parser takes for the end of the script it is in.
std::string in_script(const Json& json) {
    std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    for (std::size_t at = 0; (at = text.find('<', at)) != text.npos; at += 6)
        text.replace(at, 1, "\\u003c");
    return text;
}

// Where in the page texts belong, in their order.
struct Places {
    std::string_view page = page_text();
    std::size_t about = page.find(kAboutPlace) + kAboutPlace.size();
    std::size_t steps = page.find(kStepsPlace) + kStepsPlace.size();
    std::size_t run = page.find(kRunPlace) + kRunPlace.size();
};

std::string page_until_run(const Places& at, const Json& about, const fs::path& recording) {
    std::string text(at.page.substr(0, at.about));
    text += in_script(about);
    text += at.page.substr(at.about, at.steps - at.about);
    text += read_step_columns(fs::absolute(recording).parent_path() / "steps.csv");
    return text += at.page.substr(at.steps, at.run - at.steps);
}

Json describe(const fs::path& recording, const Recording& read) {
    const auto bytes = static_cast<std::int64_t>(fs::file_size(recording));
    return {{"recording_bytes", bytes}, {"why_incomplete", read.why_incomplete()}};
}

}  // namespace

void check_page() {
    const std::string_view page = page_text();
    for (const std::string_view place : {kRunPlace, kAboutPlace, kStepsPlace})
        if (page.find(place) == page.npos)
            throw Error(
                "this graze was built without the page; install npm and build it again "
                "(docs/building.md), or export to .glb");
}

void check_page_file(const fs::path& file) {
    if (file.extension() != ".html")
        throw Error(file.string() +
                    ": the page is an HTML file; give it a name that ends in .html");
    check_output(file);
    check_page();
}

std::string large_page_words(const fs::path& page) {
    return page.string() +
           ": so large a page takes a browser long to open, and much memory; graze view --serve "
           "sends it a run piece by piece";
}

void write_run_page(const PageContents& contents, const fs::path& file, const Progress& progress) {
    check_page();
    const Recording recording(contents.recording);
    Json about = describe(contents.recording, recording);
    if (contents.about.is_object()) about.update(contents.about);
    const CarriedRecording carried(contents, recording,
                                   [&](double part) { return !progress || progress(part / 2); });
    carried.describe(about);
    if (!about.contains("fields")) about["fields"] = fields_of(recording.setup());

    const PackedRecording packed(Recording(carried.path()), carried.path());
    std::vector<std::string> blocks;
    std::uint64_t size = 0;
    Json index = Json::array();
    for (std::size_t i = 0; i < packed.blocks().size(); ++i) {
        const std::string raw = packed.raw(i);
        blocks.push_back(PackedRecording::deflate(raw, 9));
        const std::string& block = blocks.back();
        size += block.size();
        if (size > kLargestForAPage)
            throw Error(contents.recording.string() +
                        ": too large for a page that a browser opens; graze view --serve plays it");
        index.push_back({block.size(), raw.size(),
                         ::crc32(0, reinterpret_cast<const Bytef*>(block.data()),
                                 static_cast<uInt>(block.size())),
                         packed.blocks()[i].frame_count});
        const double part =
            static_cast<double>(i + 1) / static_cast<double>(packed.blocks().size());
        if (progress && !progress(0.5 + 0.5 * part)) throw Error("interrupted");
    }
    about["blocks"] = index;

    const Places at;
    write_file(file, [&](const WriteBytes& write) {
        write(page_until_run(at, about, contents.recording));
        // Each block by itself, so that what is there of a page that was cut off can be shown.
        for (const std::string& block : blocks)
            write(base64(block) + "\n");
        write(at.page.substr(at.run));
    });
}

std::string served_page(const fs::path& recording_file) {
    check_page();
    const Recording recording(recording_file);
    Json about = describe(recording_file, recording);
    about["fields"] = fields_of(recording.setup());
    const PackedRecording packed(recording, recording_file);
    about["served_blocks"] = Json::array();
    for (const PackedRecording::Block& block : packed.blocks())
        about["served_blocks"].push_back(block.frame_count);
    const Places at;
    return page_until_run(at, about, recording_file) + std::string(at.page.substr(at.run));
}

}  // namespace graze::app
