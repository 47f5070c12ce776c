// The animation of a glTF file: the tracks of bodies as channels.
#pragma once

#include <map>

#include "recording/body_tracks.h"
#include "recording/glb_buffer.h"

namespace graze {

class GlbAnimation {
public:
    using Json = GlbBuffer::Json;

    // The node of body i is first_node + i. Channels that never change are left out.
    GlbAnimation(GlbBuffer& buffer, const BodyTracks& tracks, std::size_t first_node);

    // Copies the poses of one frame to where the tracks have them.
    void put(std::int64_t frame, const std::vector<SeenPose>& poses);

    // Shows a node's morph targets in turn: weights is an accessor, with a row for each of these
    // frames.
    void add_weights(std::size_t node, const std::vector<std::int64_t>& frames,
                     std::size_t weights);

    // The animation; it is null where nothing moves.
    Json json(const std::string& name) const;
    // What the tracks take, before there is memory for it.
    static std::uint64_t bytes_for(const BodyTracks& tracks);

private:
    void add_channel(std::size_t node, const char* path, const char* interpolation,
                     std::size_t input, std::size_t output);
    void add_scale(std::size_t node, const BodyTrack& track);
    std::size_t times_of(const TrackRange& range);
    std::size_t times_at(const std::vector<std::int64_t>& frames);

    GlbBuffer& buffer_;
    const BodyTracks& tracks_;
    std::size_t times_view_ = 0, poses_view_ = 0;
    std::vector<std::size_t> translation_offsets_, rotation_offsets_;  // in poses_view_, by body
    // Accessors of times that channels share.
    std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> range_times_;
    std::map<std::vector<std::int64_t>, std::size_t> frame_times_;
    Json samplers_ = Json::array(), channels_ = Json::array();
};

}  // namespace graze
