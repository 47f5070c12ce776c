#include "comparison/intersection_parts.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

namespace graze {
namespace intersection_parts_detail {

// Sets that are joined, each known by one of its members.
class JoinedSets {
public:
    explicit JoinedSets(std::size_t count) : parents_(count) {
        std::iota(parents_.begin(), parents_.end(), std::size_t{0});
    }
    std::size_t find(std::size_t i) {
        while (parents_[i] != i)
            i = parents_[i] = parents_[parents_[i]];
        return i;
    }
    void join(std::size_t a, std::size_t b) {
        a = find(a);
        b = find(b);
        // The lower one stays, so that the order of joining does not matter.
        parents_[std::max(a, b)] = std::min(a, b);
    }

private:
    std::vector<std::size_t> parents_;
};

// The pairs that have a triangle of one body in common.
using PairsOfTriangle = std::unordered_map<std::uint32_t, std::vector<std::size_t>>;

// The plane of a triangle as two of the three axes, those that show it largest.
struct PlaneAxes {
    int u, v;
};
PlaneAxes plane_axes(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const Vec3d n = cross(b - a, c - a);
    const double x = std::fabs(n.x), y = std::fabs(n.y), z = std::fabs(n.z);
    if (x >= y && x >= z) return {1, 2};
    return y >= z ? PlaneAxes{0, 2} : PlaneAxes{0, 1};
}

double side_of(const PlaneAxes& axes, const Vec3d& a, const Vec3d& b, const Vec3d& p) {
    return (b[axes.u] - a[axes.u]) * (p[axes.v] - a[axes.v]) -
           (b[axes.v] - a[axes.v]) * (p[axes.u] - a[axes.u]);
}

bool cross_in_plane(const PlaneAxes& axes, const Vec3d& a, const Vec3d& b, const Vec3d& c,
                    const Vec3d& d) {
    return side_of(axes, a, b, c) * side_of(axes, a, b, d) < 0 &&
           side_of(axes, c, d, a) * side_of(axes, c, d, b) < 0;
}

// Joins curves and pieces of surface. Nodes are the pairs, then the vertices of a, then those of b.
class PartFinder {
public:
    PartFinder(const PosedBody& a, const PosedBody& b, std::span<const TriangleIntersection> pairs)
        : bodies_{a, b},
          pairs_(pairs),
          first_vertex_{pairs.size(), pairs.size() + a.positions.size()},
          sets_(pairs.size() + a.positions.size() + b.positions.size()) {
        const auto first_of_b = static_cast<std::uint32_t>(a.body.mesh().triangles.size());
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            of_triangle_[0][pairs[i].a].push_back(i);
            of_triangle_[1][pairs[i].b - first_of_b].push_back(i);
        }
    }

    std::vector<IntersectionPart> find(std::size_t most_points) {
        // Sides of vertices are found while their sets hold nothing but vertices.
        for (const int side : {0, 1})
            find_sides(side);
        join_chains();
        for (const int side : {0, 1}) {
            for (const auto& [triangle, pairs] : of_triangle_[side])
                join_to_corners(side, triangle, pairs);
        }
        for (const int side : {0, 1}) {
            for (const auto& [triangle, pairs] : of_triangle_[side])
                join_across_triangle(side, triangle, pairs);
        }
        return gather(most_points);
    }

private:
    const PosedBody& other(int side) const { return bodies_[1 - side]; }
    Vec3d middle(std::size_t pair) const {
        const TriangleIntersection& found = pairs_[pair];
        if (!found.is_flat) return (found.start + found.end) * 0.5;
        // It has no segment; the middle of the smaller triangle is near enough.
        const Triangle& t = bodies_[0].body.mesh().triangles[found.a];
        return (bodies_[0].positions[t[0]] + bodies_[0].positions[t[1]] +
                bodies_[0].positions[t[2]]) /
               3.0;
    }

