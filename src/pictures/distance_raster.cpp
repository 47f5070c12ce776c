#include "pictures/distance_raster.h"

#include <algorithm>
#include <cmath>

#include "parallel/cpu_executor.h"

namespace graze::io {

float DistanceRaster::slope(int x, int y) const {
    const float middle = at(x, y);
    const auto change = [&](int dx, int dy) {
        const int i = std::clamp(x + dx, 0, width - 1), j = std::clamp(y + dy, 0, height - 1);
        return std::fabs(at(i, j) - middle);
    };
    const float along_x = std::max(change(-1, 0), change(1, 0));
    const float along_y = std::max(change(0, -1), change(0, 1));
    const auto size = static_cast<float>(pixel);
    // A distance changes by no more than a pixel's size; where it jumps, there is no surface. Where
    // it hardly changes, a line would cover everything.
    return std::clamp(std::hypot(along_x, along_y), 0.2f * size, 1.2f * size);
}

DistanceRaster sample_plane(const SlicePlane& plane,
                            const std::function<float(const Vec3&)>& distance, int thread_count) {
    DistanceRaster raster{plane.width, plane.height, plane.pixel, {}};
    raster.values.resize(static_cast<std::size_t>(plane.width) *
                         static_cast<std::size_t>(plane.height));
    CpuExecutor executor(thread_count);
    executor.for_each(
        "slice: sample", plane.height,
        [&](std::int64_t row) {
            const int y = static_cast<int>(row);
            float* out = raster.values.data() + row * plane.width;
            for (int x = 0; x < plane.width; ++x)
                out[x] = distance(plane.position(x, y));
        },
        1);
    return raster;
}

}  // namespace graze::io
