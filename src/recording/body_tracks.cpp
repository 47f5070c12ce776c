#include "recording/body_tracks.h"

#include <algorithm>

#include "graze/error.h"
#include "recording/recording_vertices.h"

namespace graze {
namespace {

// The rotation on the side of the one before: q and -q turn alike, but half way from one to the
// other lies any turn.
Quat continued(const Quat& rotation, const Quat* before) {
    const Quatd q = normalized(Quatd{rotation.w, rotation.x, rotation.y, rotation.z});
    const bool is_opposite =
        before && q.w * before->w + q.x * before->x + q.y * before->y + q.z * before->z < 0;
    const double sign = is_opposite ? -1 : 1;
    return {static_cast<float>(sign * q.w), static_cast<float>(sign * q.x),
            static_cast<float>(sign * q.y), static_cast<float>(sign * q.z)};
}

bool is_same(const Quat& a, const Quat& b) {
    return a.w == b.w && a.x == b.x && a.y == b.y && a.z == b.z;
}

void extend(TrackRange& range, std::int64_t frame) {
    if (range.is_empty()) range.first = frame - 1;  // where it still was
    range.last = frame;
}

void find_deforming(const RecordingSetup& setup, const RecordingFrame& first,
                    const RecordingFrame& frame, BodyTracks& tracks) {
    for (std::uint32_t i = 0; i < tracks.bodies.size(); ++i) {
        if (tracks.bodies[i].deforms) continue;
        const auto then = positions_of(setup, first, i), now = positions_of(setup, frame, i);
        tracks.bodies[i].deforms = !std::equal(then.begin(), then.end(), now.begin(), now.end());
    }
}

}  // namespace

SeenFrames::SeenFrames(const Recording& recording, const Progress& progress, double progress_begin,
                       double progress_end)
    : recording_(recording),
      progress_(progress),
      progress_begin_(progress_begin),
      progress_end_(progress_end) {}

void SeenFrames::see() {
    const bool is_first = poses_.empty();
    poses_.resize(frame_.states.size());
    for (std::size_t i = 0; i < poses_.size(); ++i) {
        const BodyState& state = frame_.states[i];
        if (recording::is_deforming(recording_.setup().bodies[i])) {
            poses_[i] = {{0, 0, 0}, Quat::identity(), state.is_present ? 1.0f : 0.0f};
            continue;
        }
        const Quat before = poses_[i].rotation;
        poses_[i] = {state.pose.translation,
                     continued(state.pose.rotation, is_first ? nullptr : &before),
                     state.is_present ? state.pose.scale : 0};
    }
}

bool SeenFrames::next() {
    while (next_ < recording_.frame_count()) {
        const double fraction =
            static_cast<double>(next_) / static_cast<double>(recording_.frame_count());
        if (progress_ && !progress_(progress_begin_ + (progress_end_ - progress_begin_) * fraction))
            throw Error("stopped before all frames were written");
        frame_ = recording_.frame(next_++);
        if (seen_ == 0) first_time_ = frame_.time;
        const auto time = static_cast<float>(frame_.time - first_time_);
        if (seen_ > 0 && !(time > time_)) continue;
        time_ = time;
        see();
        ++seen_;
        return true;
    }
    return false;
}

BodyTracks find_tracks(const RecordingSetup& setup, SeenFrames& frames) {
    BodyTracks tracks;
    std::vector<SeenPose> before;
    RecordingFrame first;
    while (frames.next()) {
        tracks.times.push_back(frames.time());
        const std::vector<SeenPose>& poses = frames.poses();
        if (frames.index() == 0) {
            for (const SeenPose& pose : poses)
                tracks.bodies.push_back({pose, {}, {}, {0}, {pose.scale}, false});
            before = poses;
            first = frames.frame();
            continue;
        }
        if (frames.frame().positions != first.positions)
            find_deforming(setup, first, frames.frame(), tracks);
        for (std::size_t i = 0; i < poses.size(); ++i) {
            BodyTrack& track = tracks.bodies[i];
            if (poses[i].translation != before[i].translation)
                extend(track.translation, frames.index());
            if (!is_same(poses[i].rotation, before[i].rotation))
                extend(track.rotation, frames.index());
            if (poses[i].scale != before[i].scale) {
                track.scale_frames.push_back(frames.index());
                track.scales.push_back(poses[i].scale);
            }
        }
        before = poses;
    }
    return tracks;
}

}  // namespace graze