    // Segments that end in the same point follow each other. Their ends are known to the last bits,
    // so that ends of different curves are farther apart.
    void join_chains() {
        struct End {
            double along;
            Vec3d point;
            std::size_t pair;
        };
        std::vector<End> ends;
        double largest = 0;
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            if (pairs_[i].is_flat) continue;
            for (const Vec3d& p : {pairs_[i].start, pairs_[i].end}) {
                ends.push_back({dot(p, Vec3d{0.5377, 0.6180, 0.5735}), p, i});
                largest = std::max({largest, std::fabs(p.x), std::fabs(p.y), std::fabs(p.z)});
            }
        }
        const double near = largest * 1e-11;
        std::sort(ends.begin(), ends.end(), [](const End& a, const End& b) {
            return a.along != b.along ? a.along < b.along : a.pair < b.pair;
        });
        for (std::size_t i = 0; i < ends.size(); ++i) {
            for (std::size_t j = i + 1;
                 j < ends.size() && ends[j].along - ends[i].along <= 2 * near; ++j) {
                if (length(ends[j].point - ends[i].point) <= near)
                    sets_.join(ends[i].pair, ends[j].pair);
            }
        }
        // What lies in a plane has no ends; it goes with all that its triangles meet.
        for (const PairsOfTriangle& by_triangle : of_triangle_) {
            for (const auto& [triangle, pairs] : by_triangle) {
                const auto flat = std::find_if(pairs.begin(), pairs.end(),
                                               [&](std::size_t i) { return pairs_[i].is_flat; });
                if (flat == pairs.end()) continue;
                for (const std::size_t i : pairs)
                    sets_.join(*flat, i);
            }
        }
    }

    // Which vertices are inside the other body. Those that a triangle connects that crosses nothing
    // are on the same side, so that few have to be asked.
    void find_sides(int side) {
        const PosedBody& mine = bodies_[side];
        is_inside_[side].assign(mine.positions.size(), 0);
        if (!other(side).body.has_inside()) return;
        const std::vector<Triangle>& triangles = mine.body.mesh().triangles;
        for (std::uint32_t t = 0; t < triangles.size(); ++t) {
            if (of_triangle_[side].contains(t)) continue;
            for (const int corner : {1, 2})
                sets_.join(first_vertex_[side] + triangles[t][0],
                           first_vertex_[side] + triangles[t][corner]);
        }
        for (const std::uint32_t v : mine.body.used_vertices()) {
            const std::size_t root = sets_.find(first_vertex_[side] + v);
            // The root of vertices is the lowest one, which comes before the others.
            const std::size_t first = root - first_vertex_[side];
            is_inside_[side][v] =
                first == v ? other(side).is_inside(mine.positions[v]) : is_inside_[side][first];
        }
    }

    // Says whether a line within a triangle crosses one of the segments there other than two.
    bool is_cut(const PlaneAxes& axes, const Vec3d& from, const Vec3d& to,
                const std::vector<std::size_t>& pairs, std::size_t left_out,
                std::size_t left_out_too) const {
        return std::any_of(pairs.begin(), pairs.end(), [&](std::size_t i) {
            return i != left_out && i != left_out_too && !pairs_[i].is_flat &&
                   cross_in_plane(axes, from, to, pairs_[i].start, pairs_[i].end);
        });
    }

    // Joins the curves in a triangle with those corners inside that they are next to.
    void join_to_corners(int side, std::uint32_t triangle, const std::vector<std::size_t>& pairs) {
        const PosedBody& mine = bodies_[side];
        const Triangle& t = mine.body.mesh().triangles[triangle];
        const auto corner_at = [&](int i) { return mine.positions[t[i]]; };
        const PlaneAxes axes = plane_axes(corner_at(0), corner_at(1), corner_at(2));
        for (int corner = 0; corner < 3; ++corner) {
            if (!is_inside_[side][t[corner]]) continue;
            for (const std::size_t i : pairs) {
                if (!is_cut(axes, middle(i), corner_at(corner), pairs, i, i))
                    sets_.join(i, first_vertex_[side] + t[corner]);
            }
        }
    }

