// explain(): the sentences of a report. Each names a defect, what it does to the methods, and what
// to do.
#include <cmath>
#include <cstdio>
#include <utility>

#include "graze/mesh_report.h"

namespace graze {

namespace {

// "1,234 pairs" or "1 pair", given the words for one and for all other counts.
std::string counted(std::int64_t count, const char* one, const char* many) {
    std::string digits = std::to_string(count);
    for (auto i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3) {
        digits.insert(static_cast<std::size_t>(i), 1, ',');
    }
    return digits + " " + (count == 1 ? one : many);
}

class Findings {
public:
    void add(std::string sentences) { list_.push_back(std::move(sentences)); }
    // Adds nothing where the count is 0.
    void add_counted(std::int64_t count, const char* one, const char* many, const char* rest) {
        if (count > 0) add(counted(count, one, many) + rest);
    }
    bool is_empty() const { return list_.empty(); }
    std::vector<std::string> take() { return std::move(list_); }

private:
    std::vector<std::string> list_;
};

// Far from the origin floats are far apart, and what that does looks like defects of the mesh.
void explain_rounding(const MeshReport& report, Findings& findings) {
    if (report.triangle_count == 0) return;
    double far = 0;
    for (int axis = 0; axis < 3; ++axis)
        far = max_of(far, max_of(std::fabs(report.min[axis]), std::fabs(report.max[axis])));
    const double step = far * 0x1p-23;  // [m] between neighbouring floats, at most
    const double size = length(report.max - report.min);
    const double edge = size / std::sqrt(static_cast<double>(report.triangle_count));
    if (!(step > 0.01 * edge)) return;
    char text[320];
    std::snprintf(
        text, sizeof text,
        "Coordinates of up to %.3g m are rounded to steps of up to %.2g m, too coarse for "
        "a mesh of %.3g m: what follows may be due to that and not to the file. Move the "
        "mesh to the origin in the program that made it.",
        far, step, size);
    findings.add(text);
}

void explain_seams(const MeshReport& report, Findings& findings) {
    if (report.is_joined) {
        findings.add_counted(
            report.repeated_vertex_count, "vertex is", "vertices are",
            " at the position of another, as along the seams of an export: methods particles, "
            "sweep "
            "and rays join them, and all that is said here is about the mesh with these joined; "
            "method features takes the mesh as given and may report a contact once for each.");
    } else {
        findings.add_counted(
            report.repeated_vertex_count, "vertex is", "vertices are",
            " at the position of another, as along the seams of an export: methods particles, "
            "sweep "
            "and rays join them. What is said here is about the mesh as given, in which the seams "
            "are open.");
    }
}

void explain_edges(const MeshReport& report, Findings& findings) {
    if (report.boundary_edge_count > 0) {
        findings.add(
            "The mesh is open (" +
            counted(report.boundary_edge_count, "boundary edge", "boundary edges") +
            "): methods particles and sweep take inside and outside from the winding "
            "number, which is uncertain near the holes; method rays takes what is behind a "
            "triangle for inside; method features is not affected.");
    }
    findings.add_counted(
        report.non_manifold_edge_count, "edge joins", "edges join",
        " three or more triangles: methods particles and sweep take inside and outside from the "
        "winding number; methods rays and features are not affected.");
    findings.add_counted(
        report.inconsistent_edge_count, "edge lies", "edges lie",
        " between triangles of opposite orientation: methods particles, sweep and rays may take "
        "inside for outside near them; method features is not affected. Orient the triangles "
        "consistently.");
}

void explain_volume(const MeshReport& report, Findings& findings) {
    // The volume is zero within the rounding of the sum.
    const double size = length(report.max - report.min);
    const bool is_flat = std::fabs(report.volume) <= 1e-12 * report.area * size;
    if (is_flat) {
        // The volumes of parts may cancel out of which some are turned.
        if (!report.is_closed() || report.turned_part_count > 0) return;
        findings.add(
            "The mesh encloses no volume: methods particles, sweep and rays find no inside; method "
            "features is not affected.");
    } else if (report.volume < 0 && report.turned_part_count + report.inward_part_count == 0) {
        findings.add(
            "The volume is negative, as of an open mesh that is inside out: if its triangles face "
            "inwards, flip them by swapping two of their vertices, for methods particles, sweep "
            "and rays; method features is not affected.");
    }
}

// Where the turned parts are, or those that are left: the first ones, as many as fit a sentence.
std::string places_of(const MeshReport& report, bool is_turned, std::int64_t count) {
    constexpr std::int64_t kMostNamed = 4;
    std::string text;
    std::int64_t named = 0;
    for (const InwardPart& part : report.inward_parts) {
        if (part.is_turned != is_turned || named == kMostNamed) continue;
        char box[200];
        std::snprintf(box, sizeof box, " between (%.4g, %.4g, %.4g) and (%.4g, %.4g, %.4g)",
                      part.min.x, part.min.y, part.min.z, part.max.x, part.max.y, part.max.z);
        if (named++ > 0) text += "; ";
        text += counted(part.triangle_count, "triangle", "triangles") + box;
    }
    if (named > 0 && named < count) text += "; and " + counted(count - named, "more", "more");
    return named > 0 ? " (" + text + ")" : text;
}

// "The mesh is", or "2 of the mesh's 5 parts are".
std::string subject_of(std::int64_t count, std::int64_t part_count) {
    if (count == part_count) return "The mesh is";
    return counted(count, "of the mesh's ", "of the mesh's ") +
           counted(part_count, "part", "parts") + (count == 1 ? " is" : " are");
}

void explain_parts(const MeshReport& report, Findings& findings) {
    const std::int64_t turned = report.turned_part_count, left = report.inward_part_count;
    if (turned > 0 && turned == report.part_count) {
        findings.add(
            std::string(report.boundary_edge_count == 0 ? "The volume is negative, so the mesh is"
                                                        : "The mesh is open and") +
            " inside out: methods particles, sweep and rays turn it around; method features is not "
            "affected.");
    } else if (turned > 0) {
        findings.add(subject_of(turned, report.part_count) +
                     " inside out, without being a cavity in another" +
                     places_of(report, true, turned) + ": methods particles, sweep and rays turn " +
                     (turned == 1 ? "it" : "them") +
                     " around, with what lies within; method features is not affected.");
    }
    if (left > 0) {
        findings.add(subject_of(left, report.part_count) +
                     " open and hollow towards the outer side" + places_of(report, false, left) +
                     ": methods particles, sweep and rays take " + (left == 1 ? "it" : "them") +
                     " so; where a solid is meant, swap two vertices of each triangle. Method "
                     "features is not affected.");
    }
}

void explain_triangles(const MeshReport& report, Findings& findings) {
    findings.add_counted(
        report.duplicate_triangle_count, "triangle repeats", "triangles repeat",
        " an earlier one: methods particles, sweep and rays leave copies out; method features "
        "reports contacts once for each. Remove the copies.");
    findings.add_counted(
        report.degenerate_triangle_count, "triangle is", "triangles are",
        " degenerate (corners on one line): without a normal, methods particles and sweep leave "
        "them out of the field; of them only vertices and edges count for method features.");
    findings.add_counted(report.isolated_vertex_count, "vertex belongs", "vertices belong",
                         " to no triangle: no method looks at them, they only enlarge the box.");
    findings.add_counted(
        report.self_intersection_count.value_or(0), "pair of triangles intersects",
        "pairs of triangles intersect",
        ": methods particles and sweep take what is in any part for inside; of closed parts that "
        "overlap they leave out the walls within their union, but a part that intersects itself "
        "keeps its inner walls, to which distances inside are measured (`graze field` says how "
        "much that is); method rays takes the first surface that it meets for the end of a solid; "
        "method features "
        "is not affected between bodies, and in a deforming mesh these pairs count as impacts at "
        "time 0.");
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
    explain_rounding(report, findings);
    explain_edges(report, findings);
    explain_volume(report, findings);
    explain_parts(report, findings);
    explain_triangles(report, findings);
    if (findings.is_empty()) {
        const bool is_all_counted = report.self_intersection_count.has_value();
        findings.add(std::string("The mesh is closed and consistently oriented") +
                     (is_all_counted ? ", without self-intersections" : "") +
                     ": all methods (particles, features, sweep, rays) work on it" +
                     (is_all_counted
                          ? "."
                          : ", as far as its self-intersections allow, which were not counted."));
    }
    explain_seams(report, findings);
    return findings.take();
}

}  // namespace graze
