#include "field/build/union_surface.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "geometry/bvh/triangle_bvh.h"
#include "geometry/bvh/winding_number.h"
#include "geometry/intersect_triangle_triangle.h"
#include "geometry/self_intersections.h"

namespace graze {

namespace {

struct PartTree {
    explicit PartTree(Memory& memory) : bvh(memory), winding(memory) {}
    TriangleBvh bvh;
    WindingTree winding;
};

struct Piece {
    Vec3 corners[3];
};

// A triangle of another part that a piece may meet.
struct Other {
    std::uint32_t part;
    BvhTriangle triangle;
};

bool bounds_solid(const MeshPart& part) {
    return part.is_closed && part.six_volume != 0;
}

// By part, those others that bound solids and whose boxes touch its own.
std::vector<std::vector<std::uint32_t>> find_partners(const std::vector<MeshPart>& parts) {
    std::vector<std::vector<std::uint32_t>> partners(parts.size());
    std::vector<std::uint32_t> order;
    for (std::uint32_t p = 0; p < parts.size(); ++p) {
        if (bounds_solid(parts[p])) order.push_back(p);
    }
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        const float x = parts[a].box.min.x, y = parts[b].box.min.x;
        return x != y ? x < y : a < b;
    });
    for (std::size_t i = 0; i < order.size(); ++i) {
        const Aabb& box = parts[order[i]].box;
        for (std::size_t j = i + 1; j < order.size(); ++j) {
            if (parts[order[j]].box.min.x > box.max.x) break;
            if (!overlap(box, parts[order[j]].box)) continue;
            partners[order[i]].push_back(order[j]);
            partners[order[j]].push_back(order[i]);
        }
    }
    for (std::vector<std::uint32_t>& list : partners)
        std::sort(list.begin(), list.end());
    return partners;
}

// By part, how far from 0 the winding number of all open parts together can be anywhere in its box:
// of a surface it is no more than its area over 4 pi times the square of its distance.
std::vector<double> bound_open_windings(const std::vector<MeshPart>& parts) {
    std::vector<double> bounds(parts.size(), 0);
    for (const MeshPart& open : parts) {
        if (open.is_closed) continue;
        for (std::size_t p = 0; p < parts.size(); ++p) {
            const Aabb &a = parts[p].box, &b = open.box;
            double distance_sq = 0;
            for (int axis = 0; axis < 3; ++axis) {
                const double gap = std::max(
                    {0.0, double(a.min[axis] - b.max[axis]), double(b.min[axis] - a.max[axis])});
                distance_sq += gap * gap;
            }
            bounds[p] += open.area / (4 * 3.14159265358979 * distance_sq);
        }
    }
    return bounds;
}

// A part that other parts overlap.
struct OverlappedPart {
    OverlappedPart(Memory& memory, const Aabb& of) : tree(memory), box(of) {}
    PartTree tree;
    Aabb box;
    // The least winding number that it has anywhere; nothing where that is not known.
    std::optional<int> least_winding;
};

// Whether each edge has two triangles.
bool is_manifold(const std::vector<Triangle>& triangles) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (const Triangle& t : triangles) {
        for (int k = 0; k < 3; ++k)
            edges.push_back(std::minmax(t.v[k], t.v[(k + 1) % 3]));
    }
    std::sort(edges.begin(), edges.end());
    for (std::size_t n = 0; n < edges.size(); n += 2) {
        if (n + 1 == edges.size() || edges[n] != edges[n + 1]) return false;
        if (n + 2 < edges.size() && edges[n] == edges[n + 2]) return false;
    }
    return true;
}

// A surface that hangs together by edges of two triangles each, and does not meet itself, parts
// space in two: there winding numbers are 0 and, within, 1 or -1.
std::optional<int> find_least_winding(CpuExecutor& executor, const Mesh& mesh, const MeshPart& part,
                                      const std::vector<Triangle>& triangles) {
    std::vector<std::uint32_t> vertices;
    for (const Triangle& t : triangles)
        vertices.insert(vertices.end(), t.v, t.v + 3);
    std::sort(vertices.begin(), vertices.end());
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    const auto index_of = [&](std::uint32_t vertex) {
        return static_cast<std::uint32_t>(
            std::lower_bound(vertices.begin(), vertices.end(), vertex) - vertices.begin());
    };
    Mesh own;
    for (const std::uint32_t vertex : vertices)
        own.positions.push_back(mesh.positions[vertex]);
    for (const Triangle& t : triangles)
        own.triangles.push_back({{index_of(t[0]), index_of(t[1]), index_of(t[2])}});
    if (!is_manifold(own.triangles) || count_self_intersections(executor, own) > 0) return {};
    return part.six_volume > 0 ? 0 : -1;
}

