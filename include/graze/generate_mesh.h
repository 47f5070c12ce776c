// Meshes made by formula, so that scenes need no files. All are closed and face outwards, but for
// sheets and skirts, which are cloth; all are free of self-intersections, and the same from run to
// run. Each function throws Error where its options make no sense; mesh_generators.h has their
// ranges. Lengths are in [m]; z is up, and the axis of what turns.
#pragma once

#include <cstdint>
#include <span>

#include "graze/mesh.h"

namespace graze {

// A ring around the z axis.
struct TorusMeshOptions {
    float radius = 0.5f;        // of the circle in the middle of the tube
    float tube_radius = 0.15f;  // below radius
    int segments = 64;          // around the axis, at least 3
    int sides = 24;             // around the tube, at least 3
};
Mesh make_torus(const TorusMeshOptions& options = {});

// A tube along the torus knot (p, q), which winds p times around the axis and q times around the
// tube of the torus; p and q have no common divisor.
struct KnotMeshOptions {
    int p = 2, q = 3;
    float radius = 0.5f;          // of the torus
    float winding_radius = 0.2f;  // of the torus's tube, on which the knot lies
    float tube_radius = 0.08f;    // of the knot's own tube
    int segments = 256;           // along the knot
    int sides = 16;               // around its tube
};
Mesh make_knot(const KnotMeshOptions& options = {});

// A ball of 20 * 4^subdivisions triangles.
Mesh make_sphere(float radius, int subdivisions = 4);

// A bar of constant thickness along points, straight between them, with flat ends: hooks, rods.
Mesh make_tube(std::span<const Vec3> path, float radius, int sides = 24);

// A spur gear with teeth of trapezoidal profile and a bore.
struct GearMeshOptions {
    int teeth = 12;
    float radius = 0.5f;         // to the middle of the teeth
    float tooth_height = 0.15f;  // from root to tip
    float thickness = 0.2f;      // along z, half to each side
    float bore_radius = 0.15f;   // 0: none
};
Mesh make_gear(const GearMeshOptions& options = {});

// The thread that a bolt and its nut share: a symmetric trapezoid, crest and root equally wide, the
// flanks at flank_angle to the plane across the axis. It is right-handed: at angle a about the z
// axis, counter-clockwise seen from above, the middle of a crest is at z = pitch * a / 2 pi and
// whole pitches above and below. So a nut that turns by +a moves up by pitch * a / 2 pi, and one
// that goes down turns clockwise.
struct ThreadOptions {
    float radius = 0.5f;          // of the bolt at the crest
    float pitch = 0.3f;           // along the axis in one turn
    float depth = 0.14f;          // from crest to root
    float flank_angle = 0.5236f;  // [rad] 30 degrees
    int segments = 96;            // around the axis, a multiple of 6
};
// The shaft goes upwards from z = 0, and its thread runs out smoothly over a pitch at both ends;
// the head, a hexagon, is below.
struct BoltMeshOptions {
    ThreadOptions thread{};
    float length = 2;          // of the shaft
    float head_radius = 0.9f;  // to the corners
    float head_height = 0.4f;
};
Mesh make_bolt(const BoltMeshOptions& options = {});
// A hexagon with the thread in its bore, which is the bolt's moved outwards by the clearance along
// the surface's normal, and cut flat at both ends; centred on the origin. It fits the bolt where it
// is turned by a and moved along z by pitch * a / 2 pi plus whole pitches; the least distance is
// then the clearance but for what the segments leave out, 3% of it by default.
struct NutMeshOptions {
    ThreadOptions thread{};
    float clearance = 0.02f;  // between the surfaces of a centred nut and bolt
    float height = 0.7f;
    float radius = 0.95f;  // to the corners
};
Mesh make_nut(const NutMeshOptions& options = {});

// A tube with a wall along a helix, which begins at (coil_radius, 0, 0) and climbs
// counter-clockwise seen from above. Its ends are open: the lower one goes on straight, down and
// towards -y, by the tube's outer radius; the upper one too, or where there is a mouth, it bends
// upwards, on a circle of twice the outer radius, into a funnel that widens at 45 degrees.
struct PipeMeshOptions {
    float coil_radius = 2;  // of the helix, to the middle of the tube
    float rise = 2.2f;      // along z in one turn
    float turns = 2;
    float inner_radius = 0.5f;
    float wall = 0.1f;
    float mouth_radius = 1.2f;  // of the funnel on top, inside; 0: none
    int segments = 256;         // along the helix
    int sides = 32;             // around the tube
};
Mesh make_pipe(const PipeMeshOptions& options = {});

// A thick-walled part of a sphere, open upwards, standing on z = 0.
struct BowlMeshOptions {
    float radius = 2;  // inside
    float wall = 0.15f;
    float opening = 1.2f;  // [rad] the rim's angle from the downward axis, below pi
    int segments = 64;     // around the axis
    int rings = 24;        // from the bottom to the rim
};
Mesh make_bowl(const BowlMeshOptions& options = {});

// A cone over a tube, open at both ends, standing on z = 0: what is poured in at the mouth, on top,
// leaves by the throat.
struct FunnelMeshOptions {
    float mouth_radius = 1;      // inside, as the next
    float throat_radius = 0.3f;  // below mouth_radius
    float cone_height = 0.8f;    // from the throat to the mouth
    float throat_length = 0.5f;  // of the tube
    float wall = 0.05f;          // its thickness, measured across the axis
    int segments = 64;           // around the axis
    int rings = 16;              // along the cone; those of the throat are as high
};
Mesh make_funnel(const FunnelMeshOptions& options = {});

// A flat rectangle around the origin in the plane z = 0, facing up: cloth.
struct SheetMeshOptions {
    float width = 1, depth = 1;   // along x, along y
    int columns = 32, rows = 32;  // cells along x, along y, two triangles each
};
Mesh make_sheet(const SheetMeshOptions& options = {});

// One layer of cloth around the z axis, from the waist at z = 0 down to the hem, facing outwards.
// Pleats grow from nothing at the waist.
struct SkirtMeshOptions {
    float waist_radius = 0.2f;
    float hem_radius = 0.7f;
    float length = 0.6f;    // from waist to hem along z
    int pleats = 0;         // waves around the hem
    float pleat_depth = 0;  // of the waves at the hem, to either side
    int segments = 96;      // around the axis
    int rings = 24;         // from the waist to the hem
};
Mesh make_skirt(const SkirtMeshOptions& options = {});

// Hills over a square around the origin, as a solid down to -depth. The height at x, y is also what
// terrain_height says, so that bodies can be put upon it.
struct TerrainMeshOptions {
    float size = 24;       // of a side
    float height = 0.6f;   // hills stay below it, and hollows above -height
    float wavelength = 6;  // of the largest hills
    // The height of a bank along the border, a twelfth of the size wide, that keeps bodies from
    // rolling off; 0: there is none.
    float rim_height = 0;
    float depth = 2;  // of the floor below z = 0, more than height
    int cells = 128;  // along a side
    std::uint32_t seed = 1;
};
Mesh make_terrain(const TerrainMeshOptions& options = {});
float terrain_height(const TerrainMeshOptions& options, float x, float y);

// A figure 1 m high, for want of a scanned one: the surface of a smooth union of round parts, with
// limbs, fingers, ears and a tail, standing on z = 0. About 30,000 triangles at 96 cells along its
// height, four times as many at twice the resolution, which is 48 to 512.
Mesh make_statue(std::uint32_t seed = 1, int resolution = 96);

}  // namespace graze
