// Where deforming things touch: cloth, soft bodies, ropes, particles, and themselves.
//
//     graze::DeformingDetector detector({.vertex_count = n, .triangles = triangles});
//     for (const graze::Impact& impact : detector.find_impacts(positions_t0, positions_t1)) ...
//
// Three questions, all with self-collision, all with the same pairs of elements underneath:
//   find_impacts        when, inside a time step, does a vertex meet a face or an edge an edge?
//   find_intersections  which triangles intersect at this instant? Exact.
//   find_proximities    which vertices and faces, edges and edges are closer than a thickness?
//
// Everything moves straight and evenly from its position at t0 to that at t1. Two closed triangles,
// edges or points that are apart at t0 and not at some time within the step have a first moment of
// contact. There a vertex of one lies in a face of the other, or two edges cross: a vertex that
// meets an edge or a vertex meets a face that has it, or two edges that do. Vertex-face and
// edge-edge are therefore all that is looked for, and nothing is missed.
//
// What crosses at t0 already need not have such a moment: an edge that passes through a face shares
// no point with its edges and has no vertex in it, be it a triangle's or loose. That is a state of
// its own, which is found where DeformingOptions::finds_crossed asks for it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graze/device.h"
#include "graze/mesh.h"

namespace graze {

// What stays the same from step to step: who is connected with whom.
struct DeformingTopology {
    std::int64_t vertex_count = 0;
    std::vector<Triangle> triangles = {};
    // Edges of no triangle (ropes). One that a triangle has is the same edge, not a second one.
    std::vector<Edge> loose_edges = {};
    // Vertices of no triangle and no loose edge (particles). Others that are named are no harm;
    // those that nothing names do not collide.
    std::vector<std::uint32_t> loose_vertices = {};
    // By vertex: the part that it belongs to; empty where all is one part. All vertices of an
    // element belong to the same part.
    std::vector<std::uint32_t> parts = {};
    // Parts that pass through each other; {a, a}: part a does not collide with itself.
    struct PartPair {
        std::uint32_t a, b;
    };
    std::vector<PartPair> ignored_parts = {};
    // Parts that stay where they are, such as the ground and the walls. They do not collide with
    // each other or with themselves, and all that is computed of them is kept from step to step.
    // Their positions are given in every step as those of other parts; a step that finds one of
    // their vertices elsewhere than the first one did throws an Error
    // (DeformingDetector::place_static_parts).
    std::vector<std::uint32_t> static_parts = {};
    // [m] By vertex: where it is while nothing is bent or stretched; empty where there is no such
    // shape. What is near each other along the surface is so at rest, too: a pair of features that
    // is closer at rest than twice the thickness of find_proximities counts as near only within
    // half of its distance at rest. Nothing else uses it.
    std::vector<Vec3d> rest_positions = {};
};

enum class PairSearch : std::uint8_t {
    automatic,       // the one expected to be fastest for the step (docs/benchmarks/deforming.md)
    two_level_grid,  // Fan et al. 2011
    one_level_grid,
    tree,  // a bounding volume hierarchy, built anew every step
};

enum class TimeSolver : std::uint8_t {
    certified,  // never later than the true time, never none where there is one
    cubic,      // the paper's: roots of the coplanarity polynomial in floating point, no guarantee
};

struct DeformingOptions {
    PairSearch pair_search = PairSearch::automatic;
    TimeSolver solver = TimeSolver::certified;
    // [m] Things that come this close count as touching. Such as begin a step this close count
    // where they come closer than they begin, by more than 2^-24 of that distance; what touches at
    // t0 always counts.
    double min_separation = 0;
    // Looks for triangles that intersect at t0 already, too, exactly as find_intersections does,
    // and for loose edges that pass through triangles then: they are in
    // DeformingDetector::crossed() and crossed_edges(), the earliest time is 0, and so are the
    // times of their vertices. Impacts are the same with and without it. Between two triangles that
    // start crossed they tell where features meet later, such as where they come free of each
    // other.
    bool finds_crossed = false;
    // [bytes] What the pairs of one slice of a step may take; 0: half of what is free.
    // Keys of impacts that are asked for piece by piece, too.
    std::int64_t pair_memory = 0;
    // Certifies smooth patches of the surface every step and leaves out pairs within them, which
    // do not touch: saves little on a CPU and costs time on a GPU (docs/lab/deforming.md).
    // Without effect on proximities, and where min_separation is not 0.
    bool culls_smooth_patches = false;
    // Keeps the pairs of elements whose boxes touch, for the rounds of a line search: a later step
    // in which every element stays inside its box of the step that was searched is decided on those
    // pairs, without a search. The first round should be the longest. Without effect on a GPU where
    // the pairs take more than pair_memory.
    bool keeps_pairs = false;
};

// A vertex that meets a face, or two edges that meet.
struct Impact {
    // Of the first feature, then of the second: vertex | corners of the face, or a0 a1 | b0 b1 with
    // a0 < a1, b0 < b1 and (a0, a1) < (b0, b1).
    std::uint32_t vertices[4];
    // The triangle; kNoFace where two edges meet.
    std::uint32_t face;
    // Where on the features, by vertex. Each feature's weights sum up to one: 1 | u v w or
    // 1 - s, s | 1 - t, t.
    float weights[4];
    // Unit, from the second feature to the first just before they meet; zero where they have met
    // at t0 without one.
    Vec3 normal;
    // [0, 1] in the step. Never later than the first contact; 0 where they touch at t0.
    double time;

