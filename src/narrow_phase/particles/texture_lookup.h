// TextureLookup: both fields of a pair by hardware-filtered textures, to search with. Only .cu
// files include this.
//
// A field takes part that is one dense grid of order 1 with the whole surface inside it (most are
// that). Others are evaluated in full, and so is what a search finds; see field_texture.h for how a
// look-up works and how far it is off.
#pragma once

#include "field/sampled/field_texture.h"
#include "narrow_phase/particles/particles.h"

namespace graze {

// A shape's texture, by shape.
struct ShapeTexture {
    cudaTextureObject_t texture;  // 0 where there is none
    Vec3 centre;                  // [m] of the grid, in the shape's frame
    Quat grid_from_shape;         // unit
    float voxel;                  // [m] in the shape's frame
    Vec3 half;                    // [voxels] half the grid's size
    float error;                  // [voxels] beside kFieldRelativeError
};

// Contraction is off for what must be the same on both machines; here it is wanted.
GRAZE_INLINE float fused_dot(const Vec3& a, const Vec3& b) {
    return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z));
}

// The texture of a body in the world.
struct BodyTexture {
    cudaTextureObject_t texture;
    Vec3 centre;     // [m]
    Vec3 rows[3];    // from metres of the world to voxels of the grid
    Vec3 half;       // [voxels]
    float voxel;     // [m]
    BodyField full;  // for where there is no texture

    GRAZE_INLINE FieldValue value(const Vec3& point) const {
        return texture != 0 ? look_up(point) : evaluate_in_full(full, point);
    }

private:
    GRAZE_INLINE FieldValue look_up(const Vec3& point) const {
#if GRAZE_ON_DEVICE
        const Vec3 from_centre = point - centre;
        const Vec3 position{fused_dot(rows[0], from_centre), fused_dot(rows[1], from_centre),
                            fused_dot(rows[2], from_centre)};
        const Vec3 inside = min_of(max_of(position, -half), half);
        // CUDA has texels' centres half a texel on.
        const float4 texel = tex3D<float4>(texture, inside.x + half.x + 0.5f,
                                           inside.y + half.y + 0.5f, inside.z + half.z + 0.5f);
        const Vec3 slope{texel.x, texel.y, texel.z};
        float distance = fused_dot(slope, inside) + texel.w;
        // Beyond the grid by way of its closest point, as evaluate() goes.
        const Vec3 beyond = position - inside;
        Vec3 direction = slope;
        if (length_sq(beyond) > 0) {
            const float at_box = max_of(distance, 0.0f);
            direction = slope * (2 * at_box) + beyond;
            distance = sqrtf(fused_dot(beyond, beyond) + at_box * at_box);
        }
        const float square = fused_dot(direction, direction);
        const Vec3 unit = direction * (square > 1e-20f ? rsqrtf(square) * voxel : 0.0f);
        return {distance * voxel,
                {fmaf(rows[0].x, unit.x, fmaf(rows[1].x, unit.y, rows[2].x * unit.z)),
                 fmaf(rows[0].y, unit.x, fmaf(rows[1].y, unit.y, rows[2].y * unit.z)),
                 fmaf(rows[0].z, unit.x, fmaf(rows[1].z, unit.y, rows[2].z * unit.z))}};
#else
        return evaluate_in_full(full, point);  // never called there
#endif
    }
    // Apart, so that the common case keeps its registers.
    GRAZE_NOINLINE static FieldValue evaluate_in_full(const BodyField& body, const Vec3& point) {
        return evaluate(body, point);
    }
};

struct TextureLookup {
    ParticleBodies bodies;
    const ShapeTexture* textures;  // by shape

    struct Pair {
        BodyTexture a, b;
        float slack_a, slack_b;  // [m]

        static constexpr bool kIsExact = false;
        static constexpr bool kHasQuick = false;
        GRAZE_INLINE FieldValue value_a(const Vec3& point) const { return a.value(point); }
        GRAZE_INLINE FieldValue value_b(const Vec3& point) const { return b.value(point); }
        GRAZE_INLINE PairValue operator()(const Vec3& point) const {
            return {value_a(point), value_b(point)};
        }
        GRAZE_INLINE float quick_a(const Vec3& point) const { return value_a(point).distance; }
        GRAZE_INLINE float quick_b(const Vec3& point) const { return value_b(point).distance; }
        GRAZE_INLINE float error_a() const { return slack_a; }
        GRAZE_INLINE float error_b() const { return slack_b; }
    };

    GRAZE_INLINE Pair pair(const PairRegion& region) const {
        Pair result;
        result.slack_a = describe(region.body_a, result.a);
        result.slack_b = describe(region.body_b, result.b);
        return result;
    }

private:
    // Returns how far it is off [m].
    GRAZE_INLINE float describe(std::uint32_t body, BodyTexture& result) const {
        const std::uint32_t shape = bodies.shape_of_body[body];
        const ShapeTexture texture = textures[shape];
        const Transform pose = bodies.poses[body];
        result.texture = texture.texture;
        if (texture.texture == 0) {
            result.full = make_body_field(bodies.shapes[shape].field, pose);
            return 0;
        }
        result.centre = transform_point(pose, texture.centre);
        result.half = texture.half;
        result.voxel = texture.voxel * pose.scale;
        const Quat grid_from_world = texture.grid_from_shape * conjugate(pose.rotation);
        const Mat3 rotation = to_matrix(grid_from_world);
        const float voxels = 1 / result.voxel;
        for (int axis = 0; axis < 3; ++axis)
            result.rows[axis] =
                Vec3{rotation(axis, 0), rotation(axis, 1), rotation(axis, 2)} * voxels;
        return texture.error * result.voxel;
    }
};

}  // namespace graze
