// Finds where two bodies intersect, by trying the points of a fine grid one by one, and scores how
// much of that a list of contacts has found.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "graze/contact.h"
#include "graze/field.h"
#include "parallel/cpu_executor.h"

namespace graze::oracle {

inline Transformd widened(const Transform& t) {
    const Quat& q = t.rotation;
    return {static_cast<Vec3d>(t.translation), {q.w, q.x, q.y, q.z}, t.scale};
}
inline Aabbd widened(const Aabb& box) {
    return {static_cast<Vec3d>(box.min), static_cast<Vec3d>(box.max)};
}

// A field with its pose in the world.
struct PosedField {
    Field field;
    Transform world_from_body;

    // Returns the distance [m], negative inside.
    double operator()(const Vec3d& world) const {
        const Transformd pose = widened(world_from_body);
        const Vec3d local = transform_point(inverse(pose), world);
        return field.distance(static_cast<Vec3>(local)) * pose.scale;
    }
    // The box is infinite where the body is unbounded along some axis.
    Aabbd box() const {
        const Aabb& bounds = field.bounds();
        if (!is_finite(bounds.min) || !is_finite(bounds.max))
            return {{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, {HUGE_VAL, HUGE_VAL, HUGE_VAL}};
        return transform_box(widened(world_from_body), widened(bounds));
    }
};

// One connected part of an intersection.
struct IntersectionPart {
    std::vector<Vec3d> points;  // [m] the points of the grid inside both bodies
    double volume = 0;          // [m^3]
    Aabbd box = Aabbd::empty();
    double deepest = 0;       // [m] the least of min(a, b)
    double inner_radius = 0;  // [m] the radius of a ball in both bodies
    Vec3d inner_point{};      // [m] the centre of that ball
};

struct Intersection {
    double spacing = 0;  // [m]
    std::vector<IntersectionPart> parts;
};

// A grid of points of a region at a spacing, centred, with at least one point along each axis.
struct PointGrid {
    PointGrid(const Aabbd& region, double step) : spacing(step) {
        for (int axis = 0; axis < 3; ++axis) {
            const double side = std::max(region.max[axis] - region.min[axis], 0.0);
            count[axis] = std::max<std::int64_t>(1, std::llround(std::ceil(side / spacing)));
            first[axis] = (region.min[axis] + region.max[axis]) / 2 -
                          spacing * 0.5 * static_cast<double>(count[axis] - 1);
        }
    }
    std::int64_t size() const { return count[0] * count[1] * count[2]; }
    Vec3d point(std::int64_t i, std::int64_t j, std::int64_t k) const {
        return {first.x + spacing * static_cast<double>(i),
                first.y + spacing * static_cast<double>(j),
                first.z + spacing * static_cast<double>(k)};
    }

