// PatchGrower joins triangles, or patches, that lie side by side to groups, each with one contour.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace graze {

// A triangle or a patch that may become part of a larger one.
struct PatchNode {
    std::uint32_t index;                 // of the triangle or the patch
    std::uint32_t size;                  // its count of triangles
    std::vector<std::uint32_t> contour;  // its vertices in order
};

struct PatchGroup {
    std::vector<std::uint32_t> members;  // indices into the list of nodes
    std::uint32_t size = 0;              // its count of triangles
    std::vector<std::uint32_t> contour;  // empty where it is not one loop without a knot
};

// A side of a contour, which is a directed edge.
struct PatchSide {
    std::uint64_t edge;  // lower vertex << 32 | higher
    std::uint32_t node;  // that it belongs to
    bool is_upwards;     // it runs from the lower vertex to the higher

    std::uint32_t from() const {
        return static_cast<std::uint32_t>(is_upwards ? edge >> 32 : edge);
    }
    std::uint32_t to() const { return static_cast<std::uint32_t>(is_upwards ? edge : edge >> 32); }
    bool operator<(const PatchSide& other) const {
        return edge != other.edge ? edge < other.edge : node < other.node;
    }
};

inline PatchSide make_side(std::uint32_t from, std::uint32_t to, std::uint32_t node) {
    return {std::uint64_t{std::min(from, to)} << 32 | std::max(from, to), node, from < to};
}

class PatchGrower {
public:
    explicit PatchGrower(std::int64_t vertex_count);

    // Returns groups of about `size` triangles; each node is in one of them. An edge must have at
    // most two sides.
    std::vector<PatchGroup> grow(const std::vector<PatchNode>& nodes, std::uint32_t size);

private:
    struct Neighbour {
        std::uint32_t node;
        std::uint32_t side_count;  // the count of sides that both have
    };
    void connect(const std::vector<PatchNode>& nodes);
    PatchGroup grow_from(std::uint32_t seed, const std::vector<PatchNode>& nodes,
                         std::uint32_t size);
    void add(std::uint32_t node, const std::vector<PatchNode>& nodes, PatchGroup& group);
    bool keeps_one_contour(const PatchNode& node, std::uint32_t shared_sides) const;
    void trace_contour(const std::vector<PatchNode>& nodes, PatchGroup& group);

    // The neighbours of node n are neighbours_[offsets_[n]] up to neighbours_[offsets_[n + 1] - 1].
    std::vector<std::uint32_t> offsets_;
    std::vector<Neighbour> neighbours_;
    std::vector<bool> is_taken_;
    std::vector<std::uint32_t> shared_;      // by node: the count of sides it shares with the group
    std::vector<std::uint32_t> candidates_;  // nodes beside the group, in the order they came
    std::vector<std::uint32_t> front_;       // nodes beside all groups so far
    std::vector<std::uint32_t> stamps_;      // by vertex: the last group that has it
    std::uint32_t stamp_ = 0;
    std::vector<std::uint32_t> next_;  // by vertex: the next of the contour that is traced
    std::vector<PatchSide> sides_;
};

}  // namespace graze
