#include "io/fields/gfield_chunks.h"

#include <zstd.h>

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

#include "graze/error.h"
#include "io/binary_cursor.h"

namespace graze::io {
namespace {

// A chunk in the file is a hash of what follows, the size of the compressed bytes, the size of what
// they stand for, and the compressed bytes.
constexpr std::size_t kHashBytes = 8;
constexpr std::size_t kChunkHeadBytes = kHashBytes + 4 + 4;
// It is three times as fast as level 3, and as small on filtered fields (chunk_filter.h).
constexpr int kZstdLevel = 1;
// So many chunks are worked on at a time, enough for the threads of a large machine to share.
constexpr std::int64_t kBatch = 64;

// Of a piece that takes less room than a reader asks for (kGfieldMostRatio), so many bytes go into
// a block of their own, of which none takes less than 4 bytes.
constexpr std::size_t kSmallBlockBytes = 4 * kGfieldMostRatio;

using Bytes = std::unique_ptr<char[]>;
Bytes allocate_bytes(std::size_t size) {
    return std::make_unique_for_overwrite<char[]>(size);
}

std::int64_t size_of_chunk(const GfieldSection& section, std::int64_t index) {
    return std::min(kGfieldChunkBytes, section.bytes - index * kGfieldChunkBytes);
}

void require(std::size_t zstd_result) {
    if (ZSTD_isError(zstd_result) != 0)
        throw Error(std::string("zstd could not compress: ") + ZSTD_getErrorName(zstd_result));
}

// Compresses into a frame with blocks of kSmallBlockBytes, and returns its size.
std::size_t compress_in_small_blocks(char* to, std::size_t room, const char* from,
                                     std::size_t size) {
    const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(),
                                                                       ZSTD_freeCCtx);
    if (!context) throw std::bad_alloc();
    require(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kZstdLevel));
    require(ZSTD_CCtx_setPledgedSrcSize(context.get(), size));
    ZSTD_outBuffer out{to, room, 0};
    for (std::size_t begin = 0; begin < size; begin += kSmallBlockBytes) {
        const std::size_t end = std::min(begin + kSmallBlockBytes, size);
        ZSTD_inBuffer in{from + begin, end - begin, 0};
        const ZSTD_EndDirective directive = end == size ? ZSTD_e_end : ZSTD_e_flush;
        const std::size_t left = ZSTD_compressStream2(context.get(), &out, &in, directive);
        require(left);
        if (left != 0) throw Error("zstd could not compress: there is too little room");
    }
    return out.pos;
}

// Returns one chunk as it stands in the file.
std::string encode(const GfieldSection& section, const char* from, std::int64_t size,
                   std::uint64_t seed) {
    const auto raw_size = static_cast<std::size_t>(size);
    const Bytes scratch = allocate_bytes(raw_size), filtered = allocate_bytes(raw_size);
    filter_chunk(section.layout, from, scratch.get(), filtered.get(),
                 size / section.layout.element_bytes());
    std::string chunk(kChunkHeadBytes + ZSTD_compressBound(raw_size), '\0');
    char* to = chunk.data() + kChunkHeadBytes;
    const std::size_t room = chunk.size() - kChunkHeadBytes;
    std::size_t stored = ZSTD_compress(to, room, filtered.get(), raw_size, kZstdLevel);
    require(stored);
    // A piece of a plane may take next to nothing.
    if (stored < raw_size / kGfieldMostRatio)
        stored = compress_in_small_blocks(to, room, filtered.get(), raw_size);
    chunk.resize(kChunkHeadBytes + stored);
    const std::uint32_t sizes[2] = {static_cast<std::uint32_t>(stored),
                                    static_cast<std::uint32_t>(raw_size)};
    std::memcpy(chunk.data() + kHashBytes, sizes, sizeof sizes);
    const std::uint64_t hash = hash_bytes(std::string_view(chunk).substr(kHashBytes), seed);
    std::memcpy(chunk.data(), &hash, sizeof hash);
    return chunk;
}

}  // namespace

// A zstd frame takes at least 8 bytes, and 4 more for each 128 KiB that it stands for.
std::uint64_t least_size_of_chunks(const GfieldSection& section) {
    const auto bytes = static_cast<std::uint64_t>(section.bytes);
    return static_cast<std::uint64_t>(section.chunk_count()) * (kChunkHeadBytes + 8) +
           4 * (bytes >> 17);
}

void ChunkWriter::write(const GfieldSection& section, const char* bytes) {
    for (std::int64_t begin = 0; begin < section.chunk_count(); begin += kBatch) {
        const std::int64_t count = std::min(kBatch, section.chunk_count() - begin);
        std::vector<std::string> chunks(static_cast<std::size_t>(count));
        const auto encode_one = [&](std::int64_t i) {
            const std::int64_t index = begin + i;
            chunks[static_cast<std::size_t>(i)] =
                encode(section, bytes + index * kGfieldChunkBytes, size_of_chunk(section, index),
                       seed_ + written_ + static_cast<std::uint64_t>(i));
        };
        executor_.for_each("compress chunks", count, encode_one, 1);
        for (const std::string& chunk : chunks)
            sink_.write(chunk);
        written_ += static_cast<std::uint64_t>(count);
    }
}

