// The motion of each body of a recording as tracks: when it moves at all, turns and is seen.
#pragma once

#include <cstdint>
#include <vector>

#include "graze/recording.h"

namespace graze {

// A body as glTF sees it in one frame. One that deforms has its vertices in the world's frame, so
// that its pose is none but whether it is there.
struct SeenPose {
    Vec3 translation;
    Quat rotation;  // unit; of two neighbouring frames never on opposite sides
    float scale;    // 0: not there
};

// Frames first to last, between which something changes; before and after it is constant.
struct TrackRange {
    std::int64_t first = 0, last = -1;

    bool is_empty() const { return last < first; }
    std::int64_t count() const { return last - first + 1; }
};

struct BodyTrack {
    SeenPose start;  // in the first frame
    TrackRange translation, rotation;
    // Frames from which on it has another scale, the first one among them; one alone: constant.
    std::vector<std::int64_t> scale_frames;
    std::vector<float> scales;  // for each of those
    bool deforms = false;       // its vertices are not always where they are in the first frame
};

// Goes through a recording in order and gives the poses as they are seen. Frames whose time, as a
// float, is that of the one before are left out.
class SeenFrames {
public:
    SeenFrames(const Recording& recording, const Progress& progress, double progress_begin,
               double progress_end);

    // Goes on to the next frame; false where there is none. Throws Error where the progress says
    // stop.
    bool next();
    std::int64_t index() const { return seen_ - 1; }  // of those not left out
    float time() const { return time_; }              // [s] after the first frame
    const std::vector<SeenPose>& poses() const { return poses_; }
    const RecordingFrame& frame() const { return frame_; }

private:
    void see();

    const Recording& recording_;
    const Progress& progress_;
    double progress_begin_, progress_end_;
    std::int64_t next_ = 0, seen_ = 0;
    double first_time_ = 0;
    float time_ = 0;
    RecordingFrame frame_;
    std::vector<SeenPose> poses_;
};

struct BodyTracks {
    std::vector<float> times;  // [s] of the frames
    std::vector<BodyTrack> bodies;
};
BodyTracks find_tracks(const RecordingSetup& setup, SeenFrames& frames);

}  // namespace graze