    static constexpr std::uint32_t kNoFace = 0xffffffffu;
    bool is_vertex_face() const { return face != kNoFace; }
    bool operator==(const Impact&) const = default;
};

// How many impacts there are, and when the first is.
struct ImpactTotals {
    std::int64_t vertex_face_count = 0, edge_edge_count = 0;
    std::optional<double> earliest = {};  // none where there is no impact
};

// Two triangles that intersect elsewhere than in the vertices or the edge that they share.
struct TriangleIntersection {
    std::uint32_t a, b;  // a < b
    // Where they cross, they meet from start to end, within 16 * 2^-53 of the largest coordinate.
    // Where they lie in one plane or one is degenerate there is no such segment: is_flat.
    bool is_flat;
    Vec3d start, end;  // [m]
};

// A loose edge and a triangle that have a point in common other than a vertex of both; touching
// counts, as between triangles.
struct EdgeCrossing {
    std::uint32_t face;
    std::uint32_t edge;  // in DeformingTopology::loose_edges; the first of those that are the same

    bool operator==(const EdgeCrossing&) const = default;
};

// A vertex and a face, or two edges, that are near each other.
struct Proximity {
    std::uint32_t vertices[4];  // as in Impact
    std::uint32_t face;         // as in Impact
    float weights[4];           // the closest points, as in Impact
    Vec3 normal;      // unit, from the second point to the first; zero where they coincide
    double distance;  // [m]

    bool is_vertex_face() const { return face != Impact::kNoFace; }
    bool operator==(const Proximity&) const = default;
};

// What the last step did.
struct DeformingReport {
    PairSearch pair_search = PairSearch::automatic;  // the one that was used
    // Pairs of elements that were looked at closely; how many depends on the device.
    std::int64_t element_pair_count = 0;
    std::int64_t vertex_face_count = 0;  // pairs of features that were looked at
    std::int64_t edge_edge_count = 0;
    // Of these: left by the filter and followed to their end. Of an earliest time those are missing
    // that were left where others had met before; how many depends on the device, its threads and
    // their luck.
    std::int64_t decided_count = 0;
    // Of these: out of iterations, therefore counted as impacts; not known of an earliest time.
    std::int64_t exhausted_count = 0;
    // Impacts or proximities, those that were not wanted included.
    std::int64_t hit_count = 0;
    std::int64_t crossed_count = 0;  // pairs of triangles, where they were asked for
    std::int64_t slice_count = 0;
    // Of all steps so far: searches for pairs of elements. One that works on kept pairs adds none.
    std::int64_t search_count = 0;
    std::int64_t smooth_triangle_count = 0;  // in patches within which no pair was looked at
    struct Stage {
        const char* name;
        double seconds;
    };
    std::vector<Stage> stages = {};
};

// Where positions are: in the host's memory, or in that of the detector's device.
enum class Residence : std::uint8_t { host, device };

// Keeps topology and memory from step to step: a steady step allocates nothing. The same answer on
// every device, for every number of threads and every pair search. Positions are used as given,
// float or double; coordinates that are not finite are refused with an Error. A call that is
// refused for what it is given leaves nothing behind: later answers, crossed() and where static
// parts are placed are those of a detector that never saw it. Spans that are returned live until
// the next call.
class DeformingDetector {
public:
    explicit DeformingDetector(const DeformingTopology& topology, Device device = Device::best(),
                               const DeformingOptions& options = {});
    ~DeformingDetector();
    DeformingDetector(DeformingDetector&&) noexcept;
    DeformingDetector& operator=(DeformingDetector&&) noexcept;

