// Feeds arbitrary bytes to the reader of recordings, with and without looking at checksums, which
// no mutation would get right. Only graze::Error may come out; what is read must be fit to be
// recorded and survive that.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "recording/recording_reader.h"
#include "recording/recording_setup.h"
#include "tests/fuzz/require.h"

namespace {

using namespace graze::recording;
using graze::fuzz::require;

// These are enough to go from frame to frame, and few, as a small file can stand for many bodies.
constexpr std::int64_t kMostFrames = 20;

void check_setup(const graze::RecordingSetup& setup) {
    graze::recording::check(setup);
    const graze::RecordingSetup again = decode_setup(encode_setup(setup), kDeformingVersion);
    require(again.bodies.size() == setup.bodies.size());
    for (const auto& shape : setup.shapes) {
        const graze::Mesh mesh = decode_mesh(encode_mesh(shape.mesh));
        require(mesh.triangles == shape.mesh.triangles);
        require(mesh.positions == shape.mesh.positions);
    }
}

void check_frame(const graze::RecordingFrame& frame, std::size_t body_count, bool is_key,
                 FrameHistory& writer, FrameHistory& reader) {
    require(std::isfinite(frame.time) && frame.states.size() == body_count);
    for (const graze::Contact& contact : frame.contacts) {
        require(contact.body_a < body_count && contact.body_b < body_count);
        require(is_finite(contact.position) && is_finite(contact.normal));
    }
    const graze::RecordingFrame again = reader.decode(
        is_key,
        writer.encode(is_key, frame.time, frame.states, encode_contacts(frame.contacts, 1e-6f)));
    require(again.contacts.size() == frame.contacts.size());
    for (std::size_t i = 0; i < body_count; ++i)
        require(bits_of(again.states[i].pose) == bits_of(frame.states[i].pose));
}

// Positions survive whatever key frames there are.
void check_positions(const graze::RecordingFrame& frame, bool is_key, VertexHistory& writer,
                     VertexHistory& reader) {
    require(frame.positions.size() == writer.vertex_count());
    const auto again = reader.decode(is_key, writer.encode(is_key, frame.positions));
    require(again.size() == frame.positions.size());
    for (std::size_t i = 0; i < again.size(); ++i)
        require(is_finite(again[i]) && again[i] == frame.positions[i]);
}

void check(std::string_view bytes, bool verify) {
    try {
        const RecordingReader reader(std::make_unique<MemoryRecording>(bytes), "fuzz", verify);
        check_setup(reader.setup());
        const std::size_t body_count = reader.setup().bodies.size();
        FrameHistory written(body_count), read(body_count);
        VertexHistory written_vertices(deforming_vertex_counts(reader.setup()));
        VertexHistory read_vertices = written_vertices;
        const std::int64_t count = std::min(reader.frame_count(), kMostFrames);
        for (std::int64_t i = 0; i < count; ++i) {
            const graze::RecordingFrame frame = reader.frame(i);
            check_frame(frame, body_count, i % 7 == 0, written, read);
            check_positions(frame, i % 7 == 0, written_vertices, read_vertices);
        }
        if (reader.frame_count() > 0) (void)reader.frame(0);  // once more, from its key
    } catch (const graze::Error& error) {
        graze::fuzz::require_clear_message(error);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    check(bytes, true);
    check(bytes, false);
    return 0;
}
