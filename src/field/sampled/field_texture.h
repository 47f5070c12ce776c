// FieldTexture: a sampled field of order 1 in a 3D texture, whose hardware blends the eight samples
// around a point in one look-up. It is for searching, not for the answer: the blend is coarse, and
// evaluate() stays what counts. Only .cu files include this.
//
// The idea is Krayer et al. (2022), equations 10 to 12. A texel holds half the gradient, a, and the
// offset b = f - a . x_i of the sample's linear extension, in a frame that all texels of a blend
// share; blending extensions then is blending a and b, and the distance at x is a . x + b. Lengths
// are in voxels, numbers are half floats. Where this differs:
// - Dense: one texel a sample. The frame's origin is the centre of the grid, not of the world,
//   since half floats lose accuracy as offsets grow.
// - Sparse: bricks of 9 x 9 x 9 texels side by side in an atlas, each with a frame at its own
//   centre, so that offsets stay small whatever the field's size.
//
// How far a look-up is off from evaluate(), in voxels, at a distance d, where the samples are
// distances (so that neighbours differ by 1 at most) and no texel is farther than R from its
// frame's origin: search_error(), the sum of
// - 6 e for the weights, each off by e. They have 8 fraction bits, and CUDA does not say how they
//   are rounded: 1/256, or half of that to nearest. 2^-11 more is for the position in the texture.
//   The weights of one axis share out the difference of two extensions, f_i - f_j + a_i . (x - x_i)
//   - a_j . (x - x_j). Averaged with the other axes' weights, the lengths |x - x_i| and |x - x_j|
//   are at most sqrt(1/2) and sqrt(3/2) (by their mean squares, the worst position along the axis
//   being an end), so it is at most 1 + (0.71 + 1.23) / 2 < 2; there are three axes. Where the
//   field is smooth extensions differ by half a voxel's slope only, and it is sqrt(3)/2 e.
// - 2^-11 (|d| + 3 + R/2) for the rounding of the offset, since corners' distances are within 3 of
//   what evaluate() finds: that is 2^-11 of |b| <= |f_i| + |x_i| / 2.
// - 2^-11 (|d| + 3 + R) in case the hardware blends in half floats.
// In bricks R is 7 and that is 0.035 in all near the surface; in a dense field of 128^3 samples R
// is 110 and it is 0.11, in one of 512^3 it is 0.35.
//
// The gradient is off by 2 (3 e + 2^-11) at most before it is brought to unit length, since
// neighbours' a differ by 1 at most: an angle of that over the length of evaluate()'s blend, which
// is near 1 but where several points of the surface are about as close.
#pragma once

#include <memory>

#include "field/sampled/evaluate_sampled.h"
#include "parallel/cuda_executor.h"

namespace graze {

struct FieldTextureView {
    SampledFieldView field;       // in the device's memory
    cudaTextureObject_t texture;  // half floats: a, then b
    std::int32_t bricks[2];       // of a sparse field, in the atlas along x and y
    float reach;                  // [voxels] the farthest of a texel from its frame's origin
};

class FieldTexture {
public:
    // The field is of order 1 and in the executor's memory, and its buffers must live as long as
    // this: they answer where no texel does. Throws Error where the texture would be beyond what
    // the device can address. It waits.
    FieldTexture(CudaExecutor& executor, const SampledField& field);
    // The work that looks things up must be done by then.
    ~FieldTexture();
    FieldTexture(FieldTexture&&) noexcept;
    FieldTexture& operator=(FieldTexture&&) noexcept;

    const FieldTextureView& view() const { return view_; }
    // [bytes] of the texture; the field's own come on top.
    std::int64_t memory_bytes() const;

private:
    class Storage;
    std::unique_ptr<Storage> storage_;
    FieldTextureView view_{};
};

// Texels along x, y and z.
struct TextureExtent {
    std::int64_t size[3];
};

// Returns the extent of an atlas for so many bricks, as near to a cube as fits: small coordinates
// are accurate ones. Throws Error where none fits into the limit.
TextureExtent brick_atlas_extent(std::int64_t brick_count, const TextureExtent& limit);

// The largest error of a weight, with the rounding of the position in the texture.
constexpr float kFilterWeightError = 1.0f / 256 + 0x1p-11f;
constexpr float kHalfRounding = 0x1p-11f;
static_assert(2 * kHalfRounding == kFieldRelativeError);

// [m] The most that search_value()'s distance differs from the one evaluate() has.
GRAZE_INLINE float search_error(const FieldTextureView& view, float distance) {
    const float spacing = view.field.grid.spacing;
    return spacing * (6 * kFilterWeightError + kHalfRounding * (6 + 1.5f * view.reach)) +
           kFieldRelativeError * std::fabs(distance);
}

namespace detail {

struct TexelPoint {
    Vec3 texel;  // the position in the texture, where texels are at whole numbers
    Vec3 x;      // [voxels] from the frame's origin
};

// Finds where to look up a point of the grid. Returns false where no brick has it.
__device__ __forceinline__ bool find_texel(const FieldTextureView& view, const CellPoint& at,
                                           TexelPoint& found) {
    const SampledFieldView& field = view.field;
    if (!field.is_sparse) {
        for (int axis = 0; axis < 3; ++axis) {
            const float voxels = static_cast<float>(at.cell[axis]) + at.t[axis];
            found.texel[axis] = voxels;
            found.x[axis] = voxels - 0.5f * static_cast<float>(field.grid.cells[axis]);
        }
        return true;
    }
    const std::int32_t block[3] = {at.cell[0] / kBrickCells, at.cell[1] / kBrickCells,
                                   at.cell[2] / kBrickCells};
    const std::int32_t brick = field.brick_of_block[block_index(field.grid, block)];
    if (brick < 0) return false;
    const std::int32_t row = brick / view.bricks[0], layer = row / view.bricks[1];
    const std::int32_t slot[3] = {brick - row * view.bricks[0], row - layer * view.bricks[1],
                                  layer};
    for (int axis = 0; axis < 3; ++axis) {
        const float voxels =
            static_cast<float>(at.cell[axis] - block[axis] * kBrickCells) + at.t[axis];
        found.texel[axis] = static_cast<float>(slot[axis] * kBrickSamples) + voxels;
        found.x[axis] = voxels - 0.5f * kBrickCells;
    }
    return true;
}

}  // namespace detail

// Returns what evaluate() does: where the grid has samples around the point, by one look-up, off by
// search_error(); elsewhere by evaluate() itself.
__device__ __forceinline__ FieldValue search_value(const FieldTextureView& view,
                                                   const Vec3& point) {
    if (contains(view.field.grid.box(), point)) {
        detail::TexelPoint at;
        if (detail::find_texel(view, detail::find_cell(view.field.grid, point), at)) {
            // The centres of CUDA's texels are half a texel on.
            const float4 texel = tex3D<float4>(view.texture, at.texel.x + 0.5f, at.texel.y + 0.5f,
                                               at.texel.z + 0.5f);
            const Vec3 slope{texel.x, texel.y, texel.z};
            return {(dot(slope, at.x) + texel.w) * view.field.grid.spacing,
                    detail::unit_or_zero(slope * 2.0f)};
        }
    }
    return evaluate(view.field, point);
}

}  // namespace graze
