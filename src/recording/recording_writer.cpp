#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

#include "graze/error.h"
#include "graze/recording.h"
#include "io/atomic_file.h"
#include "recording/recording_chunk.h"
#include "recording/recording_frame.h"
#include "recording/recording_setup.h"
#include "recording/recording_vertices.h"

namespace graze {
namespace {

using namespace recording;

// Lengths [m] beyond this mean that the simulation broke, and do not fit into whole numbers.
constexpr float kFarthest = 1e30f;
// A contact is off by at most half of this fraction of the smallest body's longest side.
constexpr float kStepOfSide = 0x1p-16f;

bool is_usable(const Vec3& v) {
    return std::fabs(v.x) <= kFarthest && std::fabs(v.y) <= kFarthest &&
           std::fabs(v.z) <= kFarthest;
}

float longest_side(const Mesh& mesh) {
    const Aabb box = bounds(mesh);
    if (box.is_empty()) return 0;
    const Vec3 size = extent(box);
    return std::max({size.x, size.y, size.z});
}

}  // namespace

struct RecordingWriter::Parts {
    std::filesystem::path path;
    std::vector<float> sides;  // [m] the longest of each body's mesh
    int descriptor = -1;
    std::uint64_t length = 0;  // [bytes] of what is whole in the file
    std::uint32_t checksum = 0;
    ChunkEncoder encoder{Content::columns};
    FrameHistory history;
    VertexHistory vertex_history{{}};
    std::int64_t frame_count = 0;
    double last_time = -std::numeric_limits<double>::infinity();
    float contact_step = 0;   // [m] 0: not chosen yet
    bool has_failed = false;  // the history is ahead of the file
    bool is_finished = false;
    bool is_torn = false;  // a part of a chunk is in the file and stays there

    Parts(const std::filesystem::path& file, const RecordingSetup& setup);
    ~Parts() {
        if (descriptor >= 0) ::close(descriptor);
    }
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;

    [[noreturn]] void fail(const std::string& cause) const {
        throw Error(path.string() + ": " + cause);
    }
    [[noreturn]] void fail(int error_number) const {
        fail("cannot write: " + std::generic_category().message(error_number));
    }
    void write_start(const RecordingSetup& setup);
    void check(double time, std::span<const BodyState> states, std::span<const Contact> contacts,
               std::span<const Vec3> positions) const;
    void check_positions(const std::string& frame, std::span<const Vec3> positions) const;
    float step_for(std::span<const BodyState> states) const;
    void require_open() const;
    // Makes a chunk, which becomes part of the file by write_chunks().
    void add_chunk(std::string_view tag, std::string_view raw);
    void write_chunks();

    std::string chunks;                 // that are made and not written
    std::uint32_t chunks_checksum = 0;  // of the last of them
};

RecordingWriter::Parts::Parts(const std::filesystem::path& file, const RecordingSetup& setup)
    : path(file), history(setup.bodies.size()) {
    try {
        recording::check(setup);
    } catch (const Error& error) {
        fail(error.what());
    }
    for (const auto& body : setup.bodies)
        sides.push_back(longest_side(setup.shapes[body.shape].mesh));
    vertex_history = VertexHistory(deforming_vertex_counts(setup));
    write_start(setup);
    descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (descriptor < 0) fail(errno);
}

// The file appears with all that is before its first frame: who reads it never meets half of that,
// and who still reads an older recording of this name goes on with the older one.
void RecordingWriter::Parts::write_start(const RecordingSetup& setup) {
    io::AtomicFile file(path);
    const std::string head =
        file_head(vertex_history.is_empty() ? kRigidVersion : kDeformingVersion);
    checksum = RawCursor(std::string_view(head).substr(kFileHeadBytes - 4)).next<std::uint32_t>();
    file.write(head);
    length = head.size();
    ChunkEncoder text(Content::text);
    std::string chunk;
    const auto put = [&](std::string_view tag, const std::string& raw) {
        chunk.clear();
        checksum = text.encode(tag, raw, checksum, chunk);
        file.write(chunk);
        length += chunk.size();
    };
    put(kSetupTag, encode_setup(setup));
    for (const auto& shape : setup.shapes)
        put(kMeshTag, encode_mesh(shape.mesh));
    file.commit();
}

void RecordingWriter::Parts::check(double time, std::span<const BodyState> states,
                                   std::span<const Contact> contacts,
                                   std::span<const Vec3> positions) const {
    if (is_finished) fail("the recording is finished; no frame can be added");
    require_open();
    const std::string frame = "frame " + std::to_string(frame_count) + ": ";
    if (!std::isfinite(time) || !(time > last_time))
        fail(frame + "its time must be a finite number above that of the frame before");
    if (states.size() != sides.size())
        fail(frame + std::to_string(states.size()) + " states for " + std::to_string(sides.size()) +
             " bodies; give one for each");
    for (std::size_t i = 0; i < states.size(); ++i)
        if (const std::string fault = fault_of(states[i].pose); !fault.empty())
            fail(frame + "body " + std::to_string(i) + ": " + fault);
    for (const Contact& contact : contacts) {
        if (contact.body_a >= sides.size() || contact.body_b >= sides.size())
            fail(frame + "a contact names a body that is not there");
        if (!is_usable(contact.position) || !is_usable(contact.normal) ||
            !(std::fabs(contact.distance) <= kFarthest) || !std::isfinite(contact.time))
            fail(frame + "a contact of bodies " + std::to_string(contact.body_a) + " and " +
                 std::to_string(contact.body_b) + " is not finite");
    }
    check_positions(frame, positions);
}

void RecordingWriter::Parts::check_positions(const std::string& frame,
                                             std::span<const Vec3> positions) const {
    if (positions.size() != vertex_history.vertex_count())
        fail(frame + std::to_string(positions.size()) + " positions for " +
             std::to_string(vertex_history.vertex_count()) +
             " vertices of bodies that deform; give one for each");
    for (std::size_t i = 0; i < positions.size(); ++i)
        if (!is_usable(positions[i]))
            fail(frame + "vertex " + std::to_string(i) +
                 " of the bodies that deform has a position that is not finite");
}

void RecordingWriter::Parts::require_open() const {
    if (is_torn) fail("a part of a frame was written and could not be removed; record anew");
}

float RecordingWriter::Parts::step_for(std::span<const BodyState> states) const {
    float smallest = std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < states.size(); ++i)
        if (sides[i] > 0) smallest = std::min(smallest, sides[i] * states[i].pose.scale);
    return std::isfinite(smallest) ? smallest * kStepOfSide : kStepOfSide;
}