// Whether a half-line that begins at a point and runs along x may meet a triangle. A closed surface
// of which it meets none, not even in an edge, has the winding number 0 there. Where many parts are
// far away, and only their boxes are not, this leaves them out by a few comparisons.
class MayMeetHalfLine {
public:
    static constexpr bool kVisitsInPassing = true;

    MayMeetHalfLine(const Vec3& from, const BvhTriangle* triangles)
        : from_(from), triangles_(triangles) {}

    float enter(const Aabb& box) const {
        const bool meets = box.max.x >= from_.x && box.min.y <= from_.y && box.max.y >= from_.y &&
                           box.min.z <= from_.z && box.max.z >= from_.z;
        return meets ? 0.0f : 1.0f;
    }
    float limit() const { return meets_ ? -1.0f : 0.0f; }
    void visit(std::uint32_t slot) {
        const BvhTriangle& t = triangles_[slot];
        const int ab = orient2d(t.a.y, t.a.z, t.b.y, t.b.z, from_.y, from_.z);
        const int bc = orient2d(t.b.y, t.b.z, t.c.y, t.c.z, from_.y, from_.z);
        if (ab * bc < 0) return;
        const int ca = orient2d(t.c.y, t.c.z, t.a.y, t.a.z, from_.y, from_.z);
        if (ab * ca < 0 || bc * ca < 0) return;
        meets_ = true;
    }
    bool meets() const { return meets_; }

private:
    Vec3 from_;
    const BvhTriangle* triangles_;
    bool meets_ = false;
};

bool may_wind_around(const TriangleBvhView& bvh, const Vec3& point) {
    MayMeetHalfLine query(point, bvh.triangles);
    traverse(bvh.tree, query);
    return query.meets();
}

// The pieces of one triangle.
class CutTriangle {
public:
    using PartList = std::vector<std::uint32_t>;

    CutTriangle(const MeshPart& own, const std::vector<std::unique_ptr<OverlappedPart>>& overlapped,
                float seam)
        : own_(own), overlapped_(overlapped), seam_(seam) {}

    // Adds what is left to the pieces. Returns whether that is all of the triangle, in one piece.
    // The partners are those parts that may matter to it.
    bool operator()(const Piece& whole, const PartList& partners,
                    std::vector<Piece>& pieces) const {
        const Aabb box = box_of(whole);
        std::vector<Other> others;
        for (const std::uint32_t part : partners) {
            const TriangleBvhView bvh = overlapped_[part]->tree.bvh.view();
            const auto keep = [&](std::uint32_t slot) {
                others.push_back({part, bvh.triangles[slot]});
            };
            BoxOverlap query(box, keep);
            traverse(bvh.tree, query);
        }
        const std::size_t before = pieces.size();
        bool is_whole = true;
        cut(whole, partners, others, pieces, is_whole);
        // Where nothing is lost, the triangle stays as it is.
        if (!is_whole) return false;
        pieces.resize(before);
        pieces.push_back(whole);
        return true;
    }

private:
    static Aabb box_of(const Piece& piece) {
        return graze::box_of(piece.corners[0], piece.corners[1], piece.corners[2]);
    }
    static bool meets(const Piece& piece, const Other& other) {
        const Vec3(&c)[3] = piece.corners;
        const BvhTriangle& t = other.triangle;
        if (!intersect_triangle_triangle(c[0], c[1], c[2], t.a, t.b, t.c)) return false;
        // One that lies in the piece's plane does not lead from one side of it to the other.
        return orient3d(c[0], c[1], c[2], t.a) != 0 || orient3d(c[0], c[1], c[2], t.b) != 0 ||
               orient3d(c[0], c[1], c[2], t.c) != 0;
    }

    // The winding number of a part, whole, at a point; nothing where it is not clearly whole.
    std::optional<int> winding_at(std::uint32_t part, const Vec3& point) const {
        const PartTree& tree = overlapped_[part]->tree;
        if (!may_wind_around(tree.bvh.view(), point)) return 0;
        const double winding = winding_number(tree.bvh.view(), tree.winding.moments.data(), point);
        const double whole = std::floor(winding + 0.5);
        if (std::fabs(winding - whole) > 0.25) return {};
        return static_cast<int>(whole);
    }
    int winding_outside_own() const { return own_.six_volume > 0 ? 0 : -1; }

