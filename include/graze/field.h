// Field: a signed distance field, negative inside, of any kind: a formula, a combination of fields,
// a moved field, samples on a grid. A Field is a handle that is cheap to copy; what it stands for
// never changes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "graze/field_grid.h"
#include "graze/transform.h"

namespace graze {

struct FieldValue {
    float distance;  // [m] negative inside
    Vec3 gradient;   // unit, away from the surface outside; zero where there is no direction
};

// What a distance is worth, on one side of the surface.
enum class Exactness {
    exact,        // up to float rounding
    lower_bound,  // never farther from zero than the true distance
    sampled,      // interpolated: as far as the true distance, up to error() nearly everywhere
};

// How samples are interpolated: their values linearly, or values and gradients (second order).
enum class FieldOrder : std::uint8_t { zero, one };

// Heights over a rectangle of the x-y plane, solid below. Beyond the rectangle the heights of its
// border go on.
struct HeightMap {
    Vec3 origin;                 // [m] of heights[0]; its z is added to all heights
    float spacing;               // [m] between neighbours
    std::int32_t size[2];        // heights along x and y, at least 2 each
    std::vector<float> heights;  // [m] x fastest
};

class Field {
public:
    // Shapes are exact on both sides, but for the height map, which is a lower bound on both. Their
    // gradients are never zero: where several points of the surface are closest, one is chosen.
    // Sizes may be 0, as those of a segment or a flat box are.
    //
    // A plane is solid where dot(normal, p) < offset. normal need not have unit length.
    static Field plane(const Vec3& normal, float offset);
    static Field sphere(const Vec3& centre, float radius);
    // Boxes are centred at the origin. A rounded box has the same extent, and its edges have the
    // given radius.
    static Field box(const Vec3& half_extent);
    static Field rounded_box(const Vec3& half_extent, float radius);
    static Field capsule(const Vec3& a, const Vec3& b, float radius);
    // A cylinder lies along z and is centred at the origin.
    static Field cylinder(float radius, float half_height);
    // The base of a cone, of the given radius, lies at z = 0, its tip at z = height.
    static Field cone(float radius, float height);
    // A torus is a ring of radius ring_radius around z, thick by tube_radius to each side.
    static Field torus(float ring_radius, float tube_radius);
    static Field height_map(HeightMap map);
    // Sampled fields come from build_field.h, field_io.h and field_cache.h.

    // Returns this field moved and scaled; self is the frame it was made in.
    Field transformed(const Transform& field_from_self) const;

    FieldValue evaluate(const Vec3& point) const;
    float distance(const Vec3& point) const { return evaluate(point).distance; }

    // [m] The box of the solid, infinite where the solid has no end.
    const Aabb& bounds() const;
    Exactness exactness_outside() const;
    Exactness exactness_inside() const;
    // [m] How far a sampled field is off in its grid, as measured: twice what probes found, which
    // all but one point of 200 keep (FieldSummary has a bound); 0 for fields without samples.
    float error() const;
    // Whether the field is samples on a grid, neither moved nor combined with others. Only such a
    // field can be saved and summarized.
    bool is_sampled() const;

    // The solids are what is in a or in b; in a and in b; in a and not in b. A union of exact
    // fields is exact outside, the others are exact inside; on the other side they are lower
    // bounds.
    friend Field unite(const Field& a, const Field& b);
    friend Field intersect(const Field& a, const Field& b);
    friend Field subtract(const Field& a, const Field& b);

private:
    friend struct FieldAccess;  // by which the library itself reaches the program
    struct Program;
    explicit Field(std::shared_ptr<const Program> program);

    std::shared_ptr<const Program> program_;  // never null
};

}  // namespace graze
