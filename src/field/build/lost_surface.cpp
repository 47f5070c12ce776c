#include "field/build/lost_surface.h"

#include <algorithm>
#include <cmath>

#include "field/sampled/evaluate_sampled.h"
#include "geometry/bvh/triangle_bvh.h"

namespace graze {

namespace {

// Whether samples are inside.
class SampleInsides {
public:
    explicit SampleInsides(const SampledFieldView& field) : field_(field) {}

    // Whether one of the samples around a cell is on a side. The cell's own are asked first.
    bool has(bool inside, const std::int32_t (&cell)[3]) const {
        return has_from_to(inside, cell, 0, 1) || has_from_to(inside, cell, -1, 2);
    }

private:
    // Looks at the samples from..to of a cell's neighbourhood; 0 and 1 are the cell's own.
    bool has_from_to(bool inside, const std::int32_t (&cell)[3], int from, int to) const {
        for (int k = from; k <= to; ++k) {
            for (int j = from; j <= to; ++j) {
                for (int i = from; i <= to; ++i) {
                    if (is_inside(cell[0] + i, cell[1] + j, cell[2] + k) == inside) return true;
                }
            }
        }
        return false;
    }
    bool is_inside(std::int32_t x, std::int32_t y, std::int32_t z) const {
        const FieldGrid& grid = field_.grid;
        if (x < 0 || y < 0 || z < 0 || x > grid.cells[0] || y > grid.cells[1] || z > grid.cells[2])
            return false;
        // The sample is a corner of this cell; the last one is the far corner of the cell before.
        detail::CellPoint at{{std::min(x, grid.cells[0] - 1), std::min(y, grid.cells[1] - 1),
                              std::min(z, grid.cells[2] - 1)},
                             {0, 0, 0}};
        const detail::CellCorners corners = detail::find_corners(field_, at);
        // No surface enters a block without samples, so that all of it is on one side.
        if (corners.is_coarse) return field_.coarse[corners.first] < 0;
        const std::int64_t index = corners.first + (x - at.cell[0]) +
                                   (y - at.cell[1]) * corners.stride_y +
                                   (z - at.cell[2]) * corners.stride_z;
        return field_.order == FieldOrder::zero ? field_.values[index] < 0
                                                : float_from_half(field_.samples[index].value) < 0;
    }

    SampledFieldView field_;
};

struct LostPoint {
    Vec3 position, normal;
};

struct LostOfTriangle {
    double area = 0;
    std::int32_t count = 0;
    Aabb box = Aabb::empty();

