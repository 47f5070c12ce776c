// Bolt and nut. A threaded surface is radial: its radius at (angle, z) depends on
// u = z - pitch * angle / 2 pi alone. So it is built of columns of vertices, one for each angle,
// that hold the corners of the profile, where u is the same in all; between two columns the faces
// follow u, and the corners of the thread run along edges.
#include <algorithm>

#include "geometry/generate/check_generated.h"
#include "geometry/generate/ring_mesh.h"
#include "graze/generate_mesh.h"

namespace graze {

namespace {

// Half of the symmetric profile in the plane of the axis, the middle of the crest at u = 0.
struct ThreadProfile {
    double pitch;
    double crest_radius, root_radius;
    double crest_half;   // [m] along the axis: the crest ends there
    double flank_width;  // [m] along the axis: the root begins this much farther on

    double radius(double u) const {
        const double from_crest = std::fabs(u - pitch * std::round(u / pitch));
        const double fraction = std::clamp((from_crest - crest_half) / flank_width, 0.0, 1.0);
        return crest_radius + (root_radius - crest_radius) * fraction;
    }
};

void check_thread(const char* kind, const ThreadOptions& thread) {
    require(thread.depth < thread.radius, kind,
            "thread depth is " + number_text(thread.depth) + "; it must be below its radius, " +
                number_text(thread.radius));
}

// Crest and root are equally wide.
ThreadProfile bolt_profile(const char* kind, const ThreadOptions& thread) {
    const double flank = double{thread.depth} * std::tan(double{thread.flank_angle});
    const double crest_half = (thread.pitch / 2.0 - flank) / 2;
    require(crest_half >= 0.01 * thread.pitch, kind,
            "two flanks do not fit into the thread's pitch; give a larger pitch, or a smaller "
            "depth or flank_angle");
    return {thread.pitch, thread.radius, thread.radius - thread.depth, crest_half, flank};
}

// The profile is the bolt's, moved outwards by the clearance: flats by as much, flanks so that the
// distance in space is the clearance at the root, where the thread is steepest, and a little more
// elsewhere.
ThreadProfile nut_profile(const NutMeshOptions& options) {
    ThreadProfile profile = bolt_profile("nut", options.thread);
    const double clearance = options.clearance;
    // |gradient| of radius + slope * (z - rise * angle), the flank's level sets.
    const double slope = 1 / std::tan(double{options.thread.flank_angle});
    const double rise = profile.pitch / (2 * std::numbers::pi);
    const double turn = slope * rise / profile.root_radius;
    const double steepness = std::sqrt(1 + slope * slope + turn * turn);
    profile.crest_radius += clearance;
    profile.root_radius += clearance;
    profile.crest_half += clearance * (steepness - 1) / slope;
    require(profile.crest_half + profile.flank_width < 0.49 * profile.pitch, "nut",
            "clearance is " + number_text(options.clearance) +
                ", which leaves no thread between two turns; give a smaller one");
    return profile;
}

// [pitches] Corners as near as that to an end are left out. Faces there then cut into the clearance
// of a nut by at most as much; a margin of 0.02 takes a quarter of the clearance.
constexpr double kEndMargin = 0.001;

struct ColumnVertex {
    double u;
    std::uint32_t vertex;
};
using Column = std::vector<ColumnVertex>;  // upwards

// The columns go from z = low to high; position_of(angle, z, u) gives a vertex's position.
template <class PositionOf>
std::vector<Column> add_columns(Mesh& mesh, const ThreadProfile& profile, int segments, double low,
                                double high, const PositionOf& position_of) {
    const double pitch = profile.pitch;
    const double corners[] = {-profile.crest_half - profile.flank_width, -profile.crest_half,
                              profile.crest_half, profile.crest_half + profile.flank_width};
    std::vector<Column> columns;
    for (int i = 0; i < segments; ++i) {
        const double angle = turn_angle(i, segments), shift = pitch * i / segments;
        Column column;
        const auto add = [&](double u) {
            column.push_back({u, add_vertex(mesh, position_of(angle, u + shift, u))});
        };
        const double margin = kEndMargin * pitch;
        column.push_back({low - shift, add_vertex(mesh, position_of(angle, low, low - shift))});
        for (double turn = std::floor((low - shift) / pitch); turn * pitch < high - shift + pitch;
             ++turn) {
            for (const double corner : corners) {
                const double u = turn * pitch + corner;
                if (u + shift > low + margin && u + shift < high - margin) add(u);
            }
        }
        column.push_back({high - shift, add_vertex(mesh, position_of(angle, high, high - shift))});
        columns.push_back(std::move(column));
    }
    return columns;
}

// Adds the faces between neighbouring columns, which look away from the axis or towards it.
void join_columns(Mesh& mesh, const std::vector<Column>& columns, double pitch, bool faces_axis) {
    const auto add = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        mesh.triangles.push_back(faces_axis ? Triangle{{a, c, b}} : Triangle{{a, b, c}});
    };
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const bool is_last = i + 1 == columns.size();
        const Column &left = columns[i], &right = columns[is_last ? 0 : i + 1];
        // A whole turn on, the same position has a u that is less by the pitch. Of corners with the
        // same u the left one comes first, however that u was rounded.
        const double shift = (is_last ? pitch : 0) - 1e-9 * pitch;
        std::size_t l = 0, r = 0;
        while (l + 1 < left.size() || r + 1 < right.size()) {
            const bool goes_left = r + 1 == right.size() ||
                                   (l + 1 < left.size() && left[l + 1].u <= right[r + 1].u - shift);
            if (goes_left) {
                add(left[l].vertex, right[r].vertex, left[l + 1].vertex);
                ++l;
            } else {
                add(left[l].vertex, right[r].vertex, right[r + 1].vertex);
                ++r;
            }
        }
    }
}

