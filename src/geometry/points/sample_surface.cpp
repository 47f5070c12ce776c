// Particles that repel each other spread over a surface (after Turk, "Re-tiling polygonal
// surfaces", 1992): from an even random start each one is pushed away from its neighbours in its
// tangent plane and put back onto the surface, again and again.
//
// Where graze differs: corners and creases have points of their own, which do not move; points on
// the two sides of a thin sheet ignore each other; points that are pushed together are thinned out,
// and holes are filled, until it is proven that every point of the surface has a sample near by.
#include "geometry/points/sample_surface.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "geometry/points/point_grid.h"
#include "geometry/points/surface_patches.h"
#include "geometry/topology.h"
#include "graze/error.h"

namespace graze {

namespace {

// In units of the spacing. The reach of the repulsion takes in the nearest neighbours, six on a
// plane, and hardly the next ones. After 10, 20 and 40 turns the mean distance to the nearest
// neighbour on a sphere is 0.93, 0.95 and 0.97, and no place is farther than 0.90, 0.89 and 0.85
// from a point; box, bowl and bunny follow with 0.90 to 0.94 after 20.
constexpr float kReach = 1.6f, kPush = 0.45f, kMaxPush = 0.25f;
constexpr float kThinDistance = 0.5f;
// A few turns part the points of a good mesh. Where many triangles lie in one place, points are
// still crowded then, and all later turns would be slow.
constexpr int kFirstTurns = 3;
constexpr float kFirstThinDistance = 0.35f;
constexpr int kTurns = 20, kTurnsAfterFilling = 5, kMaxFillings = 10;
// Per square of the spacing. A triangular lattice at the spacing would have 1.15; points that repel
// each other are less regular, and this many are on average about a spacing from the nearest.
constexpr double kPointsPerArea = 1.0;

void tell(const Progress& progress, double fraction) {
    if (progress && !progress(fraction))
        throw Error("the spreading of points was stopped by its caller");
}

// A number from 0 to 1, random and yet the same every time.
double hashed_unit(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15u;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((value ^ (value >> 31)) >> 11) * 0x1p-53;
}

// Draws the points of a start, evenly over the patches' area: their order is one of neighbours, so
// that no region gets many more than its share.
std::vector<SurfaceSample> draw_start(const SampledSurface& surface,
                                      const std::vector<SurfacePatch>& patches, double per_area) {
    std::vector<SurfaceSample> samples;
    double due = 0.5;
    std::uint64_t drawn = 0;
    for (std::size_t i = 0; i < patches.size(); ++i) {
        const SurfacePatch& patch = patches[i];
        const Vec3& normal = surface.face_normal(patch.triangle);
        const double u0 = hashed_unit(2 * i), v0 = hashed_unit(2 * i + 1);
        due += patch.area() * per_area;
        for (int k = 0; static_cast<double>(drawn) + 1 <= due; ++drawn, ++k) {
            // The two steps fill the square more evenly than random numbers do (Roberts, 2018).
            double u = u0 + k * 0.7548776662466927, v = v0 + k * 0.5698402909980532;
            u -= std::floor(u);
            v -= std::floor(v);
            if (u + v > 1) {
                u = 1 - u;
                v = 1 - v;
            }
            const Vec3d position = patch.corners[0] + (patch.corners[1] - patch.corners[0]) * u +
                                   (patch.corners[2] - patch.corners[0]) * v;
            samples.push_back({static_cast<Vec3>(position), normal, patch.triangle, false});
        }
    }
    return samples;
}

class SurfaceSampler {
public:
    SurfaceSampler(CpuExecutor& executor, const SampledSurface& surface,
                   const std::vector<SurfacePatch>& patches, float spacing)
        : executor_(executor),
          surface_(surface),
          patches_(patches),
          spacing_(spacing),
          grid_(static_cast<double>(kReach) * spacing) {}

    // Corners and creases first; then the rest of the area.
    void start(double area) {
        samples_ = sample_creases(surface_, spacing_);
        const double wanted = area * kPointsPerArea / (static_cast<double>(spacing_) * spacing_);
        // A point at the rim of an area takes the room of half a point inside it.
        const double free = std::max(0.0, wanted - 0.5 * static_cast<double>(samples_.size()));
        if (!(area > 0)) return;
        const std::vector<SurfaceSample> drawn = draw_start(surface_, patches_, free / area);
        samples_.insert(samples_.end(), drawn.begin(), drawn.end());
    }

