// The numbers of a .grec file, which docs/formats/recording.md describes: a head, then chunks to
// the end.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace graze::recording {

// No text file begins so, and a transfer that changes line ends spoils it.
constexpr std::string_view kMagic("\x89GRC\r\n\x1a\n", 8);
// Version 2 has bodies that deform; without them files are of version 1, which older readers read.
constexpr std::uint32_t kRigidVersion = 1, kDeformingVersion = 2;
// The magic bytes, the version, and the CRC-32 of both, from which the first chunk's goes on.
constexpr std::size_t kFileHeadBytes = 16;

// What a chunk holds, as four letters.
constexpr std::string_view kSetupTag = "SETU";
constexpr std::string_view kMeshTag = "MESH";
constexpr std::string_view kVerticesTag = "VERT";  // of bodies that deform, before their frame
constexpr std::string_view kKeyTag = "KEYF";       // a frame that can be read by itself
constexpr std::string_view kDeltaTag = "DELT";     // a frame that goes on from the one before
constexpr std::string_view kEndTag = "ENDR";

// A head is a tag, two sizes and a checksum.
constexpr std::size_t kChunkHeadBytes = 16;
// A chunk stands for at most this much; a reader refuses more before it takes memory.
constexpr std::uint32_t kMaxRawBytes = std::uint32_t{1} << 30;
// The setup is text that becomes objects in memory, each larger than its text.
constexpr std::uint32_t kMaxSetupBytes = std::uint32_t{1} << 26;
// No deflate stream stands for more than this many times its size.
constexpr std::uint64_t kMaxInflation = 1032;

// One frame out of so many can be read by itself. On 400 bodies that all move, a key frame
// takes 1.8 times a delta, which adds 1.3% to the file; to reach any frame takes at most 63 others.
constexpr std::int64_t kKeyInterval = 64;

std::string file_head(std::uint32_t version);

}  // namespace graze::recording
