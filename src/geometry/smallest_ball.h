// The centre of a ball around points that is nearly the smallest one.
//
// Idea: the smallest ball is that of at most four of the points, which lie on its surface.
// Beginning with one, the point that is farthest outside joins, and of the few that are held those
// stay that the smallest ball of them needs, as in the pivoting of Gaertner, "Fast and Robust
// Smallest Enclosing Balls" (1999). Each turn the ball grows; after a few it holds all points but
// for a sliver. Where rounding leaves no ball of the few, the last one is the answer: whoever asks
// takes the distance to the farthest point for the radius.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

#include "graze/vec3.h"

namespace graze {

struct Ball {
    Vec3d centre;
    double radius_sq;
};

// The smallest ball with count points, 1 to 4, on its surface; returns false where they are, up to
// rounding, not independent.
inline bool ball_through(const Vec3d* points, int count, Ball& ball) {
    // The centre is an affine combination: its equal distances give a linear system.
    double rows[3][4] = {};
    Vec3d edges[3] = {};
    const int size = count - 1;
    double largest = 0;
    for (int i = 0; i < size; ++i) {
        edges[i] = points[i + 1] - points[0];
        largest = max_of(largest, length_sq(edges[i]));
    }
    for (int i = 0; i < size; ++i) {
        for (int j = 0; j < size; ++j)
            rows[i][j] = dot(edges[i], edges[j]);
        rows[i][3] = 0.5 * length_sq(edges[i]);
    }
    for (int i = 0; i < size; ++i) {
        int pivot = i;
        for (int j = i + 1; j < size; ++j) {
            if (std::fabs(rows[j][i]) > std::fabs(rows[pivot][i])) pivot = j;
        }
        if (!(std::fabs(rows[pivot][i]) > 1e-10 * largest)) return false;
        std::swap(rows[i], rows[pivot]);
        for (int j = i + 1; j < size; ++j) {
            const double factor = rows[j][i] / rows[i][i];
            for (int k = i; k < 4; ++k)
                rows[j][k] -= factor * rows[i][k];
        }
    }
    Vec3d offset{0, 0, 0};
    double weights[3] = {};
    for (int i = size - 1; i >= 0; --i) {
        double sum = rows[i][3];
        for (int j = i + 1; j < size; ++j)
            sum -= rows[i][j] * weights[j];
        weights[i] = sum / rows[i][i];
        offset += edges[i] * weights[i];
    }
    ball = {points[0] + offset, length_sq(offset)};
    return true;
}

// Finds the smallest ball of up to five points that has the last of them on its surface, and keeps
// only those that it needs; returns false, and keeps all, where there is none.
inline bool shrink_to_support(Vec3d* points, int& count, Ball& ball) {
    // Points are on the surface or inside up to this fraction of the squared radius.
    constexpr double kSlack = 1e-10;
    Ball best{};
    unsigned best_set = 0;
    const unsigned last = 1u << (count - 1);
    for (unsigned set = last; set < 2 * last; ++set) {
        Vec3d chosen[5];
        int chosen_count = 0;
        for (int i = 0; i < count; ++i) {
            if (set >> i & 1u) chosen[chosen_count++] = points[i];
        }
        Ball candidate;
        if (chosen_count > 4 || !ball_through(chosen, chosen_count, candidate)) continue;
        if (best_set != 0 && candidate.radius_sq >= best.radius_sq) continue;
        bool holds_all = true;
        for (int i = 0; i < count && holds_all; ++i) {
            holds_all =
                length_sq(points[i] - candidate.centre) <= candidate.radius_sq * (1 + kSlack);
        }
        if (!holds_all) continue;
        best = candidate;
        best_set = set;
    }
    if (best_set == 0) return false;
    int kept = 0;
    for (int i = 0; i < count; ++i) {
        if (best_set >> i & 1u) points[kept++] = points[i];
    }
    count = kept;
    ball = best;
    return true;
}

// point_of(i) gives the points as Vec3d, i from 0 to count - 1; start is any point among them.
// Costs a pass over the points for each of at most turn_count turns.
template <class PointOf>
Vec3d small_ball_centre(std::int64_t count, const PointOf& point_of, const Vec3d& start,
                        int turn_count) {
    Ball ball{start, -1};
    Vec3d support[5];
    int support_count = 0;
    for (int turn = 0; turn < turn_count; ++turn) {
        double farthest_sq = -1;
        Vec3d farthest = start;
        for (std::int64_t i = 0; i < count; ++i) {
            const Vec3d point = point_of(i);
            const double distance_sq = length_sq(point - ball.centre);
            if (distance_sq > farthest_sq) {
                farthest_sq = distance_sq;
                farthest = point;
            }
        }
        if (farthest_sq <= ball.radius_sq * (1 + 1e-6)) break;
        support[support_count++] = farthest;
        if (!shrink_to_support(support, support_count, ball)) break;
    }
    return ball.centre;
}

}  // namespace graze