// A chunk that was read and not yet decoded.
struct ChunkReader::Chunk {
    std::string bytes;         // as in the file
    std::uint64_t offset = 0;  // of its first byte in the file
    std::uint64_t seed = 0;
    std::int64_t raw_size = 0;
};

void ChunkReader::fail(std::uint64_t offset, const std::string& cause) const {
    throw Error(name_ + ": byte " + std::to_string(offset) + ": " + cause);
}

// The sizes are checked before memory is taken for them.
ChunkReader::Chunk ChunkReader::take(const GfieldSection& section, std::int64_t index) {
    const auto ends_inside = [&] {
        fail(source_.size(), std::string("the file ends inside ") + section.name);
    };
    Chunk chunk{{}, offset_, seed_ + taken_++, size_of_chunk(section, index)};
    if (source_.size() - offset_ < kChunkHeadBytes) ends_inside();
    char head[kChunkHeadBytes];
    source_.read(head, sizeof head);
    offset_ += sizeof head;
    const std::size_t stored = load<std::uint32_t, std::endian::little>(head + kHashBytes);
    const std::int64_t raw = load<std::uint32_t, std::endian::little>(head + kHashBytes + 4);
    if (raw != chunk.raw_size)
        fail(chunk.offset, "a chunk of " + std::to_string(raw) + " bytes in " + section.name +
                               " where the header asks for " + std::to_string(chunk.raw_size));
    if (stored > ZSTD_compressBound(static_cast<std::size_t>(raw)))
        fail(chunk.offset,
             std::string("a chunk in ") + section.name + " is larger than zstd makes it");
    if (source_.size() - offset_ < stored) ends_inside();
    chunk.bytes.assign(head, sizeof head);
    chunk.bytes.resize(sizeof head + stored);
    source_.read(chunk.bytes.data() + sizeof head, stored);
    offset_ += stored;
    return chunk;
}

// Returns what is wrong with the hash; the text is empty where it is right.
std::string ChunkReader::fault_of_hash(const GfieldSection& section, const Chunk& chunk) const {
    const std::string_view hashed = std::string_view(chunk.bytes).substr(kHashBytes);
    const auto hash = load<std::uint64_t, std::endian::little>(chunk.bytes.data());
    if (!verify_ || hash == hash_bytes(hashed, chunk.seed)) return {};
    return std::string("a checksum in ") + section.name + " is wrong: the file was altered";
}

// Returns what is wrong with the chunk; the text is empty where it was decoded.
std::string ChunkReader::decode(const GfieldSection& section, const Chunk& chunk, char* to) const {
    if (std::string fault = fault_of_hash(section, chunk); !fault.empty()) return fault;
    const std::string_view frame = std::string_view(chunk.bytes).substr(kChunkHeadBytes);
    const auto raw_size = static_cast<std::size_t>(chunk.raw_size);
    const std::string refused = std::string("zstd refuses a chunk in ") + section.name + ": ";
    if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != raw_size ||
        ZSTD_findFrameCompressedSize(frame.data(), frame.size()) != frame.size())
        return refused + "it is not one frame of the right size";
    const Bytes filtered = allocate_bytes(raw_size), scratch = allocate_bytes(raw_size);
    const std::size_t got = ZSTD_decompress(filtered.get(), raw_size, frame.data(), frame.size());
    if (ZSTD_isError(got) != 0) return refused + ZSTD_getErrorName(got);
    if (got != raw_size) return refused + "it is too short";
    unfilter_chunk(section.layout, filtered.get(), scratch.get(), to,
                   chunk.raw_size / section.layout.element_bytes());
    return {};
}

void ChunkReader::read(const GfieldSection& section, char* to) {
    for (std::int64_t begin = 0; begin < section.chunk_count(); begin += kBatch) {
        const std::int64_t count = std::min(kBatch, section.chunk_count() - begin);
        std::vector<Chunk> chunks;
        chunks.reserve(static_cast<std::size_t>(count));
        for (std::int64_t i = 0; i < count; ++i)
            chunks.push_back(take(section, begin + i));
        std::vector<std::string> faults(chunks.size());
        const auto decode_one = [&](std::int64_t i) {
            const auto at = static_cast<std::size_t>(i);
            faults[at] = decode(section, chunks[at], to + (begin + i) * kGfieldChunkBytes);
            chunks[at].bytes = {};
        };
        executor_.for_each("decompress chunks", count, decode_one, 1);
        for (std::size_t i = 0; i < chunks.size(); ++i)
            if (!faults[i].empty()) fail(chunks[i].offset, faults[i]);
    }
}

void ChunkReader::check(const GfieldSection& section) {
    for (std::int64_t i = 0; i < section.chunk_count(); ++i) {
        const Chunk chunk = take(section, i);
        if (const std::string fault = fault_of_hash(section, chunk); !fault.empty())
            fail(chunk.offset, fault);
    }
}

void ChunkReader::expect_end() const {
    if (offset_ != source_.size())
        fail(offset_,
             std::to_string(source_.size() - offset_) + " bytes follow what the header announces");
}

}  // namespace graze::io
