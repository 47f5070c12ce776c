#include "field/sampled/field_texture.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace graze {
namespace {

std::string to_text(const TextureExtent& extent) {
    return std::to_string(extent.size[0]) + " x " + std::to_string(extent.size[1]) + " x " +
           std::to_string(extent.size[2]);
}

// The largest texture that the current device can both write and look up.
TextureExtent largest_extent(int device) {
    const cudaDeviceAttr attributes[3][2] = {
        {cudaDevAttrMaxTexture3DWidth, cudaDevAttrMaxSurface3DWidth},
        {cudaDevAttrMaxTexture3DHeight, cudaDevAttrMaxSurface3DHeight},
        {cudaDevAttrMaxTexture3DDepth, cudaDevAttrMaxSurface3DDepth}};
    TextureExtent limit{};
    for (int axis = 0; axis < 3; ++axis) {
        int texture = 0, surface = 0;
        check_cuda(cudaDeviceGetAttribute(&texture, attributes[axis][0], device),
                   "asking for the largest 3D texture");
        check_cuda(cudaDeviceGetAttribute(&surface, attributes[axis][1], device),
                   "asking for the largest 3D surface");
        limit.size[axis] = std::min(texture, surface);
    }
    return limit;
}

TextureExtent choose_extent(const SampledField& field, const TextureExtent& limit) {
    if (field.is_sparse) return brick_atlas_extent(field.brick_count(), limit);
    const FieldGrid& grid = field.grid;
    const TextureExtent extent{{grid.samples(0), grid.samples(1), grid.samples(2)}};
    for (int axis = 0; axis < 3; ++axis) {
        if (extent.size[axis] > limit.size[axis]) {
            throw Error("a dense field of " + to_text(extent) +
                        " samples is beyond this device's 3D textures, " + to_text(limit) +
                        " at most; lower the resolution or use a sparse field");
        }
    }
    return extent;
}

cudaResourceDesc describe(cudaArray_t array) {
    cudaResourceDesc description{};
    description.resType = cudaResourceTypeArray;
    description.res.array.array = array;
    return description;
}

// An array opened for writing by kernels, which must be done when this ends.
class Surface {
public:
    explicit Surface(cudaArray_t array) {
        const cudaResourceDesc description = describe(array);
        check_cuda(cudaCreateSurfaceObject(&surface_, &description), "opening a texture to write");
    }
    ~Surface() { cudaDestroySurfaceObject(surface_); }
    Surface(const Surface&) = delete;
    Surface& operator=(const Surface&) = delete;
    cudaSurfaceObject_t get() const { return surface_; }

private:
    cudaSurfaceObject_t surface_ = 0;
};

struct WriteTexel {
    SampledFieldView field;
    std::int64_t brick_count;
    TextureExtent extent;
    cudaSurfaceObject_t surface;

    __device__ void operator()(std::int64_t i) const {
        const std::int64_t row = i / extent.size[0], layer = row / extent.size[1];
        const int texel[3] = {static_cast<int>(i - row * extent.size[0]),
                              static_cast<int>(row - layer * extent.size[1]),
                              static_cast<int>(layer)};
        surf3Dwrite(texel_at(i, texel), surface, texel[0] * static_cast<int>(sizeof(ushort4)),
                    texel[1], texel[2]);
    }

private:
    __device__ ushort4 texel_at(std::int64_t i, const int (&texel)[3]) const {
        if (!field.is_sparse) {
            return to_texel(field.samples[i], {centred(texel[0], field.grid.cells[0]),
                                               centred(texel[1], field.grid.cells[1]),
                                               centred(texel[2], field.grid.cells[2])});
        }
        int slot[3], local[3];
        for (int axis = 0; axis < 3; ++axis) {
            slot[axis] = texel[axis] / kBrickSamples;
            local[axis] = texel[axis] - slot[axis] * kBrickSamples;
        }
        const std::int64_t brick =
            slot[0] + extent.size[0] / kBrickSamples *
                          (slot[1] + extent.size[1] / kBrickSamples * std::int64_t{slot[2]});
        // A brick's last texels blend with their neighbours by a weight of zero, which must not
        // meet what happens to be in memory: it may be infinite.
        if (brick >= brick_count) return {0, 0, 0, 0};
        const std::int64_t sample = brick * kBrickSize + local[0] + local[1] * kBrickSamples +
                                    local[2] * (kBrickSamples * kBrickSamples);
        return to_texel(field.samples[sample],
                        {centred(local[0], kBrickCells), centred(local[1], kBrickCells),
                         centred(local[2], kBrickCells)});
    }

    // [voxels] The coordinate from the middle of so many cells.
    __device__ static float centred(int sample, int cells) {
        return static_cast<float>(sample) - 0.5f * static_cast<float>(cells);
    }

    __device__ static ushort4 to_texel(const FirstOrderSample& sample, const Vec3& x) {
        const Vec3 slope{float_from_half(sample.slope[0]), float_from_half(sample.slope[1]),
                         float_from_half(sample.slope[2])};
        const Half offset = half_from_float(float_from_half(sample.value) - dot(slope, x));
        return {sample.slope[0].bits, sample.slope[1].bits, sample.slope[2].bits, offset.bits};
    }
};

}  // namespace

