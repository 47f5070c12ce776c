#include "field/build/tidy_mesh.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "parallel/fill.h"

namespace graze {

namespace {

std::uint64_t mixed(std::uint64_t value) {
    value ^= value >> 31;
    value *= 0x9e3779b97f4a7c15u;
    value ^= value >> 29;
    value *= 0xd6e8feb86659fd93u;
    return value ^ (value >> 32);
}

// Equal positions have equal keys; -0 equals 0.
std::uint64_t key_of(const Vec3& p) {
    const auto bits = [](float x) { return std::uint64_t{std::bit_cast<std::uint32_t>(x + 0.0f)}; };
    return mixed(mixed(bits(p.x) | bits(p.y) << 32) + bits(p.z));
}

// The three vertices in ascending order: equal for triangles over the same ones.
std::array<std::uint32_t, 3> vertices_of(const Triangle& t) {
    std::array<std::uint32_t, 3> v{t[0], t[1], t[2]};
    std::sort(v.begin(), v.end());
    return v;
}
// Whether two triangles over the same vertices face in the same direction.
bool has_same_orientation(const Triangle& a, const Triangle& b) {
    for (int turn = 0; turn < 3; ++turn) {
        if (a[0] == b[turn] && a[1] == b[(turn + 1) % 3] && a[2] == b[(turn + 2) % 3]) return true;
    }
    return false;
}
std::uint64_t key_of(const Triangle& t) {
    const auto v = vertices_of(t);
    return mixed(mixed(std::uint64_t{v[0]} | std::uint64_t{v[1]} << 32) + v[2]);
}

// Groups equal things: finds for each of count things the lowest index of one equal to it.
class FirstEqual {
public:
    FirstEqual(CpuExecutor& executor, std::int64_t count)
        : executor_(executor),
          keys_(host_memory(), count),
          sorted_keys_(host_memory(), count),
          indices_(host_memory(), count),
          sorted_(host_memory(), count) {}

    template <class Things, class Equal>
    std::vector<std::uint32_t> find(const Things& things, const Equal& are_equal) {
        const std::int64_t count = keys_.size();
        executor_.for_each_range(count, 4096, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                keys_.data()[i] = key_of(things[static_cast<std::size_t>(i)]);
                indices_.data()[i] = static_cast<std::uint32_t>(i);
            }
        });
        executor_.sort_by_key("tidy mesh: sort", keys_.data(), sorted_keys_.data(), indices_.data(),
                              sorted_.data(), count);
        std::vector<std::uint32_t> first(static_cast<std::size_t>(count));
        const std::uint64_t* keys = sorted_keys_.data();
        executor_.for_each_range(count, 4096, [&](std::int64_t from, std::int64_t to) {
            // This range looks at the runs of equal keys that start in it.
            while (from > 0 && from < to && keys[from] == keys[from - 1])
                ++from;
            for (std::int64_t begin = from, end = from; begin < to; begin = end) {
                while (end < count && keys[end] == keys[begin])
                    ++end;
                // Equal keys nearly always mean equal things, so the first candidate mostly fits.
                for (std::int64_t i = begin; i < end; ++i) {
                    const std::uint32_t index = sorted_.data()[i];
                    std::int64_t candidate = begin;
                    while (!are_equal(things[sorted_.data()[candidate]], things[index]))
                        ++candidate;
                    first[index] = sorted_.data()[candidate];
                }
            }
        });
        return first;
    }

private:
    CpuExecutor& executor_;
    Buffer<std::uint64_t> keys_, sorted_keys_;
    Buffer<std::uint32_t> indices_, sorted_;
};

struct EdgeUse {
    std::int64_t open_count;  // edges not run along as often in one direction as in the other
    // Whether some edge is run along twice in one direction, as by copies, or leads to its own
    // vertex.
    bool may_repeat;
};

