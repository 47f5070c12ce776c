#include "io/meshes/triangulate_polygon.h"

#include <cmath>
#include <string>
#include <vector>

#include "graze/error.h"
#include "io/meshes/corner_tree.h"
#include "io/meshes/index_set.h"

namespace graze::io {
namespace {

bool is_same(const Vec2d& a, const Vec2d& b) {
    return a.x == b.x && a.y == b.y;
}
// True inside abc, which turns left, and on its border.
bool is_inside(const Vec2d& p, const Vec2d& a, const Vec2d& b, const Vec2d& c) {
    return turn(a, b, p) >= 0 && turn(b, c, p) >= 0 && turn(c, a, p) >= 0;
}

void write_fan(std::span<const std::uint32_t> corners, Triangle* triangles) {
    for (std::size_t i = 2; i < corners.size(); ++i)
        triangles[i - 2] = {{corners[0], corners[i - 1], corners[i]}};
}

// Keeps the fan's diagonal, as most programs do, unless it flips a triangle and the other does not.
template <class T>
void triangulate_quad(std::span<const Vec3T<T>> positions, std::span<const std::uint32_t> corners,
                      Triangle* triangles) {
    Vec3d p[4];
    for (int i = 0; i < 4; ++i)
        p[i] = Vec3d(positions[corners[static_cast<std::size_t>(i)]]);
    const Vec3d normal = cross(p[2] - p[0], p[3] - p[1]);
    const auto keeps_side = [&](int a, int b, int c) {
        return dot(cross(p[b] - p[a], p[c] - p[a]), normal) > 0;
    };
    const bool cut_02 = keeps_side(0, 1, 2) && keeps_side(0, 2, 3);
    const bool cut_13 = keeps_side(0, 1, 3) && keeps_side(1, 2, 3);
    if (cut_02 || !cut_13) {
        write_fan(corners, triangles);
    } else {
        triangles[0] = {{corners[0], corners[1], corners[3]}};
        triangles[1] = {{corners[1], corners[2], corners[3]}};
    }
}

// Returns the polygon as seen along its Newell normal, so that it turns left, scaled to unit size;
// nothing where the normal vanishes or overflows.
template <class T>
std::vector<Vec2d> project(std::span<const Vec3T<T>> positions,
                           std::span<const std::uint32_t> corners) {
    const Vec3d origin(positions[corners[0]]);
    double reach = 0;
    for (const std::uint32_t corner : corners) {
        const Vec3d p = Vec3d(positions[corner]) - origin;
        reach = max_of(reach, max_of(std::fabs(p.x), max_of(std::fabs(p.y), std::fabs(p.z))));
    }
    if (!(reach > 0) || !std::isfinite(reach)) return {};
    const auto local = [&](std::uint32_t corner) {
        return (Vec3d(positions[corner]) - origin) / reach;
    };
    Vec3d normal{0, 0, 0};
    Vec3d previous = local(corners.back());
    for (const std::uint32_t corner : corners) {
        const Vec3d p = local(corner);
        normal += cross(previous, p);
        previous = p;
    }
    const Vec3d size{std::fabs(normal.x), std::fabs(normal.y), std::fabs(normal.z)};
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
    if (!(size[axis] > 0)) return {};
    const int u = normal[axis] > 0 ? (axis + 1) % 3 : (axis + 2) % 3;
    const int v = normal[axis] > 0 ? (axis + 2) % 3 : (axis + 1) % 3;
    std::vector<Vec2d> points;
    points.reserve(corners.size());
    for (const std::uint32_t corner : corners) {
        const Vec3d p = local(corner);
        points.push_back({p[u], p[v]});
    }
    return points;
}

// True where every corner turns left and the outline goes round once (a pentagram goes twice).
bool is_strictly_convex(const std::vector<Vec2d>& points) {
    const std::size_t n = points.size();
    int reversals = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const Vec2d& a = points[i];
        const Vec2d& b = points[(i + 1) % n];
        const Vec2d& c = points[(i + 2) % n];
        if (!(turn(a, b, c) > 0)) return false;
        // Vertical edges count as going up the x axis or down it by their y direction.
        const bool right = b.x > a.x || (b.x == a.x && b.y > a.y);
        const bool right_next = c.x > b.x || (c.x == b.x && c.y > b.y);
        reversals += right != right_next;
    }
    return reversals <= 2;
}

// Clips ears in an order that does not depend on how they are found: from each one on, the next
// corner but one that is an ear. Which corners are still to be tested and which reflex ones an ear
// would hold are looked up, so that n corners take about n log n steps.
class EarClipper {
public:
    EarClipper(std::span<const std::uint32_t> corners, const std::vector<Vec2d>& points,
               Triangle* triangles);
    void run();

private:
    void classify(std::uint32_t i);
    bool is_ear(std::uint32_t i);
    void clip(std::uint32_t i);
    std::uint32_t find_ear(std::uint32_t start);
    void write_rest(std::uint32_t start);

    static constexpr std::uint32_t kNone = IndexSet::kNone;
    // Simple polygons take 10 to 100 steps for each corner. The bound keeps hostile files at a few
    // microseconds for each.
    static constexpr std::int64_t kStepsPerCorner = 1000;

