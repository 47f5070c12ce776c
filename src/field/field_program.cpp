#include "field/field_program.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "graze/error.h"

namespace graze {
namespace {

// What is known of the value of a part of a program; see FieldProgram.
struct Part {
    int depth;
    Aabb bounds;
    Exactness outside, inside;
    float error;  // [m]
};

Exactness worse(Exactness a, Exactness b) {
    return std::max(a, b);
}

Part part_of_leaf(const FieldProgram& program, const FieldNode& leaf) {
    const Aabb bounds = leaf_bounds(program.view(), leaf);
    if (leaf.kind == FieldKind::height_map) {
        return {1, bounds, Exactness::lower_bound, Exactness::lower_bound, 0};
    }
    if (leaf.kind == FieldKind::sampled) {
        const float error =
            program.sampled[static_cast<std::size_t>(leaf.index)]->error * std::fabs(leaf.scale);
        return {1, bounds, Exactness::sampled, Exactness::sampled, error};
    }
    return {1, bounds, Exactness::exact, Exactness::exact, 0};
}

// Outside a union the nearer solid is the nearest. Inside, the way out of a is no longer than the
// way out of both, so it is a lower bound, unless the two are apart. An intersection is the same
// with the sides exchanged, being the complement of the union of complements.
Part combine_parts(const Part& a, const Part& b, FieldKind operation) {
    Part part{std::max(a.depth, b.depth + 1), Aabb::empty(), worse(a.outside, b.outside),
              worse(a.inside, b.inside), std::max(a.error, b.error)};
    if (operation == FieldKind::unite) {
        part.bounds = merge(a.bounds, b.bounds);
        if (overlap(a.bounds, b.bounds)) part.inside = worse(part.inside, Exactness::lower_bound);
    } else {
        const Aabb common = intersect(a.bounds, b.bounds);
        if (!common.is_empty()) part.bounds = common;
        part.outside = worse(part.outside, Exactness::lower_bound);
    }
    return part;
}

FieldProgram with_traits(FieldProgram program) {
    std::vector<Part> waiting;
    for (const FieldNode& node : program.nodes) {
        if (is_operation(node.kind)) {
            const Part b = waiting.back();
            waiting.pop_back();
            waiting.back() = combine_parts(waiting.back(), b, node.kind);
        } else {
            waiting.push_back(part_of_leaf(program, node));
        }
    }
    const Part& all = waiting.back();
    if (all.depth > kFieldMaxDepth) {
        throw Error("a field of " + std::to_string(program.nodes.size()) +
                    " parts is nested too evenly to evaluate; sample parts of it into grids "
                    "(sample_field) and combine those");
    }
    program.depth = all.depth;
    program.bounds = all.bounds;
    program.outside = all.outside;
    program.inside = all.inside;
    program.error = all.error;
    return program;
}

// Returns the index of an object in a list, to which it is added if it is not there.
template <class T, class View>
std::int32_t find_or_add(const std::shared_ptr<const T>& object, const View& view,
                         std::vector<std::shared_ptr<const T>>& objects, std::vector<View>& views) {
    const auto found = std::find(objects.begin(), objects.end(), object);
    const auto index = static_cast<std::int32_t>(found - objects.begin());
    if (found == objects.end()) {
        objects.push_back(object);
        views.push_back(view);
    }
    return index;
}

void append(FieldProgram& program, const FieldProgram& other) {
    for (FieldNode node : other.nodes) {
        const auto index = static_cast<std::size_t>(node.index);
        if (node.kind == FieldKind::sampled) {
            node.index = find_or_add(other.sampled[index], other.sampled_views[index],
                                     program.sampled, program.sampled_views);
        } else if (node.kind == FieldKind::height_map) {
            node.index = find_or_add(other.height_maps[index], other.height_map_views[index],
                                     program.height_maps, program.height_map_views);
        }
        program.nodes.push_back(node);
    }
}

HeightMapView view_of(const HeightMap& map) {
    const std::int32_t width = map.size[0];
    const auto height = [&](std::int64_t i, std::int64_t j) {
        return static_cast<double>(map.heights[static_cast<std::size_t>(i + width * j)]);
    };
    // This is the slope in the steepest corner of any cell; see distance_height_map.h.
    double steepest_sq = 0;
    for (std::int64_t j = 0; j + 1 < map.size[1]; ++j) {
        for (std::int64_t i = 0; i + 1 < width; ++i) {
            const double low = height(i + 1, j) - height(i, j);
            const double high = height(i + 1, j + 1) - height(i, j + 1);
            const double left = height(i, j + 1) - height(i, j);
            const double right = height(i + 1, j + 1) - height(i + 1, j);
            steepest_sq = std::max(steepest_sq, std::max(low * low, high * high) +
                                                    std::max(left * left, right * right));
        }
    }
    const double spacing = map.spacing;
    // One part in 2^22 covers the rounding to float.
    const double shrink = (1 - 0x1p-22) / std::sqrt(1 + steepest_sq / (spacing * spacing));
    const auto [lowest, highest] = std::minmax_element(map.heights.begin(), map.heights.end());
    return {map.heights.data(),
            {map.size[0], map.size[1]},
            map.spacing,
            static_cast<float>(shrink),
            *lowest,
            *highest};
}

void move_plane(FieldNode& node, const Transformd& field_from_self) {
    const Vec3d normal =
        rotate(field_from_self.rotation, Vec3d{node.size[0], node.size[1], node.size[2]});
    const double offset =
        node.size[3] * field_from_self.scale + dot(normal, field_from_self.translation);
    node.size[0] = static_cast<float>(normal.x);
    node.size[1] = static_cast<float>(normal.y);
    node.size[2] = static_cast<float>(normal.z);
    node.size[3] = static_cast<float>(offset);
}

void move_leaf(FieldNode& node, const Transformd& field_from_self) {
    const Quat& old = node.leaf_from_field;
    const Quatd q =
        normalized(Quatd{old.w, old.x, old.y, old.z} * conjugate(field_from_self.rotation));
    const double scale = node.scale * field_from_self.scale;
    node.origin =
        static_cast<Vec3>(transform_point(field_from_self, static_cast<Vec3d>(node.origin)));
    node.leaf_from_field = {static_cast<float>(q.w), static_cast<float>(q.x),
                            static_cast<float>(q.y), static_cast<float>(q.z)};
    node.is_rotated = q.x != 0 || q.y != 0 || q.z != 0;
    node.scale = static_cast<float>(scale);
    node.inverse_scale = static_cast<float>(1 / std::fabs(scale));
    if (!(std::isnormal(node.scale) && std::isnormal(node.inverse_scale))) {
        throw Error("transformed: the scales of a field multiply to " + std::to_string(scale) +
                    "; keep them near 1");
    }
}

}  // namespace

FieldNode make_leaf(FieldKind kind) {
    return {kind, false, -1, {0, 0, 0}, Quat::identity(), 1, 1, {}};
}

FieldProgram make_program(const FieldNode& leaf) {
    FieldProgram program;
    program.nodes.push_back(leaf);
    return with_traits(std::move(program));
}

FieldProgram make_program(std::shared_ptr<const SampledField> samples) {
    FieldProgram program;
    program.nodes.push_back(make_leaf(FieldKind::sampled));
    program.nodes[0].index =
        find_or_add(samples, samples->view(), program.sampled, program.sampled_views);
    return with_traits(std::move(program));
}

FieldProgram make_program(std::shared_ptr<const HeightMap> map) {
    FieldProgram program;
    program.nodes.push_back(make_leaf(FieldKind::height_map));
    program.nodes[0].origin = map->origin;
    program.nodes[0].index =
        find_or_add(map, view_of(*map), program.height_maps, program.height_map_views);
    return with_traits(std::move(program));
}

FieldProgram combine(const FieldProgram& a, const FieldProgram& b, FieldKind operation) {
    FieldProgram program;
    program.nodes.reserve(a.nodes.size() + b.nodes.size() + 1);
    append(program, a.depth >= b.depth ? a : b);
    append(program, a.depth >= b.depth ? b : a);
    program.nodes.push_back(make_leaf(operation));
    return with_traits(std::move(program));
}

FieldProgram complement(const FieldProgram& program) {
    FieldProgram result = program;
    for (FieldNode& node : result.nodes) {
        if (is_operation(node.kind)) {
            node.kind = node.kind == FieldKind::unite ? FieldKind::intersect : FieldKind::unite;
        } else if (node.kind == FieldKind::plane) {
            for (int i = 0; i < 4; ++i)
                node.size[i] = -node.size[i];
        } else {
            node.scale = -node.scale;
        }
    }
    return with_traits(std::move(result));
}

FieldProgram transformed(const FieldProgram& program, const Transform& field_from_self) {
    const Quat& q = field_from_self.rotation;
    const Transformd wide{static_cast<Vec3d>(field_from_self.translation),
                          normalized(Quatd{q.w, q.x, q.y, q.z}), field_from_self.scale};
    FieldProgram result = program;
    for (FieldNode& node : result.nodes) {
        if (node.kind == FieldKind::plane) {
            move_plane(node, wide);
        } else if (!is_operation(node.kind)) {
            move_leaf(node, wide);
        }
    }
    return with_traits(std::move(result));
}

}  // namespace graze
