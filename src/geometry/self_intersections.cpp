#include "geometry/self_intersections.h"

#include <algorithm>

#include "geometry/bvh_pairs_impl.h"
#include "geometry/intersect_mesh_triangles.h"
#include "geometry/triangle_bvh.h"

namespace graze {
namespace {

struct Intersect {
    const Vec3* positions;
    const Triangle* triangles;
    bool operator()(std::uint32_t a, std::uint32_t b) const {
        return intersect_mesh_triangles(positions, triangles[a], triangles[b]);
    }
};

// Boxes are exact and touching ones overlap, so every pair that meets at all is a candidate.
// Candidates are decided where they are found: around a vertex of many triangles they would fill
// any memory.
struct Search {
    Search(CpuExecutor& executor, const Mesh& mesh)
        : intersect{mesh.positions.data(), mesh.triangles.data()},
          bvh(executor.memory()),
          result(executor.memory()) {
        build_triangle_bvh(executor, mesh.positions.data(), mesh.triangles.data(),
                           static_cast<std::int64_t>(mesh.triangles.size()), BvhQuality::fast, bvh);
    }
    Intersect intersect;
    TriangleBvh bvh;
    BvhPairs result;
};

}  // namespace

std::vector<IndexPair> find_self_intersections(CpuExecutor& executor, const Mesh& mesh) {
    Search search(executor, mesh);
    find_overlaps(executor, search.bvh.tree, search.bvh.boxes.data(), search.intersect,
                  search.result);
    const Buffer<IndexPair>& found = search.result.pairs;
    std::vector<IndexPair> pairs(found.data(), found.data() + found.size());
    std::sort(pairs.begin(), pairs.end(), [](const IndexPair& x, const IndexPair& y) {
        return x.a != y.a ? x.a < y.a : x.b < y.b;
    });
    return pairs;
}

std::int64_t count_self_intersections(CpuExecutor& executor, const Mesh& mesh) {
    Search search(executor, mesh);
    return count_overlaps(executor, search.bvh.tree, search.bvh.boxes.data(), search.intersect,
                          search.result);
}

}  // namespace graze
