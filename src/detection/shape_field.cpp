#include "detection/shape_field.h"

#include <limits>

#include "field/field_program.h"
#include "field/sampled/largest_jump.h"
#include "field/sampled/value_change.h"
#include "field/segments/level_times.h"
#include "parallel/cpu_executor.h"

namespace graze {

ShapeField make_shape_field(const Field& field) {
    const FieldProgram& program = program_of(field);
    ShapeField shape{view_of(field), 0, 0, 0, 0, {}};
    CpuExecutor executor;
    for (const FieldNode& node : program.nodes) {
        if (is_operation(node.kind)) continue;
        const float scale = std::fabs(node.scale);
        shape.magnitude = max_of(shape.magnitude, length(node.origin));
        if (node.kind != FieldKind::sampled) continue;
        const SampledField& samples = *program.sampled[static_cast<std::size_t>(node.index)];
        const float jump = largest_jump(executor, samples);
        shape.error = max_of(shape.error, (certain_error(samples.view(), 0) + jump * 0.5f) * scale);
        shape.tolerance = max_of(shape.tolerance, samples.grid.spacing * scale * 0.1f);
    }
    const Aabb& box = field.bounds();
    const Vec3 sides = extent(box);
    shape.size = max_of(max_of(sides.x, sides.y), sides.z);
    if (is_finite(box.min) && is_finite(box.max))
        shape.magnitude += max_of(length(box.min), length(box.max));
    return shape;
}

FieldChange measure_field_change(const Field& field) {
    const FieldProgram& program = program_of(field);
    FieldChange all;
    all.reach = all.band = std::numeric_limits<float>::infinity();
    CpuExecutor executor;
    bool has_samples = false;
    for (const FieldNode& node : program.nodes) {
        if (node.kind != FieldKind::sampled) continue;
        has_samples = true;
        const float scale = std::fabs(node.scale);
        const ValueChange change =
            measure_change(executor, *program.sampled[static_cast<std::size_t>(node.index)]);
        all.per_way = max_of(all.per_way, change.per_way);
        all.spread = max_of(all.spread, change.spread * scale);
        all.rest = max_of(all.rest, change.rest * scale);
        all.reach = min_of(all.reach, change.reach < 0 ? -1 : change.reach * scale);
        all.band = min_of(all.band, change.band * scale);
        all.is_distance = all.is_distance && change.is_distance;
        all.per_way_far = max_of(all.per_way_far, change.per_way_far);
        all.rest_far = max_of(all.rest_far, change.rest_far * scale);
    }
    // What has too many leaves is searched by another value.
    const bool is_walked = level_times_detail::count_leaves(view_of(field)) <= kMaxWalkedLeaves;
    if (!has_samples || !is_walked) all.reach = -1;
    return all;
}

}  // namespace graze
