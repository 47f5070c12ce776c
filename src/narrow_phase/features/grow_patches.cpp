#include "narrow_phase/features/grow_patches.h"

namespace graze {
namespace {

constexpr std::uint32_t kNone = 0xffffffffu;

template <class Look>
void for_each_side(const PatchNode& node, std::uint32_t node_index, const Look& look) {
    for (std::size_t i = 0; i < node.contour.size(); ++i) {
        const std::size_t after = i + 1 == node.contour.size() ? 0 : i + 1;
        look(make_side(node.contour[i], node.contour[after], node_index));
    }
}

}  // namespace

PatchGrower::PatchGrower(std::int64_t vertex_count)
    : stamps_(static_cast<std::size_t>(vertex_count), 0),
      next_(static_cast<std::size_t>(vertex_count), kNone) {}

// Finds which nodes are neighbours: those that have the two sides of an edge.
void PatchGrower::connect(const std::vector<PatchNode>& nodes) {
    sides_.clear();
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
        for_each_side(nodes[i], i, [&](const PatchSide& side) { sides_.push_back(side); });
    std::sort(sides_.begin(), sides_.end());
    std::vector<std::uint64_t> pairs;
    for (std::size_t i = 0; i + 1 < sides_.size(); ++i) {
        const std::uint32_t a = sides_[i].node, b = sides_[i + 1].node;
        if (sides_[i].edge != sides_[i + 1].edge || a == b) continue;
        pairs.push_back(std::uint64_t{a} << 32 | b);
        pairs.push_back(std::uint64_t{b} << 32 | a);
    }
    std::sort(pairs.begin(), pairs.end());
    offsets_.assign(nodes.size() + 1, 0);
    neighbours_.clear();
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (i > 0 && pairs[i] == pairs[i - 1]) {
            ++neighbours_.back().side_count;
            continue;
        }
        neighbours_.push_back({static_cast<std::uint32_t>(pairs[i]), 1});
        ++offsets_[(pairs[i] >> 32) + 1];
    }
    for (std::size_t i = 1; i < offsets_.size(); ++i)
        offsets_[i] += offsets_[i - 1];
}

std::vector<PatchGroup> PatchGrower::grow(const std::vector<PatchNode>& nodes, std::uint32_t size) {
    connect(nodes);
    is_taken_.assign(nodes.size(), false);
    shared_.assign(nodes.size(), 0);
    front_.clear();
    std::vector<PatchGroup> groups;
    std::size_t in_front = 0;
    // Grows beside the groups that are there first, so that little is left over between groups.
    for (std::uint32_t next = 0; next < nodes.size();) {
        std::uint32_t seed = next;
        if (in_front < front_.size())
            seed = front_[in_front++];
        else
            ++next;
        if (is_taken_[seed]) continue;
        groups.push_back(grow_from(seed, nodes, size));
        front_.insert(front_.end(), candidates_.begin(), candidates_.end());
        trace_contour(nodes, groups.back());
    }
    return groups;
}

void PatchGrower::add(std::uint32_t node, const std::vector<PatchNode>& nodes, PatchGroup& group) {
    is_taken_[node] = true;
    group.members.push_back(node);
    group.size += nodes[node].size;
    for (const std::uint32_t vertex : nodes[node].contour)
        stamps_[vertex] = stamp_;
    for (std::uint32_t i = offsets_[node]; i < offsets_[node + 1]; ++i) {
        const Neighbour& neighbour = neighbours_[i];
        if (is_taken_[neighbour.node]) continue;
        if (shared_[neighbour.node] == 0) candidates_.push_back(neighbour.node);
        shared_[neighbour.node] += neighbour.side_count;
    }
}

// Always adds the node that shares the largest fraction of its contour with the group, the first of
// several: groups become round.
PatchGroup PatchGrower::grow_from(std::uint32_t seed, const std::vector<PatchNode>& nodes,
                                  std::uint32_t size) {
    ++stamp_;
    for (const std::uint32_t node : candidates_)
        shared_[node] = 0;
    candidates_.clear();
    PatchGroup group;
    add(seed, nodes, group);
    while (group.size < size) {
        std::uint32_t best = kNone;
        for (const std::uint32_t node : candidates_) {
            if (is_taken_[node] || group.size + nodes[node].size > size + size / 2) continue;
            const bool is_better =
                best == kNone || std::uint64_t{shared_[node]} * nodes[best].contour.size() >
                                     std::uint64_t{shared_[best]} * nodes[node].contour.size();
            if (is_better && keeps_one_contour(nodes[node], shared_[node])) best = node;
        }
        if (best == kNone) break;
        add(best, nodes, group);
    }
    return group;
}

// Two discs make one disc where they share one path, which has one vertex more than sides.
bool PatchGrower::keeps_one_contour(const PatchNode& node, std::uint32_t shared_sides) const {
    const auto shared_vertices =
        std::count_if(node.contour.begin(), node.contour.end(),
                      [&](std::uint32_t vertex) { return stamps_[vertex] == stamp_; });
    return shared_vertices == std::int64_t{shared_sides} + 1;
}

// Puts the sides that only one member has end to end.
void PatchGrower::trace_contour(const std::vector<PatchNode>& nodes, PatchGroup& group) {
    sides_.clear();
    for (const std::uint32_t member : group.members)
        for_each_side(nodes[member], member,
                      [&](const PatchSide& side) { sides_.push_back(side); });
    std::sort(sides_.begin(), sides_.end());
    std::size_t kept = 0;
    for (std::size_t i = 0; i < sides_.size(); ++i) {
        if (i + 1 < sides_.size() && sides_[i].edge == sides_[i + 1].edge)
            ++i;
        else
            sides_[kept++] = sides_[i];
    }
    sides_.resize(kept);
    bool has_knot = kept == 0;
    for (const PatchSide& side : sides_) {
        has_knot = has_knot || next_[side.from()] != kNone;
        next_[side.from()] = side.to();
    }
    if (!has_knot) {
        const std::uint32_t start = sides_.front().from();
        std::uint32_t vertex = start;
        do {
            group.contour.push_back(vertex);
            vertex = next_[vertex];
        } while (vertex != start && vertex != kNone && group.contour.size() <= kept);
        if (vertex != start || group.contour.size() != kept) group.contour.clear();
    }
    for (const PatchSide& side : sides_)
        next_[side.from()] = kNone;
}

}  // namespace graze