    void add(const Vec3& point, double point_area) {
        area += point_area;
        ++count;
        box = merge(box, point);
    }
};

// Cuts a triangle that is no wider than a voxel across its longest edge and calls
// visit(position, area) for the middle of each of n pieces.
template <class Visit>
void for_each_slice(const Vec3& a, const Vec3& b, const Vec3& c, int n, const Visit& visit) {
    const Vec3 along = b - a;
    // What the corner opposite to the longest edge has beside and above it.
    const float peak = std::clamp(dot(c - a, along) / dot(along, along), 0.0f, 1.0f);
    const Vec3 up = c - (a + along * peak);
    const double area = double(length(cross(along, c - a))) * 0.5;
    const auto share_before = [&](float t) {
        const double from_a = double(t), from_b = 1 - from_a;
        return t < peak ? from_a * from_a / double(peak)
                        : 1 - (peak < 1 ? from_b * from_b / (1 - double(peak)) : 0.0);
    };
    for (int slice = 0; slice < n; ++slice) {
        const float from = static_cast<float>(slice) / static_cast<float>(n);
        const float to = static_cast<float>(slice + 1) / static_cast<float>(n);
        const float t = (from + to) * 0.5f;
        const float height = t < peak ? t / peak : (1 - t) / (1 - peak);
        visit(a + along * t + up * (height * 0.5f), area * (share_before(to) - share_before(from)));
    }
}

// Looks at the middles of n^2 equal pieces of a triangle, none wider than a voxel, or of n slices
// of a long, thin one. Calls visit(position, area) for each around which no sample is on the side.
template <class Visit>
void for_each_point_without(bool inside, const SampleInsides& insides, const FieldGrid& grid,
                            const Vec3& a, const Vec3& b, const Vec3& c, const Visit& visit) {
    const auto look = [&](const Vec3& point, double area) {
        const detail::CellPoint at = detail::find_cell(grid, point);
        if (!insides.has(inside, at.cell)) visit(point, area);
    };
    const float ab = length(b - a), bc = length(c - b), ca = length(a - c);
    const float longest = std::max({ab, bc, ca});
    const int n = static_cast<int>(std::clamp(std::ceil(longest / grid.spacing), 1.0f, 4096.0f));
    const float two_areas = length(cross(b - a, c - a));
    constexpr int kFewSlices = 4;
    if (n > kFewSlices && two_areas <= longest * grid.spacing) {
        if (longest == ab) return for_each_slice(a, b, c, n, look);
        if (longest == bc) return for_each_slice(b, c, a, n, look);
        return for_each_slice(c, a, b, n, look);
    }
    const double area = double(two_areas) * 0.5 / n / n;
    for (int row = 0; row < n; ++row) {
        for (int place = 0; place < 2 * (n - row) - 1; ++place) {
            // Pieces alternate between those like the triangle and those upside down.
            const int column = place / 2;
            const float third = place % 2 == 0 ? 1.0f / 3 : 2.0f / 3;
            const float u = (static_cast<float>(column) + third) / static_cast<float>(n);
            const float v = (static_cast<float>(row) + third) / static_cast<float>(n);
            look(a + (b - a) * u + (c - a) * v, area);
        }
    }
}

// [m] How far it is from a point of the surface to the other side, through the solid.
float thickness_at(const TriangleBvhView& bvh, const LostPoint& point, float voxel) {
    const Ray ray{point.position - point.normal * (voxel * 1e-4f), -point.normal};
    FirstHit query(ray, bvh.triangles);
    traverse(bvh.tree, query);
    return query.hit().triangle == kNoTriangle ? voxel : query.hit().t;
}

}  // namespace

LostSurface find_lost_surface(CpuExecutor& executor, const Mesh& mesh, const MeshParts& parts,
                              const SampledField& field) {
    const SampledFieldView view = field.view();
    const SampleInsides insides(view);
    const auto count = static_cast<std::int64_t>(mesh.triangles.size());
    const auto at = [&](std::int64_t t, int corner) {
        return mesh.positions[mesh.triangles[static_cast<std::size_t>(t)][corner]];
    };
    std::vector<LostOfTriangle> lost(mesh.triangles.size());
    executor.for_each(
        "field: find what is lost", count,
        [&](std::int64_t t) {
            const MeshPart& part = parts.parts[parts.part_of_triangle[static_cast<std::size_t>(t)]];
            if (!part.is_closed || part.six_volume == 0) return;
            LostOfTriangle& own = lost[static_cast<std::size_t>(t)];
            for_each_point_without(true, insides, view.grid, at(t, 0), at(t, 1), at(t, 2),
                                   [&](const Vec3& point, double area) { own.add(point, area); });
        },
        64);
    LostSurface result;
    std::int64_t point_count = 0;
    for (const LostOfTriangle& own : lost) {
        result.area += own.area;
        result.box = merge(result.box, own.box);
        point_count += own.count;
    }
    if (point_count == 0) return result;

    // The thickness is measured at some of the points, spread over all of them.
    constexpr std::int64_t kMeasured = 256;
    const std::int64_t step = std::max<std::int64_t>(1, point_count / kMeasured);
    std::vector<LostPoint> points;
    std::int64_t passed = 0;
    for (std::int64_t t = 0; t < count; ++t) {
        if (lost[static_cast<std::size_t>(t)].count == 0) continue;
        const Vec3 normal = cross(at(t, 1) - at(t, 0), at(t, 2) - at(t, 0));
        if (!(length_sq(normal) > 0)) continue;
        for_each_point_without(true, insides, view.grid, at(t, 0), at(t, 1), at(t, 2),
                               [&](const Vec3& point, double) {
                                   if (passed++ % step == 0)
                                       points.push_back({point, normal / length(normal)});
                               });
    }
    if (points.empty()) return result;
    TriangleBvh bvh(executor.memory());
    build_triangle_bvh(executor, mesh.positions.data(), mesh.triangles.data(), count,
                       BvhQuality::fast, bvh);
    std::vector<float> thickness;
    thickness.reserve(points.size());
    for (const LostPoint& point : points)
        thickness.push_back(thickness_at(bvh.view(), point, view.grid.spacing));
    const auto tenth = thickness.begin() + static_cast<std::ptrdiff_t>(thickness.size() / 10);
    std::nth_element(thickness.begin(), tenth, thickness.end());
    result.thickness = *tenth;
    return result;
}

BuriedSurface find_buried_surface(CpuExecutor& executor, const Mesh& mesh,
                                  const SampledField& field) {
    const SampledFieldView view = field.view();
    const SampleInsides insides(view);
    std::vector<LostOfTriangle> buried(mesh.triangles.size());
    executor.for_each(
        "field: find what is buried", static_cast<std::int64_t>(mesh.triangles.size()),
        [&](std::int64_t n) {
            const Triangle& t = mesh.triangles[static_cast<std::size_t>(n)];
            LostOfTriangle& own = buried[static_cast<std::size_t>(n)];
            for_each_point_without(false, insides, view.grid, mesh.positions[t[0]],
                                   mesh.positions[t[1]], mesh.positions[t[2]],
                                   [&](const Vec3& point, double area) { own.add(point, area); });
        },
        64);
    BuriedSurface result;
    for (const LostOfTriangle& own : buried) {
        result.area += own.area;
        result.box = merge(result.box, own.box);
    }
    return result;
}

int resolution_that_holds(const LostSurface& lost, const FieldGrid& grid) {
    // A ball as wide as the thickness holds a sample where it is wider than a voxel's diagonal.
    const double factor =
        std::max(double(grid.spacing) * 1.7321 / std::max(double(lost.thickness), 1e-30), 1.25);
    const int longest = std::max({grid.cells[0], grid.cells[1], grid.cells[2]}) + 1;
    return static_cast<int>(std::min(std::ceil(longest * factor), 16e6));
}

}  // namespace graze