    // Joins two curves in a triangle where it runs from one to the other inside the other body.
    void join_across_triangle(int side, std::uint32_t triangle,
                              const std::vector<std::size_t>& pairs) {
        if (!other(side).body.has_inside() || pairs.size() < 2) return;
        const Triangle& t = bodies_[side].body.mesh().triangles[triangle];
        const PlaneAxes axes =
            plane_axes(bodies_[side].positions[t[0]], bodies_[side].positions[t[1]],
                       bodies_[side].positions[t[2]]);
        for (;;) {
            const auto [first, second] = closest_apart(pairs);
            if (first == second) return;
            const Vec3d from = middle(first), to = middle(second);
            const bool is_one = !is_cut(axes, from, to, pairs, first, second) &&
                                other(side).is_inside((from + to) * 0.5);
            if (!is_one) return;
            sets_.join(first, second);
        }
    }

    // The closest two segments of different curves; the same twice where there is one curve.
    std::pair<std::size_t, std::size_t> closest_apart(const std::vector<std::size_t>& pairs) {
        std::pair<std::size_t, std::size_t> best{pairs[0], pairs[0]};
        const std::size_t root = sets_.find(pairs[0]);
        const bool is_one = std::all_of(pairs.begin(), pairs.end(),
                                        [&](std::size_t i) { return sets_.find(i) == root; });
        if (is_one) return best;
        double least = HUGE_VAL;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            for (std::size_t j = i + 1; j < pairs.size(); ++j) {
                const double distance_sq = length_sq(middle(pairs[i]) - middle(pairs[j]));
                if (distance_sq >= least || sets_.find(pairs[i]) == sets_.find(pairs[j])) continue;
                least = distance_sq;
                best = {pairs[i], pairs[j]};
            }
        }
        return best;
    }

    std::vector<IntersectionPart> gather(std::size_t most_points) {
        std::vector<IntersectionPart> parts;
        std::unordered_map<std::size_t, std::size_t> part_of;
        const auto add = [&](std::size_t node, const Vec3d& point, bool is_curve) {
            const auto [found, is_new] = part_of.try_emplace(sets_.find(node), parts.size());
            if (is_new) {
                parts.emplace_back();
                parts.back().is_contained = !is_curve;
            }
            IntersectionPart& part = parts[found->second];
            part.points.push_back(point);
            part.box = merge(part.box, point);
        };
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            add(i, middle(i), true);
            if (pairs_[i].is_flat) continue;
            add(i, pairs_[i].start, true);
            add(i, pairs_[i].end, true);
        }
        for (const int side : {0, 1}) {
            for (const std::uint32_t v : bodies_[side].body.used_vertices()) {
                if (is_inside_[side][v])
                    add(first_vertex_[side] + v, bodies_[side].positions[v], false);
            }
        }
        for (IntersectionPart& part : parts)
            thin_out(part.points, most_points);
        return parts;
    }

    static void thin_out(std::vector<Vec3d>& points, std::size_t most) {
        if (points.size() <= most) return;
        for (std::size_t i = 0; i < most; ++i)
            points[i] = points[i * points.size() / most];
        points.resize(most);
    }

    PosedBody bodies_[2];
    std::span<const TriangleIntersection> pairs_;
    std::size_t first_vertex_[2];
    JoinedSets sets_;
    PairsOfTriangle of_triangle_[2];
    std::vector<char> is_inside_[2];  // by vertex
};

}  // namespace intersection_parts_detail

double IntersectionPart::extent() const {
    return box.is_empty() ? 0 : length(graze::extent(box));
}

Vec3 PosedBody::local(const Vec3d& world) const {
    return static_cast<Vec3>(transform_point(inverse(pose), world));
}

std::vector<IntersectionPart> find_intersection_parts(const PosedBody& a, const PosedBody& b,
                                                      std::span<const TriangleIntersection> pairs,
                                                      std::size_t most_points) {
    return intersection_parts_detail::PartFinder(a, b, pairs).find(most_points);
}

}  // namespace graze