    void repel() {
        rebuild_grid();
        moved_ = samples_;
        executor_.for_each(
            "points: repel", count(),
            [&](std::int64_t i) {
                const auto index = static_cast<std::uint32_t>(i);
                if (!samples_[index].is_fixed) push(index, moved_[index]);
            },
            128);
        samples_.swap(moved_);
    }

    // Leaves out points that are too close to a fixed one, or to an earlier one.
    void thin(float fraction) {
        rebuild_grid();
        const float distance_sq = fraction * spacing_ * fraction * spacing_;
        std::vector<char> is_dropped(samples_.size(), 0);
        executor_.for_each("points: thin", count(), [&](std::int64_t i) {
            const SurfaceSample& sample = samples_[static_cast<std::size_t>(i)];
            if (sample.is_fixed) return;
            char drop = 0;
            grid_.visit_near(sample.position, [&](std::uint32_t j, const Vec3& position) {
                if (j >= static_cast<std::uint32_t>(i) && !samples_[j].is_fixed) return;
                if (length_sq(position - sample.position) < distance_sq &&
                    are_on_one_side(samples_[j].normal, sample.normal))
                    drop = 1;
            });
            is_dropped[static_cast<std::size_t>(i)] = drop;
        });
        std::size_t kept = 0;
        for (std::size_t i = 0; i < samples_.size(); ++i) {
            if (!is_dropped[i]) samples_[kept++] = samples_[i];
        }
        samples_.resize(kept);
    }

    // Adds points in holes until there are none.
    void fill() {
        const float distance = kCoverFraction * spacing_;
        for (int round = 0; round < kMaxFillings; ++round) {
            const std::vector<SurfaceSample> holes =
                find_uncovered(executor_, surface_, patches_, samples_, distance);
            if (holes.empty()) return;
            GrowingGrid added(spacing_);
            for (const SurfaceSample& hole : holes) {
                // What is so near to a new point is covered by it.
                const float near_sq = 0.16f * distance * distance;
                const bool is_taken = added.has_near(hole.position, [&](std::uint32_t i) {
                    return length_sq(samples_[i].position - hole.position) < near_sq &&
                           are_on_one_side(samples_[i].normal, hole.normal);
                });
                if (is_taken) continue;
                added.add(hole.position, static_cast<std::uint32_t>(samples_.size()));
                samples_.push_back(hole);
            }
        }
        throw Error("points could not be spread at a spacing of " + std::to_string(spacing_) +
                    " m: the coordinates are too coarse for it; take a larger spacing, or move the "
                    "mesh to the origin");
    }

    SurfacePoints finish() {
        SurfacePoints points;
        points.positions.resize(samples_.size());
        points.normals.resize(samples_.size());
        executor_.for_each("points: normals", count(), [&](std::int64_t i) {
            const SurfaceSample& sample = samples_[static_cast<std::size_t>(i)];
            points.positions[static_cast<std::size_t>(i)] = sample.position;
            points.normals[static_cast<std::size_t>(i)] =
                sample.is_fixed ? sample.normal : surface_.smooth_normal(sample);
        });
        return points;
    }

private:
    std::int64_t count() const { return static_cast<std::int64_t>(samples_.size()); }
    void rebuild_grid() {
        grid_.build(executor_, count(),
                    [&](std::int64_t i) { return samples_[static_cast<std::size_t>(i)].position; });
    }

    // Moves a point away from its neighbours, as they all were before.
    void push(std::uint32_t index, SurfaceSample& moved) const {
        const SurfaceSample& sample = samples_[index];
        const float reach = kReach * spacing_;
        Vec3 push{0, 0, 0};
        grid_.visit_near(sample.position, [&](std::uint32_t other, const Vec3& position) {
            if (other == index) return;
            const Vec3 offset = sample.position - position;
            const float distance_sq = length_sq(offset);
            if (distance_sq >= reach * reach ||
                !are_on_one_side(samples_[other].normal, sample.normal))
                return;
            const float distance = std::sqrt(distance_sq);
            const float weight = 1 - distance / reach;
            // Points at one place part in directions that depend on nothing else.
            const std::uint64_t seed = std::uint64_t{index} << 32 | other;
            const Vec3 away = distance > 0
                                  ? offset * (1 / distance)
                                  : Vec3{static_cast<float>(hashed_unit(3 * seed) - 0.5),
                                         static_cast<float>(hashed_unit(3 * seed + 1) - 0.5),
                                         static_cast<float>(hashed_unit(3 * seed + 2) - 0.5)};
            push += away * (weight * weight);
        });
        push = (push - sample.normal * dot(push, sample.normal)) * (kPush * spacing_);
        const float size = length(push);
        if (!(size > 0)) return;
        const float limit = kMaxPush * spacing_;
        if (size > limit) push = push * (limit / size);
        surface_.project(sample.position + push, 1.01f * min_of(size, limit), moved);
    }

