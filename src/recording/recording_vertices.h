// The vertices of bodies that deform, frame by frame: what changed since the frame before, bit by
// bit.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graze/recording.h"

namespace graze::recording {

// Bodies of cloth deform.
bool is_deforming(const RecordingSetup::BodyEntry& body);
// Counts the vertices of each body that deforms, in the order of the bodies. Throws Error, whose
// message says only what is wrong, where they are too many for a chunk.
std::vector<std::uint32_t> deforming_vertex_counts(const RecordingSetup& setup);

// What the next frame is told from: the same for who writes and who reads. It takes memory for the
// vertices only when it has been given them.
class VertexHistory {
public:
    // vertex_counts: of each body that deforms.
    explicit VertexHistory(std::vector<std::uint32_t> vertex_counts)
        : vertex_counts_(std::move(vertex_counts)) {}

    bool is_empty() const { return vertex_counts_.empty(); }
    std::uint64_t vertex_count() const;

    // The raw bytes of a frame. is_key: it does not build on the frames before.
    std::string encode(bool is_key, std::span<const Vec3> positions);
    // Throws Error, whose message says only what is wrong; the history is then of no use but for a
    // key frame.
    std::vector<Vec3> decode(bool is_key, std::string_view raw);

private:
    using PositionBits = std::array<std::uint32_t, 3>;

    void forget(std::uint64_t count);
    void keep(bool is_key, std::vector<PositionBits> bits);
    // Calls visit(vertex) for the vertices of the bodies of which has_moved(body) is true.
    template <class HasMoved, class Visit>
    void for_each_moved(const HasMoved& has_moved, const Visit& visit) const;

    std::vector<std::uint32_t> vertex_counts_;
    std::vector<PositionBits> last_, before_;  // in the last frame and the one before
};

}  // namespace graze::recording
