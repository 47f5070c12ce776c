// MeshReport: what a mesh is, measured, and what that means for each method.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graze/device.h"
#include "graze/mesh.h"

namespace graze {

// InwardPart: a part of a mesh that faces inwards and bounds no cavity, or lies in one that does.
struct InwardPart {
    std::int64_t triangle_count = 0;
    bool is_closed = false;
    // Whether fields, and the methods particles, sweep and rays, turn it around. Else it is open,
    // so that the other side may be meant, and they take it as it is.
    bool is_turned = false;
    // [m] The corners of its box.
    Vec3d min{0, 0, 0};
    Vec3d max{0, 0, 0};
};

// Counts are those of the mesh as given, where vertices at the same position count as different
// ones; or, asked to, of the mesh with these joined, as fields and method rays take it. A triangle
// that names a vertex twice is degenerate and has no edges.
struct MeshReport {
    // How many vertices are at the position of an earlier one, as along the seams of texture
    // coordinates and normals in many files; and whether the rest of the report is of the mesh with
    // these joined.
    std::int64_t repeated_vertex_count = 0;
    bool is_joined = false;
    std::int64_t vertex_count = 0;
    std::int64_t triangle_count = 0;
    // Each edge counts once, whatever its direction.
    std::int64_t edge_count = 0;
    // Sets of triangles connected through shared vertices.
    std::int64_t component_count = 0;
    // Vertices - edges + triangles, of those that have edges: 2 for a sphere, 0 for a torus.
    std::int64_t euler_characteristic = 0;
    // Edges of one triangle: the mesh is open there.
    std::int64_t boundary_edge_count = 0;
    // Edges of three or more triangles.
    std::int64_t non_manifold_edge_count = 0;
    // Edges whose two triangles run in the same direction along them: one of the two is turned
    // over.
    std::int64_t inconsistent_edge_count = 0;
    // Triangles with the three vertices of an earlier one, in any order.
    std::int64_t duplicate_triangle_count = 0;
    // Triangles whose corners lie exactly on one line.
    std::int64_t degenerate_triangle_count = 0;
    // Vertices of no triangle.
    std::int64_t isolated_vertex_count = 0;
    // Pairs of triangles that meet elsewhere than in a shared vertex or edge; empty where they were
    // not counted.
    std::optional<std::int64_t> self_intersection_count;
    // [m^3] The volume that the mesh encloses where it is closed, negative where its triangles face
    // inwards; else that between it and the centre of its box.
    double volume = 0;
    double area = 0;  // [m^2]
    // Parts hang together by edges, as fields and the methods particles, sweep and rays take the
    // mesh: vertices at the same position are one, and copies of triangles are left out. How many
    // there are, how many face inwards and are turned around, with what lies in them, and how many
    // open ones seem to face inwards and are left. All are 0 where they were not looked at.
    std::int64_t part_count = 0;
    std::int64_t turned_part_count = 0;
    std::int64_t inward_part_count = 0;
    // The first kMostInwardParts of those that are turned or left.
    static constexpr std::size_t kMostInwardParts = 16;
    std::vector<InwardPart> inward_parts;
    // [m] The corners of the box of all vertices; zero where there are none.
    Vec3d min{0, 0, 0};
    Vec3d max{0, 0, 0};

    // No boundary, no non-manifold edge and consistent orientation: the surface encloses a volume.
    bool is_closed() const {
        return edge_count > 0 && boundary_edge_count == 0 && non_manifold_edge_count == 0 &&
               inconsistent_edge_count == 0;
    }
};

struct MeshReportOptions {
    Device device = Device::cpu();   // its threads of the CPU do the work
    bool self_intersections = true;  // whether they are counted, which takes the most time
    bool join_vertices = false;      // whether vertices at the same position count as one
    bool parts = true;               // whether it is told which parts face inwards
};

// Measures the mesh; throws Error where it is not valid (see validate()). The report has the same
// bits for any number of threads.
MeshReport inspect(const Mesh& mesh, const MeshReportOptions& options = {});

// Says what the report means in plain words: one sentence or two for each finding, with the methods
// that it concerns. A mesh without defects gets one sentence that says so.
std::vector<std::string> explain(const MeshReport& report);

}  // namespace graze
