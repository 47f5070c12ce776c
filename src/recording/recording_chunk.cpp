#include "recording/recording_chunk.h"

#include <zlib.h>

#include <bit>
#include <cstring>
#include <new>

#include "graze/error.h"
#include "io/binary_cursor.h"
#include "recording/byte_planes.h"

namespace graze::recording {
namespace {

constexpr std::size_t kCheckedHeadBytes = kChunkHeadBytes - 4;
constexpr int kRawDeflate = -15;  // no header, no checksum, the largest window

std::uint32_t crc(std::uint32_t previous, std::string_view bytes) {
    if (bytes.empty()) return previous;  // zlib starts anew where it is given no address
    return static_cast<std::uint32_t>(
        crc32_z(previous, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

std::string file_head(std::uint32_t version) {
    std::string bytes(kMagic);
    append(bytes, version);
    append(bytes, crc(0, bytes));
    return bytes;
}

ChunkHead decode_head(const char* bytes) {
    ChunkHead head;
    std::memcpy(head.tag.data(), bytes, head.tag.size());
    head.stored_bytes = io::load<std::uint32_t, std::endian::little>(bytes + 4);
    head.raw_bytes = io::load<std::uint32_t, std::endian::little>(bytes + 8);
    head.checksum = io::load<std::uint32_t, std::endian::little>(bytes + 12);
    return head;
}

std::string fault_of(const ChunkHead& head) {
    const std::uint32_t most = head.is(kSetupTag) ? kMaxSetupBytes : kMaxRawBytes;
    if (head.raw_bytes > most)
        return "it stands for " + std::to_string(head.raw_bytes) + " bytes; at most " +
               std::to_string(most) + " are allowed";
    if (head.raw_bytes > kMaxInflation * head.stored_bytes)
        return "it stands for more bytes than can be compressed into it";
    return {};
}

std::uint32_t chunk_checksum(std::uint32_t previous, const char* head_bytes,
                             std::string_view stream) {
    return crc(crc(previous, {head_bytes, kCheckedHeadBytes}), stream);
}

std::uint32_t continue_checksum(std::uint32_t checksum, std::string_view stream) {
    return crc(checksum, stream);
}

struct ChunkEncoder::Stream {
    z_stream zlib{};

    explicit Stream(Content content) {
        const bool is_text = content == Content::text;
        if (deflateInit2(&zlib, is_text ? 6 : 1, Z_DEFLATED, kRawDeflate, 8,
                         is_text ? Z_DEFAULT_STRATEGY : Z_RLE) != Z_OK)
            throw std::bad_alloc();
    }
    ~Stream() { deflateEnd(&zlib); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
};

ChunkEncoder::ChunkEncoder(Content content) : stream_(std::make_unique<Stream>(content)) {}
ChunkEncoder::~ChunkEncoder() = default;
ChunkEncoder::ChunkEncoder(ChunkEncoder&&) noexcept = default;
ChunkEncoder& ChunkEncoder::operator=(ChunkEncoder&&) noexcept = default;

std::uint32_t ChunkEncoder::encode(std::string_view tag, std::string_view raw,
                                   std::uint32_t previous, std::string& to) {
    const std::uint32_t most = tag == kSetupTag ? kMaxSetupBytes : kMaxRawBytes;
    if (raw.size() > most)
        throw Error("a recording: " + std::to_string(raw.size()) + " bytes of " + std::string(tag) +
                    " are too many; at most " + std::to_string(most) + " fit");
    z_stream& zlib = stream_->zlib;
    deflateReset(&zlib);
    const std::size_t start = to.size();
    const std::size_t capacity = deflateBound(&zlib, raw.size());
    to.resize(start + kChunkHeadBytes + capacity);
    zlib.next_in = reinterpret_cast<z_const Bytef*>(const_cast<char*>(raw.data()));
    zlib.avail_in = static_cast<uInt>(raw.size());
    zlib.next_out = reinterpret_cast<Bytef*>(to.data() + start + kChunkHeadBytes);
    zlib.avail_out = static_cast<uInt>(capacity);
    if (deflate(&zlib, Z_FINISH) != Z_STREAM_END) throw Error("zlib could not compress a chunk");
    const auto stored = static_cast<std::uint32_t>(zlib.total_out);
    to.resize(start + kChunkHeadBytes + stored);

    char* head = to.data() + start;
    std::memcpy(head, tag.data(), 4);
    store(head + 4, stored);
    store(head + 8, static_cast<std::uint32_t>(raw.size()));
    const std::uint32_t checksum =
        chunk_checksum(previous, head, std::string_view(to).substr(start + kChunkHeadBytes));
    store(head + 12, checksum);
    return checksum;
}

std::string inflate(std::string_view stream, std::uint32_t raw_bytes) {
    std::string raw(raw_bytes, '\0');
    z_stream zlib{};
    if (inflateInit2(&zlib, kRawDeflate) != Z_OK) throw std::bad_alloc();
    zlib.next_in = reinterpret_cast<z_const Bytef*>(const_cast<char*>(stream.data()));
    zlib.avail_in = static_cast<uInt>(stream.size());
    char nothing = 0;  // zlib wants an address where there is nothing to write, too
    zlib.next_out = reinterpret_cast<Bytef*>(raw.empty() ? &nothing : raw.data());
    zlib.avail_out = static_cast<uInt>(raw.size());
    const int status = ::inflate(&zlib, Z_FINISH);
    const bool is_whole = status == Z_STREAM_END && zlib.avail_out == 0 && zlib.avail_in == 0;
    inflateEnd(&zlib);
    if (!is_whole) throw Error("its compressed bytes are not what its sizes say");
    return raw;
}

}  // namespace graze::recording
