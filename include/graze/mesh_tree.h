// MeshTree: what can be asked of one mesh, in batches: closest points, distances with a sign,
// winding numbers, hits of rays, triangles near a point or in a box.
//
//     graze::MeshTree tree(graze::load_mesh("bunny.obj"));
//     for (const graze::NearestPoint& nearest : tree.find_nearest(points)) ...
//     for (float distance : tree.signed_distances(points)) ...
#pragma once

#include <memory>
#include <span>

#include "graze/build_field.h"
#include "graze/device.h"
#include "graze/mesh.h"
#include "graze/ray.h"

namespace graze {

// The point of a mesh that is nearest to a point.
struct NearestPoint {
    Vec3 position;   // [m]
    float distance;  // [m] infinite where nothing is within the distance that was asked for
    // Unit: of the triangle where it is inside one, at an edge or a vertex the mean of the
    // triangles there, at a vertex weighted by their angles. Outside a closed mesh that faces
    // outwards it points to the side of the point. Zero where there is none.
    Vec3 normal;
    std::uint32_t triangle;  // kNoTriangle where nothing is near; of several the lowest
    float u, v;              // position is (1 - u - v) a + u b + v c
};

struct NearTriangle {
    float distance;          // [m] infinite where there is none
    std::uint32_t triangle;  // kNoTriangle where there is none
};

// Lists of answers, one for each question: list i is [offsets[i], offsets[i + 1]) of items.
template <class T>
struct AnswerLists {
    std::span<const T> items;
    std::span<const std::uint64_t> offsets;

    std::span<const T> of(std::size_t question) const {
        return items.subspan(offsets[question], offsets[question + 1] - offsets[question]);
    }
};

// How a signed distance knows inside from outside.
enum class DistanceSign {
    automatic,     // by pseudonormals where the mesh is as they need it and has no flat triangles,
                   // whose normals are uncertain; else by the winding number
    pseudonormal,  // by the normal at the nearest point (Baerentzen and Aanaes, 2005): for meshes
                   // that are closed, face outwards and do not intersect themselves
    winding,       // inside is where the winding number is 1/2 or more, of the mesh with copies of
              // triangles left out and parts that face inwards turned around, as fields have it
};

class MeshTreeEngine;

// A mesh on a device, ready to be asked. Every answer stays until the next call, and is the same
// for any number of threads. Every call throws Error where a coordinate is not finite. progress is
// told the fraction of the questions that are answered, and stops the work with an Error by
// returning false; so does a StopScope.
class MeshTree {
public:
    // Throws Error where the mesh is not valid (see validate()) or has no triangles.
    explicit MeshTree(Mesh mesh, const Device& device = Device::cpu());
    ~MeshTree();
    MeshTree(MeshTree&&) noexcept;
    MeshTree& operator=(MeshTree&&) noexcept;

    // Moves the vertices: the tree keeps its shape and gets new boxes, which takes a fraction of
    // the time of a new one and is good as long as neighbours stay neighbours. Which vertices are
    // one, because they were at the same position, stays as it was.
    void set_positions(std::span<const Vec3> positions);
    const Mesh& mesh() const;

    // max_distance: [m] farther points of the mesh do not count.
    std::span<const NearestPoint> find_nearest(
        std::span<const Vec3> points, float max_distance = std::numeric_limits<float>::infinity(),
        const Progress& progress = nullptr);
    // [m] To the surface, negative inside.
    std::span<const float> signed_distances(std::span<const Vec3> points,
                                            DistanceSign sign = DistanceSign::automatic,
                                            const Progress& progress = nullptr);
    // What automatic means for the mesh as it is; found out once, which takes about as long as
    // inspect().
    DistanceSign distance_sign();
    // How often the mesh goes around each point: 1 inside and 0 outside a closed mesh that faces
    // outwards. Within 0.001 of the sum over all triangles.
    std::span<const float> winding_numbers(std::span<const Vec3> points,
                                           const Progress& progress = nullptr);

    // The first hit of each ray; its triangle is kNoTriangle where there is none. Edges that
    // triangles share let nothing through. A ray without direction hits nothing.
    std::span<const RayHit> find_first_hits(std::span<const Ray> rays,
                                            const Progress& progress = nullptr);
    // 1 where a ray hits anything, else 0.
    std::span<const std::uint8_t> find_any_hits(std::span<const Ray> rays,
                                                const Progress& progress = nullptr);
    // All hits of each ray, by t and then by triangle.
    AnswerLists<RayHit> find_all_hits(std::span<const Ray> rays,
                                      const Progress& progress = nullptr);

    // The triangles that touch each box, ascending; one that misses it by rounding may be named.
    AnswerLists<std::uint32_t> find_in_boxes(std::span<const Aabb> boxes,
                                             const Progress& progress = nullptr);
    // The count nearest triangles of each point, nearest first and at equal distances the lower
    // index: count items a point, the last ones without a triangle where the mesh has fewer.
    std::span<const NearTriangle> find_nearest_triangles(std::span<const Vec3> points, int count,
                                                         const Progress& progress = nullptr);
    // The triangles within a distance [m] of each point, in that order.
    AnswerLists<NearTriangle> find_within(std::span<const Vec3> points, float distance,
                                          const Progress& progress = nullptr);

private:
    std::unique_ptr<MeshTreeEngine> engine_;
};

}  // namespace graze
