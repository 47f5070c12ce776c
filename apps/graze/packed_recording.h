// A recording as pages carry it and graze view serves it: in blocks, one with setup and meshes,
// then one for all frames from a key frame to the next. docs/formats/page_data.md describes them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "graze/recording.h"

namespace graze::app {

class PackedRecording {
public:
    struct Block {
        std::int64_t frame_count = 0;       // 0: setup and meshes
        std::vector<std::uint64_t> chunks;  // where they begin in the file
    };

    // recording: of the file. Its frames are those that are packed, whatever comes after them.
    PackedRecording(const Recording& recording, const std::filesystem::path& file);

    const std::vector<Block>& blocks() const { return blocks_; }
    // Tag, size and content of one chunk after the other.
    std::string raw(std::size_t block) const;
    // The same as a raw deflate stream; level 1 is fast, 9 is small.
    static std::string deflate(const std::string& raw, int level);

private:
    std::filesystem::path file_;
    std::vector<Block> blocks_;
};

}  // namespace graze::app