TextureExtent brick_atlas_extent(std::int64_t brick_count, const TextureExtent& limit) {
    const double count = static_cast<double>(std::max<std::int64_t>(brick_count, 1));
    const auto fit = [&](double wanted, int axis) {
        return std::clamp<std::int64_t>(
            static_cast<std::int64_t>(std::ceil(wanted)), 1,
            std::max<std::int64_t>(limit.size[axis] / kBrickSamples, 1));
    };
    const std::int64_t x = fit(std::cbrt(count), 0);
    const std::int64_t y = fit(std::sqrt(count / static_cast<double>(x)), 1);
    const std::int64_t z = std::max<std::int64_t>((brick_count + x * y - 1) / (x * y), 1);
    const TextureExtent extent{{x * kBrickSamples, y * kBrickSamples, z * kBrickSamples}};
    for (int axis = 0; axis < 3; ++axis) {
        if (extent.size[axis] > limit.size[axis]) {
            throw Error("a sparse field of " + std::to_string(brick_count) +
                        " bricks is beyond this device's 3D textures, " + to_text(limit) +
                        " at most; lower the resolution or the band");
        }
    }
    return extent;
}

class FieldTexture::Storage {
public:
    Storage(int device, const TextureExtent& extent) : extent_(extent), device_(device) {
        const cudaChannelFormatDesc half4 =
            cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
        // The extent of an array is in texels, not in bytes.
        const cudaError_t status =
            cudaMalloc3DArray(&array_, &half4,
                              make_cudaExtent(static_cast<std::size_t>(extent.size[0]),
                                              static_cast<std::size_t>(extent.size[1]),
                                              static_cast<std::size_t>(extent.size[2])),
                              cudaArraySurfaceLoadStore);
        if (status == cudaErrorMemoryAllocation) {
            cudaGetLastError();
            throw Error("out of GPU memory: a texture of " + std::to_string(bytes() >> 20) +
                        " MiB was needed; use a lower resolution or a sparse field");
        }
        check_cuda(status, "allocating a 3D texture");
    }
    ~Storage() {
        int current = 0;
        cudaGetDevice(&current);
        cudaSetDevice(device_);
        if (texture_) cudaDestroyTextureObject(*texture_);
        cudaFreeArray(array_);
        cudaSetDevice(current);
    }
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;

    std::int64_t texel_count() const { return extent_.size[0] * extent_.size[1] * extent_.size[2]; }
    std::int64_t bytes() const {
        return texel_count() * static_cast<std::int64_t>(sizeof(ushort4));
    }
    cudaArray_t array() const { return array_; }

    cudaTextureObject_t open() {
        const cudaResourceDesc resource = describe(array_);
        cudaTextureDesc look{};
        for (cudaTextureAddressMode& mode : look.addressMode)
            mode = cudaAddressModeClamp;
        look.filterMode = cudaFilterModeLinear;
        look.readMode = cudaReadModeElementType;
        look.normalizedCoords = 0;
        cudaTextureObject_t texture = 0;
        check_cuda(cudaCreateTextureObject(&texture, &resource, &look, nullptr),
                   "opening a texture to read");
        texture_ = texture;
        return texture;
    }

private:
    TextureExtent extent_;
    int device_;
    cudaArray_t array_ = nullptr;
    std::optional<cudaTextureObject_t> texture_;
};

FieldTexture::FieldTexture(CudaExecutor& executor, const SampledField& field) {
    if (field.order != FieldOrder::one) {
        throw Error("only fields of order 1 can be textures; build with FieldOrder::one");
    }
    executor.wait();  // which also makes its device the current one
    int device = 0;
    check_cuda(cudaGetDevice(&device), "asking for the current device");
    const TextureExtent extent = choose_extent(field, largest_extent(device));
    storage_ = std::make_unique<Storage>(device, extent);
    {
        const Surface surface(storage_->array());
        executor.for_each("field: write texture", storage_->texel_count(),
                          WriteTexel{field.view(), field.brick_count(), extent, surface.get()});
        executor.wait();
    }
    view_.field = field.view();
    view_.texture = storage_->open();
    Vec3 farthest{0.5f * kBrickCells, 0.5f * kBrickCells, 0.5f * kBrickCells};
    for (int axis = 0; axis < 3; ++axis) {
        if (axis < 2)
            view_.bricks[axis] = static_cast<std::int32_t>(extent.size[axis] / kBrickSamples);
        if (!field.is_sparse) farthest[axis] = 0.5f * static_cast<float>(field.grid.cells[axis]);
    }
    view_.reach = length(farthest);
}

FieldTexture::~FieldTexture() = default;
FieldTexture::FieldTexture(FieldTexture&&) noexcept = default;
FieldTexture& FieldTexture::operator=(FieldTexture&&) noexcept = default;

std::int64_t FieldTexture::memory_bytes() const {
    return storage_->bytes();
}

}  // namespace graze
