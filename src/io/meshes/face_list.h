// FaceList holds the faces of a file while it is read.
//
// A polygon can be cut well only when all positions are known, and files may put faces first. So
// its final triangles are a fan at first, from which its corners can be told, and are cut at the
// end.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "graze/mesh_io.h"
#include "io/meshes/mesh_faults.h"
#include "io/meshes/triangulate_polygon.h"

namespace graze::io {

class FaceList {
public:
    // This index stands between strips; no vertex has it.
    static constexpr std::uint32_t kStripEnd = std::numeric_limits<std::uint32_t>::max();

    void reserve(std::size_t face_count) { triangles_.reserve(face_count); }
    bool has_room(std::size_t triangle_count) const {
        return triangle_count <= kMostTriangles - triangles_.size();
    }
    // The three functions below expect that there is room.
    void add_triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
        triangles_.push_back({{a, b, c}});
    }
    // The location is where the file has it.
    void add_polygon(std::span<const std::uint32_t> corners, const char* location) {
        if (corners.size() > 3)
            polygons_.push_back({static_cast<std::uint32_t>(triangles_.size()),
                                 static_cast<std::uint32_t>(corners.size()), location});
        for (std::size_t i = 2; i < corners.size(); ++i)
            add_triangle(corners[0], corners[i - 1], corners[i]);
    }
    // Every three successive corners are a face, each second one turned round, until kStripEnd
    // starts a new strip. Faces that repeat a corner only steer the strip and are left out.
    void add_strips(std::span<const std::uint32_t> corners) {
        std::size_t start = 0;
        for (std::size_t i = 0; i < corners.size(); ++i) {
            if (corners[i] == kStripEnd) start = i + 1;
            if (i < start + 2) continue;
            const bool turned = (i - start) % 2 != 0;
            const std::uint32_t a = corners[turned ? i - 1 : i - 2];
            const std::uint32_t b = corners[turned ? i - 2 : i - 1];
            const std::uint32_t c = corners[i];
            if (a != b && b != c && c != a) add_triangle(a, b, c);
        }
    }

    // Returns the mesh of these positions and all faces as triangles, in the order of the file. The
    // list is empty afterwards. The cursor fails at a face that cannot be cut.
    template <class T, class Cursor>
    MeshT<T> take_mesh(std::vector<Vec3T<T>>&& positions, PolygonCut cut, const Cursor& cursor) {
        if (cut == PolygonCut::as_fans) polygons_.clear();
        std::vector<std::uint32_t> corners;
        for (const Polygon& polygon : polygons_) {
            Triangle* fan = triangles_.data() + polygon.first_triangle;
            corners.assign({fan->v[0], fan->v[1]});
            for (std::uint32_t i = 0; i + 2 < polygon.corner_count; ++i)
                corners.push_back(fan[i].v[2]);
            try {
                triangulate_polygon<T>(positions, corners, fan);
            } catch (const PolygonError& error) {
                cursor.fail(polygon.location, error.what());
            }
        }
        polygons_.clear();
        return {std::move(positions), std::move(triangles_)};
    }

private:
    struct Polygon {
        std::uint32_t first_triangle;
        std::uint32_t corner_count;
        const char* location;
    };
    std::vector<Triangle> triangles_;
    std::vector<Polygon> polygons_;  // those with more than three corners
};

}  // namespace graze::io
