// explain(): the sentences. Each names the defect, what it does to the methods, and what to do.
#include <cmath>

#include "graze/mesh_report.h"

namespace graze {

namespace {

// "1,234 pairs" or "1 pair": with the word for one, and the word for all other numbers.
std::string counted(std::int64_t count, const char* one, const char* many) {
    std::string digits = std::to_string(count);
    for (auto i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3) {
        digits.insert(static_cast<std::size_t>(i), 1, ',');
    }
    return digits + " " + (count == 1 ? one : many);
}

using Findings = std::vector<std::string>;

void explain_edges(const MeshReport& report, Findings& findings) {
    if (report.boundary_edge_count > 0) {
        findings.push_back(
            "The mesh is open (" +
            counted(report.boundary_edge_count, "boundary edge", "boundary edges") +
            "): methods particles and sweep take inside and outside from the winding number, which "
            "is uncertain near the holes; method rays may miss contacts there; method features is "
            "not affected.");
    }
    if (report.non_manifold_edge_count > 0) {
        findings.push_back(
            counted(report.non_manifold_edge_count, "edge joins", "edges join") +
            " three or more triangles: methods particles and sweep take inside and outside from "
            "the winding number; method rays may report a contact there on the wrong side; method "
            "features is not affected.");
    }
    if (report.inconsistent_edge_count > 0) {
        findings.push_back(
            counted(report.inconsistent_edge_count, "edge lies", "edges lie") +
            " between triangles of opposite orientation: methods particles and sweep may take "
            "inside for outside near them, and method rays misses contacts with the triangles that "
            "face the wrong way; method features is not affected. Orient the triangles "
            "consistently.");
    }
}

void explain_volume(const MeshReport& report, Findings& findings) {
    // Flat within the rounding of the sum.
    const double size = length(report.max - report.min);
    const bool is_flat = std::fabs(report.volume) <= 1e-12 * report.area * size;
    if (is_flat) {
        if (!report.is_closed()) return;
        findings.push_back(
            "The mesh encloses no volume: methods particles and sweep find no inside; methods rays "
            "and features are not affected.");
    } else if (report.volume < 0 && report.boundary_edge_count == 0) {
        findings.push_back(
            "The volume is negative, so the mesh is inside out: methods particles, sweep and rays "
            "take inside for outside; method features is not affected. Flip all triangles by "
            "swapping two of their vertices.");
    } else if (report.volume < 0) {
        findings.push_back(
            "The volume is negative, as of an open mesh that is inside out: if its triangles face "
            "inwards, flip them by swapping two of their vertices, for methods particles, sweep "
            "and rays; method features is not affected.");
    }
}

void explain_triangles(const MeshReport& report, Findings& findings) {
    if (report.duplicate_triangle_count > 0) {
        findings.push_back(
            counted(report.duplicate_triangle_count, "triangle repeats", "triangles repeat") +
            " an earlier one: the winding number of methods particles and sweep counts both, and "
            "methods rays and features report contacts once for each. Remove the copies.");
    }
    if (report.degenerate_triangle_count > 0) {
        findings.push_back(
            counted(report.degenerate_triangle_count, "triangle is", "triangles are") +
            " degenerate (corners on one line): without a normal, methods particles, sweep and "
            "rays leave them out; method features tests only their vertices and edges.");
    }
    if (report.isolated_vertex_count > 0) {
        findings.push_back(
            counted(report.isolated_vertex_count, "vertex belongs", "vertices belong") +
            " to no triangle: no method looks at them, they only enlarge the box.");
    }
    const std::int64_t intersection_count = report.self_intersection_count.value_or(0);
    if (intersection_count > 0) {
        findings.push_back(
            counted(intersection_count, "pair of triangles intersects",
                    "pairs of triangles intersect") +
            ": methods particles and sweep work on the union of the overlapping parts; method rays "
            "may report the surface inside that union; method features reports these pairs at time "
            "0 when it looks for self-collision.");
    }
}

}  // namespace

std::vector<std::string> explain(const MeshReport& report) {
    if (report.vertex_count == 0) return {"The mesh is empty: there is nothing to touch."};
    if (report.triangle_count == 0) {
        return {
            "The mesh has no triangles, only vertices: there is no surface for any method to "
            "touch."};
    }
    Findings findings;
    explain_edges(report, findings);
    explain_volume(report, findings);
    explain_triangles(report, findings);
    if (findings.empty()) {
        const bool counted_all = report.self_intersection_count.has_value();
        findings.push_back(
            std::string("The mesh is closed and consistently oriented") +
            (counted_all ? ", without self-intersections" : "") +
            ": all methods (particles, sweep, rays, features) work on it" +
            (counted_all ? "."
                         : ", as far as its self-intersections allow, which were not counted."));
    }
    return findings;
}

}  // namespace graze
