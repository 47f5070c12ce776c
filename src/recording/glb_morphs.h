// Bodies that deform, as glTF has them: a mesh as it is in the first frame, and morph targets that
// add to its vertices what other frames differ by.
//
// A target takes 24 bytes a vertex, so that not every frame of a long run becomes one: key frames
// are spread evenly, and between two of them viewers go straight from one to the next.
#pragma once

#include <optional>

#include "recording/glb_animation.h"

namespace graze {

class GlbMorphs {
public:
    using Json = GlbBuffer::Json;

    // WebGL 2 promises textures of this many layers, which viewers keep targets in.
    static constexpr std::int64_t kMostTargets = 256;
    // What all targets together may take.
    static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 27;

    // The first frame and then evenly spread ones, the last among them, for as many targets of so
    // many bytes as are allowed; frame_count is at least 1.
    static std::vector<std::int64_t> key_frames(std::int64_t frame_count,
                                                std::uint64_t target_bytes);

    // Keeps references.
    GlbMorphs(GlbBuffer& buffer, const RecordingSetup& setup, const BodyTracks& tracks);

    // Copies the vertices of a frame, where it is a key frame. Frames come in order, the first one
    // among them.
    void put(std::int64_t index, const RecordingFrame& frame);

    // The mesh of a body with the given material, after the last frame; it is null where the body
    // is rigid or has no triangle.
    Json mesh_of(std::uint32_t body, std::size_t material) const;
    // Lets the targets of a body's mesh follow the frames.
    void animate(GlbAnimation& animation, std::uint32_t body, std::size_t node);

private:
    struct Morph {
        std::vector<Triangle> triangles;
        std::vector<Vec3> positions, normals;  // of the first frame
        std::size_t position_accessor = 0, normal_accessor = 0, index_accessor = 0;
        Json targets = Json::array();
    };

    void put_first(Morph& morph, std::span<const Vec3> positions);
    void put_target(Morph& morph, std::span<const Vec3> positions);
    std::size_t add_vertices(std::span<const Vec3> values, bool has_bounds);
    std::size_t weights_accessor();

    GlbBuffer& buffer_;
    const RecordingSetup& setup_;
    const BodyTracks& tracks_;
    std::vector<std::int64_t> key_frames_;  // ascending; the first frame and one for each target
    std::vector<Morph> morphs_;             // by body
    std::optional<std::size_t> weights_;    // accessor that all share
};

}  // namespace graze
