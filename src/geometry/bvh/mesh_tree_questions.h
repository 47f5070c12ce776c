// The work of one question to a MeshTree. Tree is what the machine walks fastest: a functor that
// calls traverse() with a query.
#pragma once

#include "geometry/bvh/near_queries.h"
#include "geometry/bvh/winding_number.h"
#include "geometry/topology.h"

namespace graze {
namespace mesh_tree_detail {

// Where the normals of a mesh are.
struct NormalsView {
    const Triangle* triangles;  // by the vertices that stand for those at the same position
    const std::uint32_t* triangle_edges;
    const Vec3 *faces, *edges, *vertices;

    GRAZE_INLINE Vec3 at(std::uint32_t triangle, TriangleFeature feature) const {
        const int place = static_cast<int>(feature);
        if (feature == TriangleFeature::face) return faces[triangle];
        if (place < 3) return vertices[triangles[triangle][place]];
        const std::uint32_t edge = triangle_edges[3 * triangle + (place - 3)];
        return edge == kNoIndex ? faces[triangle] : edges[edge];
    }
};

template <class Tree>
struct FindNearest {
    Tree tree;
    const BvhTriangle* triangles;
    NormalsView normals;
    const Vec3* points;
    float max_distance_sq;
    NearestPoint* out;

    GRAZE_HD void operator()(std::int64_t i) const {
        ClosestPoint query(points[i], triangles, max_distance_sq);
        tree(query);
        if (!query.is_found()) {
            out[i] = {{0, 0, 0}, std::numeric_limits<float>::infinity(), {0, 0, 0}, kNoTriangle, 0,
                      0};
            return;
        }
        const ClosestPointTriangle<float>& closest = query.closest();
        out[i] = {closest.point,
                  std::sqrt(closest.distance_sq),
                  normals.at(query.triangle(), closest.feature),
                  query.triangle(),
                  closest.barycentric.y,
                  closest.barycentric.z};
    }
};

template <class Tree>
struct SignByNormals {
    Tree tree;
    const BvhTriangle* triangles;
    NormalsView normals;
    const Vec3* points;
    float* out;

    GRAZE_HD void operator()(std::int64_t i) const {
        ClosestPoint query(points[i], triangles);
        tree(query);
        const ClosestPointTriangle<float>& closest = query.closest();
        const float distance = std::sqrt(closest.distance_sq);
        const auto offset = static_cast<Vec3d>(points[i]) - static_cast<Vec3d>(closest.point);
        const auto normal = static_cast<Vec3d>(normals.at(query.triangle(), closest.feature));
        out[i] = dot(offset, normal) < 0 ? -distance : distance;
    }
};

template <class Tree>
struct SignByWinding {
    Tree tree;
    const BvhTriangle* triangles;
    TriangleBvhView solid;  // what is inside counts by
    const WindingMoment* moments;
    const Vec3* points;
    float* out;

    GRAZE_HD void operator()(std::int64_t i) const {
        ClosestPoint query(points[i], triangles);
        tree(query);
        const float distance = std::sqrt(query.closest().distance_sq);
        out[i] = is_inside(solid, moments, points[i]) ? -distance : distance;
    }
};

// The winding number within 0.001.
GRAZE_HD inline double close_winding_number(const TriangleBvhView& bvh,
                                            const WindingMoment* moments, const Vec3& point) {
    for (const float accuracy : {4.0f, 12.0f, 36.0f}) {
        WindingOfTriangle of_triangle{point};
        BoundedWindingOfMoment of_moment{point};
        const double sum = sum_winding(bvh, moments, point, accuracy, of_triangle, of_moment);
        if (of_moment.error <= 1e-3) return sum;
    }
    return full_winding_number(bvh, point);
}

struct SumWinding {
    TriangleBvhView bvh;
    const WindingMoment* moments;
    const Vec3* points;
    float* out;

    GRAZE_HD void operator()(std::int64_t i) const {
        out[i] = static_cast<float>(close_winding_number(bvh, moments, points[i]));
    }
};

template <class Tree>
struct FindFirstHit {
    Tree tree;
    const BvhTriangle* triangles;
    const Ray* rays;
    RayHit* out;

    GRAZE_HD void operator()(std::int64_t i) const {
        FirstHit query(rays[i], triangles);
        tree(query);
        out[i] = query.hit();
    }
};

template <class Tree>
struct FindAnyHit {
    Tree tree;
    const BvhTriangle* triangles;
    const Ray* rays;
    std::uint8_t* out;

