#include "comparison/judged_body.h"

#include <algorithm>
#include <cmath>

#include "core/random_unit.h"
#include "geometry/tidy_mesh.h"

namespace graze {
namespace judged_body_detail {

// As many points between vertices are looked at, and as many vertices or up to twice that: enough
// that the deepest one of a smooth body is off by less than a hundredth of its size.
constexpr std::size_t kMostSamples = 4000;
constexpr std::int64_t kSideProbes = 512;

Vec3d normal_of(const Mesh& mesh, const Triangle& t) {
    const auto a = static_cast<Vec3d>(mesh.positions[t[0]]);
    const auto b = static_cast<Vec3d>(mesh.positions[t[1]]);
    const auto c = static_cast<Vec3d>(mesh.positions[t[2]]);
    return cross(b - a, c - a);
}

}  // namespace judged_body_detail

JudgedBody::JudgedBody(CpuExecutor& executor, const Mesh& mesh)
    : mesh_(tidy_mesh(executor, mesh).mesh), bvh_(host_memory()), winding_(host_memory()) {
    build_triangle_bvh(executor, mesh_.positions.data(), mesh_.triangles.data(),
                       static_cast<std::int64_t>(mesh_.triangles.size()), BvhQuality::high, bvh_);
    build_winding_tree(executor, bvh_, winding_);
    std::vector<char> is_used(mesh_.positions.size(), 0);
    for (const Triangle& t : mesh_.triangles)
        for (int corner = 0; corner < 3; ++corner)
            is_used[t[corner]] = 1;
    for (std::uint32_t v = 0; v < is_used.size(); ++v) {
        if (!is_used[v]) continue;
        used_vertices_.push_back(v);
        box_ = merge(box_, mesh_.positions[v]);
    }
    size_ = length(static_cast<Vec3d>(extent(box_)));
    find_whole_share();
    spread_samples();
}

void JudgedBody::find_whole_share() {
    using namespace judged_body_detail;
    const auto count = static_cast<std::int64_t>(mesh_.triangles.size());
    const std::int64_t step = std::max<std::int64_t>(1, count / kSideProbes);
    int probe_count = 0, whole_count = 0;
    for (std::int64_t i = 0; i < count; i += step) {
        const Triangle& t = mesh_.triangles[static_cast<std::size_t>(i)];
        const Vec3d normal = normal_of(mesh_, t);
        const double area = length(normal);
        if (!(area > 0)) continue;
        const Vec3d middle =
            (static_cast<Vec3d>(mesh_.positions[t[0]]) + static_cast<Vec3d>(mesh_.positions[t[1]]) +
             static_cast<Vec3d>(mesh_.positions[t[2]])) /
            3.0;
        for (const double side : {-1e-4, 1e-4}) {
            const auto point = static_cast<Vec3>(middle + normal * (side * size_ / area));
            const double winding = winding_number(bvh_.view(), winding_.moments.data(), point, 6);
            ++probe_count;
            if (std::fabs(winding - std::round(winding)) < 0.1) ++whole_count;
        }
    }
    if (probe_count > 0) whole_share_ = static_cast<double>(whole_count) / probe_count;
    has_inside_ = whole_share_ >= 0.95;
}

void JudgedBody::spread_samples() {
    using namespace judged_body_detail;
    const std::size_t step = std::max<std::size_t>(1, used_vertices_.size() / kMostSamples);
    for (std::size_t i = 0; i < used_vertices_.size(); i += step)
        samples_.push_back(mesh_.positions[used_vertices_[i]]);
    std::vector<double> area_until(mesh_.triangles.size());
    double area = 0;
    for (std::size_t i = 0; i < area_until.size(); ++i)
        area_until[i] = area += length(normal_of(mesh_, mesh_.triangles[i]));
    if (!(area > 0)) return;
    std::mt19937 random(1);
    for (std::size_t i = 0; i < kMostSamples; ++i) {
        const double at = (static_cast<double>(i) + random_unit(random)) * area / kMostSamples;
        const auto found = std::lower_bound(area_until.begin(), area_until.end() - 1, at);
        const Triangle& t = mesh_.triangles[static_cast<std::size_t>(found - area_until.begin())];
        double u = random_unit(random), v = random_unit(random);
        if (u + v > 1) u = 1 - u, v = 1 - v;
        const auto fu = static_cast<float>(u), fv = static_cast<float>(v);
        samples_.push_back(mesh_.positions[t[0]] * (1 - fu - fv) + mesh_.positions[t[1]] * fu +
                           mesh_.positions[t[2]] * fv);
    }
}

JudgedBody::Nearest JudgedBody::nearest(const Vec3& point) const {
    const TriangleBvhView view = bvh_.view();
    ClosestPoint query(point, view.triangles);
    traverse(view.tree, query);
    const Triangle& t = mesh_.triangles[query.triangle()];
    const auto at = static_cast<Vec3d>(point);
    const auto a = static_cast<Vec3d>(mesh_.positions[t[0]]);
    const auto b = static_cast<Vec3d>(mesh_.positions[t[1]]);
    const auto c = static_cast<Vec3d>(mesh_.positions[t[2]]);
    const auto closest = closest_point_triangle(at, a, b, c);
    const double distance = std::sqrt(closest.distance_sq);
    // Floats leave the direction from the surface unsure closer than that.
    if (distance > 1e-6 * size_) {
        const Vec3d away = (at - closest.point) / distance;
        return {distance, is_inside(point) ? -away : away};
    }
    return {distance, normalized(judged_body_detail::normal_of(mesh_, t))};
}

bool JudgedBody::is_inside(const Vec3& point) const {
    return has_inside_ && contains(box_, point) &&
           graze::is_inside(bvh_.view(), winding_.moments.data(), point);
}

}  // namespace graze