    // All impacts: those of vertices and faces by (vertex, face), then those of edges by their
    // vertices.
    std::span<const Impact> find_impacts(std::span<const Vec3> positions_t0,
                                         std::span<const Vec3> positions_t1,
                                         Residence residence = Residence::host);
    std::span<const Impact> find_impacts(std::span<const Vec3d> positions_t0,
                                         std::span<const Vec3d> positions_t1,
                                         Residence residence = Residence::host);
    // The same impacts in the same order, piece by piece, for more than memory holds: on the CPU a
    // piece takes a few MiB, and an impact that waits to be in one 8 to 16 bytes, in place of some
    // 130. Where even those are more than pair_memory, pieces are searched for anew, so that it
    // takes longer. The positions must stay until the last piece, and no other question be asked.
    //
    //     const graze::ImpactTotals totals = detector.begin_impacts(positions_t0, positions_t1);
    //     for (auto piece = detector.next_impacts(); !piece.empty(); piece =
    //     detector.next_impacts())
    ImpactTotals begin_impacts(std::span<const Vec3> positions_t0,
                               std::span<const Vec3> positions_t1,
                               Residence residence = Residence::host);
    ImpactTotals begin_impacts(std::span<const Vec3d> positions_t0,
                               std::span<const Vec3d> positions_t1,
                               Residence residence = Residence::host);
    // The impacts behind those of the last piece; none where that was the last, where none was
    // begun, or where something else was asked since.
    std::span<const Impact> next_impacts();
    // The time of the first impact, none where there is none: how far a line search may go. Pairs
    // are followed only up to the first time that is known so far, and no impact is stored.
    std::optional<double> find_earliest_time(std::span<const Vec3> positions_t0,
                                             std::span<const Vec3> positions_t1,
                                             Residence residence = Residence::host);
    std::optional<double> find_earliest_time(std::span<const Vec3d> positions_t0,
                                             std::span<const Vec3d> positions_t1,
                                             Residence residence = Residence::host);
    // By vertex: the time of the first impact that it has a part in, 1 where it has none.
    std::span<const double> find_vertex_times(std::span<const Vec3> positions_t0,
                                              std::span<const Vec3> positions_t1,
                                              Residence residence = Residence::host);
    std::span<const double> find_vertex_times(std::span<const Vec3d> positions_t0,
                                              std::span<const Vec3d> positions_t1,
                                              Residence residence = Residence::host);

    // The triangles that intersect at t0 of the last call of the six functions above, by (a, b);
    // empty where DeformingOptions::finds_crossed is false. What find_intersections says of doubles
    // holds for those at t0 then. It lives until the next call.
    std::span<const TriangleIntersection> crossed() const;
    // The loose edges that pass through triangles then, likewise, by (face, edge). An edge that a
    // triangle has, too, is none of them.
    std::span<const EdgeCrossing> crossed_edges() const;

    // Triangles that intersect, by (a, b). Doubles that are not zero are of magnitude 1e-92 to
    // 1e102; others are refused with an Error.
    std::span<const TriangleIntersection> find_intersections(std::span<const Vec3> positions,
                                                             Residence residence = Residence::host);
    std::span<const TriangleIntersection> find_intersections(std::span<const Vec3d> positions,
                                                             Residence residence = Residence::host);

    // Vertices and faces, edges and edges that share no vertex and are at most thickness [m] apart;
    // order as of impacts.
    std::span<const Proximity> find_proximities(std::span<const Vec3> positions, double thickness,
                                                Residence residence = Residence::host);
    std::span<const Proximity> find_proximities(std::span<const Vec3d> positions, double thickness,
                                                Residence residence = Residence::host);

    // Those of them that are wanted: others are counted (DeformingReport::hit_count) and not
    // stored. is_wanted is called by several threads at once.
    using ProximityFilter = std::function<bool(const Proximity&)>;
    std::span<const Proximity> find_proximities(std::span<const Vec3> positions, double thickness,
                                                const ProximityFilter& is_wanted,
                                                Residence residence = Residence::host);
    std::span<const Proximity> find_proximities(std::span<const Vec3d> positions, double thickness,
                                                const ProximityFilter& is_wanted,
                                                Residence residence = Residence::host);

    // Parts that are static are where the next call has them.
    void place_static_parts();

    const DeformingReport& report() const;
    // Times the stages of the steps to come; costs a little.
    void set_timing(bool is_on);

    class Engine;

private:
    std::unique_ptr<Engine> engine_;
};

// Once, for a mesh: a detector that is made, asked and forgotten.
struct Motion {
    std::span<const Vec3> positions_t0, positions_t1;  // [m]
    std::span<const Triangle> triangles;
};
std::vector<Impact> find_impacts(const Motion& motion, Device device = Device::best(),
                                 const DeformingOptions& options = {});

}  // namespace graze