Ring lower_ring(const std::vector<Column>& columns) {
    Ring ring;
    for (const Column& column : columns)
        ring.push_back(column.front().vertex);
    return ring;
}
Ring upper_ring(const std::vector<Column>& columns) {
    Ring ring;
    for (const Column& column : columns)
        ring.push_back(column.back().vertex);
    return ring;
}

// One of its corners is on the x axis.
Ring add_hexagon(Mesh& mesh, int segments, double radius, double z) {
    return add_ring(mesh, segments, [&](int side) {
        const int per_edge = segments / 6;
        const double start = turn_angle(side / per_edge, 6),
                     end = turn_angle(side / per_edge + 1, 6);
        const double fraction = static_cast<double>(side % per_edge) / per_edge;
        const Vec3d a = on_circle(radius, start, z), b = on_circle(radius, end, z);
        return a + (b - a) * fraction;
    });
}

}  // namespace

Mesh make_bolt(const BoltMeshOptions& options) {
    constexpr const char* kKind = "bolt";
    const ThreadOptions& thread = options.thread;
    require_ranges(kKind, options);
    check_thread(kKind, thread);
    require(options.length >= 2 * thread.pitch, kKind,
            "length is " + number_text(options.length) +
                "; the thread takes two pitches to run out at both ends, " +
                number_text(2 * thread.pitch) + ", at least");
    require(options.head_radius * std::sqrt(0.75f) > thread.radius, kKind,
            "head_radius is " + number_text(options.head_radius) +
                "; its flats must be wider than the thread: give more than " +
                number_text(thread.radius / std::sqrt(0.75f)));

    const ThreadProfile profile = bolt_profile(kKind, thread);
    const double length = options.length;
    const auto position_of = [&](double angle, double z, double u) {
        const double t = std::clamp(std::min(z, length - z) / profile.pitch, 0.0, 1.0);
        const double fade = t * t * (3 - 2 * t);
        const double height = profile.radius(u) - profile.root_radius;
        return on_circle(profile.root_radius + fade * height, angle, z);
    };
    Mesh mesh;
    const Ring bottom =
        add_hexagon(mesh, thread.segments, options.head_radius, -double{options.head_height});
    const Ring top = add_hexagon(mesh, thread.segments, options.head_radius, 0);
    const std::vector<Column> columns =
        add_columns(mesh, profile, thread.segments, 0, length, position_of);
    close_start(mesh, bottom, {0, 0, -double{options.head_height}});
    join_rings(mesh, bottom, top);
    join_rings(mesh, top, lower_ring(columns));
    join_columns(mesh, columns, profile.pitch, false);
    close_end(mesh, upper_ring(columns), {0, 0, length});
    return checked(std::move(mesh), kKind, "its measures are too different in size");
}

Mesh make_nut(const NutMeshOptions& options) {
    constexpr const char* kKind = "nut";
    const ThreadOptions& thread = options.thread;
    require_ranges(kKind, options);
    check_thread(kKind, thread);
    require(options.clearance < thread.radius, kKind,
            "clearance is " + number_text(options.clearance) +
                "; give a length from 0 to the thread's radius");

    const ThreadProfile profile = nut_profile(options);
    // The bore's vertices lie outside the circle, so that its edges do not cut into it.
    const double outwards = 1 / std::cos(std::numbers::pi / thread.segments);
    const double widest = profile.crest_radius * outwards;
    require(options.radius * std::sqrt(0.75) > widest, kKind,
            "radius is " + number_text(options.radius) +
                "; its flats must be wider than the thread: give more than " +
                number_text(static_cast<float>(widest / std::sqrt(0.75))));
    const double half = options.height / 2.0;
    const auto position_of = [&](double angle, double z, double u) {
        return on_circle(profile.radius(u) * outwards, angle, z);
    };
    Mesh mesh;
    const Ring bottom = add_hexagon(mesh, thread.segments, options.radius, -half);
    const Ring top = add_hexagon(mesh, thread.segments, options.radius, half);
    const std::vector<Column> columns =
        add_columns(mesh, profile, thread.segments, -half, half, position_of);
    join_rings(mesh, bottom, top);
    join_rings(mesh, top, upper_ring(columns));
    join_columns(mesh, columns, profile.pitch, true);
    join_rings(mesh, lower_ring(columns), bottom);
    return checked(std::move(mesh), kKind, "its measures are too different in size");
}

}  // namespace graze
