// ChunkWriter and ChunkReader handle the arrays of a .gfield file as chunks, which are compressed
// and checked one by one, several at a time. Beside the array they hold a few chunks, however large
// it is.
#pragma once

#include <string>

#include "io/byte_sink.h"
#include "io/byte_source.h"
#include "io/fields/gfield_header.h"
#include "parallel/cpu_executor.h"

namespace graze::io {

class ChunkWriter {
public:
    // seed: the header's hash, which ties the chunks to it.
    ChunkWriter(CpuExecutor& executor, ByteSink& sink, std::uint64_t seed)
        : executor_(executor), sink_(sink), seed_(seed) {}

    void write(const GfieldSection& section, const char* bytes);

private:
    CpuExecutor& executor_;
    ByteSink& sink_;
    std::uint64_t seed_;
    std::uint64_t written_ = 0;  // chunks so far
};

class ChunkReader {
public:
    // offset: how many of the source's bytes were taken already. Without verify hashes are not
    // looked at, which is for fuzzing alone.
    ChunkReader(CpuExecutor& executor, ByteSource& source, std::uint64_t offset,
                std::string_view name, std::uint64_t seed, bool verify)
        : executor_(executor),
          source_(source),
          offset_(offset),
          name_(name),
          seed_(seed),
          verify_(verify) {}

    // Throws Error with the name, the byte and the cause where a chunk is cut or altered.
    void read(const GfieldSection& section, char* to);
    // Does the same without decompressing: only sizes and hashes are looked at.
    void check(const GfieldSection& section);
    // Throws Error where bytes are left.
    void expect_end() const;

private:
    struct Chunk;
    Chunk take(const GfieldSection& section, std::int64_t index);
    std::string fault_of_hash(const GfieldSection& section, const Chunk& chunk) const;
    std::string decode(const GfieldSection& section, const Chunk& chunk, char* to) const;
    [[noreturn]] void fail(std::uint64_t offset, const std::string& cause) const;

    CpuExecutor& executor_;
    ByteSource& source_;
    std::uint64_t offset_;  // of the next byte in the source
    std::string name_;
    std::uint64_t seed_;
    bool verify_;
    std::uint64_t taken_ = 0;  // chunks so far
};

// Returns the least number of bytes that the chunks of a section take in a file.
std::uint64_t least_size_of_chunks(const GfieldSection& section);

}  // namespace graze::io