    CpuExecutor& executor_;
    const SampledSurface& surface_;
    const std::vector<SurfacePatch>& patches_;
    float spacing_;
    PointGrid grid_;
    std::vector<SurfaceSample> samples_, moved_;
};

// Refuses spacings that are too small for the surface or its coordinates.
void check_spacing(const Mesh& mesh, double area, double crease_length, float spacing) {
    const double wanted =
        area * kPointsPerArea / (static_cast<double>(spacing) * spacing) + crease_length / spacing;
    if (wanted > kMaxSurfacePoints) {
        const double least = std::max(std::sqrt(2 * kPointsPerArea * area / kMaxSurfacePoints),
                                      2 * crease_length / kMaxSurfacePoints);
        throw Error("points at a spacing of " + std::to_string(spacing) +
                    " m would be more than 50 million; take a spacing of at least " +
                    std::to_string(least) + " m");
    }
    const Aabb box = bounds(mesh);
    double largest = 0;
    for (int axis = 0; axis < 3; ++axis) {
        largest = std::max({largest, std::fabs(static_cast<double>(box.min[axis])),
                            std::fabs(static_cast<double>(box.max[axis]))});
    }
    if (spacing < largest * 1e-5) {
        throw Error("points at a spacing of " + std::to_string(spacing) +
                    " m cannot be told apart at coordinates of " + std::to_string(largest) +
                    " m; take a larger spacing, or move the mesh to the origin");
    }
}

}  // namespace

SurfacePoints points_of_vertices(const Mesh& mesh, int threads) {
    CpuExecutor executor(threads);
    TopologyWorkspace workspace(executor.memory());
    Topology topology(executor.memory());
    build_topology(executor, mesh.triangles.data(),
                   static_cast<std::int64_t>(mesh.triangles.size()),
                   static_cast<std::int64_t>(mesh.positions.size()), workspace, topology);
    Pseudonormals normals(executor.memory());
    compute_pseudonormals(executor, mesh.positions.data(), mesh.triangles.data(), topology.view(),
                          normals);
    SurfacePoints points{mesh.positions, {}};
    points.normals.assign(normals.vertices.data(), normals.vertices.data() + mesh.positions.size());
    return points;
}

SurfacePoints sample_surface(const Mesh& mesh, float spacing, int threads,
                             const Progress& progress) {
    tell(progress, 0);
    if (mesh.triangles.empty()) return {};
    CpuExecutor executor(threads);
    const SampledSurface surface(executor, mesh);
    double area = 0;
    for (const Triangle& t : mesh.triangles) {
        const auto a = static_cast<Vec3d>(mesh.positions[t[0]]);
        area += 0.5 * length(cross(static_cast<Vec3d>(mesh.positions[t[1]]) - a,
                                   static_cast<Vec3d>(mesh.positions[t[2]]) - a));
    }
    check_spacing(mesh, area, crease_length(surface), spacing);
    tell(progress, 0.05);
    const std::vector<SurfacePatch> patches =
        make_patches(executor, mesh, 16.0 * static_cast<double>(spacing));
    SurfaceSampler sampler(executor, surface, patches, spacing);
    sampler.start(area);
    const double turn = 0.85 / (kTurns + kTurnsAfterFilling);
    double fraction = 0.1;
    const auto repel = [&](int turn_count) {
        for (int i = 0; i < turn_count; ++i) {
            tell(progress, fraction);
            sampler.repel();
            fraction += turn;
        }
    };
    repel(kFirstTurns);
    sampler.thin(kFirstThinDistance);
    repel(kTurns - kFirstTurns);
    sampler.thin(kThinDistance);
    sampler.fill();
    repel(kTurnsAfterFilling);
    sampler.thin(kThinDistance);
    tell(progress, fraction);
    sampler.fill();
    SurfacePoints points = sampler.finish();
    tell(progress, 1);
    return points;
}

}  // namespace graze
