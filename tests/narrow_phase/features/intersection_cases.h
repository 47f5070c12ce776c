// Meshes, candidates and a search for tests of triangle intersections on both machines.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "geometry/bvh/bvh_pairs.h"
#include "narrow_phase/features/triangle_intersections.h"
#include "parallel/upload.h"
#include "tests/oracle/random_points.h"
#include "tests/oracle/sample_meshes.h"

namespace graze {

// Returns the boxes of triangles, exact for floats and rounded outwards for doubles.
template <class T>
std::vector<Aabb> outer_boxes(const MeshT<T>& mesh) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const auto below = [](T x) {
        const auto f = static_cast<float>(x);
        return T(f) <= x ? f : std::nextafter(f, -kInfinity);
    };
    const auto above = [](T x) {
        const auto f = static_cast<float>(x);
        return T(f) >= x ? f : std::nextafter(f, kInfinity);
    };
    std::vector<Aabb> boxes;
    boxes.reserve(mesh.triangles.size());
    for (const Triangle& t : mesh.triangles) {
        const AabbT<T> box =
            box_of(mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]);
        boxes.push_back({{below(box.min.x), below(box.min.y), below(box.min.z)},
                         {above(box.max.x), above(box.max.y), above(box.max.z)}});
    }
    return boxes;
}

template <class T>
std::vector<IndexPair> all_pairs(const MeshT<T>& mesh) {
    std::vector<IndexPair> pairs;
    for (std::uint32_t b = 1; b < mesh.triangles.size(); ++b)
        for (std::uint32_t a = 0; a < b; ++a)
            pairs.push_back({a, b});
    return pairs;
}

// Returns all pairs whose boxes touch.
template <class Executor, class T>
std::vector<IndexPair> find_candidates(Executor& executor, const MeshT<T>& mesh) {
    const Buffer<Aabb> boxes = upload(executor, outer_boxes(mesh));
    Bvh tree(executor.memory());
    BvhWorkspace workspace(executor.memory());
    build_bvh(executor, boxes.data(), boxes.size(), BvhQuality::fast, tree, workspace);
    BvhPairs result(executor.memory());
    find_self_overlaps(executor, tree, boxes.data(), result);
    return download(executor, result.pairs);
}

// Returns the intersections among the candidates, which are handed over in slice_count slices.
template <class Executor, class T>
std::vector<TriangleIntersection> find_intersections(Executor& executor, const MeshT<T>& mesh,
                                                     const std::vector<IndexPair>& candidates,
                                                     TriangleIntersectionSearch& search,
                                                     std::int64_t slice_count = 1) {
    const auto positions = upload(executor, mesh.positions);
    const auto triangles = upload(executor, mesh.triangles);
    const auto pairs = upload(executor, candidates);
    search.begin(triangles.size());
    for (std::int64_t slice = 0; slice < slice_count; ++slice) {
        const std::int64_t first = pairs.size() * slice / slice_count;
        const std::int64_t end = pairs.size() * (slice + 1) / slice_count;
        add_triangle_candidates(executor, positions.data(), triangles.data(), pairs.data() + first,
                                end - first, search);
    }
    finish_triangle_intersections(executor, positions.data(), triangles.data(), search);
    return download(executor, search.found);
}
template <class Executor, class T>
std::vector<TriangleIntersection> find_intersections(Executor& executor, const MeshT<T>& mesh) {
    TriangleIntersectionSearch search(executor.memory());
    return find_intersections(executor, mesh, find_candidates(executor, mesh), search);
}

inline bool are_same(const TriangleIntersection& x, const TriangleIntersection& y) {
    return x.a == y.a && x.b == y.b && x.is_flat == y.is_flat && x.start == y.start &&
           x.end == y.end;
}
inline bool are_same(const std::vector<TriangleIntersection>& x,
                     const std::vector<TriangleIntersection>& y) {
    if (x.size() != y.size()) return false;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (!are_same(x[i], y[i])) return false;
    return true;
}

// False for meshes of tens of thousands of triangles where every box touches every other.
inline bool is_quick(const sample::NamedMesh& sample) {
    return sample.name != "large fan" && sample.name != "book of 10000" &&
           sample.name != "sparse soup";
}

// Makes a few triangles with common vertices on a small grid, a few ulps beside it, or anywhere.
template <class T>
MeshT<T> random_tangle(oracle::RandomPoints<T>& random, int kind) {
    MeshT<T> mesh;
    const int vertex_count = 6 + kind % 5;
    for (int i = 0; i < vertex_count; ++i) {
        Vec3T<T> p = kind % 4 == 0 ? random.in_box(1) : random.on_grid(1 + kind % 3);
        if (kind % 4 == 2) p = random.nudged(p, 1);
        if (kind % 6 == 1) p.z = p.x - p.y;
        if (kind % 13 == 3) p.y = 2 * p.x;
        mesh.positions.push_back(p);
    }
    const auto vertex = [&] {
        return static_cast<std::uint32_t>(random.integer(0, vertex_count - 1));
    };
    while (mesh.triangles.size() < 8) {
        const Triangle t{{vertex(), vertex(), vertex()}};
        if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) mesh.triangles.push_back(t);
    }
    return mesh;
}

// Makes a sheet of side x side vertices, each moved by up to `amount` along each axis; at 0 the
// sheet lies flat in a slanted plane.
template <class T>
MeshT<T> crumpled_sheet(int side, T amount, unsigned seed) {
    oracle::RandomPoints<T> random(seed);
    MeshT<T> mesh;
    const auto at = [&](int x, int y) { return static_cast<std::uint32_t>(y * side + x); };
    for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) {
            const Vec3T<T> p{T(x), T(y), T(x) / 3 - T(y) / 7};
            mesh.positions.push_back(p + random.in_box(amount));
        }
    }
    for (int y = 0; y + 1 < side; ++y) {
        for (int x = 0; x + 1 < side; ++x) {
            mesh.triangles.push_back({{at(x, y), at(x + 1, y), at(x, y + 1)}});
            mesh.triangles.push_back({{at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)}});
        }
    }
    return mesh;
}

}  // namespace graze
