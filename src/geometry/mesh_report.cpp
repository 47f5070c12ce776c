#include "graze/mesh_report.h"

#include <cmath>
#include <numeric>
#include <utility>

#include "geometry/first_equal.h"
#include "geometry/predicates.h"
#include "geometry/self_intersections.h"
#include "geometry/tidy_mesh.h"
#include "geometry/topology.h"
#include "parallel/cpu_executor.h"
#include "parallel/reductions.h"

namespace graze {

namespace {

std::int64_t count_of(const auto& items) {
    return static_cast<std::int64_t>(items.size());
}

// Sums in the executor's fixed blocks, so that they do not depend on the number of threads.
template <class Sums, class ValueOf>
Sums sum_over(CpuExecutor& executor, const char* name, std::int64_t count,
              const ValueOf& value_of) {
    Sums result;
    executor.reduce(name, count, value_of, AddValues{}, Sums{}, &result);
    return result;
}

struct SurfaceSums {
    double area = 0;
    double volume = 0;
    std::int64_t degenerate = 0;

    void operator+=(const SurfaceSums& o) {
        area += o.area;
        volume += o.volume;
        degenerate += o.degenerate;
    }
};

void measure_surface(CpuExecutor& executor, const Mesh& mesh, MeshReport& report) {
    // Around the middle of the mesh the products stay small, and the sum keeps its digits however
    // far away from the origin the mesh lies.
    const Vec3d middle = (report.min + report.max) * 0.5;
    const auto measure = [&](std::int64_t i) {
        const Triangle t = mesh.triangles[static_cast<std::size_t>(i)];
        const Vec3 a = mesh.positions[t[0]], b = mesh.positions[t[1]], c = mesh.positions[t[2]];
        const Vec3d p = static_cast<Vec3d>(a) - middle;
        const Vec3d q = static_cast<Vec3d>(b) - middle;
        const Vec3d r = static_cast<Vec3d>(c) - middle;
        return SurfaceSums{length(cross(q - p, r - p)) / 2, dot(p, cross(q, r)) / 6,
                           are_collinear(a, b, c) ? 1 : 0};
    };
    const auto sums =
        sum_over<SurfaceSums>(executor, "report: surface", count_of(mesh.triangles), measure);
    report.area = sums.area;
    report.volume = sums.volume;
    report.degenerate_triangle_count = sums.degenerate;
}

struct EdgeSums {
    std::int64_t boundary = 0;
    std::int64_t non_manifold = 0;
    std::int64_t inconsistent = 0;

    void operator+=(const EdgeSums& o) {
        boundary += o.boundary;
        non_manifold += o.non_manifold;
        inconsistent += o.inconsistent;
    }
};

void count_edges(CpuExecutor& executor, const Mesh& mesh, const TopologyView& topology,
                 MeshReport& report) {
    const auto classify = [&](std::int64_t e) {
        const std::uint32_t* sides = topology.edge_corners + topology.edge_offsets[e];
        const std::uint32_t side_count = topology.edge_offsets[e + 1] - topology.edge_offsets[e];
        const bool is_inconsistent =
            side_count == 2 && is_ascending(mesh.triangles.data(), sides[0]) ==
                                   is_ascending(mesh.triangles.data(), sides[1]);
        return EdgeSums{side_count == 1, side_count > 2, is_inconsistent};
    };
    const auto sums = sum_over<EdgeSums>(executor, "report: edges", topology.edge_count, classify);
    report.edge_count = topology.edge_count;
    report.boundary_edge_count = sums.boundary;
    report.non_manifold_edge_count = sums.non_manifold;
    report.inconsistent_edge_count = sums.inconsistent;
}

struct VertexSums {
    std::int64_t isolated = 0;
    std::int64_t with_edges = 0;

