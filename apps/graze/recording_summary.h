// What graze says about a recording, for people and for programs; docs/commands/info.md lists the
// keys.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace graze::app {

struct RecordingSummary {
    std::string file;
    std::int64_t file_bytes = 0;
    std::string scene;
    std::int64_t body_count = 0;
    std::int64_t shape_count = 0;
    std::int64_t triangle_count = 0;  // of all shapes
    std::int64_t frame_count = 0;
    double frame_time = 0;       // [s] from frame to frame
    double duration = 0;         // [s] from the first frame to the last
    std::string why_incomplete;  // empty: it is complete
};

// Tells by the extension, .grec.
bool is_recording_file(const std::filesystem::path& path);
// Throws Error where it cannot be read.
RecordingSummary summarize_recording(const std::string& file);

nlohmann::ordered_json to_json(const RecordingSummary& summary);
// Returns a heading and a row for each number.
std::string to_text(const RecordingSummary& summary);

}  // namespace graze::app