void RecordingWriter::Parts::add_chunk(std::string_view tag, std::string_view raw) {
    const std::uint32_t previous = chunks.empty() ? checksum : chunks_checksum;
    chunks_checksum = encoder.encode(tag, raw, previous, chunks);
}

// Writes them in one call, so that a process that is killed leaves a whole frame or the beginning
// of one.
void RecordingWriter::Parts::write_chunks() {
    const std::string written_whole = std::exchange(chunks, {});
    std::string_view left = written_whole;
    while (!left.empty()) {
        const ssize_t written = ::write(descriptor, left.data(), left.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            const int error_number = written < 0 ? errno : EIO;
            // What is torn would end the recording for its readers, whatever came after it.
            is_torn = ::ftruncate(descriptor, static_cast<off_t>(length)) != 0;
            fail(error_number);
        }
        left.remove_prefix(static_cast<std::size_t>(written));
    }
    checksum = chunks_checksum;
    length += written_whole.size();
}

RecordingWriter::RecordingWriter(const std::filesystem::path& file, const RecordingSetup& setup)
    : parts_(std::make_unique<Parts>(file, setup)) {}
RecordingWriter::~RecordingWriter() = default;
RecordingWriter::RecordingWriter(RecordingWriter&&) noexcept = default;
RecordingWriter& RecordingWriter::operator=(RecordingWriter&&) noexcept = default;

void RecordingWriter::add(double time, std::span<const BodyState> states,
                          std::span<const Contact> contacts, std::span<const Vec3> positions) {
    Parts& parts = *parts_;
    parts.check(time, states, contacts, positions);
    if (parts.contact_step == 0) parts.contact_step = parts.step_for(states);
    const bool is_key = parts.has_failed || parts.frame_count % kKeyInterval == 0;
    parts.has_failed = true;  // until it is written
    parts.chunks.clear();
    if (!parts.vertex_history.is_empty())
        parts.add_chunk(kVerticesTag, parts.vertex_history.encode(is_key, positions));
    parts.add_chunk(
        is_key ? kKeyTag : kDeltaTag,
        parts.history.encode(is_key, time, states, encode_contacts(contacts, parts.contact_step)));
    parts.write_chunks();
    parts.has_failed = false;
    parts.last_time = time;
    ++parts.frame_count;
}

void RecordingWriter::add(const Simulation& simulation) {
    std::vector<Vec3> positions;
    if (const Mesh* surface = simulation.surface()) {
        std::size_t first = 0;
        for (const SceneBody& body : simulation.scene().bodies) {
            const Mesh& mesh = *simulation.scene().shapes[body.shape].shape.mesh();
            const std::size_t last = first + mesh.positions.size();
            if (body.motion == BodyMotion::cloth)
                positions.insert(positions.end(),
                                 surface->positions.begin() + std::ptrdiff_t(first),
                                 surface->positions.begin() + std::ptrdiff_t(last));
            first = last;
        }
    }
    add(simulation.statistics().time, simulation.states(), simulation.contacts(), positions);
}

void RecordingWriter::finish() {
    Parts& parts = *parts_;
    if (parts.is_finished) return;
    parts.require_open();
    std::string raw;
    append(raw, static_cast<std::uint64_t>(parts.frame_count));
    parts.chunks.clear();
    parts.add_chunk(kEndTag, raw);
    parts.write_chunks();
    parts.is_finished = true;
    // From here on a power cut loses nothing either, where the disk can promise that.
    if (::fsync(parts.descriptor) != 0 && errno != EINVAL && errno != EROFS) parts.fail(errno);
}

}  // namespace graze
