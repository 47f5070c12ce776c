#include "packed_recording.h"

#include <zlib.h>

#include <cstring>
#include <fstream>
#include <string_view>

#include "graze/error.h"

namespace graze::app {

namespace {

constexpr std::uint64_t kHeadBytes = 16;

// The head of a chunk (docs/formats/recording.md).
struct Head {
    char tag[4];
    std::uint32_t stored, raw, checksum;

    bool is(const char* name) const { return std::memcmp(tag, name, 4) == 0; }
};
static_assert(sizeof(Head) == kHeadBytes);

Head read_head(std::ifstream& file, std::uint64_t at) {
    Head head{};
    file.seekg(static_cast<std::streamoff>(at));
    file.read(reinterpret_cast<char*>(&head), sizeof head);
    return head;
}

std::string inflate(std::string& stored, std::uint32_t size, const std::filesystem::path& file) {
    std::string raw(size, '\0');
    z_stream stream{};
    stream.next_in = reinterpret_cast<Bytef*>(stored.data());
    stream.avail_in = static_cast<uInt>(stored.size());
    stream.next_out = reinterpret_cast<Bytef*>(raw.data());
    stream.avail_out = size;
    if (inflateInit2(&stream, -15) != Z_OK) throw Error("out of memory");
    const int status = ::inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    if (status != Z_STREAM_END || stream.avail_out != 0)
        throw Error(file.string() + ": it was changed while it was read");
    return raw;
}

}  // namespace

PackedRecording::PackedRecording(const Recording& recording, const std::filesystem::path& file)
    : file_(file), blocks_(1) {
    std::ifstream stream(file, std::ios::binary);
    std::int64_t left = recording.frame_count();
    std::vector<std::uint64_t> vertices;  // wait for the frame that they belong to
    for (std::uint64_t at = kHeadBytes; left > 0;) {
        const Head head = read_head(stream, at);
        if (!stream) throw Error(file.string() + ": it was changed while it was read");
        if (head.is("VERT")) {
            vertices = {at};
        } else if (head.is("KEYF") || head.is("DELT")) {
            if (head.is("KEYF")) blocks_.emplace_back();
            Block& block = blocks_.back();
            block.chunks.insert(block.chunks.end(), vertices.begin(), vertices.end());
            block.chunks.push_back(at);
            ++block.frame_count;
            vertices.clear();
            --left;
        } else {
            blocks_.front().chunks.push_back(at);
        }
        at += kHeadBytes + head.stored;
    }
}

std::string PackedRecording::raw(std::size_t block) const {
    std::ifstream stream(file_, std::ios::binary);
    std::string all, stored;
    for (const std::uint64_t at : blocks_[block].chunks) {
        const Head head = read_head(stream, at);
        stored.resize(head.stored);
        stream.read(stored.data(), head.stored);
        if (!stream) throw Error(file_.string() + ": it was changed while it was read");
        all.append(head.tag, 4);
        all.append(reinterpret_cast<const char*>(&head.raw), 4);
        all += inflate(stored, head.raw, file_);
    }
    return all;
}

std::string PackedRecording::deflate(const std::string& raw, int level) {
    z_stream stream{};
    if (deflateInit2(&stream, level, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        throw Error("out of memory");
    std::string packed(deflateBound(&stream, raw.size()), '\0');
    // zlib does not write to what it reads.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(raw.data()));
    stream.avail_in = static_cast<uInt>(raw.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    ::deflate(&stream, Z_FINISH);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

}  // namespace graze::app
