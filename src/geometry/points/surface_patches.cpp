#include "geometry/points/surface_patches.h"

#include "core/morton.h"
#include "geometry/points/point_grid.h"

namespace graze {

namespace {

// A part is covered where one sample is within the distance of all its corners, and so of all of
// it. Parts that no sample covers are cut, down to a size that a sample in their middle covers
// easily.
class CoverSearch {
public:
    CoverSearch(const SampledSurface& surface, const std::vector<SurfaceSample>& samples,
                const PointGrid& grid, float distance)
        : surface_(surface), samples_(samples), grid_(grid), distance_(distance) {}

    void find(const SurfacePatch& patch, std::vector<SurfaceSample>& uncovered) const {
        double side_sq = 0;
        const int side = patch.longest_side(side_sq);
        // No sample covers what is larger than its reach.
        const bool may_be_covered = side_sq <= 4.0 * distance_ * distance_;
        if (may_be_covered && is_covered(patch)) return;
        const double smallest = 0.3 * distance_;
        if (side_sq > smallest * smallest) {
            SurfacePatch first, second;
            patch.cut(side, first, second);
            find(first, uncovered);
            find(second, uncovered);
            return;
        }
        uncovered.push_back(
            {middle_of(patch), surface_.face_normal(patch.triangle), patch.triangle, false});
    }

private:
    static Vec3 middle_of(const SurfacePatch& patch) {
        return static_cast<Vec3>((patch.corners[0] + patch.corners[1] + patch.corners[2]) *
                                 (1.0 / 3));
    }
    bool is_covered(const SurfacePatch& patch) const {
        const Vec3& normal = surface_.face_normal(patch.triangle);
        const double reach_sq = static_cast<double>(distance_) * distance_;
        bool found = false;
        grid_.visit_near(middle_of(patch), [&](std::uint32_t i, const Vec3& position) {
            if (found) return;
            const auto point = static_cast<Vec3d>(position);
            found = length_sq(patch.corners[0] - point) <= reach_sq &&
                    length_sq(patch.corners[1] - point) <= reach_sq &&
                    length_sq(patch.corners[2] - point) <= reach_sq &&
                    are_on_one_side(samples_[i].normal, normal);
        });
        return found;
    }

    const SampledSurface& surface_;
    const std::vector<SurfaceSample>& samples_;
    const PointGrid& grid_;
    float distance_;
};

}  // namespace

std::vector<SurfacePatch> make_patches(CpuExecutor& executor, const Mesh& mesh, double max_side) {
    const MortonGrid grid = MortonGrid::over(bounds(mesh), 20);
    std::vector<SurfacePatch> patches;
    std::vector<std::uint64_t> codes;
    for (std::uint32_t i = 0; i < mesh.triangles.size(); ++i) {
        const Triangle& t = mesh.triangles[i];
        if (!has_distinct_vertices(t)) continue;
        const SurfacePatch whole{
            {static_cast<Vec3d>(mesh.positions[t[0]]), static_cast<Vec3d>(mesh.positions[t[1]]),
             static_cast<Vec3d>(mesh.positions[t[2]])},
            i};
        visit_parts(whole, max_side, [&](const SurfacePatch& patch) {
            const Vec3d middle =
                (patch.corners[0] + patch.corners[1] + patch.corners[2]) * (1.0 / 3);
            patches.push_back(patch);
            codes.push_back(grid.code(static_cast<Vec3>(middle)));
        });
    }
    const auto count = static_cast<std::int64_t>(patches.size());
    std::vector<std::uint64_t> sorted_codes(patches.size());
    std::vector<std::uint32_t> indices(patches.size()), order(patches.size());
    for (std::size_t i = 0; i < indices.size(); ++i)
        indices[i] = static_cast<std::uint32_t>(i);
    executor.sort_by_key("points: sort patches", codes.data(), sorted_codes.data(), indices.data(),
                         order.data(), count, 60);
    std::vector<SurfacePatch> sorted;
    sorted.reserve(patches.size());
    for (const std::uint32_t index : order)
        sorted.push_back(patches[index]);
    return sorted;
}

std::vector<SurfaceSample> find_uncovered(CpuExecutor& executor, const SampledSurface& surface,
                                          const std::vector<SurfacePatch>& patches,
                                          const std::vector<SurfaceSample>& samples,
                                          float distance) {
    PointGrid grid(distance);
    grid.build(executor, static_cast<std::int64_t>(samples.size()),
               [&](std::int64_t i) { return samples[static_cast<std::size_t>(i)].position; });
    const CoverSearch search(surface, samples, grid, distance);
    // Chunks depend on the patches alone, and so does the order of what is found.
    constexpr std::size_t kChunk = 64;
    std::vector<std::vector<SurfaceSample>> found((patches.size() + kChunk - 1) / kChunk);
    executor.for_each(
        "points: uncovered", static_cast<std::int64_t>(found.size()),
        [&](std::int64_t chunk) {
            const auto first = static_cast<std::size_t>(chunk) * kChunk;
            const std::size_t end = std::min(first + kChunk, patches.size());
            for (std::size_t i = first; i < end; ++i)
                search.find(patches[i], found[static_cast<std::size_t>(chunk)]);
        },
        1);
    std::vector<SurfaceSample> uncovered;
    for (const std::vector<SurfaceSample>& part : found)
        uncovered.insert(uncovered.end(), part.begin(), part.end());
    return uncovered;
}

}  // namespace graze
