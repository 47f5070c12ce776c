#include "geometry/self_intersections.h"

#include <algorithm>

#include "geometry/bvh/bvh_pairs_impl.h"
#include "geometry/bvh/triangle_bvh.h"
#include "geometry/filter_mesh_triangles.h"

namespace graze {
namespace {

struct Meet {
    const Vec3* positions;
    const Triangle* triangles;
    bool operator()(std::uint32_t a, std::uint32_t b) const {
        return meet_mesh_triangles(positions, triangles[a], triangles[b]);
    }
};

// Searches a row of slots, by one thread. In the order of the rows the pairs are the same list
// however many threads there are.
struct SearchRow {
    static constexpr std::int64_t kSlots = 128;

    struct Keep {
        const Meet& meet;
        std::vector<IndexPair>& pairs;
        GRAZE_INLINE void operator()(std::uint32_t a, std::uint32_t b) const {
            if (meet(a, b)) pairs.push_back({a, b});
        }
    };

    BvhView bvh;
    const Aabb* boxes;
    Meet meet;
    std::vector<IndexPair>* rows;
    void operator()(std::int64_t row) const {
        const std::int64_t end = min_of((row + 1) * kSlots, bvh.primitive_count);
        Keep keep{meet, rows[row]};
        for (std::int64_t slot = row * kSlots; slot < end; ++slot)
            visit_higher_overlaps(bvh, boxes, slot, keep);
    }
};

TriangleBvh build_tree(CpuExecutor& executor, const Mesh& mesh) {
    TriangleBvh bvh(executor.memory());
    build_triangle_bvh(executor, mesh.positions.data(), mesh.triangles.data(),
                       static_cast<std::int64_t>(mesh.triangles.size()), BvhQuality::fast, bvh);
    return bvh;
}

}  // namespace

// Boxes are exact and touching ones overlap, so every pair that meets at all is a candidate.
// Candidates are decided where they are found: around a vertex of many triangles they would fill
// any memory.
std::vector<IndexPair> find_self_intersections(CpuExecutor& executor, const Mesh& mesh) {
    const TriangleBvh bvh = build_tree(executor, mesh);
    const BvhView tree = bvh.tree.view();
    const std::int64_t row_count =
        (tree.primitive_count + SearchRow::kSlots - 1) / SearchRow::kSlots;
    std::vector<std::vector<IndexPair>> rows(static_cast<std::size_t>(row_count));
    executor.for_each(
        "self-intersections: search", row_count,
        SearchRow{
            tree, bvh.boxes.data(), {mesh.positions.data(), mesh.triangles.data()}, rows.data()},
        1);
    std::vector<IndexPair> pairs;
    for (const std::vector<IndexPair>& row : rows)
        pairs.insert(pairs.end(), row.begin(), row.end());
    std::sort(pairs.begin(), pairs.end(), [](const IndexPair& x, const IndexPair& y) {
        return x.a != y.a ? x.a < y.a : x.b < y.b;
    });
    return pairs;
}

std::int64_t count_self_intersections(CpuExecutor& executor, const Mesh& mesh) {
    const TriangleBvh bvh = build_tree(executor, mesh);
    BvhPairs counts(executor.memory());
    return count_overlaps(executor, bvh.tree, bvh.boxes.data(),
                          Meet{mesh.positions.data(), mesh.triangles.data()}, counts);
}

}  // namespace graze
