#include "geometry/cap_holes.h"

#include <algorithm>
#include <unordered_map>

#include "geometry/sorted_edges.h"

namespace graze {

namespace {

// Adds the caps of the loop's vertices [first, last], whose ends are joined already.
void cap_arc(const std::vector<std::uint32_t>& loop, std::size_t first, std::size_t last,
             std::vector<Triangle>& caps) {
    if (last - first < 2) return;
    const std::size_t middle = first + (last - first) / 2;
    caps.push_back({{loop[first], loop[middle], loop[last]}});
    cap_arc(loop, first, middle, caps);
    cap_arc(loop, middle, last, caps);
}

// The directed edges that caps run along: those of the borders, backwards. As many lead to a vertex
// as from it, so that every walk along them comes back.
class BorderWalk {
public:
    explicit BorderWalk(const std::vector<OpenEdge>& open_edges) {
        for (const OpenEdge& edge : open_edges) {
            for (std::uint32_t n = 0; n < edge.excess; ++n)
                edges_.emplace_back(edge.to, edge.from);
        }
        std::sort(edges_.begin(), edges_.end());
        for (std::size_t e = 0; e < edges_.size(); ++e)
            next_of_.try_emplace(edges_[e].first, e);
    }

    std::vector<Triangle> cap() {
        std::vector<Triangle> caps;
        for (const auto& edge : edges_) {
            while (has_edge_from(edge.first))
                walk_from(edge.first, caps);
        }
        return caps;
    }

private:
    bool has_edge_from(std::uint32_t vertex) const {
        const std::size_t next = next_of_.at(vertex);
        return next < edges_.size() && edges_[next].first == vertex;
    }
    // Walks until it is back, and caps each loop when it closes, so that no loop visits a vertex
    // twice.
    void walk_from(std::uint32_t start, std::vector<Triangle>& caps) {
        std::vector<std::uint32_t> path{start};
        std::unordered_map<std::uint32_t, std::size_t> place{{start, 0}};
        while (!path.empty() && has_edge_from(path.back())) {
            const std::uint32_t to = edges_[next_of_.at(path.back())++].second;
            const auto seen = place.find(to);
            if (seen == place.end()) {
                place.emplace(to, path.size());
                path.push_back(to);
                continue;
            }
            const std::size_t first = seen->second;
            cap_arc(path, first, path.size() - 1, caps);
            for (std::size_t i = first + 1; i < path.size(); ++i)
                place.erase(path[i]);
            path.resize(first + 1);
        }
    }

    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges_;  // sorted
    std::unordered_map<std::uint32_t, std::size_t> next_of_;      // the next edge from a vertex
};

}  // namespace

std::vector<OpenEdge> find_open_edges(CpuExecutor& executor,
                                      const std::vector<Triangle>& triangles) {
    const SortedEdges edges = sort_edges(executor, triangles);
    std::vector<OpenEdge> open;
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < edges.size(); ++i) {
        sum += edges.direction(triangles, i);
        if (!edges.is_last(i)) continue;
        if (sum > 0) open.push_back({edges.low(i), edges.high(i), static_cast<std::uint32_t>(sum)});
        if (sum < 0)
            open.push_back({edges.high(i), edges.low(i), static_cast<std::uint32_t>(-sum)});
        sum = 0;
    }
    return open;
}

std::vector<Triangle> cap_holes(const std::vector<OpenEdge>& open_edges) {
    return BorderWalk(open_edges).cap();
}

}  // namespace graze
