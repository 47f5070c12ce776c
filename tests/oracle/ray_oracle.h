// What Method::rays is to find, by its definition: from each vertex of a body a ray against its
// normal, in double precision and against every triangle, with nothing of the library but its
// vectors.
//
// The definition. A vertex is looked at where it lies in the boxes of both bodies. Its normal is
// the sum of its triangles' unit normals, weighted by their angles there. A ray from it against the
// normal ends where it first meets its own body from inside, on a triangle that does not touch the
// vertex. What it meets first of the other body, from its start on and up to that end, decides: a
// triangle seen from inside (from behind) makes a contact, one seen from outside none. Where it
// makes none, a ray along the normal does, if what that meets first within the gap, before its own
// body, is a triangle of the other body seen from outside (from the front).
//
// Where rounding of floats may decide otherwise (a start on the surface, a ray through an edge, one
// along a face, two hits at the same place), a verdict says that it is not certain.
#pragma once

#include <cmath>
#include <map>
#include <vector>

#include "graze/mesh.h"
#include "graze/transform.h"

namespace graze::oracle {

struct RayVerdict {
    bool is_certain = true;
    bool touches = false;
    double depth = 0;   // [m] along the ray against the normal; negative within the gap
    Vec3d direction;    // of that ray, in the world
    Vec3d face_normal;  // of the triangle that it meets
    std::uint32_t face = 0;
};

// A mesh in the world.
struct RayBody {
    std::vector<Vec3d> positions, normals;  // normals are zero where there are none
    std::vector<Triangle> triangles;
    double size = 0;  // [m]

