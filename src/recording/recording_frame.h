// Frames of a recording: what changed since the frame before, bit by bit.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graze/recording.h"
#include "recording/recording_contacts.h"

namespace graze::recording {

// A pose by the bits of its numbers: translation x y z, rotation w x y z, scale.
using PoseBits = std::array<std::uint32_t, 8>;
PoseBits bits_of(const Transform& pose);
Transform pose_of(const PoseBits& bits);

// What is wrong with a pose, as "its scale is not above 0"; empty where nothing is.
std::string fault_of(const Transform& pose);

// What the next frame is told from: the same for who writes and who reads.
class FrameHistory {
public:
    explicit FrameHistory(std::size_t body_count) : last_(body_count), before_(body_count) {}

    // The raw bytes of a frame. is_key: it does not build on the frames before.
    std::string encode(bool is_key, double time, std::span<const BodyState> states,
                       ContactCodes contacts);
    // Throws Error, whose message says only what is wrong; the history is then of no use but for a
    // key frame.
    RecordingFrame decode(bool is_key, std::string_view raw);

private:
    void forget();
    void keep_as_key();

    std::vector<PoseBits> last_, before_;  // of all bodies, in the last frame and the one before
    ContactCodes contacts_;                // of the last frame
};

}  // namespace graze::recording
