// crossing_slack: how far from a surface a field can claim to be, beyond the truth.
//
// A field of formulas changes by no more than the way between two points is long. One with samples
// is off that by what they interpolate wrongly, E at most (certain_error()), beside a fraction q of
// the value. Let the value be v > 0 at x and no more than 0 at y. The leaves that are not positive
// at y are in truth no more than E there, as a lower bound has the side of the truth; so, unions
// and intersections being monotone, neither is the field of true distances. That changes by no more
// than the way, and v (1 - q) is no more than E above it: v (1 - q) <= |x - y| + 2 E.
//
// Where the side of an open mesh jumps away from its surface there is no such bound, and no
// surface.
#pragma once

#include <cmath>

#include "field/field_program.h"

namespace graze {

// [m] No point is on the other side within a point's value, less kFieldRelativeError of it and less
// this.
inline float crossing_slack(const Field& field) {
    const FieldProgram& program = program_of(field);
    float slack = 0;
    for (const FieldNode& node : program.nodes) {
        if (node.kind != FieldKind::sampled) continue;
        const SampledFieldView& samples =
            program.sampled_views[static_cast<std::size_t>(node.index)];
        slack = max_of(slack, 2 * certain_error(samples, 0) * std::fabs(node.scale));
    }
    return slack;
}

}  // namespace graze