    RayBody(const Mesh& mesh, const Transform& pose) : triangles(mesh.triangles) {
        const Quatd q =
            normalized(Quatd{pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z});
        const Transformd world_from_body{static_cast<Vec3d>(pose.translation), q,
                                         static_cast<double>(pose.scale)};
        AabbT<double> box{{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};
        for (const Vec3& p : mesh.positions) {
            positions.push_back(transform_point(world_from_body, static_cast<Vec3d>(p)));
            box = merge(box, positions.back());
        }
        size = length(extent(box));
        std::vector<Vec3d> sums(positions.size(), Vec3d{0, 0, 0});
        for (const Triangle& t : triangles) {
            const Vec3d normal = unnormalised(t);
            if (!(length(normal) > 0)) continue;
            for (int k = 0; k < 3; ++k) {
                const Vec3d at = positions[t[k]];
                const Vec3d u = normalized(positions[t[(k + 1) % 3]] - at);
                const Vec3d v = normalized(positions[t[(k + 2) % 3]] - at);
                sums[t[k]] =
                    sums[t[k]] + normalized(normal) * std::acos(std::clamp(dot(u, v), -1.0, 1.0));
            }
        }
        for (const Vec3d& sum : sums)
            normals.push_back(length(sum) > 1e-6 ? normalized(sum) : Vec3d{0, 0, 0});
    }

    Vec3d unnormalised(const Triangle& t) const {
        return cross(positions[t[1]] - positions[t[0]], positions[t[2]] - positions[t[0]]);
    }
};

struct FirstMeeting {
    bool is_certain = true;
    bool is_met = false;
    bool is_behind = false;  // the triangle is seen from inside
    double t = INFINITY;
    std::uint32_t face = 0;
};

// The first triangle that a ray meets, of those that count.
template <class Counts>
FirstMeeting meet_first(const RayBody& body, const Vec3d& origin, const Vec3d& direction,
                        double tolerance, const Counts& counts) {
    struct Meeting {
        double t;
        bool is_behind;
        std::uint32_t face;
        bool is_clear;  // neither near an edge nor along the face
    };
    std::vector<Meeting> meetings;
    for (std::uint32_t face = 0; face < body.triangles.size(); ++face) {
        const Triangle& t = body.triangles[face];
        const Vec3d n = body.unnormalised(t);
        if (!(length(n) > 0)) continue;
        const double cosine = dot(direction, normalized(n));
        if (!counts(face, cosine > 0) || std::abs(cosine) < 1e-12) continue;
        const double at = dot(body.positions[t[0]] - origin, normalized(n)) / cosine;
        const Vec3d point = origin + direction * at;
        double margin = INFINITY;  // [m] how far inside the triangle
        for (int k = 0; k < 3; ++k) {
            const Vec3d p = body.positions[t[k]], edge = body.positions[t[(k + 1) % 3]] - p;
            margin = std::min(margin, dot(cross(normalized(n), edge), point - p) / length(edge));
        }
        // A point's place in the face is as good as the rays' start, over the cosine.
        const double slack = tolerance / std::abs(cosine);
        if (margin < -slack || at < -slack) continue;
        meetings.push_back(
            {at, cosine > 0, face, margin > slack && at > slack && slack < 0.1 * body.size});
    }
    FirstMeeting first, first_clear;
    for (const Meeting& meeting : meetings) {
        if (meeting.t < first.t) first = {true, true, meeting.is_behind, meeting.t, meeting.face};
        if (meeting.is_clear && meeting.t < first_clear.t)
            first_clear = {true, true, meeting.is_behind, meeting.t, meeting.face};
    }
    if (!first.is_met) return first;
    first.is_certain = first_clear.is_met && first_clear.t == first.t;
    for (const Meeting& meeting : meetings) {
        if (meeting.face != first.face && meeting.t < first.t + 10 * tolerance)
            first.is_certain =
                first.is_certain && meeting.is_behind == first.is_behind && meeting.is_clear;
    }
    return first;
}

// box: [m] of both bodies' boxes what they have in common.
inline RayVerdict cast_by_definition(const RayBody& source, const RayBody& target,
                                     std::uint32_t vertex, const Aabb& box, double gap) {
    RayVerdict verdict;
    const Vec3d origin = source.positions[vertex], normal = source.normals[vertex];
    if (!(length(normal) > 0)) return verdict;
    const double tolerance = 2e-6 * (source.size + target.size + length(origin));
    const AabbT<double> region{static_cast<Vec3d>(box.min), static_cast<Vec3d>(box.max)};
    verdict.is_certain = contains(inflate(region, -tolerance), origin) ==
                         contains(inflate(region, tolerance), origin);
    if (!contains(region, origin)) return verdict;

    const auto touches_vertex = [&](std::uint32_t face) {
        const Triangle& t = source.triangles[face];
        return t[0] == vertex || t[1] == vertex || t[2] == vertex;
    };
    const auto all = [](std::uint32_t, bool) { return true; };
    const auto judge = [&](const Vec3d& direction, bool wants_behind, double most) {
        const FirstMeeting own =
            meet_first(source, origin, direction, tolerance, [&](std::uint32_t face, bool behind) {
                return !touches_vertex(face) && behind == wants_behind;
            });
        const FirstMeeting other = meet_first(target, origin, direction, tolerance, all);
        // Its own body ends the ray somewhere from the first place on where it may be met.
        const double from = std::min(own.t, most), slack = 10 * tolerance;
        if (!other.is_met || (other.t > from + slack && own.is_certain)) return FirstMeeting{};
        FirstMeeting met = other;
        met.is_met = other.is_behind == wants_behind && other.t <= from;
        met.is_certain = other.is_certain &&
                         (other.t < from - slack || (other.t > from + slack && own.is_certain));
        return met;
    };
    const auto take = [&](const FirstMeeting& met, double sign) {
        verdict.is_certain = verdict.is_certain && met.is_certain;
        if (!met.is_met) return;
        verdict.touches = true;
        verdict.depth = sign * met.t;
        verdict.direction = -normal;
        verdict.face = met.face;
        verdict.face_normal = normalized(target.unnormalised(target.triangles[met.face]));
    };
    take(judge(-normal, true, INFINITY), 1);
    if (!verdict.touches && gap > 0) take(judge(normal, false, gap), -1);
    return verdict;
}

}  // namespace graze::oracle
