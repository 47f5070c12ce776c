#include "geometry/self_intersections.h"

#include <algorithm>

#include "geometry/intersect_mesh_triangles.h"
#include "geometry/triangle_bvh.h"

namespace graze {
namespace {

struct Intersects {
    const Vec3* positions;
    const Triangle* triangles;
    const IndexPair* pairs;
    bool operator()(std::int64_t i) const {
        return intersect_mesh_triangles(positions, triangles[pairs[i].a], triangles[pairs[i].b]);
    }
};
struct DecidePair {
    Intersects intersects;
    std::uint8_t* decisions;
    void operator()(std::int64_t i) const { decisions[i] = intersects(i) ? 1 : 0; }
};
struct IsDecided {
    const std::uint8_t* decisions;
    bool operator()(std::int64_t i) const { return decisions[i] != 0; }
};

}  // namespace

std::vector<IndexPair> find_self_intersections(CpuExecutor& executor, const Mesh& mesh) {
    TriangleBvh bvh(executor.memory());
    // Touching boxes overlap, so a pair that meets at all is among the candidates: boxes are exact.
    build_triangle_bvh(executor, mesh.positions.data(), mesh.triangles.data(),
                       static_cast<std::int64_t>(mesh.triangles.size()), BvhQuality::fast, bvh);
    BvhPairs candidates(executor.memory());
    find_self_overlaps(executor, bvh.tree, bvh.boxes.data(), candidates);
    const std::int64_t count = candidates.pairs.size();

    auto decisions = executor.make_buffer<std::uint8_t>(count);
    auto kept = executor.make_buffer<std::int64_t>(count);
    const Intersects intersects{mesh.positions.data(), mesh.triangles.data(),
                                candidates.pairs.data()};
    executor.for_each("self intersections: decide", count, DecidePair{intersects, decisions.data()},
                      256);
    std::int64_t kept_count = 0;
    executor.compact("self intersections: keep", count, IsDecided{decisions.data()}, kept.data(),
                     &kept_count);

    std::vector<IndexPair> pairs(static_cast<std::size_t>(kept_count));
    for (std::int64_t i = 0; i < kept_count; ++i) {
        pairs[static_cast<std::size_t>(i)] = candidates.pairs.data()[kept.data()[i]];
    }
    std::sort(pairs.begin(), pairs.end(), [](const IndexPair& x, const IndexPair& y) {
        return x.a != y.a ? x.a < y.a : x.b < y.b;
    });
    return pairs;
}

std::int64_t count_self_intersections(CpuExecutor& executor, const Mesh& mesh) {
    return static_cast<std::int64_t>(find_self_intersections(executor, mesh).size());
}

}  // namespace graze
