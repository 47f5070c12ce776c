#include "recording/recording_reader.h"

#include <algorithm>
#include <utility>

#include "graze/error.h"
#include "io/binary_cursor.h"
#include "recording/recording_setup.h"

namespace graze::recording {
namespace {

constexpr std::size_t kReadPieceBytes = 1 << 18;  // read at a time while looking for chunks

}  // namespace

RecordingReader::RecordingReader(std::unique_ptr<RecordingSource> source, std::string name,
                                 bool verify)
    : source_(std::move(source)), name_(std::move(name)), verify_(verify) {
    read_start();
    find_frames();
    history_ = FrameHistory(setup_.bodies.size());
}

void RecordingReader::fail(std::uint64_t offset, const std::string& cause) const {
    throw Error(name_ + ": byte " + std::to_string(offset) + ": " + cause);
}

// Reads the version of the format, and steps over the head.
std::uint32_t RecordingReader::read_version() {
    std::string head(std::min<std::uint64_t>(source_->size(), kFileHeadBytes), '\0');
    source_->read(0, head.data(), head.size());
    if (!head.starts_with(kMagic)) fail(0, "this is no recording (.grec)");
    if (head.size() < kFileHeadBytes) fail(head.size(), "the file ends inside its head");
    const auto version = io::load<std::uint32_t, std::endian::little>(head.data() + 8);
    if (version < kRigidVersion || version > kDeformingVersion)
        fail(8, "version " + std::to_string(version) + " of the format; this graze reads " +
                    std::to_string(kRigidVersion) + " and " + std::to_string(kDeformingVersion));
    checksum_ = io::load<std::uint32_t, std::endian::little>(head.data() + 12);
    if (verify_ && head != file_head(version))
        fail(12, "the head's checksum is wrong: the file was altered");
    offset_ = kFileHeadBytes;
    return version;
}

void RecordingReader::read_start() {
    const std::uint32_t version = read_version();
    const auto decode = [&](const char* what, std::string_view tag, const auto& use) {
        const std::uint64_t offset = offset_;
        const std::string raw = read_chunk(what, tag);
        try {
            use(raw);
        } catch (const Error& error) {
            fail(offset, std::string(what) + ": " + error.what());
        }
    };
    decode("the setup", kSetupTag,
           [&](const std::string& raw) { setup_ = decode_setup(raw, version); });
    for (auto& shape : setup_.shapes)
        decode("a mesh", kMeshTag, [&](const std::string& raw) { shape.mesh = decode_mesh(raw); });
    try {
        vertex_history_ = VertexHistory(deforming_vertex_counts(setup_));
    } catch (const Error& error) {
        fail(offset_, error.what());
    }
}

// The chunk at offset_, checked; steps over it.
RecordingReader::Found RecordingReader::find_chunk() {
    const std::uint64_t left = source_->size() - offset_;
    if (left < kChunkHeadBytes) return {{}, "only its first bytes are there"};
    char head_bytes[kChunkHeadBytes];
    source_->read(offset_, head_bytes, sizeof head_bytes);
    const ChunkHead head = decode_head(head_bytes);
    if (head.stored_bytes > left - kChunkHeadBytes) return {head, "only a part of it is there"};
    if (std::string fault = fault_of(head); !fault.empty()) return {head, std::move(fault)};
    if (verify_) {
        std::uint32_t checksum = chunk_checksum(checksum_, head_bytes, {});
        std::string piece;
        for (std::uint64_t done = 0; done < head.stored_bytes; done += piece.size()) {
            piece.resize(std::min<std::uint64_t>(kReadPieceBytes, head.stored_bytes - done));
            source_->read(offset_ + kChunkHeadBytes + done, piece.data(), piece.size());
            checksum = continue_checksum(checksum, piece);
        }
        if (checksum != head.checksum) return {head, "its checksum is wrong: it was altered"};
    }
    offset_ += kChunkHeadBytes + head.stored_bytes;
    checksum_ = head.checksum;
    return {head, {}};
}

std::string RecordingReader::stream_at(std::uint64_t offset, std::uint32_t stored_bytes) const {
    std::string stream(stored_bytes, '\0');
    source_->read(offset + kChunkHeadBytes, stream.data(), stream.size());
    return stream;
}

// Reads a chunk without which there is no recording.
std::string RecordingReader::read_chunk(const char* what, std::string_view tag) {
    const std::uint64_t offset = offset_;
    const Found found = find_chunk();
    const bool is_other = found.fault.empty() && !found.head.is(tag);
    if (is_other || !found.fault.empty())
        fail(offset, std::string(what) + ": " + (is_other ? "it is missing" : found.fault));
    try {
        return inflate(stream_at(offset, found.head.stored_bytes), found.head.raw_bytes);
    } catch (const Error& error) {
        fail(offset, std::string(what) + ": " + error.what());
    }
}

std::string RecordingReader::out_of_order(const ChunkHead& head, bool has_vertices) const {
    const bool needs_vertices = !vertex_history_.is_empty() && !has_vertices;
    if (needs_vertices) return head.is(kVerticesTag) ? "" : "what is there are no vertices";
    const bool is_first = frames_.empty() && !head.is(kKeyTag);
    return head.is_frame() && !is_first ? "" : "what is there is no frame";
}

void RecordingReader::find_frames() {
    ChunkEntry vertices{};  // of the frame to come
    bool has_vertices = false;
    while (offset_ < source_->size()) {
        ChunkEntry entry{offset_, 0, checksum_};
        const Found found = find_chunk();
        const std::string frame = "frame " + std::to_string(frame_count());
        if (!found.fault.empty()) {
            why_incomplete_ = "it ends before " + frame + ": " + found.fault;
            return;
        }
        if (found.head.is(kEndTag) && !has_vertices) {
            why_incomplete_ = end_fault(found.head);
            return;
        }
        if (const std::string fault = out_of_order(found.head, has_vertices); !fault.empty()) {
            why_incomplete_ = "it ends before " + frame + ": " + fault;
            return;
        }
        entry.stored_bytes = found.head.stored_bytes;
        has_vertices = found.head.is(kVerticesTag);
        if (has_vertices)
            vertices = entry;
        else
            frames_.push_back({entry, vertices, found.head.is(kKeyTag)});
    }
    why_incomplete_ = "it has no end mark after its " + std::to_string(frame_count()) +
                      " frames: its writer is still at work, or was stopped";
}

// What is wrong with the chunk that ends a recording, which was just stepped over.
std::string RecordingReader::end_fault(const ChunkHead& head) const {
    const std::uint64_t offset = offset_ - kChunkHeadBytes - head.stored_bytes;
    std::uint64_t announced = 0;
    try {
        const std::string raw = inflate(stream_at(offset, head.stored_bytes), head.raw_bytes);
        RawCursor cursor(raw);
        announced = cursor.next<std::uint64_t>();
        cursor.expect_end();
    } catch (const Error& error) {
        return std::string("its end mark is broken: ") + error.what();
    }
    if (announced != frames_.size())
        return "its end mark speaks of " + std::to_string(announced) + " frames, and " +
               std::to_string(frames_.size()) + " are there";
    if (offset_ < source_->size())
        return std::to_string(source_->size() - offset_) + " bytes follow its end mark";
    return {};
}

// Looked at again, for a file may change behind a reader's back.
std::string RecordingReader::raw_chunk(const ChunkEntry& entry) const {
    std::string bytes(kChunkHeadBytes + entry.stored_bytes, '\0');
    source_->read(entry.offset, bytes.data(), bytes.size());
    const ChunkHead head = decode_head(bytes.data());
    const std::string_view stream = std::string_view(bytes).substr(kChunkHeadBytes);
    if (head.stored_bytes != entry.stored_bytes || !fault_of(head).empty() ||
        (verify_ && head.checksum != chunk_checksum(entry.previous, bytes.data(), stream)))
        throw Error("the file was changed since it was opened");
    return inflate(stream, head.raw_bytes);
}

RecordingFrame RecordingReader::decode(const FrameEntry& entry) const {
    RecordingFrame frame = history_.decode(entry.is_key, raw_chunk(entry.frame));
    if (!vertex_history_.is_empty())
        frame.positions = vertex_history_.decode(entry.is_key, raw_chunk(entry.vertices));
    return frame;
}

RecordingFrame RecordingReader::frame(std::int64_t index) const {
    if (index < 0 || index >= frame_count())
        throw Error(name_ + ": frame " + std::to_string(index) + " is not there; it has " +
                    std::to_string(frame_count()));
    const std::scoped_lock lock(mutex_);
    if (decoded_ == index) return last_frame_;
    // On from what is known where that is between the last key frame and here.
    std::int64_t first = index;
    while (!frames_[static_cast<std::size_t>(first)].is_key && first != decoded_ + 1)
        --first;
    for (std::int64_t i = first; i <= index; ++i) {
        decoded_ = -2;  // nothing is known, and nothing goes on from it, until it is decoded
        try {
            last_frame_ = decode(frames_[static_cast<std::size_t>(i)]);
        } catch (const Error& error) {
            throw Error(name_ + ": frame " + std::to_string(i) + ": " + error.what());
        }
        decoded_ = i;
    }
    return last_frame_;
}

}  // namespace graze::recording