    double spacing;  // [m]
    Vec3d first{};   // [m]
    std::int64_t count[3] = {};
};

// Returns which points of the grid are inside both bodies. A distance changes by no more than the
// distance of two points, so along a row those points are skipped that the last one's distance
// proves to be outside. slip [m] is how far two values of a field may be off together. Where
// nothing is known of that, a slip of infinity tests every point.
template <class DistanceA, class DistanceB>
std::vector<char> points_inside(const DistanceA& a, const DistanceB& b, const PointGrid& grid,
                                double slip) {
    std::vector<char> inside(static_cast<std::size_t>(grid.size()), 0);
    const auto visit_row = [&](std::int64_t row) {
        const std::int64_t j = row % grid.count[1], k = row / grid.count[1];
        for (std::int64_t i = 0; i < grid.count[0];) {
            const Vec3d point = grid.point(i, j, k);
            const double farther = std::max<double>(a(point), b(point));
            if (farther <= 0) inside[static_cast<std::size_t>(i + row * grid.count[0])] = 1;
            const double steps = (farther - slip) / grid.spacing;
            i += 1 + static_cast<std::int64_t>(std::clamp(steps, 0.0, 1e9));
        }
    };
    CpuExecutor().for_each("oracle: points inside", grid.count[1] * grid.count[2], visit_row, 1);
    return inside;
}

// Returns the connected parts of the points inside both bodies, where a point's neighbours are the
// 26 around it. a and b are distances, Vec3d -> double.
template <class DistanceA, class DistanceB>
Intersection find_intersection(const DistanceA& a, const DistanceB& b, const Aabbd& region,
                               double spacing, double slip = HUGE_VAL) {
    Intersection result{spacing, {}};
    if (region.is_empty()) return result;
    const PointGrid grid(region, spacing);
    std::vector<char> inside = points_inside(a, b, grid, slip);
    std::vector<std::array<std::int64_t, 3>> waiting;
    const auto take = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        if (i < 0 || j < 0 || k < 0) return;
        if (i >= grid.count[0] || j >= grid.count[1] || k >= grid.count[2]) return;
        char& is_left =
            inside[static_cast<std::size_t>(i + grid.count[0] * (j + grid.count[1] * k))];
        if (!is_left) return;
        is_left = 0;
        waiting.push_back({i, j, k});
    };
    for (std::int64_t n = 0; n < grid.size(); ++n) {
        take(n % grid.count[0], n / grid.count[0] % grid.count[1],
             n / grid.count[0] / grid.count[1]);
        if (waiting.empty()) continue;
        IntersectionPart part;
        while (!waiting.empty()) {
            const auto [i, j, k] = waiting.back();
            waiting.pop_back();
            const Vec3d point = grid.point(i, j, k);
            const double da = a(point), db = b(point);
            part.points.push_back(point);
            part.box = merge(part.box, point);
            part.deepest = std::min(part.deepest, std::min(da, db));
            if (part.points.size() == 1 || -std::max(da, db) > part.inner_radius) {
                part.inner_radius = -std::max(da, db);
                part.inner_point = point;
            }
            for (int m = 0; m < 27; ++m)
                take(i + m % 3 - 1, j + m / 3 % 3 - 1, k + m / 9 - 1);
        }
        part.volume = static_cast<double>(part.points.size()) * spacing * spacing * spacing;
        result.parts.push_back(std::move(part));
    }
    return result;
}

inline Intersection find_intersection(const PosedField& a, const PosedField& b, double spacing,
                                      double slip = HUGE_VAL) {
    return find_intersection(a, b, intersect(a.box(), b.box()), spacing, slip);
}

// A set of points that tells whether one of them is near a given point.
class PointSet {
public:
    PointSet(std::span<const Contact> contacts, double reach) : reach_(reach) {
        for (const Contact& contact : contacts) {
            const auto point = static_cast<Vec3d>(contact.position);
            cells_[key(point, 0, 0, 0)].push_back(point);
        }
    }
    // True where a point of the set is no farther than reach.
    bool has_near(const Vec3d& point) const {
        if (cells_.empty()) return false;
        for (int m = 0; m < 27; ++m) {
            const auto found = cells_.find(key(point, m % 3 - 1, m / 3 % 3 - 1, m / 9 - 1));
            if (found == cells_.end()) continue;
            for (const Vec3d& other : found->second) {
                if (length_sq(other - point) <= reach_ * reach_) return true;
            }
        }
        return false;
    }

private:
    std::uint64_t key(const Vec3d& p, int i, int j, int k) const {
        const auto cell = [&](double x, int offset) {
            return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(x / reach_)) +
                                              offset) &
                   0x1fffff;
        };
        return cell(p.x, i) | cell(p.y, j) << 21 | cell(p.z, k) << 42;
    }

    double reach_;
    std::unordered_map<std::uint64_t, std::vector<Vec3d>> cells_;
};

// The rule of what counts as found.
struct RecallRule {
    double part_reach = 0;  // [m] a part is found where a contact is so near to one of its points
    double coverage_reach = 0;  // [m] a point is covered where a contact is so near
    double least_volume = 0;    // [m^3] smaller parts need not be found
    // At most so many of a pair's points, evenly chosen, are tested for coverage.
    std::size_t most_points = SIZE_MAX;
};

// Sums over pairs of bodies.
struct RecallScore {
    int pair_count = 0, found_pair_count = 0;  // pairs that intersect
    int extra_pair_count = 0;                  // pairs with contacts but without an intersection
    int part_count = 0, found_part_count = 0;
    double coverage_sum = 0;  // over the pairs that intersect: the fraction of points covered
    std::int64_t judged_count = 0, false_count = 0;  // contacts

    static double ratio(double part, double whole) { return whole > 0 ? part / whole : 1; }
    double pair_recall() const { return ratio(found_pair_count, pair_count); }
    double part_recall() const { return ratio(found_part_count, part_count); }
    double coverage() const { return ratio(coverage_sum, pair_count); }
};

