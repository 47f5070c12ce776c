#include "recording/glb_animation.h"

#include <array>
#include <cstring>

namespace graze {
namespace {

using Json = GlbBuffer::Json;

constexpr std::size_t kTranslationBytes = 12, kRotationBytes = 16;

std::size_t size_of(const TrackRange& range, std::size_t key_bytes) {
    return static_cast<std::size_t>(range.count()) * key_bytes;
}

Json time_bounds(float first, float last) {
    return {{"min", Json::array({first})}, {"max", Json::array({last})}};
}

}  // namespace

std::uint64_t GlbAnimation::bytes_for(const BodyTracks& tracks) {
    std::uint64_t bytes = 0;
    for (const BodyTrack& track : tracks.bodies)
        bytes += size_of(track.translation, kTranslationBytes) +
                 size_of(track.rotation, kRotationBytes) + 16 * track.scales.size();
    return bytes;
}

GlbAnimation::GlbAnimation(GlbBuffer& buffer, const BodyTracks& tracks, std::size_t first_node)
    : buffer_(buffer), tracks_(tracks) {
    std::size_t size = 0;
    for (const BodyTrack& track : tracks.bodies) {
        translation_offsets_.push_back(size);
        size += size_of(track.translation, kTranslationBytes);
        rotation_offsets_.push_back(size);
        size += size_of(track.rotation, kRotationBytes);
    }
    if (size > 0) {
        times_view_ = buffer.add_view<float>(tracks.times, GlbBuffer::kAny);
        poses_view_ = buffer.add_view(size, GlbBuffer::kAny);
    }
    for (std::size_t i = 0; i < tracks.bodies.size(); ++i) {
        const BodyTrack& track = tracks.bodies[i];
        const auto add = [&](const char* path, const char* type, const TrackRange& range,
                             std::size_t offset) {
            if (range.is_empty()) return;
            const std::size_t output =
                buffer.add_accessor(poses_view_, offset, GlbBuffer::kFloat, type,
                                    static_cast<std::size_t>(range.count()));
            add_channel(first_node + i, path, "LINEAR", times_of(range), output);
        };
        add("translation", "VEC3", track.translation, translation_offsets_[i]);
        add("rotation", "VEC4", track.rotation, rotation_offsets_[i]);
        if (track.scales.size() > 1) add_scale(first_node + i, track);
    }
}

void GlbAnimation::add_channel(std::size_t node, const char* path, const char* interpolation,
                               std::size_t input, std::size_t output) {
    channels_.push_back(
        {{"sampler", samplers_.size()}, {"target", {{"node", node}, {"path", path}}}});
    samplers_.push_back({{"input", input}, {"interpolation", interpolation}, {"output", output}});
}

// What is not there has no size, from one frame to the next.
void GlbAnimation::add_scale(std::size_t node, const BodyTrack& track) {
    std::vector<Vec3> scales;
    scales.reserve(track.scales.size());
    for (const float scale : track.scales)
        scales.push_back({scale, scale, scale});
    const std::size_t view = buffer_.add_view<Vec3>(scales, GlbBuffer::kAny);
    const std::size_t output =
        buffer_.add_accessor(view, 0, GlbBuffer::kFloat, "VEC3", scales.size());
    add_channel(node, "scale", "STEP", times_at(track.scale_frames), output);
}

// Returns an accessor of the times of these frames, in the view of all times.
std::size_t GlbAnimation::times_of(const TrackRange& range) {
    const auto [found, is_new] = range_times_.try_emplace({range.first, range.last}, 0);
    if (is_new) {
        const auto first = static_cast<std::size_t>(range.first);
        const auto last = static_cast<std::size_t>(range.last);
        found->second =
            buffer_.add_accessor(times_view_, 4 * first, GlbBuffer::kFloat, "SCALAR",
                                 static_cast<std::size_t>(range.count()),
                                 time_bounds(tracks_.times[first], tracks_.times[last]));
    }
    return found->second;
}

std::size_t GlbAnimation::times_at(const std::vector<std::int64_t>& frames) {
    const auto [found, is_new] = frame_times_.try_emplace(frames, 0);
    if (is_new) {
        std::vector<float> times;
        times.reserve(frames.size());
        for (const std::int64_t frame : frames)
            times.push_back(tracks_.times[static_cast<std::size_t>(frame)]);
        const std::size_t view = buffer_.add_view<float>(times, GlbBuffer::kAny);
        found->second = buffer_.add_accessor(view, 0, GlbBuffer::kFloat, "SCALAR", times.size(),
                                             time_bounds(times.front(), times.back()));
    }
    return found->second;
}

void GlbAnimation::put(std::int64_t frame, const std::vector<SeenPose>& poses) {
    const auto copy = [&](const TrackRange& range, std::size_t offset, const auto& key) {
        if (frame < range.first || frame > range.last) return;
        const auto index = static_cast<std::size_t>(frame - range.first);
        std::memcpy(buffer_.at(poses_view_, offset + index * sizeof key), &key, sizeof key);
    };
    for (std::size_t i = 0; i < poses.size(); ++i) {
        const auto& [translation, q, scale] = poses[i];
        copy(tracks_.bodies[i].translation, translation_offsets_[i], translation);
        const std::array<float, 4> rotation = {q.x, q.y, q.z, q.w};  // glTF has w last
        copy(tracks_.bodies[i].rotation, rotation_offsets_[i], rotation);
    }
}

void GlbAnimation::add_weights(std::size_t node, const std::vector<std::int64_t>& frames,
                               std::size_t weights) {
    add_channel(node, "weights", "LINEAR", times_at(frames), weights);
}

Json GlbAnimation::json(const std::string& name) const {
    if (channels_.empty()) return nullptr;
    return {{"name", name}, {"samplers", samplers_}, {"channels", channels_}};
}

}  // namespace graze
