#include "recording/recording_vertices.h"

#include <bit>
#include <numeric>

#include "graze/error.h"
#include "recording/byte_planes.h"
#include "recording/recording_format.h"
#include "recording/straight_on.h"

namespace graze::recording {
namespace {

constexpr std::uint64_t kPositionBytes = 12;

}  // namespace

bool is_deforming(const RecordingSetup::BodyEntry& body) {
    return body.motion == BodyMotion::cloth;
}

std::vector<std::uint32_t> deforming_vertex_counts(const RecordingSetup& setup) {
    std::vector<std::uint32_t> counts;
    std::uint64_t total = 0;
    for (const auto& body : setup.bodies) {
        if (!is_deforming(body)) continue;
        counts.push_back(
            static_cast<std::uint32_t>(setup.shapes[body.shape].mesh.positions.size()));
        total += counts.back();
    }
    if (total * kPositionBytes + counts.size() > kMaxRawBytes)
        throw Error("the bodies that deform have " + std::to_string(total) +
                    " vertices together, which are too many for a recording");
    return counts;
}

std::uint64_t VertexHistory::vertex_count() const {
    return std::accumulate(vertex_counts_.begin(), vertex_counts_.end(), std::uint64_t{0});
}

void VertexHistory::forget(std::uint64_t count) {
    last_.assign(count, PositionBits{});
    before_.assign(count, PositionBits{});
}

// After a key frame every vertex is taken to have rested, so that nothing before it matters.
void VertexHistory::keep(bool is_key, std::vector<PositionBits> bits) {
    before_ = is_key ? bits : std::move(last_);
    last_ = std::move(bits);
}

template <class HasMoved, class Visit>
void VertexHistory::for_each_moved(const HasMoved& has_moved, const Visit& visit) const {
    std::size_t vertex = 0;
    for (std::size_t body = 0; body < vertex_counts_.size(); ++body) {
        const std::size_t end = vertex + vertex_counts_[body];
        if (!has_moved(body)) vertex = end;
        for (; vertex < end; ++vertex)
            visit(vertex);
    }
}

std::string VertexHistory::encode(bool is_key, std::span<const Vec3> positions) {
    if (is_key) forget(positions.size());
    std::vector<PositionBits> bits(positions.size());
    for (std::size_t i = 0; i < positions.size(); ++i)
        for (std::size_t axis = 0; axis < 3; ++axis)
            bits[i][axis] = std::bit_cast<std::uint32_t>(positions[i][static_cast<int>(axis)]);
    std::vector<char> moved(vertex_counts_.size(), is_key ? 1 : 0);
    std::size_t vertex = 0;
    for (std::size_t body = 0; body < moved.size(); ++body)
        for (const std::size_t end = vertex + vertex_counts_[body]; vertex < end; ++vertex)
            if (bits[vertex] != last_[vertex]) moved[body] = 1;

    std::string raw;
    const auto has_moved = [&](std::size_t body) { return moved[body] != 0; };
    append_bits(raw, moved.size(), has_moved);
    std::vector<std::uint32_t> column;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        column.clear();
        for_each_moved(has_moved, [&](std::size_t v) {
            column.push_back(
                fold_sign(bits[v][axis] - straight_on(last_[v][axis], before_[v][axis])));
        });
        append_planes<std::uint32_t>(raw, column);
    }
    keep(is_key, std::move(bits));
    return raw;
}

std::vector<Vec3> VertexHistory::decode(bool is_key, std::string_view raw) {
    RawCursor cursor(raw);
    const std::string_view moved = cursor.take((vertex_counts_.size() + 7) / 8);
    const auto has_moved = [&](std::size_t body) { return is_bit_set(moved, body); };
    std::uint64_t moved_count = 0;
    for (std::size_t body = 0; body < vertex_counts_.size(); ++body)
        moved_count += has_moved(body) ? vertex_counts_[body] : 0;
    // This comes before any memory is taken.
    if (moved_count * kPositionBytes != cursor.bytes_left())
        throw Error("its vertices are not as many as those of the bodies that moved");
    if (is_key) {
        if (moved_count != vertex_count()) throw Error("a key frame lacks vertices");
        forget(moved_count);
    }
    if (last_.size() != vertex_count()) throw Error("no key frame comes before it");

    std::vector<PositionBits> bits = last_;
    std::vector<std::uint32_t> column(moved_count);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        cursor.planes<std::uint32_t>(column);
        std::size_t next = 0;
        for_each_moved(has_moved, [&](std::size_t v) {
            bits[v][axis] =
                straight_on(last_[v][axis], before_[v][axis]) + unfold_sign(column[next++]);
        });
    }
    cursor.expect_end();
    std::vector<Vec3> positions(bits.size());
    for (std::size_t i = 0; i < bits.size(); ++i) {
        positions[i] = {std::bit_cast<float>(bits[i][0]), std::bit_cast<float>(bits[i][1]),
                        std::bit_cast<float>(bits[i][2])};
        if (!is_finite(positions[i]))
            throw Error("vertex " + std::to_string(i) +
                        " of the bodies that deform has a position that is not finite");
    }
    keep(is_key, std::move(bits));
    return positions;
}

}  // namespace graze::recording

namespace graze {

std::span<const Vec3> positions_of(const RecordingSetup& setup, const RecordingFrame& frame,
                                   std::uint32_t body) {
    if (body >= setup.bodies.size() || !recording::is_deforming(setup.bodies[body])) return {};
    const auto count = [&](std::uint32_t i) {
        return setup.shapes.at(setup.bodies[i].shape).mesh.positions.size();
    };
    std::size_t first = 0;
    for (std::uint32_t i = 0; i < body; ++i)
        first += recording::is_deforming(setup.bodies[i]) ? count(i) : 0;
    if (first + count(body) > frame.positions.size())
        throw Error("the frame has fewer positions than the setup's bodies that deform");
    return std::span<const Vec3>(frame.positions).subspan(first, count(body));
}

}  // namespace graze