inline RecallScore& operator+=(RecallScore& a, const RecallScore& b) {
    a.pair_count += b.pair_count;
    a.found_pair_count += b.found_pair_count;
    a.extra_pair_count += b.extra_pair_count;
    a.part_count += b.part_count;
    a.found_part_count += b.found_part_count;
    a.coverage_sum += b.coverage_sum;
    a.judged_count += b.judged_count;
    a.false_count += b.false_count;
    return a;
}

// Scores how much of one pair's intersection its contacts have found.
inline RecallScore score_recall(const Intersection& truth, std::span<const Contact> contacts,
                                const RecallRule& rule) {
    RecallScore score;
    score.pair_count = truth.parts.empty() ? 0 : 1;
    if (truth.parts.empty()) {
        score.extra_pair_count = contacts.empty() ? 0 : 1;
        return score;
    }
    score.found_pair_count = contacts.empty() ? 0 : 1;
    const PointSet near_part(contacts, rule.part_reach);
    const PointSet near_point(contacts, rule.coverage_reach);
    std::size_t all_count = 0;
    for (const IntersectionPart& part : truth.parts)
        all_count += part.points.size();
    const std::size_t step = std::max<std::size_t>(1, all_count / rule.most_points);
    std::size_t n = 0;
    double covered_count = 0, point_count = 0;
    for (const IntersectionPart& part : truth.parts) {
        for (const Vec3d& point : part.points) {
            if (n++ % step != 0) continue;
            covered_count += near_point.has_near(point) ? 1 : 0;
            point_count += 1;
        }
        if (part.volume < rule.least_volume) continue;
        ++score.part_count;
        score.found_part_count +=
            std::any_of(part.points.begin(), part.points.end(),
                        [&](const Vec3d& point) { return near_part.has_near(point); })
                ? 1
                : 0;
    }
    score.coverage_sum = covered_count / point_count;
    return score;
}

// Counts, of at most `most` contacts, evenly chosen, those that are farther than limit [m] from one
// of the bodies. a and b are true distances, Vec3d -> double.
template <class DistanceA, class DistanceB>
RecallScore score_truth(const DistanceA& a, const DistanceB& b, std::span<const Contact> contacts,
                        double limit, std::size_t most = SIZE_MAX) {
    RecallScore score;
    const std::size_t count = std::min(most, contacts.size());
    for (std::size_t n = 0; n < count; ++n) {
        const auto point = static_cast<Vec3d>(contacts[n * contacts.size() / count].position);
        ++score.judged_count;
        if (std::max<double>(a(point), b(point)) > limit) ++score.false_count;
    }
    return score;
}

// Returns the counts of points that Algorithm 1 of Krayer et al. puts along each axis of a region.
inline std::array<int, 3> particle_counts(const Vec3d& size, int resolution) {
    int order[3] = {0, 1, 2};
    std::sort(order, order + 3, [&](int p, int q) { return size[p] > size[q]; });
    const double cube = std::pow(resolution, 3);
    const double longest = size[order[0]];
    std::array<int, 3> counts = {1, 1, 1};
    if (!(longest > 0)) return counts;
    const double a2 = std::max(size[order[1]] / longest, 1e-9);
    const double a3 = std::max(size[order[2]] / longest, 1e-9);
    double r1 = resolution / std::cbrt(a2 * a3), r2 = r1 * a2;
    const double r3 = std::max(std::round(r1 * a3), 1.0);
    const double q = std::sqrt(r1 * r2 * r3 / cube);
    r1 /= q;
    r2 = std::max(std::round(r2 / q), 1.0);
    r1 = std::max(std::round(r1 / (r1 * r2 * r3 / cube)), 1.0);
    counts[static_cast<std::size_t>(order[0])] = static_cast<int>(r1);
    counts[static_cast<std::size_t>(order[1])] = static_cast<int>(r2);
    counts[static_cast<std::size_t>(order[2])] = static_cast<int>(r3);
    return counts;
}

// Bounds the distance [m] from a point of the region to the nearest particle: half the diagonal of
// a cell.
inline double particle_reach(const Aabbd& region, int resolution) {
    const Vec3d size = extent(region);
    const std::array<int, 3> counts = particle_counts(size, resolution);
    return length(Vec3d{size.x / counts[0], size.y / counts[1], size.z / counts[2]}) / 2;
}

}  // namespace graze::oracle