    GRAZE_HD void operator()(std::int64_t i) const {
        AnyHit query(rays[i], triangles);
        tree(query);
        out[i] = query.is_hit() ? 1 : 0;
    }
};

// Lists are counted first and then filled: kFills says which of the two it is.
template <class T>
struct Collector {
    T* items;  // null while they are counted
    std::uint64_t count = 0;

    GRAZE_INLINE void operator()(const T& item) {
        if (items) items[count] = item;
        ++count;
    }
};

GRAZE_INLINE bool comes_first(const RayHit& a, const RayHit& b) {
    return a.t < b.t || (a.t == b.t && a.triangle < b.triangle);
}
GRAZE_INLINE bool comes_first(const NearTriangle& a, const NearTriangle& b) {
    return is_nearer(a.distance, a.triangle, b);
}
GRAZE_INLINE bool comes_first(std::uint32_t a, std::uint32_t b) {
    return a < b;
}

// Heap sort, in place and without a stack: lists may be long.
template <class T>
GRAZE_HD void sort_list(T* items, std::uint64_t count) {
    const auto sift = [items](std::uint64_t root, std::uint64_t end) {
        for (std::uint64_t child = 2 * root + 1; child < end; child = 2 * root + 1) {
            if (child + 1 < end && comes_first(items[child], items[child + 1])) ++child;
            if (!comes_first(items[root], items[child])) return;
            const T swapped = items[root];
            items[root] = items[child];
            items[child] = swapped;
            root = child;
        }
    };
    for (std::uint64_t root = count / 2; root-- > 0;)
        sift(root, count);
    for (std::uint64_t end = count; end-- > 1;) {
        const T last = items[0];
        items[0] = items[end];
        items[end] = last;
        sift(0, end);
    }
}

// What is asked in each of the three kinds of lists.
template <class Tree>
struct AskAllHits {
    using Item = RayHit;
    Tree tree;
    const BvhTriangle* triangles;
    const Ray* rays;

    GRAZE_HD void operator()(std::int64_t i, Collector<RayHit>& collector) const {
        AllHits<Collector<RayHit>> query(rays[i], triangles, collector);
        tree(query);
    }
    GRAZE_INLINE static void finish(RayHit&) {}
};
template <class Tree>
struct AskInBox {
    using Item = std::uint32_t;
    Tree tree;
    const BvhTriangle* triangles;
    const Aabb* boxes;

    GRAZE_HD void operator()(std::int64_t i, Collector<std::uint32_t>& collector) const {
        if (boxes[i].is_empty()) return;
        TrianglesInBox<Collector<std::uint32_t>> query(boxes[i], triangles, collector);
        tree(query);
    }
    GRAZE_INLINE static void finish(std::uint32_t&) {}
};
template <class Tree>
struct AskWithin {
    using Item = NearTriangle;
    Tree tree;
    const BvhTriangle* triangles;
    const Vec3* points;
    float distance_sq;

    GRAZE_HD void operator()(std::int64_t i, Collector<NearTriangle>& collector) const {
        TrianglesWithin<Collector<NearTriangle>> query(points[i], triangles, distance_sq,
                                                       collector);
        tree(query);
    }
    GRAZE_INLINE static void finish(NearTriangle& item) {
        item.distance = std::sqrt(item.distance);
    }
};

template <class Ask>
struct CountList {
    Ask ask;
    std::uint64_t* counts;

    GRAZE_HD void operator()(std::int64_t i) const {
        Collector<typename Ask::Item> collector{nullptr};
        ask(i, collector);
        counts[i] = collector.count;
    }
};
template <class Ask>
struct FillList {
    Ask ask;
    const std::uint64_t* offsets;
    typename Ask::Item* items;

    GRAZE_HD void operator()(std::int64_t i) const {
        if (offsets[i] == offsets[i + 1]) return;
        Collector<typename Ask::Item> collector{items + offsets[i]};
        ask(i, collector);
        sort_list(items + offsets[i], collector.count);
        for (std::uint64_t k = 0; k < collector.count; ++k)
            Ask::finish(items[offsets[i] + k]);
    }
};

template <class Tree>
struct FindNearestTriangles {
    Tree tree;
    const BvhTriangle* triangles;
    const Vec3* points;
    int count;
    NearTriangle* out;

    GRAZE_HD void operator()(std::int64_t i) const {
        NearTriangle* nearest = out + i * count;
        NearestTriangles query(points[i], triangles, nearest, count);
        tree(query);
        for (int k = 0; k < count; ++k)
            nearest[k].distance = std::sqrt(nearest[k].distance);
    }
};

// Work from a certain element on.
template <class Work>
struct WorkFrom {
    Work work;
    std::int64_t first;

    GRAZE_HD void operator()(std::int64_t i) const { work(first + i); }
};

}  // namespace mesh_tree_detail
}  // namespace graze
