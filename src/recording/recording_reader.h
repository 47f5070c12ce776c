// RecordingReader: what class Recording does, on bytes from anywhere.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "recording/recording_chunk.h"
#include "recording/recording_frame.h"
#include "recording/recording_vertices.h"

namespace graze::recording {

// Bytes that can be read anywhere. More may be added behind them meanwhile, which does not matter.
class RecordingSource {
public:
    virtual ~RecordingSource() = default;
    virtual std::uint64_t size() const = 0;
    // The caller asks for no more than are there.
    virtual void read(std::uint64_t offset, char* to, std::size_t count) const = 0;
};

class MemoryRecording final : public RecordingSource {
public:
    // The bytes outlive it.
    explicit MemoryRecording(std::string_view bytes) : bytes_(bytes) {}
    std::uint64_t size() const override { return bytes_.size(); }
    void read(std::uint64_t offset, char* to, std::size_t count) const override {
        bytes_.copy(to, count, offset);
    }

private:
    std::string_view bytes_;
};

class RecordingReader {
public:
    // Looks at every chunk once. Without verify checksums are not looked at, which is for fuzzing
    // alone.
    RecordingReader(std::unique_ptr<RecordingSource> source, std::string name, bool verify = true);

    const RecordingSetup& setup() const { return setup_; }
    std::int64_t frame_count() const { return static_cast<std::int64_t>(frames_.size()); }
    const std::string& why_incomplete() const { return why_incomplete_; }
    // Any thread may ask for any frame.
    RecordingFrame frame(std::int64_t index) const;

private:
    struct ChunkEntry {
        std::uint64_t offset;  // of its head
        std::uint32_t stored_bytes;
        std::uint32_t previous;  // checksum of the chunk before
    };
    struct FrameEntry {
        ChunkEntry frame;
        ChunkEntry vertices;  // only where bodies deform
        bool is_key;
    };
    struct Found {
        ChunkHead head;
        std::string fault;  // why there is no chunk; empty where there is one
    };

    void read_start();
    std::uint32_t read_version();
    void find_frames();
    // Why what was found is no chunk of the frame to come; empty where it is one.
    std::string out_of_order(const ChunkHead& head, bool has_vertices) const;
    Found find_chunk();
    std::string read_chunk(const char* what, std::string_view tag);
    std::string stream_at(std::uint64_t offset, std::uint32_t stored_bytes) const;
    std::string raw_chunk(const ChunkEntry& entry) const;
    RecordingFrame decode(const FrameEntry& entry) const;
    std::string end_fault(const ChunkHead& head) const;
    [[noreturn]] void fail(std::uint64_t offset, const std::string& cause) const;

    std::unique_ptr<RecordingSource> source_;
    std::string name_;
    bool verify_;
    std::uint64_t offset_ = 0;    // of the next chunk
    std::uint32_t checksum_ = 0;  // of the last chunk
    RecordingSetup setup_;
    std::vector<FrameEntry> frames_;
    std::string why_incomplete_;

    // What was decoded last, so that frames in a row cost one each.
    mutable std::mutex mutex_;
    mutable FrameHistory history_{0};
    mutable VertexHistory vertex_history_{{}};
    mutable std::int64_t decoded_ = -1;
    mutable RecordingFrame last_frame_;
};

}  // namespace graze::recording