    // The winding number on the outer side of the triangle at a point of it.
    std::optional<int> outer_winding(const Vec3& point, const PartList& partners) const {
        int outer = winding_outside_own();
        for (const std::uint32_t part : partners) {
            const std::optional<int> winding = winding_at(part, point);
            if (!winding) return {};
            outer += *winding;
        }
        return outer;
    }
    static Vec3 middle_of(const Piece& piece) {
        return (piece.corners[0] + piece.corners[1] + piece.corners[2]) * (1.0f / 3);
    }

    // Whether a piece lies within the union whatever those parts are there that it meets: their
    // winding numbers change on it, those of the others do not. Where it meets none, the winding
    // number is above 0 also on its outer side. A piece on another part's surface does not.
    bool is_within(const Piece& piece, const PartList& partners,
                   const std::vector<Other>& met) const {
        const Vec3 point = middle_of(piece);
        int least = winding_outside_own();
        for (const std::uint32_t part : partners) {
            const bool is_met = std::any_of(
                met.begin(), met.end(), [part](const Other& other) { return other.part == part; });
            const std::optional<int> winding =
                is_met ? overlapped_[part]->least_winding : winding_at(part, point);
            if (!winding) return false;
            least += *winding;
        }
        return least > 0;
    }

    static bool meets_several(const std::vector<Other>& met) {
        return std::any_of(met.begin(), met.end(),
                           [&](const Other& other) { return other.part != met[0].part; });
    }
    // Whether some point of a piece is seen to be on the union's surface.
    bool shows_surface(const Piece& piece, const PartList& partners) const {
        const Vec3 points[4] = {middle_of(piece), piece.corners[0], piece.corners[1],
                                piece.corners[2]};
        return std::any_of(points, points + 4, [&](const Vec3& point) {
            const std::optional<int> outer = outer_winding(point, partners);
            return outer && *outer <= 0;
        });
    }

    // Whether a piece that meets others needs no more cuts. One that meets a single part is near
    // the union's surface, or within it as a whole. Several parts can cover a piece together, and
    // where that may be so it is cut on, to a limit.
    bool may_stay(const Piece& piece, const PartList& partners, const std::vector<Other>& met,
                  float longest) const {
        constexpr float kLeastSeam = 1.0f / 16;
        return !meets_several(met) || longest <= seam_ * kLeastSeam ||
               is_within(piece, partners, met) || shows_surface(piece, partners);
    }

    // Of a part whose box the piece does not touch, the winding number is 0 all over the piece.
    PartList partners_near(const Piece& piece, const PartList& partners) const {
        const Aabb box = box_of(piece);
        PartList near;
        for (const std::uint32_t part : partners) {
            if (overlap(overlapped_[part]->box, box)) near.push_back(part);
        }
        return near;
    }

    void keep_or_drop(const Piece& piece, const PartList& partners, const std::vector<Other>& met,
                      std::vector<Piece>& pieces, bool& is_whole) const {
        if (is_within(piece, partners, met)) {
            is_whole = false;
        } else {
            pieces.push_back(piece);
        }
    }

    void cut(const Piece& piece, const PartList& near_parent, const std::vector<Other>& candidates,
             std::vector<Piece>& pieces, bool& is_whole) const {
        const PartList partners = partners_near(piece, near_parent);
        std::vector<Other> others;
        for (const Other& other : candidates) {
            if (meets(piece, other)) others.push_back(other);
        }
        if (others.empty()) {
            keep_or_drop(piece, partners, others, pieces, is_whole);
            return;
        }
        int longest = 0;
        float lengths[3];
        for (int k = 0; k < 3; ++k) {
            lengths[k] = length(piece.corners[(k + 1) % 3] - piece.corners[k]);
            if (lengths[k] > lengths[longest]) longest = k;
        }
        const Vec3 &a = piece.corners[longest], &b = piece.corners[(longest + 1) % 3],
                   &c = piece.corners[(longest + 2) % 3];
        const Vec3 middle = (a + b) * 0.5f;
        // Where floats end, the middle is one of the ends.
        const bool is_least = middle == a || middle == b;
        if (is_least ||
            (lengths[longest] <= seam_ && may_stay(piece, partners, others, lengths[longest]))) {
            keep_or_drop(piece, partners, others, pieces, is_whole);
            return;
        }
        cut({{a, middle, c}}, partners, others, pieces, is_whole);
        cut({{middle, b, c}}, partners, others, pieces, is_whole);
    }

