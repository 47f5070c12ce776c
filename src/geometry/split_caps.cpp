#include "geometry/split_caps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "graze/aabb.h"

namespace graze {

namespace {

class CapSplitter {
public:
    CapSplitter(const std::vector<Vec3>& positions, float longest)
        : positions_(positions), longest_(longest) {}

    void split_cap(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        const std::uint32_t ab = middle_of(a, b), bc = middle_of(b, c), ca = middle_of(c, a);
        const int count = (ab != kNone) + (bc != kNone) + (ca != kNone);
        if (count == 0) {
            result.caps.push_back({{a, b, c}});
        } else if (count == 3) {
            split_cap(a, ab, ca);
            split_cap(ab, b, bc);
            split_cap(ca, bc, c);
            split_cap(ab, bc, ca);
        } else if (count == 1) {
            // The halved edge comes first.
            if (ab != kNone) split_in_two(a, ab, b, c);
            if (bc != kNone) split_in_two(b, bc, c, a);
            if (ca != kNone) split_in_two(c, ca, a, b);
        } else {
            // The whole edge comes first.
            if (ab == kNone) split_in_three(a, b, bc, c, ca);
            if (bc == kNone) split_in_three(b, c, ca, a, ab);
            if (ca == kNone) split_in_three(c, a, ab, b, bc);
        }
    }

    // Closes what is between an edge that caps ran along and its pieces.
    void add_slivers(std::uint32_t from, std::uint32_t to) {
        const std::uint32_t middle = middle_of(from, to);
        if (middle == kNone) return;
        result.slivers.push_back({{from, to, middle}});
        add_slivers(from, middle);
        add_slivers(middle, to);
    }

    SplitCaps result;

private:
    static constexpr std::uint32_t kNone = 0xffffffffu;

    Vec3 at(std::uint32_t vertex) const {
        return vertex < positions_.size() ? positions_[vertex]
                                          : result.positions[vertex - positions_.size()];
    }

    // The vertex in the middle of an edge; none where the edge stays whole.
    std::uint32_t middle_of(std::uint32_t a, std::uint32_t b) {
        const Vec3 from = at(a), to = at(b);
        if (!(length(to - from) > longest_)) return kNone;
        const Vec3 middle = (from + to) * 0.5f;
        if (middle == from || middle == to) return kNone;  // where floats end
        const auto next = static_cast<std::uint32_t>(positions_.size() + result.positions.size());
        const auto [place, is_new] = middles_.try_emplace(std::minmax(a, b), next);
        if (is_new) result.positions.push_back(middle);
        return place->second;
    }

    void split_in_two(std::uint32_t a, std::uint32_t ab, std::uint32_t b, std::uint32_t c) {
        split_cap(a, ab, c);
        split_cap(ab, b, c);
    }
    void split_in_three(std::uint32_t a, std::uint32_t b, std::uint32_t bc, std::uint32_t c,
                        std::uint32_t ca) {
        split_cap(ca, bc, c);
        split_cap(a, b, bc);
        split_cap(a, bc, ca);
    }

    const std::vector<Vec3>& positions_;
    float longest_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> middles_;
};

// How long a triangle is and how wide across that.
struct CapSize {
    double length, width;
};
CapSize size_of(const Vec3& a, const Vec3& b, const Vec3& c) {
    const double longest = double(std::max({length(b - a), length(c - b), length(a - c)}));
    return {longest, longest > 0 ? double(length(cross(b - a, c - a))) / longest : 0.0};
}

}  // namespace

SplitCaps split_caps(const std::vector<Vec3>& positions, const std::vector<OpenEdge>& open_edges,
                     const std::vector<Triangle>& caps, float longest) {
    CapSplitter splitter(positions, longest);
    for (const Triangle& t : caps)
        splitter.split_cap(t[0], t[1], t[2]);
    // Caps run against the direction in which more triangles of the mesh do.
    for (const OpenEdge& edge : open_edges) {
        for (std::uint32_t n = 0; n < edge.excess; ++n)
            splitter.add_slivers(edge.to, edge.from);
    }
    return std::move(splitter.result);
}

float choose_cap_length(const std::vector<Vec3>& positions, const std::vector<Triangle>& caps) {
    constexpr float kWhole = std::numeric_limits<float>::infinity();
    constexpr double kFewest = 1000, kMostPieces = 1 << 17;
    const auto count = static_cast<double>(caps.size());
    if (count < kFewest) return kWhole;
    Aabb box = Aabb::empty();
    std::vector<CapSize> sizes;
    sizes.reserve(caps.size());
    for (const Triangle& t : caps) {
        const Vec3 &a = positions[t[0]], &b = positions[t[1]], &c = positions[t[2]];
        box = merge(box, Aabb{min_of(a, min_of(b, c)), max_of(a, max_of(b, c))});
        sizes.push_back(size_of(a, b, c));
    }
    const Vec3 extents = extent(box);
    const double widest = double(std::max({extents.x, extents.y, extents.z}));

    // Where pieces of some length are spread evenly over the box, those within about three lengths
    // are looked at one by one, and as many clusters, or more, for each doubling of the distance.
    const auto cost = [&](double piece, double& pieces) {
        pieces = 0;
        for (const CapSize& size : sizes)
            pieces += 2 * std::ceil(size.length / piece) * std::ceil(size.width / piece);
        double volume = 1;
        for (int axis = 0; axis < 3; ++axis)
            volume *= std::max(double(extents[axis]), 6 * piece);
        constexpr double kClusters = 400;
        return pieces / volume * 24 * piece * piece * piece +
               kClusters * std::max(1.0, std::log2(widest / (6 * piece)));
    };
    // As they are, most of them are looked at where they are long; where they are short, a tree
    // does well already.
    double whole = 0;
    for (const CapSize& size : sizes)
        whole += std::min(1.0, 6 * size.length / widest);
    double best = whole / 2, best_length = 0;
    for (double piece = widest / 8; piece >= widest / 128; piece /= 2) {
        double pieces = 0;
        const double now = cost(piece, pieces);
        if (pieces > kMostPieces || now >= best) continue;
        best = now;
        best_length = piece;
    }
    return best_length > 0 ? static_cast<float>(best_length) : kWhole;
}

}  // namespace graze
