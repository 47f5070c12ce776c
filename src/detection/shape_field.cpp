#include "detection/shape_field.h"

#include "field/field_program.h"
#include "field/sampled/largest_jump.h"
#include "parallel/cpu_executor.h"

namespace graze {

ShapeField make_shape_field(const Field& field) {
    const FieldProgram& program = program_of(field);
    ShapeField shape{view_of(field), 0, 0, 0, 0};
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

}  // namespace graze
