// CgalIntersections counts the pairs of triangles of a mesh that intersect, by CGAL's
// self_intersections.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "graze/mesh.h"

namespace graze {

class CgalIntersections {
public:
    // Makes CGAL's own mesh of the triangles.
    CgalIntersections(std::span<const Vec3> positions, std::span<const Triangle> triangles);
    ~CgalIntersections();
    CgalIntersections(const CgalIntersections&) = delete;
    CgalIntersections& operator=(const CgalIntersections&) = delete;

    // Returns the count of pairs. One thread runs CGAL's sequential algorithm, several run its
    // parallel one, by oneTBB.
    std::size_t find(int thread_count) const;

private:
    struct Surface;
    std::unique_ptr<Surface> surface_;
};

}  // namespace graze
