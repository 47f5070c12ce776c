#include "recording_summary.h"

#include <nlohmann/json.hpp>

#include "graze/recording.h"
#include "terminal.h"

namespace graze::app {

namespace {

using Json = nlohmann::ordered_json;

}  // namespace

bool is_recording_file(const std::filesystem::path& path) {
    return path.extension() == ".grec";
}

RecordingSummary summarize_recording(const std::string& file) {
    const Recording recording(file);
    const RecordingSetup& setup = recording.setup();
    RecordingSummary summary;
    summary.file = file;
    summary.file_bytes = static_cast<std::int64_t>(std::filesystem::file_size(file));
    summary.scene = setup.scene_name;
    summary.body_count = static_cast<std::int64_t>(setup.bodies.size());
    summary.shape_count = static_cast<std::int64_t>(setup.shapes.size());
    for (const auto& shape : setup.shapes)
        summary.triangle_count += static_cast<std::int64_t>(shape.mesh.triangles.size());
    summary.frame_count = recording.frame_count();
    summary.frame_time = setup.frame_time;
    if (summary.frame_count > 0)
        summary.duration = recording.frame(summary.frame_count - 1).time - recording.frame(0).time;
    summary.why_incomplete = recording.why_incomplete();
    return summary;
}

nlohmann::ordered_json to_json(const RecordingSummary& summary) {
    const bool is_complete = summary.why_incomplete.empty();
    return {{"file", summary.file},
            {"file_bytes", summary.file_bytes},
            {"scene", summary.scene},
            {"body_count", summary.body_count},
            {"shape_count", summary.shape_count},
            {"triangle_count", summary.triangle_count},
            {"frame_count", summary.frame_count},
            {"frame_time", summary.frame_time},
            {"duration", summary.duration},
            {"complete", is_complete},
            {"why_incomplete", is_complete ? Json(nullptr) : Json(summary.why_incomplete)}};
}

std::string to_text(const RecordingSummary& summary) {
    std::string text = styled(printable(summary.file), Style::heading) + "\n";
    text += in_rows({{"scene", printable(summary.scene)},
                     {"bodies", with_separators(summary.body_count)},
                     {"shapes", with_separators(summary.shape_count)},
                     {"triangles", with_separators(summary.triangle_count)},
                     {"frames", with_separators(summary.frame_count)},
                     {"frame time", with_digits(summary.frame_time) + " s"},
                     {"duration", with_digits(summary.duration) + " s"},
                     {"size", with_bytes(summary.file_bytes)},
                     {"complete", summary.why_incomplete.empty() ? "yes" : "no"}});
    if (!summary.why_incomplete.empty())
        text += "  " + styled("*", Style::attention) + " " + summary.why_incomplete + "\n";
    return text;
}

}  // namespace graze::app