    std::span<const std::uint32_t> corners_;
    const std::vector<Vec2d>& points_;
    Triangle* triangles_;
    std::uint32_t left_;                   // corners not yet clipped
    std::int64_t steps_ = 0;               // boxes and corners looked at, and ears asked for
    std::vector<std::uint32_t> previous_;  // the outline as a ring, in the order of its indices
    std::vector<std::uint32_t> next_;
    IndexSet untested_;  // corners that may be ears
    IndexSet flat_;      // corners without area
    CornerTree reflex_;
};

EarClipper::EarClipper(std::span<const std::uint32_t> corners, const std::vector<Vec2d>& points,
                       Triangle* triangles)
    : corners_(corners),
      points_(points),
      triangles_(triangles),
      left_(static_cast<std::uint32_t>(corners.size())),
      previous_(left_),
      next_(left_),
      untested_(left_),
      flat_(left_),
      reflex_(points) {
    for (std::uint32_t i = 0; i < left_; ++i) {
        previous_[i] = i == 0 ? left_ - 1 : i - 1;
        next_[i] = i + 1 == left_ ? 0 : i + 1;
        untested_.insert(i);
    }
    for (std::uint32_t i = 0; i < left_; ++i)
        classify(i);
}

// Straight corners count as reflex: they must not end up on the inside of an ear's diagonal.
void EarClipper::classify(std::uint32_t i) {
    const double area = turn(points_[previous_[i]], points_[i], points_[next_[i]]);
    flat_.set(i, area == 0);
    const bool is_reflex = !(area > 0);
    if (is_reflex && !reflex_.contains(i)) reflex_.insert(i);
    if (!is_reflex && reflex_.contains(i)) reflex_.erase(i);
}

bool EarClipper::is_ear(std::uint32_t i) {
    if (reflex_.contains(i)) return false;
    const Vec2d& a = points_[previous_[i]];
    const Vec2d& b = points_[i];
    const Vec2d& c = points_[next_[i]];
    return !reflex_.any_in(a, b, c, steps_, [&](std::uint32_t j) {
        const Vec2d& p = points_[j];
        // Corners that coincide touch but do not block: outlines with holes visit them twice.
        return is_inside(p, a, b, c) && !is_same(p, a) && !is_same(p, b) && !is_same(p, c);
    });
}

void EarClipper::clip(std::uint32_t i) {
    const std::uint32_t a = previous_[i];
    const std::uint32_t c = next_[i];
    *triangles_++ = {{corners_[a], corners_[i], corners_[c]}};
    next_[a] = c;
    previous_[c] = a;
    if (reflex_.contains(i)) reflex_.erase(i);
    flat_.erase(i);
    untested_.erase(i);
    --left_;
    for (const std::uint32_t neighbour : {a, c}) {
        classify(neighbour);
        untested_.insert(neighbour);
    }
}

// Goes once round the outline. In a simple polygon clipping an ear changes only its neighbours, so
// a corner that was found to be none is not asked again.
std::uint32_t EarClipper::find_ear(std::uint32_t start) {
    while (true) {
        const std::uint32_t i = untested_.next_around(start);
        if (i == kNone) return kNone;
        if (++steps_ > kStepsPerCorner * static_cast<std::int64_t>(corners_.size())) {
            throw PolygonError(
                "a face of " + std::to_string(corners_.size()) +
                " corners touches or crosses itself in too many places to be cut into "
                "triangles; cut it before");
        }
        if (is_ear(i)) return i;
        untested_.erase(i);
    }
}

void EarClipper::write_rest(std::uint32_t start) {
    for (std::uint32_t i = next_[start]; next_[i] != start; i = next_[i])
        *triangles_++ = {{corners_[start], corners_[i], corners_[next_[i]]}};
}

void EarClipper::run() {
    std::uint32_t start = 0;
    bool asked_again = false;
    while (left_ > 3) {
        std::uint32_t tip = find_ear(start);
        // A corner without area can go without changing the outline.
        if (tip == kNone) tip = flat_.next_around(start);
        if (tip == kNone && !asked_again) {
            // In an outline that touches itself an ear may have appeared elsewhere.
            std::uint32_t i = start;
            do {
                untested_.insert(i);
                i = next_[i];
            } while (i != start);
            asked_again = true;
            continue;
        }
        if (tip == kNone) break;
        clip(tip);
        asked_again = false;
        // Going on behind the neighbour makes fewer slivers than many ears around one corner.
        start = next_[next_[tip]];
    }
    write_rest(start);
}

}  // namespace

template <class T>
void triangulate_polygon(std::span<const Vec3T<T>> positions,
                         std::span<const std::uint32_t> corners, Triangle* triangles) {
    if (corners.size() == 3) return write_fan(corners, triangles);
    if (corners.size() == 4) return triangulate_quad(positions, corners, triangles);
    const std::vector<Vec2d> points = project(positions, corners);
    if (points.empty() || is_strictly_convex(points)) return write_fan(corners, triangles);
    EarClipper(corners, points, triangles).run();
}

template void triangulate_polygon<float>(std::span<const Vec3>, std::span<const std::uint32_t>,
                                         Triangle*);
template void triangulate_polygon<double>(std::span<const Vec3d>, std::span<const std::uint32_t>,
                                          Triangle*);

}  // namespace graze::io
