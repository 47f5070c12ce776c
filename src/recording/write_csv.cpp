#include <charconv>
#include <string>

#include "graze/error.h"
#include "graze/recording.h"
#include "io/atomic_file.h"

namespace graze {
namespace {

constexpr std::size_t kCsvPieceBytes = 1 << 20;  // written at a time

// The shortest text that reads back as the same number.
template <class V>
void append_number(std::string& row, V value) {
    char digits[40];
    const auto result = std::to_chars(digits, digits + sizeof digits, value);
    row += ',';
    row.append(digits, result.ptr);
}

// Puts quotation marks around a name and doubles those in it, as RFC 4180 has it.
std::string quoted(const std::string& name) {
    std::string text = "\"";
    for (const char c : name)
        text += c == '"' ? std::string("\"\"") : std::string(1, c);
    return text + '"';
}

void append_poses(std::string& text, std::int64_t index, const RecordingFrame& frame,
                  const std::vector<std::string>& names) {
    for (std::size_t i = 0; i < frame.states.size(); ++i) {
        const BodyState& state = frame.states[i];
        if (!state.is_present) continue;
        text += std::to_string(index);
        append_number(text, frame.time);
        append_number(text, i);
        text += ',' + names[i];
        const auto& [t, q, scale] = state.pose;
        for (const float number : {t.x, t.y, t.z, q.w, q.x, q.y, q.z, scale})
            append_number(text, number);
        text += state.is_asleep ? ",1\n" : ",0\n";
    }
}

void append_contacts(std::string& text, std::int64_t index, const RecordingFrame& frame) {
    for (const Contact& c : frame.contacts) {
        text += std::to_string(index);
        append_number(text, frame.time);
        append_number(text, c.body_a);
        append_number(text, c.body_b);
        for (const float number : {c.position.x, c.position.y, c.position.z, c.normal.x, c.normal.y,
                                   c.normal.z, c.distance})
            append_number(text, number);
        text += '\n';
    }
}

}  // namespace

void write_csv(const Recording& recording, RecordingTable table, const std::filesystem::path& file,
               const Progress& progress) {
    std::vector<std::string> names;
    for (const auto& body : recording.setup().bodies)
        names.push_back(quoted(body.name));
    io::AtomicFile output(file);
    std::string text =
        table == RecordingTable::poses
            ? "frame,time,body,name,x,y,z,rotation_w,rotation_x,rotation_y,rotation_z,scale,"
              "asleep\n"
            : "frame,time,body_a,body_b,x,y,z,normal_x,normal_y,normal_z,distance\n";
    for (std::int64_t i = 0; i < recording.frame_count(); ++i) {
        const double fraction =
            static_cast<double>(i) / static_cast<double>(recording.frame_count());
        if (progress && !progress(fraction)) throw Error("stopped before all frames were written");
        const RecordingFrame frame = recording.frame(i);
        if (table == RecordingTable::poses) {
            append_poses(text, i, frame, names);
        } else {
            append_contacts(text, i, frame);
        }
        if (text.size() < kCsvPieceBytes) continue;
        output.write(text);
        text.clear();
    }
    output.write(text);
    output.commit();
    if (progress) progress(1);
}

}  // namespace graze