    void operator+=(const VertexSums& o) {
        isolated += o.isolated;
        with_edges += o.with_edges;
    }
};

void count_vertices(CpuExecutor& executor, const Mesh& mesh, const TopologyView& topology,
                    MeshReport& report) {
    const auto classify = [&](std::int64_t v) {
        const std::uint32_t begin = topology.vertex_offsets[v];
        const std::uint32_t end = topology.vertex_offsets[v + 1];
        bool with_edges = false;
        for (std::uint32_t i = begin; i < end && !with_edges; ++i) {
            with_edges = has_distinct_vertices(mesh.triangles[topology.vertex_corners[i] / 3]);
        }
        return VertexSums{begin == end, with_edges};
    };
    const auto sums =
        sum_over<VertexSums>(executor, "report: vertices", topology.vertex_count, classify);
    report.isolated_vertex_count = sums.isolated;
    // Every triangle with edges has three sides on them.
    const std::int64_t face_count = topology.edge_offsets[topology.edge_count] / 3;
    report.euler_characteristic = sums.with_edges - topology.edge_count + face_count;
}

void count_connections(CpuExecutor& executor, const Mesh& mesh, MeshReport& report) {
    TopologyWorkspace workspace(executor.memory());
    Topology topology(executor.memory());
    build_topology(executor, mesh.triangles.data(), report.triangle_count, report.vertex_count,
                   workspace, topology);
    count_edges(executor, mesh, topology.view(), report);
    count_vertices(executor, mesh, topology.view(), report);
}

Triangle in_ascending_order(Triangle t) {
    if (t.v[0] > t.v[1]) std::swap(t.v[0], t.v[1]);
    if (t.v[1] > t.v[2]) std::swap(t.v[1], t.v[2]);
    if (t.v[0] > t.v[1]) std::swap(t.v[0], t.v[1]);
    return t;
}

// Two stable sorts, by the largest vertex and then by the other two, bring equal triangles
// together.
std::int64_t count_duplicates(CpuExecutor& executor, const Mesh& mesh) {
    const std::int64_t count = count_of(mesh.triangles);
    const auto ordered = [&](std::int64_t i) {
        return in_ascending_order(mesh.triangles[static_cast<std::size_t>(i)]);
    };
    auto largest = executor.make_buffer<std::uint32_t>(count);
    auto sorted_largest = executor.make_buffer<std::uint32_t>(count);
    auto ids = executor.make_buffer<std::uint32_t>(count);
    auto sorted_ids = executor.make_buffer<std::uint32_t>(count);
    executor.for_each("report: largest vertex", count, [&](std::int64_t i) {
        largest.data()[i] = ordered(i)[2];
        ids.data()[i] = static_cast<std::uint32_t>(i);
    });
    executor.sort_by_key("report: sort by largest", largest.data(), sorted_largest.data(),
                         ids.data(), sorted_ids.data(), count);
    auto others = executor.make_buffer<std::uint64_t>(count);
    auto sorted_others = executor.make_buffer<std::uint64_t>(count);
    executor.for_each("report: other vertices", count, [&](std::int64_t i) {
        const Triangle t = ordered(sorted_ids.data()[i]);
        others.data()[i] = std::uint64_t{t[0]} << 32 | t[1];
    });
    executor.sort_by_key("report: sort by others", others.data(), sorted_others.data(),
                         sorted_ids.data(), ids.data(), count);
    const auto repeats = [&](std::int64_t i) -> std::int64_t {
        return i > 0 && ordered(ids.data()[i - 1]) == ordered(ids.data()[i]);
    };
    return sum_over<std::int64_t>(executor, "report: duplicates", count, repeats);
}

// Union-find with path halving. It is serial, as it takes far less time than the sorts.
std::int64_t count_components(const Mesh& mesh, std::int64_t isolated_vertex_count) {
    std::vector<std::uint32_t> parents(mesh.positions.size());
    std::iota(parents.begin(), parents.end(), 0u);
    const auto root_of = [&](std::uint32_t v) {
        while (parents[v] != v)
            v = parents[v] = parents[parents[v]];
        return v;
    };
    std::int64_t set_count = count_of(parents) - isolated_vertex_count;
    for (const Triangle& t : mesh.triangles) {
        for (int k = 1; k < 3; ++k) {
            const std::uint32_t a = root_of(t[0]), b = root_of(t[k]);
            if (a == b) continue;
            // The lower index becomes the root: trees stay shallow as meshes number their vertices
            // along the surface.
            parents[a < b ? b : a] = a < b ? a : b;
            --set_count;
        }
    }
    return set_count;
}

// The mesh with each vertex replaced by the first one at its position, and without the others.
Mesh join_vertices(const Mesh& mesh, const std::vector<std::uint32_t>& first_vertex) {
    Mesh joined;
    std::vector<std::uint32_t> index(first_vertex.size());
    for (std::size_t v = 0; v < first_vertex.size(); ++v) {
        if (first_vertex[v] == v) {
            index[v] = static_cast<std::uint32_t>(joined.positions.size());
            joined.positions.push_back(mesh.positions[v]);
        } else {
            index[v] = index[first_vertex[v]];
        }
    }
    for (const Triangle& t : mesh.triangles)
        joined.triangles.push_back({{index[t[0]], index[t[1]], index[t[2]]}});
    return joined;
}

void look_at_parts(CpuExecutor& executor, const Mesh& mesh, MeshReport& report) {
    const TidyMesh tidy = tidy_mesh(executor, mesh);
    report.part_count = count_of(tidy.parts.parts);
    report.turned_part_count = tidy.turned_part_count;
    report.inward_part_count = tidy.inward_part_count;
    for (const MeshPart& part : tidy.parts.parts) {
        if (!part.is_turned && !part.is_left_inward) continue;
        if (report.inward_parts.size() == MeshReport::kMostInwardParts) break;
        report.inward_parts.push_back({part.triangle_count, part.is_closed, part.is_turned,
                                       static_cast<Vec3d>(part.box.min),
                                       static_cast<Vec3d>(part.box.max)});
    }
}

void inspect_as_given(CpuExecutor& executor, const Mesh& mesh, bool has_self_intersections,
                      MeshReport& report) {
    report.vertex_count = count_of(mesh.positions);
    report.triangle_count = count_of(mesh.triangles);
    if (report.vertex_count > 0) {
        const Aabb box = bounds(mesh);
        report.min = static_cast<Vec3d>(box.min);
        report.max = static_cast<Vec3d>(box.max);
    }
    measure_surface(executor, mesh, report);
    count_connections(executor, mesh, report);
    report.duplicate_triangle_count = count_duplicates(executor, mesh);
    report.component_count = count_components(mesh, report.isolated_vertex_count);
    if (has_self_intersections)
        report.self_intersection_count = count_self_intersections(executor, mesh);
}

}  // namespace

MeshReport inspect(const Mesh& mesh, const MeshReportOptions& options) {
    validate(mesh);
    CpuExecutor executor(options.device.threads());
    MeshReport report;
    const std::vector<std::uint32_t> first_vertex = find_first_vertices(executor, mesh.positions);
    for (std::size_t v = 0; v < first_vertex.size(); ++v)
        report.repeated_vertex_count += first_vertex[v] != v ? 1 : 0;
    report.is_joined = options.join_vertices && report.repeated_vertex_count > 0;
    inspect_as_given(executor, report.is_joined ? join_vertices(mesh, first_vertex) : mesh,
                     options.self_intersections, report);
    if (options.parts) look_at_parts(executor, mesh, report);
    return report;
}

}  // namespace graze