EdgeUse count_edge_uses(CpuExecutor& executor, const std::vector<Triangle>& triangles) {
    const auto count = static_cast<std::int64_t>(triangles.size()) * 3;
    Buffer<std::uint64_t> keys(host_memory(), count), sorted(host_memory(), count);
    Buffer<std::int32_t> directions(host_memory(), count), sorted_directions(host_memory(), count);
    executor.for_each_range(count, 4096, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const Triangle& t = triangles[static_cast<std::size_t>(i / 3)];
            const std::uint32_t from = t[static_cast<int>(i % 3)];
            const std::uint32_t to = t[static_cast<int>((i + 1) % 3)];
            keys.data()[i] = std::uint64_t{std::min(from, to)} << 32 | std::max(from, to);
            directions.data()[i] = from < to ? 1 : (from > to ? -1 : 0);
        }
    });
    executor.sort_by_key("tidy mesh: sort edges", keys.data(), sorted.data(), directions.data(),
                         sorted_directions.data(), count);
    EdgeUse result{0, false};
    std::int64_t forth = 0, back = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int32_t direction = sorted_directions.data()[i];
        forth += direction > 0 ? 1 : 0;
        back += direction < 0 ? 1 : 0;
        result.may_repeat = result.may_repeat || direction == 0 || forth > 1 || back > 1;
        if (i + 1 == count || sorted.data()[i + 1] != sorted.data()[i]) {
            result.open_count += forth != back ? 1 : 0;
            forth = back = 0;
        }
    }
    return result;
}

double six_times_volume(const Mesh& mesh) {
    const auto origin = static_cast<Vec3d>(mesh.positions[mesh.triangles[0][0]]);
    double sum = 0, magnitude = 0;
    for (const Triangle& t : mesh.triangles) {
        const Vec3d a = static_cast<Vec3d>(mesh.positions[t[0]]) - origin;
        const Vec3d b = static_cast<Vec3d>(mesh.positions[t[1]]) - origin;
        const Vec3d c = static_cast<Vec3d>(mesh.positions[t[2]]) - origin;
        const double term = dot(a, cross(b, c));
        sum += term;
        magnitude += std::fabs(term);
    }
    return std::fabs(sum) > 1e-9 * magnitude ? sum : 0.0;  // else rounding
}

// Keeps the first of triangles over the same three vertices, of those that face in the same
// direction or of all, and returns how many are gone.
std::int64_t drop_copies(CpuExecutor& executor, std::vector<Triangle>& triangles,
                         bool of_either_orientation) {
    FirstEqual faces(executor, static_cast<std::int64_t>(triangles.size()));
    const std::vector<std::uint32_t> first =
        faces.find(triangles, [&](const Triangle& a, const Triangle& b) {
            if (vertices_of(a) != vertices_of(b)) return false;
            return of_either_orientation || has_same_orientation(a, b);
        });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < triangles.size(); ++i) {
        if (first[i] == i) triangles[kept++] = triangles[i];
    }
    const auto dropped = static_cast<std::int64_t>(triangles.size() - kept);
    triangles.resize(kept);
    return dropped;
}

}  // namespace

TidyMesh tidy_mesh(CpuExecutor& executor, const Mesh& mesh) {
    TidyMesh result;
    result.mesh.positions = mesh.positions;
    std::vector<Triangle>& triangles = result.mesh.triangles;
    triangles = mesh.triangles;

    FirstEqual vertices(executor, static_cast<std::int64_t>(mesh.positions.size()));
    result.first_vertex =
        vertices.find(mesh.positions, [](const Vec3& a, const Vec3& b) { return a == b; });
    const std::vector<std::uint32_t>& first_vertex = result.first_vertex;
    for (std::size_t v = 0; v < first_vertex.size(); ++v)
        result.joined_count += first_vertex[v] != v ? 1 : 0;
    for (Triangle& t : triangles)
        t = {{first_vertex[t[0]], first_vertex[t[1]], first_vertex[t[2]]}};

    // Copies that face in the same direction only repeat the surface. Copies that face in the
    // opposite one may be the two sides of a wall between solids; where that does not bound any
    // solid, they are copies.
    EdgeUse edges = count_edge_uses(executor, triangles);
    const auto drop = [&](bool of_either_orientation) {
        const std::int64_t dropped = drop_copies(executor, triangles, of_either_orientation);
        result.duplicate_count += dropped;
        if (dropped > 0) edges = count_edge_uses(executor, triangles);
    };
    const auto volume = [&] { return edges.open_count == 0 ? six_times_volume(result.mesh) : 0; };
    if (edges.may_repeat) drop(false);
    double six_times = volume();
    if (six_times == 0) {
        drop(true);
        six_times = volume();
    }
    result.open_edge_count = edges.open_count;
    result.was_inside_out = six_times < 0;
    if (result.was_inside_out) {
        for (Triangle& t : triangles)
            std::swap(t.v[1], t.v[2]);
    }
    return result;
}

}  // namespace graze
