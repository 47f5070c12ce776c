// DistanceRaster holds distances on a plane, one for the middle of each pixel of a picture.
#pragma once

#include <functional>
#include <vector>

#include "graze/aabb.h"
#include "pictures/paint.h"

namespace graze::io {

// SlicePlane is a plane normal to an axis, seen so that `right` and `up` are axes of the world.
struct SlicePlane {
    int axis = 2, right = 0, up = 1;
    double coordinate = 0;        // [m] along axis
    double left = 0, bottom = 0;  // [m] of the picture's edges along right and up
    double pixel = 1;             // [m] size of a pixel
    int width = 0, height = 0;    // [pixels]

    // [m] Returns the middle of a pixel; rows are counted from the top.
    Vec3 position(int x, int y) const {
        Vec3d p{0, 0, 0};
        p[axis] = coordinate;
        p[right] = left + (x + 0.5) * pixel;
        p[up] = bottom + (height - y - 0.5) * pixel;
        return static_cast<Vec3>(p);
    }
};

struct DistanceRaster {
    int width = 0, height = 0;  // [pixels]
    double pixel = 1;           // [m]
    std::vector<float> values;  // [m] rows from the top

    float at(int x, int y) const {
        return values[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                      static_cast<std::size_t>(x)];
    }
    // [m a pixel] Returns how fast the distance changes; at a kink, on its steeper side.
    float slope(int x, int y) const;
    // Returns the fraction of a pixel that a line of the given half width [pixels] along a level
    // covers.
    float contour(int x, int y, float level, float half_width) const {
        return line_coverage(std::fabs(at(x, y) - level) / slope(x, y), half_width);
    }
};

// Calls distance(point) for every pixel, from several threads; thread_count 0 means all cores.
DistanceRaster sample_plane(const SlicePlane& plane,
                            const std::function<float(const Vec3&)>& distance,
                            int thread_count = 0);

}  // namespace graze::io