    const MeshPart& own_;
    const std::vector<std::unique_ptr<OverlappedPart>>& overlapped_;
    float seam_;
};

// The result of a triangle: kept, dropped, or pieces.
struct TriangleOutcome {
    bool is_kept = true;
    std::vector<Piece> pieces;
};

}  // namespace

std::optional<UnionSurface> find_union_surface(CpuExecutor& executor, const Mesh& mesh,
                                               const MeshParts& parts, float seam) {
    const std::vector<std::vector<std::uint32_t>> partners = find_partners(parts.parts);
    std::vector<std::uint32_t> asked;  // triangles of parts with partners
    std::vector<std::vector<Triangle>> triangles_of(parts.parts.size());
    // Between two whole winding numbers above 0 both sides of a wall stay inside where open parts
    // take away less than a half.
    constexpr double kMostOpenWinding = 0.45;
    const std::vector<double> open_windings = bound_open_windings(parts.parts);
    for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
        const std::uint32_t part = parts.part_of_triangle[t];
        if (partners[part].empty()) continue;
        if (open_windings[part] < kMostOpenWinding) asked.push_back(t);
        triangles_of[part].push_back(mesh.triangles[t]);
    }
    if (asked.empty()) return {};

    std::vector<std::unique_ptr<OverlappedPart>> overlapped(parts.parts.size());
    for (std::size_t p = 0; p < overlapped.size(); ++p) {
        if (partners[p].empty()) continue;
        overlapped[p] = std::make_unique<OverlappedPart>(executor.memory(), parts.parts[p].box);
        PartTree& tree = overlapped[p]->tree;
        build_triangle_bvh(executor, mesh.positions.data(), triangles_of[p].data(),
                           static_cast<std::int64_t>(triangles_of[p].size()), BvhQuality::fast,
                           tree.bvh);
        build_winding_tree(executor, tree.bvh, tree.winding);
        // Where two parts overlap and no third one, nothing else is asked of either.
        const auto has_two = [&](std::uint32_t other) { return partners[other].size() > 1; };
        if (std::any_of(partners[p].begin(), partners[p].end(), has_two)) {
            overlapped[p]->least_winding =
                find_least_winding(executor, mesh, parts.parts[p], triangles_of[p]);
        }
    }
    std::vector<TriangleOutcome> outcomes(asked.size());
    executor.for_each(
        "field: find walls within", static_cast<std::int64_t>(asked.size()),
        [&](std::int64_t n) {
            const std::uint32_t t = asked[static_cast<std::size_t>(n)];
            const std::uint32_t part = parts.part_of_triangle[t];
            const Triangle& v = mesh.triangles[t];
            const Piece whole{{mesh.positions[v[0]], mesh.positions[v[1]], mesh.positions[v[2]]}};
            // Only parts whose boxes the triangle touches can matter to it.
            const Aabb box = box_of(whole.corners[0], whole.corners[1], whole.corners[2]);
            CutTriangle::PartList near;
            for (const std::uint32_t other : partners[part]) {
                if (overlap(parts.parts[other].box, box)) near.push_back(other);
            }
            if (near.empty()) return;
            TriangleOutcome& outcome = outcomes[static_cast<std::size_t>(n)];
            outcome.is_kept =
                CutTriangle(parts.parts[part], overlapped, seam)(whole, near, outcome.pieces);
        },
        16);

    UnionSurface result;
    std::vector<bool> is_kept(mesh.triangles.size(), true), is_overlapping(parts.parts.size());
    for (std::size_t n = 0; n < asked.size(); ++n) {
        if (outcomes[n].is_kept) continue;
        is_kept[asked[n]] = false;
        is_overlapping[parts.part_of_triangle[asked[n]]] = true;
        result.dropped_count += outcomes[n].pieces.empty() ? 1 : 0;
    }
    result.overlapping_part_count = std::count(is_overlapping.begin(), is_overlapping.end(), true);
    if (result.overlapping_part_count == 0) return {};
    result.mesh.positions = mesh.positions;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        if (is_kept[t]) result.mesh.triangles.push_back(mesh.triangles[t]);
    }
    for (const TriangleOutcome& outcome : outcomes) {
        if (outcome.is_kept) continue;
        for (const Piece& piece : outcome.pieces) {
            const auto first = static_cast<std::uint32_t>(result.mesh.positions.size());
            result.mesh.positions.insert(result.mesh.positions.end(), piece.corners,
                                         piece.corners + 3);
            result.mesh.triangles.push_back({{first, first + 1, first + 2}});
        }
    }
    return result;
}

}  // namespace graze
